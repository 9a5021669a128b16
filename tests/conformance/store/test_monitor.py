"""What a watch shows: a line for each violation, numbers for each batch, and on a terminal a panel that stays in place.

Justified by docs/how-to/watch-a-live-log.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from conformance.store.monitor import METRICS, Monitor
from conformance.store.panel import Panel
from conformance.store.sources import new_slices
from conformance.store.state import FileRead
from conformance.store.store import Store
from conformance.store.telling import Settle
from tests.support.planted import HEADER, events, truth, write

LAG = 7


@dataclass(frozen=True)
class Fed:
    """A folder that says how far behind its reader is."""

    path: Path
    unit = "bytes"

    @property
    def name(self) -> str:
        return str(self.path)

    def lag(self, read: Mapping[str, FileRead]) -> int:  # noqa: ARG002 - it is the same for everybody
        return LAG

    def examine(self, read: Mapping[str, FileRead]) -> None:
        """There is nothing wrong with it."""


class Screen(StringIO):
    """A terminal on which both streams of a program appear."""

    def isatty(self) -> bool:
        return True

    @property
    def shown(self) -> list[str]:
        """What stands there: the cursor goes up, and clears all from there on."""
        first, *others = self.getvalue().replace("\x1b[J", "").split("\x1b[")
        lines = first.splitlines()
        for up, _, rest in (other.partition("A") for other in others):
            lines = [*lines[: -int(up)], *rest.splitlines()]
        return lines


def watched(tmp_path: Path, *, quiet: bool = False) -> Monitor:
    """A monitor that was given the planted trace in batches, and then was told that there is no more."""
    source = tmp_path / "source"
    source.mkdir()
    store = Store(tmp_path / "store", HEADER, may_double=True)
    monitor, every = Monitor(store, Fed(source), Settle(events=150), quiet=quiet), events()
    for number in range(0, len(every), 150):
        write(source / f"{number:04}.jsonl", every[number : number + 150])
        read = {name: one.size for name, one in store.state.read.items()}
        monitor.take(new_slices(source, read, growing=False), number)
    monitor.conclude()
    return monitor


def test_each_violation_is_a_line_and_each_batch_has_its_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monitor = watched(tmp_path)
    said, progress = capsys.readouterr()
    lines = [json.loads(line) for line in said.splitlines()]
    assert sorted(line["violated"] for line in lines) == sorted(violation.rule for violation in truth())
    assert all(line["row"] and line["sentence"] and line["batch"] for line in lines)
    numbers = [json.loads(line) for line in (tmp_path / "store" / METRICS).read_text().splitlines()]
    assert [one["batch"] for one in numbers] == list(range(1, len(numbers) + 1))
    assert sum(one["new"] for one in numbers) == numbers[-1]["events"] == len(events())
    assert numbers[-1]["lag_bytes"] == LAG
    assert numbers[-1]["told"] + numbers[-1]["pending"] == len(truth()) == len(monitor.store.violations)
    assert len(progress.splitlines()) == len(numbers)
    assert progress.startswith("batch 1: 150 events, ")


def test_who_is_quiet_shows_violations_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched(tmp_path, quiet=True)
    said, progress = capsys.readouterr()
    assert (len(said.splitlines()), progress) == (len(truth()), "")


def test_on_a_terminal_one_panel_stands_below_all_violations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn anew where it stands, and no line of a violation is cleared with it."""
    screen = Screen()
    monkeypatch.setattr(sys, "stdout", screen)
    monkeypatch.setattr(sys, "stderr", screen)
    watched(tmp_path)
    monkeypatch.undo()
    violations, panel = screen.shown[: len(truth())], screen.shown[len(truth()) :]
    assert sorted(json.loads(line)["violated"] for line in violations) == sorted(one.rule for one in truth())
    numbers = json.loads((tmp_path / "store" / METRICS).read_text().splitlines()[-1])
    assert [line.split("  ")[-1] for line in panel] == [f"{value:,}" for value in numbers.values()]
    assert [line.split("  ")[-2].strip() for line in panel] == [name.replace("_", " ") for name in numbers]


def test_a_panel_that_was_not_drawn_clears_nothing() -> None:
    screen = Screen()
    panel = Panel(screen)
    with panel.aside():
        screen.write("a violation\n")
    panel.draw(["one", "two"])
    panel.draw(["three"])
    assert screen.shown == ["a violation", "three"]

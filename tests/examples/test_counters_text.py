"""The text of the smallest family is proved and explored, and traces of the family are followed by it.

Issue 18: a package offers a text and how traces are followed by it, and no line is changed elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.trace.jsonl import write_events
from examples.counters import Raised, Told
from examples.counters.text import Counting, abacus
from reference_impl.kernel.explorer.search import explore
from spec.language.protocol.mutants import without_one_guard
from spec.proof.inductive import prove
from tests.examples.test_counters import HEADER
from tests.support.installed import COUNTERS as OFFERED
from tests.support.installed import installed

Output = pytest.CaptureFixture[str]

LINES_MAX = 150


@pytest.fixture(autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A package offers the family, its text, and how it is followed and simulated."""
    with installed(tmp_path_factory.mktemp("installed"), OFFERED):
        yield


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_the_text_is_proved_for_any_number_of_values_and_readers(solver: Any) -> None:
    if solver == "cvc5":
        pytest.importorskip("cvc5", reason="the second solver is not installed")
    assert prove(Counting, solver=solver).status == "holds"


def test_the_text_keeps_its_goals_in_a_small_world() -> None:
    assert explore(abacus()).broken is None


@pytest.mark.parametrize("mutant", list(without_one_guard(Counting)), ids=str)
def test_without_a_guard_a_goal_is_broken(mutant: Any) -> None:
    assert explore(replace(abacus(), protocol=mutant.protocol)).broken is not None


def test_commands_know_the_text(capsys: Output) -> None:
    assert main(["explore", "counting"]) == 0
    assert main(["explore"]) == 0
    assert "counting: A counter only rises, and readers are told what it stands at." in capsys.readouterr().out


def test_runs_of_the_text_are_simulated_judged_and_followed(tmp_path: Path, capsys: Output) -> None:
    path = str(tmp_path / "run.jsonl")
    assert main(["simulate", "--family", "counters", "--values", "9", "--quiet", "--output", path]) == 0
    assert main(["check", path, "--quiet"]) == 0
    assert "2 of 2 rules hold" in capsys.readouterr().out
    assert main(["replay", path]) == 0


def test_the_family_with_its_text_is_small() -> None:
    """Issue 18: one folder of at most so many lines; blank ones are not counted."""
    lines = [line for path in Path("examples/counters").glob("*.py") for line in path.read_text().splitlines()]
    assert len([line for line in lines if line.strip()]) <= LINES_MAX


def recorded(folder: Path, *told: tuple[Any, int | None]) -> str:
    """A trace in which a counter was raised and told."""
    recorders = {Raised: "keeper", Told: "reader"}
    events, seen = [], {"keeper": 0, "reader": 0}
    for step, (event, total) in enumerate(told, 1):
        recorder = recorders[event]
        seen[recorder] += 1
        place = {"kind": event.kind, "recorder": recorder, "seq": seen[recorder], "time_ns": step}
        events.append(place | {"counter": 1, "term": 1, "step": step, "total": total})
    write_events(folder / "run.jsonl", HEADER, events)
    return str(folder / "run.jsonl")


def test_a_trace_is_followed_by_the_text(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", recorded(tmp_path, (Raised, 2), (Told, 2), (Raised, 5), (Told, 5))]) == 0
    assert "4 events followed by the text counting, in 4 steps" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("second", "reason"),
    [
        ((Raised, 1), "for no later after 1: the counter stands at later"),
        ((Told, 3), "the counter stands at 3"),
        ((Raised, -1), "total is less than 0"),
    ],
)
def test_the_first_event_that_is_no_step_is_told(
    second: tuple[Any, int], reason: str, tmp_path: Path, capsys: Output
) -> None:
    assert main(["replay", recorded(tmp_path, (Raised, 2), second)]) == 1
    said = capsys.readouterr().out
    assert "Event 2 is no step of the text counting:" in said
    assert reason in said


def test_what_nobody_knows_is_not_followed(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", recorded(tmp_path, (Raised, 2), (Told, None))]) == 2
    assert "unknown (nobody knows the total of an event)" in capsys.readouterr().out


def test_a_recorders_own_order_counts_and_not_that_of_lines(tmp_path: Path, capsys: Output) -> None:
    """docs/reference/trace-format.md: lines may stand in any order, and a recorder's events are in that of ``seq``."""
    path = Path(recorded(tmp_path, (Raised, 3), (Raised, 1)))
    assert main(["replay", str(path)]) == 1
    header, first, second, *rest = path.read_text().splitlines()
    path.write_text("\n".join([header, second, first, *rest]) + "\n")
    assert main(["replay", str(path)]) == 1
    assert "put(1)" in capsys.readouterr().out.split("verdict")[-2]
    assert main(["replay", str(path), "--order", "written"]) == 0

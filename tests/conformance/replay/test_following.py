"""``quorate replay`` of other families than the log follows the text that is proved of them.

Justified by the promise of three-valued verdicts, and by the demand that a refusal names what failed and its source.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.trace import jsonl
from conformance.trace.commands import sort
from conformance.trace.header import Header
from reference_impl.ledger.plan import LedgerPlan
from spec.ledger.events import Stored
from spec.verdicts import ExitCode
from tests.support.ledger_runs import events_of, header_of

Output = pytest.CaptureFixture[str]


def recorded(path: Path, mutant: str = "", clock_bound_ns: int = 0) -> str:
    """A simulated run of ledgers as a file, as it was recorded."""
    plan = LedgerPlan(mutant=mutant)
    events = events_of(plan)
    header = replace(header_of(plan, {event["recorder"] for event in events}), clock_bound_ns=clock_bound_ns)
    jsonl.write_events(path, header, events)
    return str(path)


def without_the_first(path: Path, kind: int | None) -> str:
    """The same run, of which nobody saw the first event of a kind."""
    lines = Path(recorded(path)).read_text(encoding="utf-8").splitlines(keepends=True)
    word = f'"kind":{kind},'
    place = next(number for number, line in enumerate(lines) if word in line.replace(" ", ""))
    path.write_text("".join(lines[:place] + lines[place + 1 :]), encoding="utf-8")
    return str(path)


def test_a_run_of_ledgers_holds(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", recorded(tmp_path / "run.jsonl")]) == 0
    first, *_, last = capsys.readouterr().out.splitlines()
    assert "6 times the text ensemble_change" in first
    assert last == "verdict: holds"


def test_a_broken_run_is_refused_with_the_clause_and_its_source(tmp_path: Path, capsys: Output) -> None:
    path = recorded(tmp_path / "run.jsonl", "fenced_bookies_take_adds")
    assert main(["replay", path]) == 1
    said = capsys.readouterr().out
    assert "Because:  needed: not (bookie" in said
    assert "PendingAddOp.java" in said
    assert said.splitlines()[-1] == "verdict: violated"
    assert main(["replay", path, "--format", "json"]) == 1
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (told["text"], told["verdict"]) == ("ensemble_change", "violated")
    assert told["refusal"]["claims"].startswith("accept(bookie")
    assert told["refusal"]["event"]["kind"] == Stored.kind
    assert told["events"] == told["refusal"]["number"] - 1


@pytest.mark.parametrize("order", ["written", "clocks"])
def test_the_order_of_recorders_may_be_that_of_their_clocks(tmp_path: Path, capsys: Output, order: str) -> None:
    assert main(["replay", recorded(tmp_path / "run.jsonl"), "--order", order]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "verdict: holds"


def test_a_sorted_trace_is_followed_by_its_clocks(tmp_path: Path, capsys: Output) -> None:
    sort(Path(recorded(tmp_path / "run.jsonl")), tmp_path / "sorted.parquet")
    assert main(["replay", str(tmp_path / "sorted.parquet")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "verdict: holds"


def test_a_run_that_is_not_written_as_it_happened_is_no_violation(tmp_path: Path, capsys: Output) -> None:
    """Written recorder by recorder, its clock alone orders it; the run of a mutant is refused all the same."""
    for mutant, code in (("", ExitCode.UNKNOWN), ("fenced_bookies_take_adds", ExitCode.VIOLATED)):
        plan = LedgerPlan(mutant=mutant)
        events = sorted(events_of(plan), key=lambda event: (event["recorder"], event["seq"]))
        path = tmp_path / f"run{mutant}.jsonl"
        jsonl.write_events(path, header_of(plan, {event["recorder"] for event in events}), events)
        assert main(["replay", str(path)]) == code
        assert ("say --order clocks" in capsys.readouterr().out) is (code is ExitCode.UNKNOWN)
        assert main(["replay", str(path), "--order", "clocks"]) == (1 if mutant else 0)


def test_what_clocks_leave_open_is_no_violation(tmp_path: Path, capsys: Output) -> None:
    """With clocks that may differ by a second, some order of a broken run might do."""
    path = recorded(tmp_path / "run.jsonl", "fenced_bookies_take_adds", clock_bound_ns=1_000_000_000)
    assert main(["replay", path]) in (0, 2)
    assert "violated" not in capsys.readouterr().out


def test_what_is_recorded_in_part_is_neither_followed_nor_refused(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "run.jsonl"
    plan = LedgerPlan()
    events = [event for event in events_of(plan) if event["kind"] != Stored.kind]
    header = header_of(plan, {event["recorder"] for event in events})
    jsonl.write_events(path, _without(header, Stored.word), events)
    assert main(["replay", str(path)]) == 2
    assert capsys.readouterr().out.splitlines()[-1] == "verdict: unknown (not recorded completely: stored)"


def _without(header: Header, word: str) -> Header:
    recorders = {
        name: replace(one, records={kind: how for kind, how in one.records.items() if kind != word})
        for name, one in header.recorders.items()
    }
    return replace(header, recorders=recorders)


def test_a_text_has_no_guards_to_leave_out(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", recorded(tmp_path / "run.jsonl"), "--without", "store.*"]) == ExitCode.USAGE
    assert "--without" in capsys.readouterr().err

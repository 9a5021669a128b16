"""``quorate replay``: holds, violated or unknown, told with the guard; nothing is ever a pass that was not earned.

Justified by the promise of three-valued verdicts, and by the demand that a refusal names the guard that failed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.cli import main
from conformance.cli_simulate import header_for
from conformance.trace import jsonl
from conformance.trace.commands import sort
from conformance.trace.header import Header
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.events import Deliver, Invoke
from spec.verdicts import ExitCode
from tests.suite.caught import Catches
from tests.support.damage import DAMAGES, EXPECTED
from tests.support.damage_lines import Damage
from tests.support.small_traces import sound, write
from tests.support.traces import HEADER, small_events

Output = pytest.CaptureFixture[str]
PLAN = SimulationPlan(events=2500, logs=3)


def recorded(path: Path, mutant: str = "", header: Callable[[Header], Header] = lambda same: same) -> str:
    """A simulated run as a file, as it was recorded."""
    plan = replace(PLAN, mutant=mutant)
    jsonl.write_events(path, header(header_for(plan)), simulate(plan))
    return str(path)


def test_a_run_holds(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", recorded(tmp_path / "run.jsonl")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "verdict: holds"


def test_a_broken_run_is_refused_with_the_guard(tmp_path: Path, capsys: Output) -> None:
    path = recorded(tmp_path / "run.jsonl", "ack_before_stored")
    assert main(["replay", path]) == 1
    said = capsys.readouterr().out
    assert "ack.is_stored" in said
    assert said.splitlines()[-1] == "verdict: violated"
    assert main(["replay", path, "--format", "json"]) == 1
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "violated"
    assert told["refusal"]["guard"] == "ack.is_stored"
    assert told["refusal"]["event"]["kind"] == 8
    assert told["events"] == told["refusal"]["number"] - 1


def test_one_altered_event_of_a_file_is_refused_by_its_number(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "run.jsonl"
    events = list(simulate(PLAN))
    place = next(at for at, event in enumerate(events) if at > 1000 and event["kind"] == Deliver.kind)
    events[place] = {**events[place], "digest": events[place]["digest"] ^ 1}
    jsonl.write_events(path, header_for(PLAN), events)
    assert main(["replay", str(path), "--format", "json"]) == 1
    refusal = json.loads(capsys.readouterr().out)["refusal"]
    assert (refusal["number"], refusal["guard"]) == (place + 1, "deliver.is_what_was_kept")


def test_a_time_that_is_moved_back_is_no_pass(tmp_path: Path, capsys: Output) -> None:
    """Unless somebody says that events are not written down as they happen."""
    path = tmp_path / "run.jsonl"
    events = list(simulate(PLAN))
    place = next(at for at, event in enumerate(events) if at > 1000 and event["kind"] == Invoke.kind)
    events[place] = {**events[place], "time_ns": events[place - 1]["time_ns"] - 1}
    jsonl.write_events(path, header_for(PLAN), events)
    assert main(["replay", str(path)]) == 2
    assert f"number {place + 1} are written after later ones" in capsys.readouterr().out
    assert main(["replay", str(path), "--order", "clocks"]) == 0
    assert main(["replay", str(path), "--order", "written"]) == 1


def test_a_run_that_is_not_written_as_it_happened_is_no_violation(tmp_path: Path, capsys: Output) -> None:
    """Sorted by recorder, its clock alone orders it; the run of a mutant is refused all the same."""
    path = tmp_path / "run.jsonl"
    for mutant, code in (("", 2), ("ack_before_stored", 1)):
        plan = replace(PLAN, mutant=mutant)
        events = sorted(simulate(plan), key=lambda event: (event["recorder"], event["seq"]))
        jsonl.write_events(path, header_for(plan), events)
        assert main(["replay", str(path)]) == code
        capsys.readouterr()


def test_a_sorted_run_is_replayed_by_its_clock(tmp_path: Path, capsys: Output) -> None:
    good, bad = recorded(tmp_path / "run.jsonl"), recorded(tmp_path / "bad.jsonl", "ack_before_stored")
    for source, code in ((good, 0), (bad, 1)):
        target = tmp_path / "sorted.parquet"
        sort(source, target)
        assert main(["replay", str(target)]) == code
        capsys.readouterr()


def test_clocks_that_differ_leave_a_refusal_unknown(tmp_path: Path, capsys: Output) -> None:
    """Another order of the events might go further."""
    path = recorded(tmp_path / "run.jsonl", "ack_before_stored", lambda header: replace(header, clock_bound_ns=1000))
    assert main(["replay", path]) == 2
    assert "another order" in capsys.readouterr().out
    path = recorded(tmp_path / "run.jsonl", "", lambda header: replace(header, clock_bound_ns=1000))
    assert main(["replay", path]) == 0


def test_a_poor_trace_is_unknown(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", str(write(tmp_path / "poor.jsonl", sound()))]) == 2
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("verdict: unknown (not recorded completely")


def test_what_nobody_knew_is_unknown(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "run.jsonl"
    events = [{**event, "nodes": None} if event["kind"] == 7 else event for event in simulate(PLAN)]
    jsonl.write_events(path, header_for(PLAN), events)
    assert main(["replay", str(path), "--without", "ack.is_stored"]) == 2
    assert "leave open" in capsys.readouterr().out


def test_guards_can_be_left_out(tmp_path: Path, capsys: Output) -> None:
    path = recorded(tmp_path / "run.jsonl")
    assert main(["replay", path, "--without", "recorder.*"]) == 2
    assert "set aside" in capsys.readouterr().out
    assert main(["replay", path, "--without", "no.such.guard"]) == 4
    assert "--without" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "damage"), DAMAGES, ids=[name for name, _ in DAMAGES])
def test_no_damage_is_ever_a_pass(name: str, damage: Damage, tmp_path: Path, capsys: Output, catches: Catches) -> None:
    """Whatever is wrong with a file, replay says so by name and without a trace of calls."""
    target, expected = tmp_path / "damaged", EXPECTED[name]
    source = tmp_path / "sound.jsonl"
    jsonl.write_events(source, HEADER, small_events(), in_order=True)
    damage(source, target)
    code = main(["replay", str(target), "--format", "json"])
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    found = json.loads(said.out)
    if expected is None:
        assert code in {1, 2}
    else:
        assert (code, found["verdict"], found["error"]["name"]) == (2, "unknown", expected.__name__)
    catches("damage", name, "replay")


def test_a_log_is_followed_by_the_text_of_its_epochs_where_that_is_asked(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", "--text", recorded(tmp_path / "run.jsonl")]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "times the text epoch" in said[0]
    assert said[-1] == "verdict: holds"
    assert main(["replay", "--text", recorded(tmp_path / "run.jsonl", "ack_before_stored")]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "Claims:   acknowledge(ESN 1)" in said
    assert said[-1] == "verdict: violated"


def test_a_text_has_no_guards_to_leave_out(tmp_path: Path, capsys: Output) -> None:
    assert main(["replay", "--text", recorded(tmp_path / "run.jsonl"), "--without", "ack.*"]) == ExitCode.USAGE
    assert "--without" in capsys.readouterr().err

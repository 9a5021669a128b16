"""Checking: verdicts follow counts, completeness and promises, whichever engine judges and whatever the form.

Justified by ``spec.verdicts`` and by the meaning of rules, ``spec.language.reference``.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance.check.checking import check
from conformance.check.engines import ENGINES
from conformance.trace.errors import Duplicated, NotSorted
from conformance.trace.open import open_trace
from spec.events import Ack, AtEnd, Deliver, Invoke
from spec.language.outcomes import Verdict, Violation
from spec.registry import BY_ID, RULES
from spec.reports import json_form, text
from spec.verdicts import ExitCode, Standing
from tests.support.small_traces import CLIENTS, EVERYTHING, header, lost, sound, write, write_sorted
from tests.support.tiny import at

LOST = "client.read.acked_is_delivered"
FORMS = ("run.jsonl", "run.jsonl.zst", "run.parquet")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", FORMS)
def test_a_sound_trace_holds(tmp_path: Path, form: str, engine: str) -> None:
    report = check(open_trace(write(tmp_path / form, sound())), engine=engine)
    assert (report.verdict.verdict, report.verdict.exit_code) == (Verdict.HOLDS, ExitCode.HOLDS)
    assert report.events == len(sound())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("form", FORMS)
def test_a_lost_record_is_found_and_witnessed(tmp_path: Path, form: str, engine: str) -> None:
    report = check(open_trace(write(tmp_path / form, lost())), engine=engine)
    violation = Violation(LOST, (1, (1 << 32) + 1))
    assert report.verdict.exit_code is ExitCode.VIOLATED
    assert [said.rule.id for said in report.verdict.rules if said.violated] == [LOST]
    witness = report.witnesses[violation]
    assert {"passed_upto": "e2n0", "lsn": "e1n1"}.items() <= dict(witness.seen).items()
    assert {event["kind"] for event in witness.events} == {"ack", "gap"}


def test_engines_agree_on_what_is_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", lost())
    counted = [
        [
            (said.rule.id, said.judged, said.violated, said.unknown)
            for said in check(open_trace(path), engine=engine).verdict.rules
        ]
        for engine in ENGINES
    ]
    assert counted[0] == counted[1]


def test_a_sorted_trace_is_judged_where_it_lies(tmp_path: Path) -> None:
    path = write_sorted(tmp_path / "run.parquet", lost())
    assert open_trace(path).sorted
    assert check(open_trace(path)).verdict.verdict is Verdict.VIOLATED


def test_what_is_not_promised_is_not_held_against_a_system(tmp_path: Path) -> None:
    said = header(promises={})
    report = check(open_trace(write(tmp_path / "run.jsonl", sound(), said)))
    copies = next(one for one in report.verdict.rules if one.rule.id == "log.append.acked_has_copies")
    assert (copies.standing, copies.judged) == (Standing.NOT_PROMISED, 0)
    assert report.verdict.verdict is Verdict.HOLDS


def test_what_is_not_recorded_is_not_judged(tmp_path: Path) -> None:
    clients = [event for event in sound() if event["kind"] not in {1, 7}]
    report = check(open_trace(write(tmp_path / "run.jsonl", clients, header(records=CLIENTS))))
    stored = next(one for one in report.verdict.rules if one.rule.id == "log.append.one_record")
    assert (stored.standing, stored.reason) == (Standing.NOT_RECORDED, "not recorded: store")


def test_a_violation_that_a_partial_recording_may_have_caused_is_unknown(tmp_path: Path) -> None:
    """Without a complete record of deliveries, an acknowledged record may have been delivered unseen."""
    unseen = [*sound()[:5], at(Deliver, 1, 2, reader=3, digest=12)]
    for partial, verdict, violated in (((), Verdict.VIOLATED, 1), (("deliver",), Verdict.UNKNOWN, 0)):
        said = header(records=EVERYTHING, partial=partial)
        report = check(open_trace(write(tmp_path / "run.jsonl", unseen, said)))
        one = next(one for one in report.verdict.rules if one.rule.id == LOST)
        assert (one.verdict, one.violated) == (verdict, violated)


def test_an_unknown_instance_spoils_the_verdict(tmp_path: Path) -> None:
    events = [event | {"digest": None} if event["kind"] == Ack.kind else event for event in sound()]
    report = check(open_trace(write(tmp_path / "run.jsonl", events)))
    assert (report.verdict.verdict, report.verdict.exit_code) == (Verdict.UNKNOWN, ExitCode.UNKNOWN)


def test_nothing_checked_is_no_pass(tmp_path: Path) -> None:
    report = check(open_trace(write(tmp_path / "run.jsonl", sound()[:1])), [BY_ID[LOST]])
    assert report.verdict.exit_code is ExitCode.NOTHING_CHECKED


@pytest.mark.parametrize("engine", ENGINES)
def test_an_event_that_stands_twice_is_named(tmp_path: Path, engine: str) -> None:
    trace = open_trace(
        write(tmp_path / "run.jsonl", [*sound(), sound()[-1] | {"seq": 10**6}, sound()[-1] | {"seq": 10**6}])
    )
    with pytest.raises(Duplicated):
        check(trace, engine=engine)


def test_a_trace_that_only_says_that_it_is_sorted_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", lost()[::-1])
    path.write_text(path.read_text().replace('"end_line":true', '"end_line":true,"sorted":true', 1))
    assert open_trace(path).sorted
    with pytest.raises(NotSorted):
        check(open_trace(path))


def test_files_of_a_folder_are_judged_as_one_trace(tmp_path: Path) -> None:
    """Each is sorted, and they overlap: only together do they show what was lost, and what stands twice."""
    (tmp_path / "run").mkdir()
    for name, events in {"a": lost()[:9], "b": lost()[9:]}.items():
        write_sorted(tmp_path / "run" / f"{name}.parquet", events)
    report = check(open_trace(tmp_path / "run"))
    assert [one.rule.id for one in report.verdict.rules if one.violated] == [LOST]
    for name in ("c", "d"):
        write_sorted(tmp_path / "run" / f"{name}.parquet", sound()[-1:])
        (tmp_path / "run" / "d.parquet").write_bytes((tmp_path / "run" / "c.parquet").read_bytes())
    with pytest.raises(Duplicated):
        check(open_trace(tmp_path / "run"))


def test_a_report_keeps_few_violations_and_counts_all(tmp_path: Path) -> None:
    report = check(open_trace(write(tmp_path / "run.jsonl", [*lost(), *acked(range(3, 60, 2))])), kept=5, shown=2)
    one = next(one for one in report.verdict.rules if one.rule.id == LOST)
    assert (one.violated, len(one.violations)) == (30, 5)
    assert sum(violation.rule == LOST for violation in report.witnesses) == 2


def test_losses_in_a_row_are_told_once(tmp_path: Path) -> None:
    """A reader that lost its place passes over hundreds of records at once."""
    report = check(open_trace(write(tmp_path / "run.jsonl", [*lost(), *acked(range(2, 30)), *acked([40])])))
    one = next(one for one in report.verdict.rules if one.rule.id == LOST)
    assert [one.in_a_row[violation] for violation in one.violations] == [29, 1]
    assert "LSN e1n1 to e1n29: 29 in a row, told once" in text.render(report)


def acked(esns: Iterable[int]) -> list[dict[str, Any]]:
    """Acknowledgements of these ESNs."""
    return [at(Ack, 1, esn, writer=7, digest=100 + esn, copyset=frozenset[int](), required=1) for esn in esns]


def test_text_and_json_say_the_same(tmp_path: Path) -> None:
    report = check(open_trace(write(tmp_path / "run.jsonl", lost())))
    said, lines = json_form.to_object(report), text.render(report, every=True).splitlines()
    assert said["verdict"] == "violated"
    assert lines[-1].startswith("verdict: violated")
    assert {rule["id"] for rule in said["rules"]} == {rule.id for rule in RULES}
    for rule in said["rules"]:
        assert {
            "id",
            "verdict",
            "judged",
            "violated",
            "unknown",
            "reason",
            "sentence",
            "cite",
            "promise",
        } <= rule.keys()
        assert any(rule["id"] in line for line in lines)
    broken = next(rule for rule in said["rules"] if rule["id"] == LOST)
    assert broken["violations"][0]["key"] == "1,e1n1"
    assert broken["violations"][0]["row"] == {"log": 1, "lsn": (1 << 32) + 1}
    assert max(len(line) for line in lines if str(tmp_path) not in line) <= 120


@pytest.mark.parametrize(("end", "first"), [(1, "whether more is wrong"), (2, "whether anything is wrong")])
def test_what_was_not_asked_does_not_belie_the_verdict(tmp_path: Path, end: int, first: str) -> None:
    """Nobody reads what was acknowledged; a reader is told that the log ends there, or after it."""
    said = [at(Invoke, writer=7, digest=11), at(Ack, 1, 1, writer=7, digest=11), at(AtEnd, 1, end, reader=3)]
    path = write(tmp_path / "run.jsonl", said, header(records=(*CLIENTS, "at_end")))
    assert first in text.render(check(open_trace(path))).splitlines()[1]

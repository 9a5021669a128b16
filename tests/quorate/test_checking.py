"""A verdict from Python says what the command says, with all that a person needs to believe a violation.

Justified by docs/reference/python-api.md, Judging.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import quorate
from conformance.cli import main
from conformance.trace.errors import Mistyped, NotReadable
from spec.registry import BY_ID, UnknownRule

LOST = "client.read.nothing_beyond_the_end"


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    """Give a trace of which a reader is told that it ends, though a record lies there."""
    path = tmp_path / "lossy.jsonl"
    with quorate.Recorder(path) as recorder:
        for lsn, payload in enumerate("ab"):
            recorder.writer("w").append(payload).acknowledged(lsn)
        reader = recorder.reader("r")
        reader.begin(0)
        reader.given(0, "a")
        reader.at_end(1, reader.ask())
    return path


def test_a_violation_has_rule_sentence_source_events_story_and_a_line_to_paste(
    lossy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (violation,) = quorate.check(lossy).violations
    rule = BY_ID[LOST]
    assert (violation.rule, violation.sentence, violation.source) == (LOST, rule.sentence, rule.cite)
    assert violation.place == "log 0 (log), LSN e1n1"
    assert [event["kind"] for event in violation.events] == ["ack", "at_end"]
    assert main(violation.replay.split()[1:]) == 1
    assert capsys.readouterr().out == violation.explanation


def test_a_verdict_counts_what_was_asked(lossy: Path) -> None:
    verdict = quorate.check(lossy)
    assert (verdict.outcome, verdict.broken) == ("violated", {LOST: 1})
    assert verdict.asked["client.append.one_lsn"] == 2
    assert verdict.reasons["client.append.refused_is_absent"] == "no instance"
    assert verdict.summary in str(verdict)
    assert verdict.violations[0].explanation in str(verdict)


def test_events_in_memory_are_judged_alike(lossy: Path) -> None:
    said = [json.loads(line) for line in lossy.read_text().splitlines()]
    verdict, same = quorate.check(said), quorate.check(lossy)
    assert (verdict.outcome, verdict.asked, verdict.broken) == (same.outcome, same.asked, same.broken)
    assert [one.replay for one in verdict.violations] == [""]


def test_as_a_condition_only_what_holds_is_true(lossy: Path) -> None:
    assert not quorate.check(lossy)
    assert quorate.check(lossy, ["client.append.*"])
    unknown = quorate.check(lossy, ["log.recovery.*"])
    assert unknown.outcome == "unknown"
    assert not unknown


def test_what_cannot_be_judged_is_a_named_error(tmp_path: Path, lossy: Path) -> None:
    with pytest.raises(NotReadable):
        quorate.check(tmp_path / "none.jsonl")
    with pytest.raises(UnknownRule):
        quorate.check(lossy, ["client.red.*"])
    with pytest.raises(Mistyped, match="each is a mapping"):
        quorate.check([1])  # type: ignore[list-item]

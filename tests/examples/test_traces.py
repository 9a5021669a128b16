"""The published traces: each is judged as the index says, and they are of every kind that they say to be of.

Issue 17: their verdicts were decided by the definition of what clients may see and by the documents of the systems, and
not by what the rules say.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.check.checking import check
from conformance.cli import main
from conformance.trace.errors import TraceError
from conformance.trace.open import open_trace
from conformance.vectors.run import Answer, run
from spec.client.definition import verdict
from spec.language.outcomes import Verdict
from spec.registry import BY_ID, RULES
from spec.sources.carriers import CarrierKind
from spec.sources.pages import TRACES
from spec.sources.registry import DOCUMENTS
from tests.support.corpus_of_traces import FOLDER, Published, histories, published

CORPUS = published()

CENSUS = {rule.id for rule in RULES if rule.census}
"""Rules that count what was asked, and are never violated."""

LINES_MAX = 22

MISTAKES = {
    "a read passes over an acknowledged record in silence": "broken/silent_skip",
    "nobody reads": "open/nobody_reads",
    "order is asked of neighbours only": "broken/order_against_all_before",
    "copies have no time": "broken/acknowledged_after_one_copy",
    "what was erased counts as a copy": "broken/erased_before_the_acknowledgement",
    "the number in a promise is taken for a truth value": "broken/acknowledgement_counts_on_fewer",
    "a loss is told where another reader was given the record": "broken/loss_told_to_one_of_two_readers",
    "a hole is told where another reader was given the record": "broken/hole_over_given",
    "one append is acknowledged at two LSNs": "broken/acknowledged_twice",
    "a trim that nobody recorded excuses a loss": "open/trim_not_recorded",
    "a gap has a reason that there is not": "damaged/unknown_reason",
    "loss is asked of all readers together": "broken/missed_by_one_of_two_readers",
    "nobody says that a reader is at the end": "broken/tail_lost",
    "a record is given before its append began": "broken/given_before_it_began",
    "a later append of another client lies earlier": "broken/real_time_order",
    "the order of one client's appends is not asked": "broken/client_order",
    "equal payloads are taken for one append": "unusual/equal_payloads_of_one_client",
    "an append of unknown outcome is taken for its retry": "unusual/retried_and_both_stored",
    "a refused append is taken for its retry": "unusual/refused_then_retried",
    "order is asked across reads": "unusual/reader_seeks_back_two",
    "a reader's order is compared across recorders": "unusual/reader_moved",
    "a writer's order is compared across recorders": "unusual/writer_moved",
    "the nearest release is taken for the earliest": "unusual/releases_heard_late_and_out_of_order",
    "a release has to wait for the client": "unusual/client_timed_out",
    "a client hears after the release": "unusual/acknowledgement_after_release",
    "a true word of loss is blamed": "broken/loss_told_after_all_copies_were_erased",
    "holds is said where loss could not be asked": "open/no_deliveries_recorded",
    "a node that names no location is on no node": "unusual/no_locations",
}
"""Mistakes of checkers that were found by review, and the trace that shows each."""


def test_all_are_judged_as_the_index_says() -> None:
    report = run([FOLDER])
    print(*report.lines(), sep="\n")
    assert {one.answer for one in report.judged} == {Answer.AGREES}
    assert len(report.judged) == len(CORPUS)


def test_the_definition_says_the_same() -> None:
    """Of whatever clients alone recorded of one log."""
    judged = [(one, verdict(history)) for one, history in histories()]
    assert [one.name for one, said in judged if one.verdict != said] == []
    assert len(judged) >= 120


@pytest.mark.parametrize("one", CORPUS[::13], ids=lambda one: one.name)
def test_the_command_says_the_same(one: Published) -> None:
    """A sample, by the engine that the command uses."""
    try:
        said = check(open_trace(one.path)).verdict.verdict
    except TraceError:
        said = Verdict.UNKNOWN
    assert said == one.verdict


def test_they_are_many_and_small() -> None:
    kinds = [one.kind for one in CORPUS]
    assert len(CORPUS) >= 400
    assert kinds.count("unusual") >= 150
    assert {one.verdict for one in CORPUS if one.kind == "unusual"} == {"holds"}
    assert {one.verdict for one in CORPUS if one.kind == "broken"} == {"violated"}
    lines = [len(one.path.read_text(encoding="utf-8").splitlines()) for one in CORPUS]
    assert max(lines) <= LINES_MAX
    assert sorted(lines)[len(lines) * 9 // 10] <= 13


def test_each_has_a_reason_of_its_own() -> None:
    """A sentence; and no file is left out of the index, or named twice."""
    assert [one.name for one in CORPUS if not (one.reason[0].isupper() and one.reason.endswith("."))] == []
    assert len({(one.reason, one.verdict) for one in CORPUS}) >= len(CORPUS) - 20
    assert sorted(one.path for one in CORPUS) == sorted(FOLDER.rglob("*.jsonl"))


def test_the_page_about_them_counts_them() -> None:
    assert f"\n{len(CORPUS)} agree, 0 disagree, 0 not applicable\n" in (FOLDER / "README.md").read_text(
        encoding="utf-8"
    )


def test_every_rule_has_both_kinds() -> None:
    """A trace that holds with an instance of it, and one that it is violated by."""
    found = {(one.rule, one.verdict) for one in CORPUS if one.kind == "rules"}
    wanted = {(rule, "holds") for rule in BY_ID}
    wanted |= {(rule, "unknown" if rule in CENSUS else "violated") for rule in BY_ID}
    assert found == wanted


def test_every_sentence_that_a_rule_carries_has_a_trace_that_breaks_it() -> None:
    """Pages of sources lead to it by the rule's name."""
    carried = {
        carrier.name
        for document in DOCUMENTS.values()
        for sentence in document.sentences
        for carrier in sentence.by
        if carrier.place is CarrierKind.RULE
    }
    assert TRACES == "examples/traces/rules"
    assert [rule for rule in sorted(carried) if not (FOLDER / "rules" / f"{rule}.violated.jsonl").is_file()] == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_that_checkers_made_is_shown(mistake: str) -> None:
    assert MISTAKES[mistake] in {one.name for one in CORPUS}


def test_small_traces_from_elsewhere(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty-one that stand for classes; the exit code is one of those that are right."""
    folder = shared / "vectors" / "traces"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    said = {name: main(["check", str(folder / name), "--quiet"]) for name in expected}
    capsys.readouterr()
    assert {name: said[name] for name, case in expected.items() if said[name] not in case["exit"]} == {}
    assert sorted(expected) == sorted(path.name for path in folder.glob("*.jsonl"))

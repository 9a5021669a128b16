"""The sixty-two invariants of segment layers, and the eight questions that the document leaves open.

Issue 21: each has an id, something that carries it, and something on which that fails.
"""

from __future__ import annotations

from spec.protocols.registry import TEXTS
from spec.segment.family import SEGMENT
from spec.segment.invariants import INVARIANTS, carriers
from spec.segment.promises import PROMISES
from spec.segment.questions import QUESTIONS
from spec.sources.carriers import CarrierKind, carrier
from tests.support.carriers import missing
from tests.support.corpus_of_traces import FOLDER


def test_there_are_sixty_two_and_each_is_carried() -> None:
    assert list(INVARIANTS) == list(range(1, 63))
    assert [number for number, one in INVARIANTS.items() if not any(carrier(by).can_fail for by in one.by)] == []


def test_what_carries_them_is_there() -> None:
    answers = (by for question in QUESTIONS for by in question.by)
    assert missing({carrier(by) for by in (*carriers(), *answers)}) == []


def test_what_carries_them_is_seen_to_fail() -> None:
    """A rule has a trace that breaks it; the texts have wrong forms, each of which a proof refuses."""
    rules = [found.name for found in map(carrier, carriers()) if found.place is CarrierKind.RULE]
    assert [name for name in rules if not (FOLDER / "rules" / f"{name}.violated.jsonl").is_file()] == []
    texts = {found.where for found in map(carrier, carriers()) if found.place is CarrierKind.CLAUSE}
    assert texts == {"leaseholder", "segment_iterator"}
    assert all(TEXTS[name].variants for name in texts)


def test_what_happens_in_the_end_is_asked_of_traces_that_end_quietly() -> None:
    by_id = {rule.id: rule for rule in SEGMENT.rules}
    for number, one in INVARIANTS.items():
        rules = [by_id[found.name] for found in map(carrier, one.by) if found.place is CarrierKind.RULE]
        assert not one.is_liveness or any(rule.strength == "deadline" for rule in rules), number


def test_every_rule_carries_an_invariant_or_an_answer() -> None:
    named = {*carriers(), *(by for question in QUESTIONS for by in question.by)}
    assert [rule.id for rule in SEGMENT.rules if f"rule {rule.id}" not in named] == []


def test_every_promise_brings_rules_into_force_and_answers_name_promises() -> None:
    assert [name for name in PROMISES if not SEGMENT.rules_with(name)] == []
    assert len(QUESTIONS) == 8
    said = "".join(answer for question in QUESTIONS for answer in question.answers)
    assert [word for word in said.split("`")[1::2] if word not in PROMISES and not word.startswith("Target.")] == []

"""The prose reading: what a text says in English is what its terms say, and golden pages hold the wording."""

from __future__ import annotations

import pytest

from spec.language.protocol.prose import Prose
from spec.protocols.registry import TEXTS
from spec.protocols.two_phase import TwoPhase

CLAUSES = [(name, clause) for name, text in TEXTS.items() for clause in text.protocol.clauses]


def lines(name: str, clause: str) -> list[str]:
    """What prose says of one clause."""
    protocol = TEXTS[name].protocol
    return list(Prose(protocol).clause((protocol.clauses | protocol.definitions)[clause]))


def test_guards_and_updates_are_said_in_the_words_of_the_text() -> None:
    assert lines("two_phase", "commit") == [
        "The coordinator decides to commit once it has heard from all managers.",
        "  needs: not (the coordinator has decided anything)",
        "  needs: for every manager: the coordinator has heard from manager",
        "  then: the coordinator has decided committed, and no other",
    ]


def test_work_is_said_in_turn_with_what_is_left_of_it() -> None:
    first = "for every node: agree (node, call), where node has a part of the iterator and not (node has executed call)"
    second = "hear (node, call), where node has a part of the iterator and not (the gateway has node's acknowledgement"
    third = "say true (call), where for every node: if node has a part of the iterator, then call was true at node"
    assert lines("segment_iterator", "every_call_returns") == [
        "Every call returns.",
        "  wherever: call was made and not (call closes the iterator)",
        f"  work: {first}",
        f"  work: for every node: {second} of call)",
        f"  work: {third}",
        "  work: say false (call), to the end",
        "  in the end: call has returned",
    ]


def test_ranges_and_conditions_of_bulk_updates_are_said() -> None:
    assert lines("recovery", "plan")[-2] == (
        "  then: for every slot before end: writer proposed hole at slot, where heard shows writer nothing at slot"
    )


def test_a_definition_is_its_phrase_and_what_it_stands_for() -> None:
    assert lines("recovery", "left") == [
        "node obeys a seal later than writer: for some later after writer: node is sealed by later"
    ]


@pytest.mark.parametrize(("name", "clause"), CLAUSES)
def test_every_clause_can_be_said(name: str, clause: str) -> None:
    """No placeholder is left, no sort's number, no name of Python's."""
    said = " ".join(lines(name, clause))
    assert not any(sign in said for sign in "{}<>=_")


def test_the_order_of_clauses_is_that_of_the_text() -> None:
    assert [clause.name for clause in TwoPhase.of_kind("action")][:3] == ["prepare", "give_up", "hear"]

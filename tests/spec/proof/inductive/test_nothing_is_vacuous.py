"""The proofs say something: every action can happen, every claim can fail, every hypothesis is needed.

Justified by the house rule that a check that cannot fail is a defect. What was found is judged by the meaning.
"""

from __future__ import annotations

import pytest

from spec.language.protocol import Bool, Protocol, Relation, Sort, action, goal, invariant, require
from spec.proof.inductive import Hint, find_hints, read_hints
from spec.proof.inductive.vacuity import idle, spared, vacuity
from spec.protocols.registry import TEXTS

pytestmark = pytest.mark.z3

UNUSED = {
    "appending": {
        "recipients_alone_have_it": "a promise in its own right: it pins the guards of store",
        "what_stays_was_sent": "a promise in its own right: it pins the guards of begin_wave",
    },
    "ledger": {
        "metadata_comes_first": "a promise in its own right: it pins the guard of tell",
        "reads_follow_the_fence": "a promise in its own right: it pins the guard of read",
        "reads_are_in_order": "a promise in its own right: it pins the order of reads",
    },
    "streams": {
        "sequencer_leaves_no_gap": "a promise in its own right: it pins the guards of assign and assign_in_stream",
    },
    "epoch": {
        "sequencer_leaves_no_gap": "as in streams",
        "majority_has_the_acked": "a promise in its own right: what copysets name shows that recoveries see the record",
    },
    "leaseholder": {"ends_once": "a promise in its own right: it pins the guards of close and cancel"},
}
"""Invariants that no other proof uses, and why they are there."""

SLOW = ("epoch", "mutation", "streams")

QUICK_FIRST = [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in TEXTS]
"""All texts; those with many or hard conditions among the slow tests."""


class Lamp(Sort):
    """A lamp."""


class Lamps(Protocol):
    """Lamps that are lit and never both."""

    lit: Relation[Lamp]
    dark: Relation[Lamp]

    @action
    def light(self, lamp: Lamp) -> None:
        """A lamp is lit.

        Test: the text of the test itself.
        """
        self.lit.add(lamp)

    @action
    def break_logic(self, lamp: Lamp) -> None:
        """What contradicts the invariants.

        Test: the text of the test itself.
        """
        require(self.lit(lamp), self.dark(lamp))
        self.dark.remove(lamp)

    @invariant
    def none_is_dark(self, lamp: Lamp) -> Bool:
        """No lamp is dark.

        Test: the text of the test itself.
        """
        return ~self.dark(lamp)

    @invariant
    def light_is_light(self, lamp: Lamp) -> Bool:
        """A lit lamp is lit.

        Test: the text of the test itself.
        """
        return self.lit(lamp).implies(self.lit(lamp))

    @goal
    def dark_is_lit(self, lamp: Lamp) -> Bool:
        """A dark lamp is lit.

        Test: the text of the test itself.
        """
        return self.dark(lamp).implies(self.lit(lamp))


def test_emptiness_is_noticed() -> None:
    """An action that contradicts the invariants, a premise that is never true, and a claim that says nothing."""
    assert vacuity(Lamps).complaints == [
        "break_logic can never happen",
        "the premise of dark_is_lit is never true",
        "light_is_light can never be false",
    ]


def test_what_is_not_needed_is_noticed() -> None:
    """A hypothesis too many in a hint, and an invariant of which no other proof makes use."""
    hints = find_hints(Lamps)
    assert list(spared(Lamps, hints)) == []
    assert idle(Lamps, hints) == ["light_is_light"]
    fat = Hint((*hints["goal/dark_is_lit"].hypotheses, "light_is_light"), {"z3": "matching"})
    assert list(spared(Lamps, {"goal/dark_is_lit": fat})) == [("goal/dark_is_lit", "light_is_light")]


@pytest.mark.parametrize("name", TEXTS)
def test_everything_can_happen_and_everything_can_fail(name: str) -> None:
    """For each action a state with all invariants in which it is enabled; for each claim a state that breaks it."""
    assert vacuity(TEXTS[name].protocol).complaints == []


@pytest.mark.parametrize("name", QUICK_FIRST)
def test_every_hypothesis_is_needed(name: str) -> None:
    """Without any one hypothesis of its hint, a condition is no longer proved."""
    text = TEXTS[name].protocol
    kept = read_hints(text)
    assert kept is not None
    assert list(spared(text, kept.hints)) == []


@pytest.mark.parametrize("name", QUICK_FIRST)
def test_every_invariant_is_used(name: str) -> None:
    """Some other condition is not proved without it; the exceptions are named, each with its reason."""
    text = TEXTS[name].protocol
    kept = read_hints(text)
    assert kept is not None
    assert set(idle(text, kept.hints)) == set(UNUSED.get(name, {}))

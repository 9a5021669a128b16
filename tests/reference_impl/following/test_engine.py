"""The engine takes each claim as its text allows, and grants no more freedom than a guide names.

Each test is one thing that a guide may say, on a text of two relations.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reference_impl.following.claims import CannotFollow, Duty, EventRow, Fact, Gone, OneOf, TextStep, Unfounded
from reference_impl.following.engine import WAYS_MAX, Refused, Text
from reference_impl.following.wording import said_by, why
from spec.language.protocol import Protocol, Relation, Sort, World, action, require, says
from spec.language.protocol.states import Domains


class Guest(Sort):
    """Somebody who dines."""


class Seat(Sort):
    """A chair."""


class Dinner(Protocol):
    """Guests sit down, and eat."""

    sits: Relation[Guest, Seat] = says("{0} sits on {1}")
    eats: Relation[Guest] = says("{0} eats")

    @action
    def sit(self, guest: Guest, seat: Seat) -> None:
        """A guest who does not eat sits down."""
        require(~self.eats(guest))
        self.sits.add(guest, seat)

    @action
    def serve(self, guest: Guest, seat: Seat) -> None:
        """A guest who sits is served at once, and nobody else has his seat."""
        require(self.sits(guest, seat))
        self.eats.add(guest)
        self.sits.remove(guest, seat)


class Waiter:
    """Reads events that say themselves what they claim."""

    world: Domains = World(Dinner, sizes={Guest: WAYS_MAX + 2, Seat: 4})

    def duties(self, event: EventRow) -> Iterator[Duty]:
        yield from event["duties"]

    def called(self, sort: type[Sort], element: int) -> str:
        return f"{sort.__name__.lower()} {element}"


def after(*duties: Duty) -> tuple[Text, Refused | None]:
    """The text after duties, each an event of its own; and why the last of them is refused."""
    text = Text(Waiter())
    refused = None
    for duty in duties:
        assert refused is None
        refused = text.step({"duties": [duty]})
    return text, refused


def test_a_claim_is_a_step_or_is_refused_by_its_guards() -> None:
    _, refused = after(TextStep("sit", (0, 1)), TextStep("serve", (0, 1)))
    assert refused is None
    text, refused = after(TextStep("sit", (0, 1)), TextStep("serve", (0, 2)))
    assert refused is not None
    assert said_by(text, refused) == "serve(guest 0, seat 2)"
    assert list(why(text, refused)) == ["needed: guest 0 sits on seat 2"]


def test_of_several_claims_those_remain_that_what_comes_later_fits() -> None:
    two = OneOf((TextStep("sit", (0, 1)), TextStep("sit", (0, 2))))
    text, refused = after(two, TextStep("serve", (0, 2)))
    assert refused is None
    assert (len(text.states), text.choices) == (1, 1)
    assert after(two, TextStep("serve", (0, 3)))[1] is not None


def test_ways_that_lead_to_one_state_are_one() -> None:
    text, _ = after(OneOf((TextStep("sit", (0, 1)), TextStep("sit", (0, 1)))))
    assert len(text.states) == 1


def test_too_many_ways_are_said_to_be_so() -> None:
    with pytest.raises(CannotFollow, match="64 ways"):
        after(OneOf(tuple(TextStep("sit", (guest, 0)) for guest in range(WAYS_MAX + 1))))


def test_what_is_seen_of_a_step_so_far_leaves_the_rest_for_later() -> None:
    text, refused = after(TextStep("sit", (0, 1)), TextStep("serve", (0, 1), seen=("eats",)))
    assert refused is None
    (state,) = text.states
    assert (0, 1) in state["sits"]
    assert after(TextStep("serve", (0, 1), seen=("eats",)))[1] is not None


def test_what_came_later_does_not_stand_in_the_way_and_stays() -> None:
    eats = Fact("eats", (0,))
    before = TextStep("sit", (0, 1)), TextStep("serve", (0, 1))
    text, refused = after(*before, TextStep("sit", (0, 2), later=(eats,)))
    assert refused is None
    (state,) = text.states
    assert (0,) in state["eats"]
    assert after(*before, TextStep("sit", (0, 2)))[1] is not None


def test_nothing_comes_later_that_was_not_there() -> None:
    text, _ = after(TextStep("sit", (0, 2), later=(Fact("eats", (0,)),)))
    (state,) = text.states
    assert state["eats"] == frozenset()


def test_what_an_event_says_of_before_and_after_is_asked() -> None:
    sits = Fact("sits", (0, 1))
    text, refused = after(TextStep("sit", (0, 2), needs=(sits,)))
    assert refused is not None
    assert list(why(text, refused)) == ["not so: guest 0 sits on seat 1"]
    assert after(TextStep("sit", (0, 1), gives=(sits,)))[1] is None
    text, refused = after(TextStep("sit", (0, 2), gives=(sits,)))
    assert refused is not None
    assert list(why(text, refused)) == ["from the step does not follow: guest 0 sits on seat 1"]


def test_a_step_that_was_taken_before_is_not_taken_again() -> None:
    eats = Fact("eats", (0,))
    again = TextStep("serve", (0, 1), unless=eats)
    assert after(TextStep("sit", (0, 1)), TextStep("serve", (0, 1)), again)[1] is None
    assert after(again)[1] is not None


def test_what_the_environment_takes_away_is_gone() -> None:
    _, refused = after(TextStep("sit", (0, 1)), Gone((Fact("sits", (0, 1)),)), TextStep("serve", (0, 1)))
    assert refused is not None
    assert refused.guards


def test_what_no_text_can_say_is_refused_with_its_reason() -> None:
    text, refused = after(Unfounded("the table is gone"))
    assert refused is not None
    assert (said_by(text, refused), list(why(text, refused))) == ("no step", ["the table is gone"])


def test_after_a_refusal_the_text_is_where_it_was() -> None:
    text = Text(Waiter())
    assert text.step({"duties": [TextStep("sit", (0, 1)), TextStep("serve", (1, 1))]}) is not None
    assert text.states == (Waiter.world.start,)

"""Steps by functions say what the meaning says: which guards fail, what definitions say, and all that updates can be.

The meaning is the reading that every other one is held to (``spec/language/protocol/meaning.py``); wrong forms and
mutants are asked beside the run reading in ``test_running``.
"""

from __future__ import annotations

import random

import pytest

from spec.language.protocol import (
    Family,
    Order,
    Partial,
    Protocol,
    Relation,
    Sort,
    World,
    action,
    assume,
    none,
    prefixes,
    require,
    says,
    some,
)
from spec.language.protocol.meaning import BrokenAssumption, after, true
from spec.language.protocol.sharing import SharedRows
from spec.language.protocol.states import State
from spec.language.protocol.stepping import Stepping, stepping
from spec.protocols.registry import TEXTS

SMALL = {name: text.small() for name, text in TEXTS.items()}
STEPS = 12


def agrees(world: World, seed: int = 1, start: State | None = None) -> None:
    """On a random way every enabled step leads to the same state, and a sample of others fails by the same guards."""
    choose, steps, state = random.Random(seed), Stepping(world.protocol), start or world.start
    for _ in range(STEPS):
        tried = choose.sample(world.steps, min(len(world.steps), 60))
        there: list[State] = []
        for step in tried:
            found, own = after(world, state, step, strict=False), steps.after(world, state, step, strict=False)
            assert own == found, str(step)
            values = dict(enumerate(step.args))
            said = tuple(guard for guard in step.action.requires if not true(guard, world, state, values))
            assert steps.failing(world, state, step) == said, str(step)
            there += [own] if own is not None and own != state else []
        for name, clause in world.protocol.definitions.items():
            row = choose.choice(list(world.rows(clause.sorts)))
            assert steps.defined(world, state, name, row) == true(clause.body, world, state, dict(enumerate(row)))
        state = choose.choice(there) if there else start or world.start


@pytest.mark.parametrize("name", SMALL)
def test_a_text_steps_as_it_means(name: str) -> None:
    for seed in range(3):
        agrees(SMALL[name], seed)


@pytest.mark.parametrize("name", SMALL)
def test_what_is_remembered_of_versions_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefixes, "FEW", 0)
    for seed in range(3):
        agrees(SMALL[name], seed, shared(SMALL[name]))


def shared(world: World) -> State:
    """The start of a world, in rows that versions share."""
    return State(tuple((name, SharedRows.of(rows)) for name, rows in world.start.relations))


class Seat(Sort):
    """A seat."""


class Guest(Order):
    """A guest, in the order of arrival."""


class Row(Family[Seat]):
    """Seats side by side."""


class Seating(Protocol):
    """Guests take seats: all that an update can be."""

    sits: Partial[Guest, Seat] = says("{0} sits on {1}")
    free: Relation[Seat] = says("{0} is free")

    @action
    def open_row(self, row: Row) -> None:
        """A row is opened."""
        for seat in row:
            self.free.add(seat)

    @action
    def sit(self, guest: Guest, seat: Seat) -> None:
        """A guest takes a free seat, and leaves his own; all who came after him get up."""
        require(self.free(seat), none(self.sits(other, seat) for other in Guest))
        assume(some(self.free(one) for one in Seat))
        for left in Seat:
            self.free.add(left, when=self.sits(guest, left))
        self.sits.put(guest, seat)
        for later in guest.after():
            for one in Seat:
                self.sits.remove(later, one)
        self.free.remove(seat)

    @action
    def share(self, guest: Guest, seat: Seat) -> None:
        """A wrong step: a guest sits on two seats."""
        self.sits.add(guest, seat)


HALL = World(Seating, sizes={Seat: 3, Guest: 3}, families={Row: (frozenset({0, 1}), frozenset({1, 2}))})


def test_updates_are_those_of_the_meaning() -> None:
    for seed in range(20):
        agrees(HALL, seed)
        agrees(HALL, seed, shared(HALL))


def test_a_partial_function_stays_one_as_in_the_meaning() -> None:
    state = stepping(Seating).after(HALL, HALL.start, HALL.step("share", 0, 0))
    assert state is not None
    for step in (stepping(Seating).after, after):
        with pytest.raises(BrokenAssumption, match="two values"):
            step(HALL, state, HALL.step("share", 0, 1))


def test_what_does_not_change_is_shared() -> None:
    before = stepping(Seating).after(HALL, HALL.start, HALL.step("open_row", 0))
    assert before is not None
    later = stepping(Seating).after(HALL, before, HALL.step("share", 0, 0))
    assert later is not None
    assert later["free"] is before["free"]

"""What a protocol text means in a finite world: spec/language/protocol/meaning.py defines it, by walking its terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from spec.language.protocol import (
    Bool,
    Family,
    Order,
    Partial,
    Protocol,
    Relation,
    Sort,
    World,
    action,
    assume,
    axiom,
    constant,
    define,
    every,
    invariant,
    none,
    require,
    says,
    some,
)
from spec.language.protocol.meaning import BrokenAssumption, after, broken
from spec.language.protocol.states import State, Step
from spec.language.protocol.stepping import stepping
from spec.language.protocol.world import BadWorld


class Worker(Sort):
    """A worker."""


class Round(Order):
    """A round."""


class Colour(Sort):
    """What a worker may hold."""

    red = constant()
    green = constant()


class Team(Family[Worker]):
    """Workers who belong together."""


class Game(Protocol):
    """A game in which every word of the language is used once."""

    holds: Partial[Worker, Colour] = says("{0} holds {1}")
    played: Relation[Worker, Round] = says("{0} played {1}")

    @axiom
    def no_team_is_empty(self, team: Team) -> Bool:
        """Every team has a worker."""
        return some(team.has(worker) for worker in Worker)

    @define
    def rests(self, worker: Worker) -> Bool:
        """{worker} has played nothing."""
        return none(self.played(worker, turn) for turn in Round)

    @action
    def take(self, worker: Worker, colour: Colour) -> None:
        """A worker takes a colour, whatever it held."""
        self.holds.put(worker, colour)

    @action
    def grab(self, worker: Worker, colour: Colour) -> None:
        """A worker takes a second colour: no function any more."""
        self.holds.add(worker, colour)

    @action
    def play(self, team: Team, turn: Round) -> None:
        """A team plays a round and all before it, and drops what is red."""
        require(every(self.rests(worker) for worker in team), turn != Round.first)
        assume(some(self.holds.defined(worker) for worker in team))
        for worker in team:
            for early in turn.upto():
                self.played.add(worker, early)
            self.holds.remove(worker, Colour.red)

    @action
    def swap(self, worker: Worker) -> None:
        """Red becomes green and green becomes red, at once."""
        red, green = self.holds(worker, Colour.red), self.holds(worker, Colour.green)
        self.holds.put(worker, Colour.green, when=red)
        self.holds.put(worker, Colour.red, when=green)

    @invariant
    def rounds_in_order(self, worker: Worker, early: Round, late: Round) -> Bool:
        """Who played a round played those before it."""
        return ((early <= late) & self.played(worker, late)).implies(self.played(worker, early))


def game() -> World:
    """Three workers in two teams, three rounds."""
    return World(
        Game,
        sizes={Worker: 3, Round: 3, Colour: 2},
        families={Team: [frozenset({0, 1}), frozenset({1, 2})]},
    )


WORLD = game()
RED, GREEN = 0, 1


Take: TypeAlias = Callable[..., State | None]
"""What takes a step of a world from a state."""


def stepped(world: World, before: State, step: Step, *, strict: bool = True) -> State | None:
    """The same by the run reading for worlds of any size."""
    return stepping(world.protocol).after(world, before, step, strict=strict)


@pytest.fixture(params=[after, stepped], ids=["meaning", "stepping"])
def take(request: pytest.FixtureRequest) -> Take:
    """Give what defines a step, and what is to agree."""
    found: Take = request.param
    return found


def state(**rows: set[tuple[int, ...]]) -> State:
    """A state with these rows."""
    return State.of({"holds": rows.get("holds", ()), "played": rows.get("played", ())})


def test_nothing_has_happened_at_the_start() -> None:
    assert WORLD.start == state()


def test_put_replaces_and_leaves_others_alone(take: Take) -> None:
    before = state(holds={(0, RED), (1, RED)})
    assert take(WORLD, before, WORLD.step("take", 0, GREEN)) == state(holds={(0, GREEN), (1, RED)})


def test_updates_happen_at_once_and_see_the_state_before(take: Take) -> None:
    assert take(WORLD, state(holds={(0, RED)}), WORLD.step("swap", 0)) == state(holds={(0, GREEN)})
    assert take(WORLD, state(holds={(0, GREEN)}), WORLD.step("swap", 0)) == state(holds={(0, RED)})


def test_a_loop_is_a_bulk_update_over_a_set_and_a_range(take: Take) -> None:
    played: set[tuple[int, ...]] = {(0, 0), (0, 1), (1, 0), (1, 1)}
    before = state(holds={(0, RED), (1, GREEN), (2, RED)})
    assert take(WORLD, before, WORLD.step("play", 0, 1)) == state(holds={(1, GREEN), (2, RED)}, played=played)


def test_an_action_whose_guard_is_false_is_not_enabled(take: Take) -> None:
    assert take(WORLD, state(holds={(0, RED)}), WORLD.step("play", 0, 0)) is None
    assert take(WORLD, state(holds={(0, RED)}, played={(1, 0)}), WORLD.step("play", 1, 1)) is None


def test_what_is_only_assumed_is_checked_where_it_is_used(take: Take) -> None:
    with pytest.raises(BrokenAssumption, match="assumes is false"):
        take(WORLD, state(), WORLD.step("play", 0, 1))


def test_a_partial_function_has_one_value(take: Take) -> None:
    with pytest.raises(BrokenAssumption, match="two values"):
        take(WORLD, state(holds={(0, RED)}), WORLD.step("grab", 0, GREEN))


def test_an_invariant_that_is_false_names_the_values_for_which_it_is() -> None:
    clause = Game.clauses["rounds_in_order"]
    assert broken(WORLD, state(played={(2, 0), (2, 1)}), clause) is None
    assert broken(WORLD, state(played={(2, 1)}), clause) == (2, 0, 1)


def test_steps_are_said_by_name() -> None:
    assert str(WORLD.step("take", 2, GREEN)) == "take(worker2, colour=green)"
    assert str(WORLD.step("play", 1, 0)) == "play(team1, turn=round0)"


def test_a_world_must_fit_its_text() -> None:
    with pytest.raises(BadWorld, match=r"axiom no_team_is_empty\(team0\) is false"):
        World(Game, {Worker: 3, Round: 3, Colour: 2}, {Team: [frozenset()]})
    with pytest.raises(BadWorld, match="no sets are given for the family Team"):
        World(Game, {Worker: 3, Round: 3, Colour: 2})
    with pytest.raises(BadWorld, match="no sets are given for the family Team"):
        World(Game, {Worker: 3, Round: 3, Colour: 2}, {Team: []})
    with pytest.raises(BadWorld, match="members that are no Worker"):
        World(Game, {Worker: 1, Round: 3, Colour: 2}, {Team: [frozenset({1})]})
    with pytest.raises(BadWorld, match="too few elements of the sort Colour"):
        World(Game, {Worker: 1, Round: 3, Colour: 1}, {Team: [frozenset({0})]})


def test_a_variant_may_build_on_what_it_replaces(take: Take) -> None:
    class Shy(Game):
        """A game in which workers rest after they were seen."""

        @define
        def rests(self, worker: Worker) -> Bool:
            """{worker} has played nothing and holds nothing."""
            return super().rests(worker) & ~self.holds.defined(worker)

    world = World(Shy, WORLD.sizes, WORLD.families)
    assert take(world, state(holds={(0, RED)}), world.step("play", 0, 1)) is None
    assert take(world, state(holds={(2, RED)}), world.step("play", 0, 1), strict=False) is not None

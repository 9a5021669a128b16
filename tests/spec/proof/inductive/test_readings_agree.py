"""The prove reading says what the meaning says: of random states, of every step, and in the propositional form too.

Justified by ``spec.language.protocol.meaning``, with which every reading is held to agree. In a small world a formula
of the prove reading is decided by giving its symbols the elements, rows and members of the world.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

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
    every,
    goal,
    require,
    some,
)
from spec.language.protocol.meaning import after, enabled, true
from spec.language.protocol.states import State, Step
from spec.proof.inductive import changes, finite
from spec.proof.inductive.conditions import FUNCTION
from spec.proof.inductive.countermodel import failing
from spec.protocols.registry import TEXTS
from tests.support.decided import Decided

pytestmark = pytest.mark.z3


class Place(Order):
    """A place."""


class Token(Sort):
    """A token."""


class Bag(Family[Token]):
    """A set of tokens."""


class Moves(Protocol):
    """Every kind of update, several of one relation in one action."""

    at: Partial[Token, Place]
    seen: Relation[Token, Place]
    owner: Partial[Token]

    @action
    def swap(self, one: Token, other: Token, here: Place, there: Place) -> None:
        """Two rows are put, removed and added at once.

        Test: the text of the test itself.
        """
        self.seen.add(other, here, when=self.seen(one, there) & ~self.at(one, here))
        self.seen.remove(one, here)
        self.at.put(one, here)
        self.at.put(other, there)
        self.at.remove(one, there)

    @action
    def sweep(self, bag: Bag, here: Place) -> None:
        """All tokens of a set move, what lies below is forgotten.

        Test: the text of the test itself.
        """
        require(some(self.seen(token, place) for token in bag for place in here.before()))
        for token in bag:
            for place in here.upto():
                self.seen.remove(token, place, when=self.at(token, place))
                self.seen.add(token, here)
            self.at.put(token, here, when=~self.at.defined(token))
            self.owner.put(token)
        for token in Token:
            self.seen.remove(token, Place.first)

    @goal
    def bags_are_seen(self, bag: Bag, here: Place) -> Bool:
        """Some token of the set was seen here, or none is placed after it.

        Test: the text of the test itself.
        """
        placed = some(self.at(token, place) & (here <= place) for token in bag for place in here.after())
        return some(self.seen(token, here) & bag.has(token) for token in Token) | ~placed

    @goal
    def all_are_apart(self, bag: Bag) -> Bool:
        """Tokens of a set are in different places.

        Test: the text of the test itself.
        """
        return every(
            (self.at(one, place) & self.at(other, place)).implies(one == other)
            for one in bag
            for other in bag
            for place in Place
        )


BAGS = tuple(frozenset(few) for size in range(3) for few in combinations(range(2), size))
SMALLER = {"recovery": {"nodes": 2, "replication": 1}, "two_phase": {"managers": 2}}
WORLDS = {
    "moves": World(Moves, {Place: 3, Token: 2}, {Bag: BAGS}),
    **{name: text.world(**SMALLER.get(name, {})) for name, text in TEXTS.items()},
}


NAMES = [pytest.param(name, marks=[pytest.mark.slow] * (name in ("streams", "epoch"))) for name in WORLDS]
"""All of them; those of the largest texts among the slow tests."""


def states(world: World, random: Random, number: int) -> Iterator[State]:
    """States that need not be reachable, and in which partial functions need not be functions."""
    for _ in range(number):
        share = random.random()
        relations = world.protocol.relations
        yield State.of(
            {name: [row for row in world.rows(one.sorts) if random.random() < share] for name, one in relations.items()}
        )


@pytest.mark.parametrize("name", NAMES)
def test_formulas_of_the_prove_reading_mean_what_the_text_means(name: str) -> None:
    """Guards, invariants and goals of random states, for random values of their parameters."""
    world, random = WORLDS[name], Random(1)
    decided = Decided(world)
    clauses = [one for one in world.protocol.clauses.values() if one.kind != "axiom"]
    for state in states(world, random, 8):
        decided.settle(state)
        for clause in clauses:
            row = random.choice(list(world.rows(clause.sorts)))
            said = decided.logic.formula(clause.body, decided.values(clause, row), decided.logic.symbols.now)
            expected = true(clause.body, world, state, dict(enumerate(row)))
            assert decided.true(said) == expected, (clause.name, row, state)


@pytest.mark.parametrize("name", NAMES)
def test_the_state_after_an_action_is_the_same(name: str) -> None:
    """Removals and replacements first, then additions, with several updates of one relation in one action."""
    world, random = WORLDS[name], Random(2)
    decided = Decided(world)
    for state in states(world, random, 8):
        decided.settle(state)
        for act in world.protocol.of_kind("action"):
            step = random.choice([step for step in world.steps if step.action is act])
            post = changes.after(decided.logic, act, decided.values(act, step.args))
            expected = after(world, state, _unguarded(step), strict=False)
            assert expected is not None
            for relation, one in world.protocol.relations.items():
                for row in random.sample(rows := list(world.rows(one.sorts)), min(6, len(rows))):
                    said = decided.true(post[relation](*decided.row(one.sorts, row)))
                    assert said == (row in expected[relation]), (str(step), relation, row, state)


def _unguarded(step: Step) -> Step:
    """The same step where its guards do not matter."""
    from dataclasses import replace

    from spec.language.terms import Lit

    return Step(replace(step.action, body=Lit(value=True)), step.args)


@pytest.mark.parametrize("name", NAMES)
def test_the_propositional_form_means_what_the_text_means(name: str) -> None:
    """With known rows and members, every formula folds to a truth value: that of the meaning."""
    world, random = WORLDS[name], Random(3)
    text = world.protocol
    small = finite.Finite(text, {sort: len(world.elements(sort)) for sort in text.sorts()})
    small.member = {
        (family, item, number): item in members
        for family, sets in world.families.items()
        for number, members in enumerate(sets)
        for item in world.elements(family.element)
    }
    for state in states(world, random, 8):
        rows = {key: key[1] in state[key[0]] for key in small.now.rows}
        small.now = finite.SomeState(rows)
        for clause in text.clauses.values():
            assert small.always(clause, small.now) is all(
                true(clause.body, world, state, dict(enumerate(row))) for row in world.rows(clause.sorts)
            )
        for relation in (one for one, found in text.relations.items() if found.functional):
            function = failing(world, state, f"{relation}{FUNCTION}") is None
            assert small.functional(relation, small.now) is function
        for step in random.sample(world.steps, min(20, len(world.steps))):
            values = dict(enumerate(step.args))
            assert small.formula(step.action.body, values, small.now) is enabled(world, state, step)
            then = small.after(step.action, values)
            assert State.of(_rows(world, then)) == after(world, state, _unguarded(step), strict=False), str(step)


def _rows(world: World, state: finite.SomeState) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {name: [] for name in world.protocol.relations}
    for (name, row), said in state.rows.items():
        if said is True:
            found[name].append(row)
    return found

"""Looking for small states: with all invariants, and a step that breaks one, or a guard that is satisfied."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

import z3

from spec.language.protocol.clauses import Clause, Progress
from spec.language.protocol.nearing import NEXT, comes_nearer, goes_on
from spec.language.protocol.sorts import Family, Order, Sort
from spec.language.protocol.states import Row, State, Step
from spec.language.protocol.text import Protocol
from spec.language.protocol.world import World
from spec.proof.inductive.conditions import FUNCTION, GOAL, LEMMA, PROGRESS, START, Condition, claims_above
from spec.proof.inductive.countermodel import CounterModel, world_of
from spec.proof.inductive.finite import Finite, SomeState, TruthValue, all_of, negated
from spec.proof.inductive.symbols import mentioned

Scope: TypeAlias = tuple[int, int, int]
"""The size of a world: elements of a sort, elements without a name, sets of a family."""

Scopes: TypeAlias = tuple[Scope, ...]

SCOPES: Final[Scopes] = ((2, 0, 1), (2, 1, 1), (2, 1, 2), (3, 1, 1), (3, 1, 2), (3, 2, 2), (4, 2, 2))
"""Sizes to try, small ones first."""

CHECK_MS: Final = 5000
"""How long one question about a small world may take."""

REFUTE_CPU_S: Final = 300.0
"""How long all questions about one condition may take: a large text has thousands of steps in the largest worlds."""


class DoesNotReplay(RuntimeError):
    """The prove reading and the meaning of a text disagree: a defect of this project."""


def sizes(text: type[Protocol], scope: Scope) -> dict[type[Sort], int]:
    """How many elements each sort has."""
    elements, unnamed, sets = scope
    found = {}
    for sort in mentioned(text):
        names = 0 if issubclass(sort, Order) else len(sort.constants)
        found[sort] = sets if issubclass(sort, Family) else max(elements, names and names + unnamed)
    return found


def small_states(text: type[Protocol]) -> Callable[[Scope], SmallStates]:
    """The small worlds of a text, each made once."""
    return cache(lambda scope: SmallStates(text, scope))


class SmallStates:
    """All states of one size in which the axioms hold."""

    def __init__(self, text: type[Protocol], scope: Scope) -> None:
        self.text = text
        self.finite = Finite(text, sizes(text, scope))
        self.solver = z3.SolverFor("QF_FD", ctx=self.finite.context)
        self.solver.set("timeout", CHECK_MS)
        self._hold(self.finite.always(axiom, self.finite.now) for axiom in text.of_kind("axiom"))

    def _hold(self, said: Iterable[TruthValue]) -> None:
        self.solver.add(*(z3.BoolVal(one, self.finite.context) if isinstance(one, bool) else one for one in said))

    def claims(self, name: str, state: SomeState) -> TruthValue:
        """What an invariant or goal says, that a partial function is a function, or that work can be done."""
        if name.endswith(FUNCTION):
            return self.finite.functional(name.removesuffix(FUNCTION), state)
        clause = self.text.clauses[name]
        return self.finite.always(goes_on(self.text, clause) if isinstance(clause, Progress) else clause, state)

    def claims_after(self, name: str, step: Step) -> TruthValue:
        """What an invariant says of the state after a step, or whether the step brings the end of progress nearer."""
        then, clause = self.finite.after(step.action, dict(enumerate(step.args))), self.text.clauses.get(name)
        if not isinstance(clause, Progress):
            return self.claims(name, then)
        later = {(f"{relation}{NEXT}", row): said for (relation, row), said in then.rows.items()}
        both = SomeState({**self.finite.now.rows, **later})
        body = comes_nearer(self.text, clause, step.action).body
        rows = self.finite.choices(clause.sorts)
        return all_of(self.finite.formula(body, dict(enumerate((*row, *step.args))), both) for row in rows)

    @cached_property
    def inductive(self) -> list[TruthValue]:
        """The invariants, and that partial functions are functions."""
        partial = [f"{name}{FUNCTION}" for name, one in self.text.relations.items() if one.functional]
        names = [*partial, *(one.name for one in self.text.of_kind("invariant"))]
        return [self.claims(name, self.finite.now) for name in names]

    def steps(self, action: Clause) -> Iterator[tuple[Row, TruthValue]]:
        """Every choice of an action's arguments, and where its guards and assumptions hold."""
        for row in self.finite.choices(action.sorts):
            values = dict(enumerate(row))
            parts = (*action.requires, *action.assumes)
            said = all_of(self.finite.formula(part, values, self.finite.now) for part in parts)
            if said is not False:
                yield row, said

    def found(self, said: Iterable[TruthValue], *, smallest: bool = True) -> tuple[World, State] | None:
        """A world and a state of it for which this is true; None if none is found.

        Args:
            said: what is to be true.
            smallest: look for a state with few rows, which takes several questions.
        """
        parts = list(said)
        if any(one is False for one in parts):
            return None
        self.solver.push()
        self._hold(parts)
        there = self.solver.check() == z3.sat
        model = None if not there else self._smallest() if smallest else self.solver.model()
        self.solver.pop()
        return None if model is None else self._decoded(model)

    def _smallest(self) -> Any:
        """A model with few rows: a state that a person can take in."""
        model, rows = self.solver.model(), list(self.finite.now.rows.values())
        while count := sum(1 for row in rows if z3.is_true(model[row])):
            self.solver.add(z3.AtMost(*rows, count - 1))
            if self.solver.check() != z3.sat:
                break
            model = self.solver.model()
        return model

    def _decoded(self, model: Any) -> tuple[World, State]:
        rows: dict[str, list[Row]] = {name: [] for name in self.text.relations}
        for (name, row), said in self.finite.now.rows.items():
            if z3.is_true(model[said]):
                rows[name].append(row)
        families = {
            family: tuple(self._members(model, family, number) for number in range(size))
            for family, size in self.finite.sizes.items()
            if issubclass(family, Family)
        }
        return world_of(self.text, dict(self.finite.sizes), families), State.of(rows)

    def _members(self, model: Any, family: type[Family[Any]], number: int) -> frozenset[int]:
        items = range(self.finite.sizes[family.element])
        return frozenset(item for item in items if z3.is_true(model[self.finite.member[family, item, number]]))


class Refuter:
    """Looks for counter-models of a text's conditions in small worlds, which it makes when they are needed.

    Args:
        text: the protocol.
        scopes: sizes of worlds, small ones first.
        small: where worlds are made, for a text that differs from another one in its actions only: those of that text.
    """

    def __init__(
        self, text: type[Protocol], scopes: Scopes = SCOPES, small: Callable[[Scope], SmallStates] | None = None
    ) -> None:
        self.text, self.scopes = text, scopes
        self.small = small or small_states(text)

    def refute(self, condition: Condition, scopes: Scopes | None = None) -> CounterModel | None:
        """A counter-model that the meaning of the text confirms; None if none is found among small worlds in time.

        Args:
            condition: which is looked at.
            scopes: which worlds are, if not all of them.

        Raises:
            DoesNotReplay: the meaning of the text does not confirm it.
        """
        deadline = time.process_time() + REFUTE_CPU_S
        for scope in self.scopes if scopes is None else scopes:
            if (counter := self._refuted(self.small(scope), condition, deadline)) is not None:
                if not counter.replays():
                    raise DoesNotReplay(f"{self.text.__name__}: {condition.name} is not refuted by\n{counter}")
                return counter
        return None

    def _refuted(self, small: SmallStates, condition: Condition, deadline: float) -> CounterModel | None:
        place, claimed = condition.place, condition.claimed
        now = small.finite.now
        if place == START:
            empty = (negated(row) for row in now.rows.values())
            return self._shown(small.found([*empty, negated(small.claims(claimed, now))]), condition)
        if place in (LEMMA, GOAL, PROGRESS):
            above = [small.claims(name, now) for name in claims_above(self.text, place, claimed)]
            return self._shown(small.found([*small.inductive, *above, negated(small.claims(claimed, now))]), condition)
        action = self.text.clauses[place]
        for row, guards in small.steps(action):
            if time.process_time() > deadline:
                return None
            step = Step(action, row)
            found = small.found([*small.inductive, guards, negated(small.claims_after(claimed, step))])
            if found is not None:
                return self._shown(found, condition, step)
        return None

    def _shown(
        self, found: tuple[World, State] | None, condition: Condition, step: Step | None = None
    ) -> CounterModel | None:
        if found is None:
            return None
        world, before = found
        return CounterModel(replace(world, protocol=self.text), condition.place, condition.claimed, before, step)

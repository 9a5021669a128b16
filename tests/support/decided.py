"""The prove reading in a small world: what a formula of it means there, without asking a solver.

A solver may search for ever whether a formula with quantifiers is true in a world that it is told row by row; here each
quantifier ranges over the world's elements, so that every formula has one answer, at once.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Final, TypeAlias

import z3

from spec.language.protocol import World
from spec.language.protocol.states import Row, State
from spec.proof.inductive.logic import Logic

Bound: TypeAlias = tuple[int, ...]
"""What quantified variables stand for, the innermost first."""

Meaning: TypeAlias = Callable[[Bound], Any]

CONNECTIVES: Final[dict[int, Callable[[list[Meaning]], Meaning]]] = {
    z3.Z3_OP_TRUE: lambda _: lambda _: True,
    z3.Z3_OP_FALSE: lambda _: lambda _: False,
    z3.Z3_OP_NOT: lambda parts: lambda bound: not parts[0](bound),
    z3.Z3_OP_AND: lambda parts: lambda bound: all(part(bound) for part in parts),
    z3.Z3_OP_OR: lambda parts: lambda bound: any(part(bound) for part in parts),
    z3.Z3_OP_IMPLIES: lambda parts: lambda bound: not parts[0](bound) or parts[1](bound),
    z3.Z3_OP_ITE: lambda parts: lambda bound: parts[1 if parts[0](bound) else 2](bound),
    z3.Z3_OP_EQ: lambda parts: lambda bound: parts[0](bound) == parts[1](bound),
    z3.Z3_OP_DISTINCT: lambda parts: lambda bound: len({part(bound) for part in parts}) == len(parts),
}


class Decided:
    """The symbols of a text in one world: they are given its elements, sets and rows."""

    def __init__(self, world: World) -> None:
        self.world, self.logic = world, Logic(world.protocol)
        symbols = self.logic.symbols
        self.elements = {
            sort: [
                symbols.named[sort, sort.constants[n]]
                if n < len(sort.constants)
                else z3.Const(f"{sort.__name__} {n}", symbol)
                for n in world.elements(sort)
            ]
            for sort, symbol in symbols.sorts.items()
        }
        self.sizes = {symbol.get_id(): len(self.elements[sort]) for sort, symbol in symbols.sorts.items()}
        self.numbers = {one.get_id(): n for elements in self.elements.values() for n, one in enumerate(elements)}
        self.rows: dict[int, frozenset[Row]] = {}
        for family, known in symbols.known.items():
            self._give(known, frozenset((n,) for n in world.elements(family)))
        for order, less in symbols.less.items():
            self._give(less, frozenset(row for row in world.rows((order, order)) if row[0] < row[1]))
        for sort, member in symbols.member.items():
            sets = world.families[sort]  # type: ignore[index]  # its keys are families
            self._give(member, frozenset((item, n) for n, members in enumerate(sets) for item in members))
        assert all(self.true(fact) for fact in symbols.facts())

    def _give(self, relation: Any, rows: frozenset[Row]) -> None:
        self.rows[relation.get_id()] = rows

    def settle(self, state: State) -> None:
        """Give the rows of a state, in place of those given before."""
        for name in self.world.protocol.relations:
            self._give(self.logic.symbols.now[name], frozenset(state[name]))

    def row(self, sorts: Any, row: Any) -> list[Any]:
        """The symbols of elements."""
        return [self.elements[sort][one] for sort, one in zip(sorts, row, strict=True)]

    def values(self, clause: Any, row: Any) -> dict[int, Any]:
        """The symbols of a clause's parameters."""
        return dict(enumerate(self.row(clause.sorts, row)))

    def true(self, formula: Any) -> bool:
        """Whether the formula is true in the world and in the state that was given."""
        return bool(self._meaning(formula)(()))

    def _meaning(self, formula: Any) -> Meaning:
        if z3.is_var(formula):
            place = z3.get_var_index(formula)
            return lambda bound: bound[place]
        if z3.is_quantifier(formula):
            return self._quantified(formula)
        parts = [self._meaning(part) for part in formula.children()]
        kind = formula.decl().kind()
        return CONNECTIVES[kind](parts) if kind in CONNECTIVES else self._said(formula, parts)

    def _quantified(self, formula: Any) -> Meaning:
        body, quantifier = self._meaning(formula.body()), all if formula.is_forall() else any
        sizes = [self.sizes[formula.var_sort(n).get_id()] for n in range(formula.num_vars())]
        choices = [row[::-1] for row in product(*map(range, sizes))]
        return lambda bound: quantifier(body(row + bound) for row in choices)

    def _said(self, formula: Any, parts: list[Meaning]) -> Meaning:
        """An element, or whether a relation has a row."""
        if not parts:
            number = self.numbers[formula.get_id()]
            return lambda _: number
        rows = self.rows[formula.decl().get_id()]
        return lambda bound: tuple(part(bound) for part in parts) in rows

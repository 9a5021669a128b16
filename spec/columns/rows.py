"""Rows: the rows of one view in one block, and what each rule says of them.

A rule's claim is looked at only in rows that are instances, and equal terms of several rules are worked out once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from spec.columns.column import Array, Column, Mask, either, false, of_rows, true
from spec.columns.dimensions import Tables
from spec.columns.evaluators import FewRows, RowEvaluator
from spec.columns.neighbours import Partition, Seen, look
from spec.columns.order import changes, places
from spec.columns.piece import TracePosition
from spec.columns.plan import Clause, Plan
from spec.columns.shape import part_of
from spec.columns.states import State, answer
from spec.language.parameters import Parameters
from spec.language.shape import ordered_column, shape_of
from spec.language.terms import Col, Field, Term

FEW = 4
"""Instances are few when there are this many times as many rows."""


class Borders(NamedTuple):
    """The first and the last place of a block; None: there is no more trace on that side."""

    left: TracePosition | None
    right: TracePosition | None


class Outcomes(NamedTuple):
    """What one rule says of the rows that are or may be instances.

    Attributes:
        at: which rows these are; None: all rows.
        instance: which are instances, or may be.
        holds: which satisfy the rule.
        violated: which break it.
        wait: which rows outside the block may still change; None: none.
    """

    at: Array | None
    instance: Mask
    holds: Mask
    violated: Mask
    wait: Mask | None


class Rows(RowEvaluator):
    """The rows of one view in one block: they evaluate terms over its columns.

    Args:
        plan: what is read of the view.
        state: gives the state of each base column.
        borders: where the block begins and ends.
        parameters: what the trace's header fixes.
        tables: the dimensions that the rules look up.
    """

    def __init__(
        self, plan: Plan, state: Callable[[str], State], borders: Borders, parameters: Parameters, tables: Tables
    ) -> None:
        self.states: dict[str, State] = {}
        self._state = state
        super().__init__(plan, self.state(plan.view.key[0]).value.shape[-1], parameters, tables)
        self.borders = borders
        self._columns: dict[str, Column] = {}
        self._near: dict[str, Seen] = {}
        self._partitions: dict[tuple[Term, ...], Partition] = {}
        self._few: dict[int, FewRows] = {}
        self.partial = self._partial() if plan.view.grouped and self.size else None

    def state(self, name: str) -> State:
        """The state of a base column."""
        if name not in self.states:
            self.states[name] = self._state(name)
        return self.states[name]

    def leaf(self, term: Field | Col) -> Column:
        """A base or neighbour column."""
        name = term.name
        if name in self.plan.near:
            return self.seen(name).column
        if name not in self._columns:
            self._columns[name] = answer(self.plan.view.base[name], self.state(name))
        return self._columns[name]

    def seen(self, name: str) -> Seen:
        """A neighbour column, with the rows that it looks at."""
        if name not in self._near:
            of, terms = self.plan.near[name]
            said = self.full(of)
            self._near[name] = look(self.plan.view.near[name].fn, said, self._partition(terms), self.partial)
        return self._near[name]

    def _partial(self) -> Mask | None:
        """Rows that events outside the block may still belong to."""
        sides = [place for place in self.borders if place is not None]
        if not sides:
            return None
        partial = np.zeros(self.size, np.bool_)
        for place in sides:
            same = np.ones(self.size, np.bool_)
            for name, column in shape_of(self.plan.view).ordered:
                if column != self.plan.view.sorted_by.own:
                    same &= self.state(name).value == self._at(place, column)
            partial |= same
        return partial if partial.any() else None

    def _partition(self, terms: tuple[Term, ...]) -> Partition:
        if terms not in self._partitions:
            values = [self.full(term).value for term in terms]
            starts = changes(values) if terms else np.arange(min(self.size, 1))
            ends = np.append(starts[1:], self.size) - 1 if len(starts) else starts
            left, right = (self._crossing(terms, values, starts, place) for place in self.borders)
            self._partitions[terms] = Partition(starts, ends, left, right)
        return self._partitions[terms]

    def _crossing(
        self, terms: tuple[Term, ...], values: list[Array], starts: Array, place: TracePosition | None
    ) -> Array:
        """The partitions that may have rows on the other side of a border."""
        if place is None:
            return np.zeros(0, np.intp)
        same = np.ones(len(starts), np.bool_)
        for term, value in zip(terms, values, strict=True):
            column = ordered_column(self.plan.view, term)
            if column is not None:
                same &= value[starts] == self._at(place, column)
        return places(same)

    def _at(self, place: TracePosition, column: str) -> int:
        return part_of(place, column, self.plan.view.sorted_by, self.parameters.low_bits)

    def outcomes(self, clause: Clause) -> Outcomes:
        """What one rule says: see ``ReferenceEvaluator.outcome``, which defines it."""
        given = self.value(clause.given)
        instance, sure = ~false(given), true(given)
        if not instance.ndim:
            instance, sure = np.full(self.size, instance), np.full(self.size, sure)
        maybe = instance if self.partial is None else instance | self.partial
        evaluator: RowEvaluator = self
        at: Array | None = None
        wait = self.partial
        if given.open is not None:
            wait = either(wait, given.open)
        if np.count_nonzero(maybe) * FEW < self.size:
            few = self._few.get(id(clause.given))
            if few is None:
                few = self._few[id(clause.given)] = FewRows(self, places(maybe))
            evaluator, at = few, few.at
            instance, sure = of_rows(instance, at), of_rows(sure, at)
            wait = None if wait is None else of_rows(wait, at)
        if not (instance if wait is None else instance & ~wait).any():  # nothing to settle: no claim is looked at
            nothing = np.zeros(len(instance), np.bool_)
            return Outcomes(at, instance, nothing, nothing, wait)
        claim = evaluator.value(clause.claim)
        if claim.open is not None:
            wait = either(wait, claim.open & instance)
        return Outcomes(at, instance, instance & true(claim), sure & false(claim), wait)

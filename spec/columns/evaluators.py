"""Row evaluators: where terms over a view's columns have values, each worked out once and for as few rows as possible.

A term that several rules share is remembered. One that depends on one row of a dimension is worked out for the rows
of that table. One that counts domains is worked out once for all rows that say the same: few copysets and nodesets are
in use at a time, and sticky ones make long runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from weakref import proxy

import numpy as np

from spec.columns.column import Array, Column, certain
from spec.columns.dimensions import Tables
from spec.columns.order import alike, changes, run_numbers
from spec.columns.plan import Plan
from spec.columns.reads import LookedUp
from spec.columns.terms import Evaluator
from spec.language.declare import Dimension
from spec.language.parameters import Parameters
from spec.language.terms import Col, Field, Lookup, Term

WORTH_ONCE: Final = 3
"""Rows that say the same are judged together when there are this many times as many rows as sorts of them."""

MOST_SORTS: Final = 4
"""Sorts of rows are told apart when there cannot be more than so many times as many as rows."""


class RowEvaluator(Evaluator):
    """Some rows of a view.

    Args:
        plan: what is read of the view.
        size: how many rows there are.
        parameters: what the trace's header fixes.
        tables: the dimensions that the rules look up.
    """

    def __init__(self, plan: Plan, size: int, parameters: Parameters, tables: Tables) -> None:
        super().__init__(parameters, size)
        self.plan, self.tables = plan, tables
        self.terms: dict[int, Column] = {}
        self.rows_found: dict[tuple[type[Dimension], tuple[Term, ...]], Column] = {}
        self._sorts: dict[tuple[Col | LookedUp, ...], tuple[FewRows, Array] | None] = {}

    def value(self, term: Term, domains: Array | None = None) -> Column:
        """The value of a term, remembered if it occurs more than once."""
        number = id(term)
        if number in self.terms:
            return self.terms[number]
        if number in self.plan.tabled:
            lookup, inside = self.plan.tabled[number]
            said = self.tables[lookup.dimension].take(inside, self.found(lookup))
        elif number in self.plan.heavy:
            said = self._once(term, self.plan.heavy[number])
        else:
            said = super().value(term, domains)
        if number in self.plan.shared:
            self.terms[number] = said
        return said

    def full(self, term: Term) -> Column:
        """The value of a term as one value for each row, constants too."""
        return self.value(term).spread(self.size)

    def found(self, lookup: Lookup) -> Column:
        """The row of a dimension's table for each row."""
        which = lookup.dimension, lookup.key
        if which not in self.rows_found:
            self.rows_found[which] = self.tables[lookup.dimension].find([self.full(part) for part in lookup.key])
        return self.rows_found[which]

    def _once(self, term: Term, sources: tuple[Col | LookedUp, ...]) -> Column:
        """The value of a term, worked out once for the rows that say the same in its sources."""
        if sources not in self._sorts:
            self._sorts[sources] = self._sorted(sources)
        sorts = self._sorts[sources]
        return super().value(term) if sorts is None else super(RowEvaluator, sorts[0]).value(term).take(sorts[1])

    def _sorted(self, sources: tuple[Col | LookedUp, ...]) -> tuple[FewRows, Array] | None:
        """One row of each sort that say the same in these sources, and the sort of each row; None: there are many."""
        read = [part for source in sources for part in self._parts(source)]
        runs = changes(read) if read else np.arange(min(self.size, 1))
        same = alike([part[runs] for part in read], MOST_SORTS * len(runs)) if read and len(runs) else None
        first = runs if same is None else runs[same.first]
        if len(first) * WORTH_ONCE > self.size:
            return None
        sort = run_numbers(runs, self.size)
        return FewRows(self, first), sort if same is None else same.sort[sort]

    def _parts(self, source: Col | LookedUp) -> Iterator[Array]:
        """What all rows say in one source: numbers or truth values, each as an array of one axis."""
        if isinstance(source, LookedUp):
            found = self.found(source.lookup)
            yield self.tables[source.lookup.dimension].sorts(source.columns)[found.value]
        else:
            found = self.leaf(source)
            yield from found.value if found.value.ndim > 1 else (found.value,)
        bounded = None if found.bound is None else found.bound.there
        yield from (mask for mask in (found.known, found.open, bounded) if mask is not None)


class FewRows(RowEvaluator):
    """Some of the rows of another evaluator, where a term is worked out for these alone.

    Args:
        rows: all rows; they own this evaluator, and are gone with all their columns as soon as nobody needs them.
        at: which.
    """

    def __init__(self, rows: RowEvaluator, at: Array) -> None:
        super().__init__(rows.plan, len(at), rows.parameters, rows.tables)
        self.rows, self.at = proxy(rows), at
        self._leaves: dict[str, Column] = {}

    def leaf(self, term: Field | Col) -> Column:
        """A base or neighbour column."""
        if term.name not in self._leaves:
            self._leaves[term.name] = certain(self.rows.leaf(term).take(self.at))
        return self._leaves[term.name]

    def value(self, term: Term, domains: Array | None = None) -> Column:
        """The value of a term; what all rows know already is taken from there."""
        if id(term) in self.rows.terms and id(term) not in self.terms:
            self.terms[id(term)] = certain(self.rows.terms[id(term)].take(self.at))
        return super().value(term, domains)

    def found(self, lookup: Lookup) -> Column:
        """The row of a dimension's table for each row; what all rows have looked up is taken from there."""
        which = lookup.dimension, lookup.key
        if which in self.rows.rows_found and which not in self.rows_found:
            self.rows_found[which] = self.rows.rows_found[which].take(self.at)
        return super().found(lookup)

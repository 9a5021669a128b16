"""Row scenes: where terms over a view's columns have values, each worked out once and for as few rows as possible.

A term that several rules share is remembered. One that depends on one row of a dimension is worked out for the rows
of that table. One that counts domains is worked out once for each run of rows that say the same, which is what sticky
copysets make of a log.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from spec.columns.column import Array, Column
from spec.columns.dimensions import Tables
from spec.columns.order import changes
from spec.columns.plan import Plan
from spec.columns.terms import Scene
from spec.language.declare import Dimension
from spec.language.parameters import Parameters
from spec.language.terms import Col, Field, Lookup, Term

WORTH_RUNS: Final = 3
"""Runs are used when there are this many times as many rows."""


class RowScene(Scene):
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

    def value(self, term: Term, domains: Array | None = None) -> Column:
        """The value of a term, remembered if it occurs more than once."""
        number = id(term)
        if number in self.terms:
            return self.terms[number]
        if number in self.plan.tabled:
            lookup, inside = self.plan.tabled[number]
            said = self.tables[lookup.dimension].take(inside, self.found(lookup))
        elif number in self.plan.heavy:
            said = self._by_runs(term, self.plan.heavy[number])
        else:
            said = super().value(term, domains)
        if number in self.plan.shared:
            self.terms[number] = said
        return said

    def full(self, term: Term) -> Column:
        """The value of a term as one value for each row, constants too."""
        said = self.value(term)
        return said if said.value.ndim else said._replace(value=np.broadcast_to(said.value, self.size))

    def found(self, lookup: Lookup) -> Column:
        """The row of a dimension's table for each row."""
        which = lookup.dimension, lookup.key
        if which not in self.rows_found:
            self.rows_found[which] = self.tables[lookup.dimension].find([self.full(part) for part in lookup.key])
        return self.rows_found[which]

    def _by_runs(self, term: Term, sources: tuple[Col | Lookup, ...]) -> Column:
        """The value of a term, worked out once for each run of rows with the same sources."""
        read = [self.found(source) if isinstance(source, Lookup) else self.leaf(source) for source in sources]
        runs = changes([array for column in read for array in column if array is not None]) if read else np.arange(1)
        if len(runs) * WORTH_RUNS > self.size:
            return super().value(term)
        few = FewRows(self, runs)
        said = super(RowScene, few).value(term)
        return said.repeat(np.diff(runs, append=self.size))


class FewRows(RowScene):
    """Some of the rows of another scene, where a term is worked out for these alone.

    Args:
        rows: all rows.
        at: which.
    """

    def __init__(self, rows: RowScene, at: Array) -> None:
        super().__init__(rows.plan, len(at), rows.parameters, rows.tables)
        self.rows, self.at = rows, at
        self._leaves: dict[str, Column] = {}

    def leaf(self, term: Field | Col) -> Column:
        """A base or neighbour column."""
        if term.name not in self._leaves:
            self._leaves[term.name] = self.rows.leaf(term).take(self.at)
        return self._leaves[term.name]

    def value(self, term: Term, domains: Array | None = None) -> Column:
        """The value of a term; what all rows know already is taken from there."""
        if id(term) in self.rows.terms and id(term) not in self.terms:
            self.terms[id(term)] = self.rows.terms[id(term)].take(self.at)
        return super().value(term, domains)

    def found(self, lookup: Lookup) -> Column:
        """The row of a dimension's table for each row; what all rows have looked up is taken from there."""
        which = lookup.dimension, lookup.key
        if which in self.rows.rows_found and which not in self.rows_found:
            self.rows_found[which] = self.rows.rows_found[which].take(self.at)
        return super().found(lookup)

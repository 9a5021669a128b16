"""One row of a view as z3 sees it, and the row of plain values that a model gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeAlias

import z3

from spec.language.declare import Dimension, View
from spec.language.meaning import Evaluator, Value
from spec.language.outcomes import Outcome
from spec.language.parameters import Parameters
from spec.language.reference import ReferenceEvaluator, Row
from spec.language.rule import Rule
from spec.language.terms import Agg, Col, Lookup, Op, Term, leaves
from spec.language.vocabulary import sort_of
from spec.proof.laws import laws, may_be_unknown
from spec.proof.reading import Reading, concrete_domains, equal
from spec.proof.symbols import Symbolic, plain, symbol, within_storage

DimensionRow: TypeAlias = tuple[type[Dimension], tuple[Term, ...]]
"""A row of a dimension: which one, and the terms that name it."""


@dataclass(frozen=True)
class Witness:
    """One row that has one outcome under one rule.

    Attributes:
        row: the row, by column.
        tables: the rows of the dimensions that it looks up.
        parameters: the topology and the numbers of the header.
    """

    row: Row
    tables: Mapping[type, Mapping[tuple[Value, ...], Row]]
    parameters: Parameters

    def outcome(self, rule: Rule) -> Outcome:
        """What the meaning says of this row."""
        reference = ReferenceEvaluator((), self.parameters)
        reference.tables.update({dimension: dict(rows) for dimension, rows in self.tables.items()})
        return reference.outcome(rule, self.row)


class SymbolicRow:
    """One row of a view of which nothing is known but the laws of rows.

    Attributes:
        reading: terms over this row.
        assumed: what z3 may take for granted, as far as the columns that were read go.
    """

    def __init__(self, view: type[View], parameters: Parameters) -> None:
        self.view, self.parameters, self.assumed = view, parameters, list[Any]()
        self._columns: dict[str, Symbolic] = {}
        self._keys: dict[Lookup, tuple[Symbolic, ...]] = {}
        self._found: dict[DimensionRow, Any] = {}
        self._cells: dict[tuple[DimensionRow, str], Symbolic] = {}
        self._bound, self._copies = z3.Int("clock_bound_ns"), z3.Int("copies")
        self.assumed += [self._bound >= 0, self._copies >= 0]
        width = parameters.size
        numbers = {"clock_bound_ns": self._bound, "copies": self._copies}
        domains = concrete_domains(parameters, width)
        self.reading = Reading(width, domains, self._column, numbers, parameters.low_bits, self._lookup)

    def read(self, term: Term) -> Symbolic:
        """The value of a term; nodes that it names by number are assumed to be nodes of the topology."""
        for op in leaves(term, Op):
            if op.name == "one":
                node = self.reading.read(op.args[0])
                self.assumed.append(z3.Implies(node.known, z3.And(node.value >= 0, node.value < self.reading.width)))
        return self.reading.read(term)

    def assume_laws(self) -> None:
        """Take the laws of the view's rows for granted, and that one key has one row in a dimension."""
        for law in laws(self.view):
            said = self.read(law)
            self.assumed.append(z3.And(said.known, said.value))
        for one, other in combinations(self._found, 2):
            if one[0] is other[0]:
                self.assumed.append(z3.Implies(self._same_key(one, other), self._same_cells(one, other)))

    def decode(self, model: Any) -> Witness:
        """The row of plain values that a model stands for."""
        bound, copies = (model.eval(one, model_completion=True).as_long() for one in (self._bound, self._copies))
        parameters = replace(self.parameters, clock_bound_ns=bound, copies=copies)
        names = (*self.view.base, *self.view.near)
        row = {name: plain(self._columns[name], model) if name in self._columns else None for name in names}
        tables: dict[type, dict[tuple[Value, ...], Row]] = {place[0]: {} for place in self._found}
        for place, found in self._found.items():
            key = tuple(plain(self.reading.read(part), model) for part in place[1])
            if None not in key and z3.is_true(model.eval(found, model_completion=True)):
                tables[place[0]][key] = self._table_row(place, key, model, parameters)
        return Witness(row, tables, parameters)

    def _column(self, col: Col) -> Symbolic:
        if col.name not in self._columns:
            leaf = self.view.base.get(col.name) or self.view.near[col.name]
            nullable = col.name not in self.view.key and may_be_unknown(leaf, self.view)
            self._columns[col.name] = self._new(col.name, leaf, nullable=nullable)
        return self._columns[col.name]

    def _new(self, name: str, leaf: Term, *, nullable: bool) -> Symbolic:
        made = symbol(name, sort_of(leaf), self.reading.width, nullable=nullable)
        self.assumed += within_storage(made.value)
        return made

    def _lookup(self, term: Lookup, key: tuple[Symbolic, ...]) -> Symbolic:
        """What a dimension says: a column of its own for each key, as far as z3 knows the key."""
        place = (term.dimension, term.key)
        if place not in self._found:
            self._found[place] = z3.Bool(f"{term.dimension.__name__} {len(self._found)} is there")
        inside = replace(self.reading, column=lambda col: self._cell(place, col.name))
        said = inside.read(term.dimension.inline(Col(term.column, term.sort)))
        known = z3.And(self._found[place], said.known, *(part.known for part in key))
        return Symbolic(said.value, known)

    def _cell(self, place: DimensionRow, column: str) -> Symbolic:
        if (place, column) not in self._cells:
            dimension = place[0]
            leaf = dimension.base[column]
            name = f"{dimension.__name__}.{column} {list(self._found).index(place)}"
            nullable = isinstance(leaf, Agg) and may_be_unknown(leaf, dimension)
            self._cells[place, column] = self._new(name, leaf, nullable=nullable)
        return self._cells[place, column]

    def _table_row(self, place: DimensionRow, key: tuple[Value, ...], model: Any, parameters: Parameters) -> Row:
        dimension = place[0]
        cells = {name: self._cells.get((place, name)) for name in dimension.base}
        row: Row = {name: None if cell is None else plain(cell, model) for name, cell in cells.items()}
        row.update(zip(dimension.key, key, strict=True))
        evaluator = Evaluator(row, parameters, {})
        return row | {name: evaluator.value(dimension.inline(term)) for name, term in dimension.derived.items()}

    def _same_key(self, one: DimensionRow, other: DimensionRow) -> Any:
        pairs = [(self.reading.read(a), self.reading.read(b)) for a, b in zip(one[1], other[1], strict=True)]
        return z3.And([z3.And(a.known, b.known, a.value == b.value) for a, b in pairs])

    def _same_cells(self, one: DimensionRow, other: DimensionRow) -> Any:
        same = [self._found[one] == self._found[other]]
        for name in one[0].base:
            a, b = self._cell(one, name), self._cell(other, name)
            same += [a.known == b.known, z3.Implies(a.known, equal(a.value, b.value))]
        return z3.And(same)

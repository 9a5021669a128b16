"""Dimensions: small tables that rows look up, gathered from the whole trace before any row is judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from spec.columns.column import Array, Column, Mask, Raw, both, of_rows
from spec.columns.events import Events
from spec.columns.kleene import undecided
from spec.columns.order import changes, lengths, stable_order
from spec.columns.piece import Piece
from spec.columns.shape import view_order
from spec.columns.states import State, answer, concatenated, joined
from spec.columns.terms import Evaluator
from spec.language.declare import Dimension
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.language.terms import Col, Field, Term
from spec.language.vocabulary import sort_of

Gathered: TypeAlias = dict[type[Dimension], dict[str, State]]
"""What a piece of a trace says of each dimension: base columns by name. Small, and it can be pickled."""


class Table(Evaluator):
    """The rows of one dimension, in any order, and after them one row of NULLs for keys that it lacks.

    Args:
        dimension: which.
        base: its base columns; keys differ.
        parameters: what the trace's header fixes.
    """

    def __init__(self, dimension: type[Dimension], base: Mapping[str, State], parameters: Parameters) -> None:
        keys = [base[name].value for name in dimension.key]
        super().__init__(parameters, len(keys[0]))
        self.dimension, self.base = dimension, base
        self._parts = [np.unique(key) for key in keys]
        codes, _ = self._code(keys)
        self._order = stable_order(codes)
        self._codes = codes[self._order]
        self._columns = {name: _with_null(answer(dimension.base[name], state)) for name, state in base.items()}
        self._terms: dict[int, tuple[Term, Column]] = {}  # with the term: its id stays its own
        self._sorts: dict[tuple[Col, ...], Array] = {}

    def __reduce__(self) -> tuple[type[Table], tuple[type[Dimension], Mapping[str, State], Parameters]]:
        """Worker processes are given what a table is made of, not what was worked out from it."""
        return type(self), (self.dimension, self.base, self.parameters)

    def leaf(self, term: Field | Col) -> Column:
        """A base or derived column of the dimension."""
        if term.name not in self._columns:
            self._columns[term.name] = self.value(self.dimension.inline(term))
        return self._columns[term.name]

    def _code(self, key: Sequence[Array]) -> tuple[Array, Mask]:
        """One number for each key, rising with it, and whether every part of it occurs at all."""
        code, occurs = np.zeros(key[0].shape, np.int64), np.ones(key[0].shape, np.bool_)
        for part, values in zip(self._parts, key, strict=True):
            place = np.minimum(np.searchsorted(part, values), len(part) - 1)
            occurs &= part[place] == values
            code = code * len(part) + place
        return code, occurs

    def find(self, key: Sequence[Column]) -> Column:
        """For each row the table's row under its key, which may be the row of NULLs; known where the key is settled.

        Runs of equal keys are looked up once.
        """
        values, opened = [part.value for part in key], undecided(*key)
        if not self.size:
            return _settled_rows(np.zeros(values[0].shape, np.intp), opened)
        runs = changes(values)
        code, occurs = self._code([value[runs] for value in values])
        place = np.minimum(np.searchsorted(self._codes, code), self.size - 1)
        found = np.where(occurs & (self._codes[place] == code), self._order[place], self.size)
        row = np.repeat(found, lengths(runs, len(values[0])))
        for part in key:
            if part.known is not None:
                row[~part.known] = self.size
        return _settled_rows(row, opened)

    def take(self, term: Term, found: Column) -> Column:
        """A term over the table's columns, for each row that ``find`` looked up. It is worked out once."""
        if id(term) not in self._terms:
            said = self.value(term)
            rows = np.broadcast_to(said.value, (*said.value.shape[:-1], self.size + 1))
            self._terms[id(term)] = term, said._replace(value=rows)
        said = self._terms[id(term)][1]
        value = of_rows(said.value, found.value)
        known = None if said.known is None else of_rows(said.known, found.value)
        if known is not None and known.all():
            known = None
        return Column(value, both(known, found.known), found.open)

    def sorts(self, columns: tuple[Col, ...]) -> Array:
        """A number for each row of the table and the row of NULLs: the same for rows that say the same in these."""
        if columns not in self._sorts:
            number = np.zeros(self.size + 1, np.int64)
            for said in map(self.value, columns):
                values = said.value if said.value.ndim > 1 else said.value[np.newaxis]
                for part in (*values, said.known):
                    if part is not None:
                        _, own = np.unique(part, return_inverse=True)
                        _, number = np.unique(number * len(own) + own, return_inverse=True)
            self._sorts[columns] = number
        return self._sorts[columns]


def _with_null(column: Column) -> Column:
    """The column with one more row, which is not known."""
    nothing = np.zeros((*column.value.shape[:-1], 1), column.value.dtype)
    known = np.ones(column.value.shape[-1], np.bool_) if column.known is None else column.known
    return Column(np.concatenate([column.value, nothing], axis=-1), np.append(known, np.False_))


def _settled_rows(row: Array, opened: Mask | None) -> Column:
    return Column(row, None if opened is None else ~opened, opened)


Tables: TypeAlias = Mapping[type[Dimension], Table]
"""The table of each dimension that the rules look up."""


def dimensions_of(rules: Iterable[Rule]) -> tuple[type[Dimension], ...]:
    """The dimensions that rules look up."""
    return tuple(dict.fromkeys(dimension for rule in rules for dimension in rule.dimensions))


def gather_piece(dimensions: Iterable[type[Dimension]], raw: Raw, parameters: Parameters) -> Gathered:
    """What one piece of a trace, sorted or not, says of each dimension.

    Raises:
        MissingColumn: a column of ``needed_columns_of_dimensions`` was not given.
        NullKey: an event does not know the key of its row.
    """
    piece = Piece(raw, parameters)
    found: Gathered = {}
    for dimension in dimensions:
        events = Events(dimension, piece, in_trace_order=False)
        found[dimension] = {name: events.state(name) for name in dimension.base}
    return found


def join_gathered(
    dimensions: Iterable[type[Dimension]], gathered: Iterable[Gathered], parameters: Parameters
) -> dict[type[Dimension], Table]:
    """The tables that all pieces make together, in whatever order they come; a piece may say nothing of a dimension."""
    parts = list(gathered)
    return {
        dimension: _table(dimension, [part[dimension] for part in parts if dimension in part], parameters)
        for dimension in dimensions
    }


def as_one_piece(dimensions: Iterable[type[Dimension]], gathered: Iterable[Gathered]) -> Gathered:
    """What several pieces say of dimensions, as one piece that has all their events would say it."""
    parts = list(gathered)
    said = {dimension: [part[dimension] for part in parts if dimension in part] for dimension in dimensions}
    return {dimension: _rows(dimension, some) for dimension, some in said.items() if some}


def gather(
    dimensions: Iterable[type[Dimension]], raws: Iterable[Raw], parameters: Parameters
) -> dict[type[Dimension], Table]:
    """The tables of dimensions, from all pieces of a trace; see ``gather_piece`` for what is raised."""
    wanted = tuple(dimensions)
    return join_gathered(wanted, (gather_piece(wanted, raw, parameters) for raw in raws), parameters)


def _empty(term: Term, parameters: Parameters) -> State:
    sort = sort_of(term)
    shape = (parameters.words, 0) if sort == "set" and parameters.words > 1 else (0,)
    return State(np.zeros(shape, np.bool_ if sort == "bool" else np.int64))


def by_key(dimension: type[Dimension], parts: Sequence[dict[str, State]]) -> tuple[dict[str, State], Array]:
    """The rows of all parts in the order of their keys, and where each key begins."""
    base = {name: concatenated([part[name] for part in parts]) for name in dimension.base}
    order = view_order(dimension, lambda name: base[name].value, in_trace_order=False)
    if order is not None:
        base = {name: state.take(order) for name, state in base.items()}
    return base, changes([base[name].value for name in dimension.key])


def _table(dimension: type[Dimension], parts: list[dict[str, State]], parameters: Parameters) -> Table:
    parts = parts or [{name: _empty(term, parameters) for name, term in dimension.base.items()}]
    return Table(dimension, _rows(dimension, parts), parameters)


def _rows(dimension: type[Dimension], parts: Sequence[dict[str, State]]) -> dict[str, State]:
    """The rows of all parts, each key once."""
    base, starts = by_key(dimension, parts)
    return {name: joined(dimension.base[name], state, starts) for name, state in base.items()} if len(starts) else base

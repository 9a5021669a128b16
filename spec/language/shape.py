"""Shapes: how the rows of a view lie in a sorted trace, and so where a trace may be cut.

A trace is sorted by the order of its events' family. Key columns that follow that order need no sorting; the others do.
Rows look at neighbours of a partition, and whoever reads a trace piece by piece must be able to tell which rows outside
a piece come next: so a partition is a run of rows in the order of the key.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple, Protocol

from spec.language.orders import Order
from spec.language.refusals import AuthorMistake
from spec.language.terms import Along, Col, Field, Op, Term


class Keyed(Protocol):
    """A view or dimension, as far as its key and its order go."""

    sorted_by: ClassVar[Order]
    key: ClassVar[tuple[str, ...]]
    base: ClassVar[dict[str, Term]]

    @classmethod
    def inline(cls, term: Term) -> Term:
        """The term over base and neighbour columns only."""
        ...


class Ordered(NamedTuple):
    """A key column that follows the trace's order: its name in the view, and its column."""

    name: str
    column: str


class Shape(NamedTuple):
    """How the rows of a view lie in a sorted trace.

    Attributes:
        loose: key columns that do not follow the trace's order: rows are sorted by them.
        ordered: key columns that follow it.
    """

    loose: tuple[str, ...]
    ordered: tuple[Ordered, ...]


_shapes: dict[type[Keyed], Shape] = {}


def shape_of(rows: type[Keyed]) -> Shape:
    """The shape of a view or dimension."""
    if rows not in _shapes:
        _shapes[rows] = _shape(rows)
    return _shapes[rows]


def _shape(rows: type[Keyed]) -> Shape:
    loose: list[str] = []
    ordered: list[Ordered] = []
    after = rows.sorted_by.after
    for name in rows.key:
        column = column_of(rows, name)
        seen = {column for _, column in ordered}
        if any(before <= seen for before in after.get(column, ())):
            ordered.append(Ordered(name, column))
        else:
            loose.append(name)
    return Shape(tuple(loose), tuple(ordered))


def column_of(rows: type[Keyed], name: str) -> str:
    """The trace's column that a key column is."""
    field = rows.base[name]
    if not isinstance(field, Field):
        raise TypeError(f"{rows.__name__}: the key column {name} is no field of events")
    return field.column


def refuse_scattered(rows: type[Keyed], name: str, near: Along) -> None:
    """Make sure that the rows of a partition stand together, and in the order of the key.

    Raises:
        AuthorMistake: they do not.
    """
    shape, terms = shape_of(rows), [rows.inline(part) for part in near.partition]
    columns = [ordered_column(rows, term) for term in terms]
    plain = {term.name for term in terms if isinstance(term, Col)}
    follows = {column for column in columns if column is not None}
    sorted_terms = all(
        column is not None or (isinstance(term, Col) and term.name in shape.loose)
        for term, column in zip(terms, columns, strict=True)
    )
    partition = rows.sorted_by.partition
    if not (set(shape.loose) <= plain and sorted_terms and (partition in follows or not follows)):
        raise AuthorMistake(
            f"{rows.__name__}.{name}: rows of one partition do not stand together in {rows.sorted_by}, "
            "so a trace that is read piece by piece cannot tell which comes next",
            f"Partition by {', '.join((*shape.loose, partition))}, and by {rows.sorted_by.position.high} if need be",
        )


def ordered_column(rows: type[Keyed], term: Term) -> str | None:
    """The column of the trace's order, but for the last, that a partition's term amounts to; None: another."""
    partition, (position, high, *_) = rows.sorted_by.partition, rows.sorted_by.position
    match term:
        case Col(name):
            column = column_of(rows, name) if name in rows.key else None
            return column if column in (partition, high, position) else None
        case Op("high", (Col() as whole,)):
            return high if ordered_column(rows, whole) == position else None
        case _:
            return None

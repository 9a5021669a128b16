"""Shapes: how the rows of a view lie in a sorted trace, and so which of them rows outside a block may still change.

A trace is sorted by the order of its events' family. Key columns that follow that order need no sorting; the others do,
and a stable sort by them alone leaves the rest in order. Where a block ends, only rows and partitions that share the
position, its high part or the partition of its first or last event can go on outside; without such a column in its key,
every row can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from spec.columns.column import Array
from spec.columns.mistakes import UnorderedNeighbours
from spec.columns.order import stable_order
from spec.columns.piece import TracePosition
from spec.language.declare import Rowset
from spec.language.orders import Order
from spec.language.terms import Along, Col, Field, Op, Term


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


_shapes: dict[type[Rowset], Shape] = {}


def shape_of(rows: type[Rowset]) -> Shape:
    """The shape of a view or dimension."""
    if rows not in _shapes:
        _shapes[rows] = _shape(rows)
    return _shapes[rows]


def _shape(rows: type[Rowset]) -> Shape:
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


def column_of(rows: type[Rowset], name: str) -> str:
    """The trace's column that a key column is."""
    field = rows.base[name]
    if not isinstance(field, Field):
        raise TypeError(f"{rows.__name__}: the key column {name} is no field of events")
    return field.column


def view_order(rows: type[Rowset], column: Callable[[str], Array], *, in_trace_order: bool = True) -> Array | None:
    """A stable permutation that brings rows or events into the view's order; None where they stand in it.

    ``column`` gives the values of a key column. Equal keys become neighbours. Without ``in_trace_order`` all key
    columns are sorted, not only the loose ones.
    """
    shape = shape_of(rows)
    sorted_by = shape.loose if in_trace_order else (*shape.loose, *(name for name, _ in shape.ordered))
    order: Array | None = None
    for name in reversed(sorted_by):
        values = column(name)
        here = stable_order(values if order is None else values[order])
        order = here if order is None else order[here]
    return order


def part_of(place: TracePosition, column: str, order: Order, low_bits: int) -> int:
    """What an ordered column holds at a place of the trace."""
    if column == order.partition:
        return place.partition
    if column == order.place:
        return place.position
    return place.position >> low_bits if column == order.position.high else place.position & (1 << low_bits) - 1


def partition_terms(rows: type[Rowset], near: Along) -> tuple[Term, ...]:
    """The terms that tell partitions apart, over key columns; in the view's order each partition is one run of rows.

    Raises:
        UnorderedNeighbours: rows of a partition do not stand together, or not in the order of the key.
    """
    shape, terms = shape_of(rows), tuple(map(rows.inline, near.partition))
    columns = [ordered_column(rows, term) for term in terms]
    plain = {term.name for term in terms if isinstance(term, Col)}
    follows = {column for column in columns if column is not None}
    sorted_terms = all(
        column is not None or (isinstance(term, Col) and term.name in shape.loose)
        for term, column in zip(terms, columns, strict=True)
    )
    partition = rows.sorted_by.partition
    if not (set(shape.loose) <= plain and sorted_terms and (partition in follows or not follows)):
        raise UnorderedNeighbours(
            f"the partition of a {near.fn} value does not follow the trace",
            f"view {rows.__name__}",
            "a block could not tell which rows outside it come next",
            f"Partition by {', '.join((*shape.loose, partition))}, and by {rows.sorted_by.position.high} if need be",
        )
    return terms


def ordered_column(rows: type[Rowset], term: Term) -> str | None:
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

"""Shapes: bringing rows into the order of their view, and what a border of a block says of it.

Key columns that follow the trace's order need no sorting; a stable sort by the others alone leaves the rest in order.
Where a block ends, only rows and partitions that share the position, its high part or the partition of its first or
last event can go on outside; without such a column in its key, every row can.
"""

from __future__ import annotations

from collections.abc import Callable

from spec.columns.column import Array
from spec.columns.order import stable_order
from spec.columns.piece import TracePosition
from spec.language.declare import Rowset
from spec.language.orders import Order
from spec.language.shape import shape_of


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

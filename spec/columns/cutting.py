"""Cutting: the events of a view in parts that can be judged each alone.

How they may be cut follows from what the rows of the view are. Rows that are one event each, and look at no other row,
are cut anywhere. Rows whose key is not in the trace's order are cut by that key: a part has all events of its rows, and
all rows that these look at, since rows that look at each other share that key. Other rows are cut between two places of
the trace.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final

import numpy as np

from spec.columns.column import Array
from spec.columns.order import changes
from spec.columns.piece import Piece
from spec.columns.plan import Plan
from spec.language.shape import column_of, shape_of

SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)
"""An odd number that spreads neighbours over 64 bits, from the golden ratio. Source: D. Knuth, TAOCP 3, 6.4."""

MOST_PARTS: Final = 1 << 16
"""Keys are put into so many parts at most: their numbers are sorted by radix."""


class Cut(Enum):
    """How the events of a view are cut."""

    ANYWHERE = "anywhere"
    BY_KEY = "by key"
    BETWEEN_PLACES = "between places"
    NOWHERE = "nowhere"


def cut_of(plan: Plan) -> Cut:
    """How the events of a plan's view are cut; those that are cut nowhere have rows that go on in other parts."""
    shape = shape_of(plan.view)
    if not plan.view.grouped and not plan.near:
        return Cut.ANYWHERE
    if shape.loose:
        return Cut.BY_KEY
    ordered = {column for _, column in shape.ordered}
    is_whole = {plan.view.sorted_by.partition, plan.view.sorted_by.place} <= ordered
    return Cut.BETWEEN_PLACES if is_whole else Cut.NOWHERE


def needs_order(plan: Plan) -> bool:
    """Whether the events of a plan's view must be given in the trace's order."""
    return bool(plan.near) or cut_of(plan) in (Cut.BETWEEN_PLACES, Cut.NOWHERE)


def cut_anywhere(rows: Array, size: int) -> list[Array]:
    """Parts of so many events."""
    return np.split(rows, range(size, len(rows), size))


def cut_by_key(plan: Plan, piece: Piece, rows: Array, size: int) -> list[Array]:
    """Parts of about so many events, each with all events of some keys; within a part, events keep their order."""
    bits = min(-(-len(rows) // size), MOST_PARTS).bit_length() - 1
    if not bits:
        return [rows]
    key = (piece.column(column_of(plan.view, name)).value[rows] for name in shape_of(plan.view).loose)
    part = (_spread(key, len(rows)) >> np.uint64(64 - bits)).astype(np.uint16)
    order = np.argsort(part, kind="stable")
    sizes = np.bincount(part, minlength=1 << bits)
    return np.split(rows[order], np.cumsum(sizes)[:-1])


def _spread(columns: Iterable[Array], size: int) -> Array:
    """A number of 64 bits for each key, equal for equal keys."""
    spread = np.zeros(size, np.uint64)
    for column in columns:
        spread ^= column.astype(np.int64).view(np.uint64)
        spread *= SPREAD
    return spread


def cut_between_places(plan: Plan, piece: Piece, rows: Array, size: int) -> list[Array]:
    """Parts of about so many events, given in the trace's order; what is at one place is in one part."""
    order = plan.view.sorted_by
    starts = changes([piece.column(name).value[rows] for name in (order.partition, order.place)])
    wanted = np.searchsorted(starts, np.arange(size, len(rows), size))
    return np.split(rows, np.unique(starts[wanted[wanted < len(starts)]]))

"""Neighbours: what another row of the same partition says, and which rows must be kept so that it can still be seen.

Rows stand in the view's order, so a partition is a run of rows. A partition may go on outside the block on its left or
right; a row that finds no neighbour inside is open then. What outsiders may look at is carried along:
one row for each such partition and neighbour column.

``latest`` and ``next`` settle at the nearest known value. ``highest`` and ``lowest`` cannot: whatever a block holds,
something greater may stand before it, or something less after it. So all rows of a partition that began outside are
open to ``highest``, and all rows of one that goes on outside to ``lowest``. What a block holds is a bound, though: that
there is a highest, and that it is no less, is settled as soon as one value is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from spec.columns.column import Array, Bound, Column, Mask, both, of_rows
from spec.columns.order import lengths, places
from spec.columns.states import HIGHEST, LOWEST

Sources: TypeAlias = Callable[[Array], Array]
"""For some rows, the row that each looks at; -1 for none."""


class Partition(NamedTuple):
    """Runs of rows that belong together.

    Attributes:
        starts: the first row of each.
        ends: the last row of each.
        left: the numbers of those that may have rows before this block.
        right: the numbers of those that may have rows after it.
    """

    starts: Array
    ends: Array
    left: Array
    right: Array


class Seen(NamedTuple):
    """A neighbour column.

    Attributes:
        column: its values.
        source: which row each row looks at.
        carry: rows that rows outside the block may look at.
    """

    column: Column
    source: Sources
    carry: Array


def look(fn: str, said: Column, partition: Partition, partial: Mask | None) -> Seen:
    """A neighbour column of values that rows say; rows that are ``partial`` may still say something else."""
    solid = said.known if partial is None else both(~partial, said.known)
    return _LOOK[fn](said, partition, solid, partial)


def _previous(said: Column, partition: Partition, _solid: Mask | None, partial: Mask | None) -> Seen:
    size = said.value.shape[-1]
    known = np.zeros(size, np.bool_)
    known[1:] = True if partial is None else ~partial[:-1]
    opened = np.zeros(size, np.bool_)
    opened[1:] = ~known[1:]
    known[partition.starts] = False
    opened[partition.starts] = False
    opened[partition.starts[partition.left]] = True
    if said.known is not None:
        known[1:] &= said.known[:-1]
    first = np.zeros(size, np.bool_)
    first[partition.starts] = True
    value = np.roll(said.value, 1, axis=-1)
    column = Column(value, known, opened if opened.any() else None)
    return Seen(column, lambda rows: np.where(first[rows], -1, rows - 1), partition.ends[partition.right])


def _latest(said: Column, partition: Partition, solid: Mask | None, _partial: Mask | None) -> Seen:
    segments = _segments(solid, partition.starts, said.value.shape[-1])
    long = lengths(segments, said.value.shape[-1])
    known = None if solid is None else solid[segments]
    begun = partition.starts[partition.left]
    column = _spread(of_rows(said.value, segments), known, _outside(segments, known, begun), long)

    def source(rows: Array) -> Array:
        return _found(segments, known, np.searchsorted(segments, rows, side="right") - 1)

    return Seen(column, source, _there(source(partition.ends[partition.right])))


def _next(said: Column, partition: Partition, solid: Mask | None, _partial: Mask | None) -> Seen:
    segments = _segments(solid, partition.ends, said.value.shape[-1])
    long = np.diff(segments, prepend=-1)
    known = None if solid is None else solid[segments]
    unended = partition.ends[partition.right]
    column = _spread(of_rows(said.value, segments), known, _outside(segments, known, unended), long)

    def source(rows: Array) -> Array:
        return _found(segments, known, np.searchsorted(segments, rows))

    return Seen(column, source, _there(source(partition.starts[partition.left])))


def _highest(said: Column, partition: Partition, solid: Mask | None, _partial: Mask | None) -> Seen:
    size = said.value.shape[-1]
    segments = _segments(solid, partition.starts, size)
    known = None if solid is None else solid[segments]
    number = np.searchsorted(partition.starts, segments, side="right") - 1
    values = said.value[segments].astype(np.int64)
    top = _running_top(values if known is None else np.where(known, values, LOWEST), number)
    from_outside = np.isin(number, partition.left) if len(partition.left) else None
    column = _extreme(values[top], known, from_outside, falls=False).repeat(lengths(segments, size))

    def source(rows: Array) -> Array:
        at = np.searchsorted(segments, rows, side="right") - 1
        return _found(segments[top], None if known is None else known[top], at)

    return Seen(column, source, _there(source(partition.ends[partition.right])))


def _lowest(said: Column, partition: Partition, solid: Mask | None, _partial: Mask | None) -> Seen:
    segments = _segments(solid, partition.ends, said.value.shape[-1])
    known = None if solid is None else solid[segments]
    number = np.searchsorted(partition.ends, segments)
    values = said.value[segments].astype(np.int64)
    least = _least_ahead(values if known is None else np.where(known, values, HIGHEST), number)
    goes_on = np.isin(number, partition.right) if len(partition.right) else None
    column = _extreme(values[least], known, goes_on, falls=True).repeat(np.diff(segments, prepend=-1))

    def source(rows: Array) -> Array:
        at = np.searchsorted(segments, rows)
        return _found(segments[least], None if known is None else known[least], at)

    return Seen(column, source, _there(source(partition.starts[partition.left])))


_LOOK: Final[dict[str, Callable[[Column, Partition, Mask | None, Mask | None], Seen]]] = {
    "previous": _previous,
    "latest": _latest,
    "next": _next,
    "highest": _highest,
    "lowest": _lowest,
}


def _segments(solid: Mask | None, borders: Array, size: int) -> Array:
    """Rows with a known value, and the border row of each partition: between them nothing changes."""
    if solid is None:
        return np.arange(size)
    marked = solid.copy()
    marked[borders] = True
    return places(marked)


def _outside(segments: Array, known: Mask | None, borders: Array) -> Mask | None:
    """The segments without a value whose partition goes on beyond one of these borders."""
    if known is None or not len(borders):
        return None
    opened = np.zeros(len(segments), np.bool_)
    opened[np.searchsorted(segments, borders)] = True
    opened &= ~known
    return opened if opened.any() else None


def _spread(value: Array, known: Mask | None, opened: Mask | None, long: Array) -> Column:
    """Every row of a segment says what the segment says."""
    return Column(value, None if known is None or known.all() else known, opened).repeat(long)


def _extreme(value: Array, known: Mask | None, opened: Mask | None, *, falls: bool) -> Column:
    """The greatest or least value of each segment; where rows outside may surpass it, it is a bound."""
    if opened is None:
        return Column(value, None if known is None or known.all() else known)
    there = opened if known is None else opened & known
    return Column(value, ~opened if known is None else ~opened & known, opened, Bound(there, falls=falls))


def _found(segments: Array, known: Mask | None, at: Array) -> Array:
    return segments[at] if known is None else np.where(known[at], segments[at], -1)


def _there(rows: Array) -> Array:
    return rows[rows >= 0]


def _running_top(values: Array, number: Array) -> Array:
    """For each place, the place of the greatest value so far among those with the same number; numbers never fall."""
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), np.int64)
    rank[order] = np.arange(len(values))
    top: Array = order[np.maximum.accumulate(number * len(values) + rank) % max(len(values), 1)]
    return top


def _least_ahead(values: Array, number: Array) -> Array:
    """For each place, the place of the least value from there on among those with the same number."""
    top = _running_top(~values[::-1], -number[::-1])  # the complement turns the order round, and never overflows
    return len(values) - 1 - top[::-1]

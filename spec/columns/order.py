"""Order: sort whole numbers, and find the runs of rows that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from spec.columns.column import Array, Mask

SPARSE: Final = 2
"""Numbers that have room for this many of themselves are put where they belong, and need not be sorted."""

MOST: Final = 1 << 62
"""Where numbers of several columns are put into one, it is less than this."""


def stable_order(values: Array) -> Array:
    """The stable permutation that sorts whole numbers.

    Numbers that stand in order, or that lie close together and are different, are not sorted at all. numpy sorts 16
    bits by radix, and others ten times as fast without places as with them. So a number's place is put in the lowest
    bits, which makes all different and any sort stable; where that leaves too few for the number, its highest bits are
    sorted first.
    """
    if (values[1:] >= values[:-1]).all():
        return np.arange(len(values))
    if values.dtype.itemsize <= 2:  # noqa: PLR2004 - bytes
        return np.argsort(values, kind="stable")
    low, high = int(values.min()), int(values.max())
    spread, bits = (high - low).bit_length(), len(values).bit_length()
    numbers = np.subtract(values, low, dtype=np.int64)
    if high - low < SPARSE * len(values) and (order := _order_of_different(numbers, high - low + 1)) is not None:
        return order
    if spread <= 16:  # noqa: PLR2004 - bits
        return np.argsort(numbers.astype(np.uint16), kind="stable")
    placed = numbers.view(np.uint64)
    lost = max(0, spread + bits - 64)
    placed >>= np.uint64(lost)
    placed <<= np.uint64(bits)
    placed |= np.arange(len(values), dtype=np.uint64)
    placed.sort()
    placed &= np.uint64((1 << bits) - 1)
    order = placed.view(np.int64)
    found = values[order] if lost else values[:0]
    if (found[1:] < found[:-1]).any():
        return order[np.argsort(found, kind="stable")]  # quick, as these are all but sorted
    return order


def order_by(*columns: Array) -> Array:
    """The stable permutation that sorts by whole numbers in several columns, the first of which counts most.

    Where they fit into one number of 63 bits, they are sorted once.
    """
    code, room = np.zeros(1, np.int64), 1
    for column in columns if len(columns[0]) else ():
        low, high = int(column.min()), int(column.max())
        room *= high - low + 1
        if room >= MOST:
            return _order_one_by_one(columns)
        if high > low:
            code = code * (high - low + 1) + np.subtract(column, low, dtype=np.int64)
    return stable_order(np.broadcast_to(code, len(columns[0])))


def _order_one_by_one(columns: Sequence[Array]) -> Array:
    order = stable_order(columns[-1])
    for column in reversed(columns[:-1]):
        order = order[stable_order(column[order])]
    return order


def _order_of_different(values: Array, span: int) -> Array | None:
    """The permutation that sorts numbers below ``span``; None if one stands twice."""
    place = np.full(span, -1, np.int64)
    place[values] = np.arange(len(values))
    order: Array = place[place >= 0]
    return order if len(order) == len(values) else None


def changes(columns: list[Array]) -> Array:
    """The rows that differ from the row before in one of the columns, or of their words; the first row always does."""
    size = columns[0].shape[-1]
    if not size:
        return np.zeros(0, np.intp)
    new = np.zeros(size, np.bool_)
    new[0] = True
    for column in columns:
        differs = column[..., 1:] != column[..., :-1]
        new[1:] |= differs if differs.ndim == 1 else differs.any(axis=0)
    return places(new)


def places(mask: Mask) -> Array:
    """Where this is true."""
    return mask.nonzero()[0]


def lengths(starts: Array, size: int) -> Array:
    """How many of so many rows each run has; each begins at one of ``starts``."""
    found = np.empty(len(starts), np.intp)
    if len(starts):
        np.subtract(starts[1:], starts[:-1], out=found[:-1])
        found[-1] = size - starts[-1]
    return found


def run_numbers(starts: Array, size: int) -> Array:
    """For each of so many rows the number of its run, from 0; each run begins at one of ``starts``."""
    return np.repeat(np.arange(len(starts), dtype=np.int32), lengths(starts, size))


class Sorts(NamedTuple):
    """Which rows say the same.

    Attributes:
        first: one row of each sort.
        sort: for each row the number of its sort.
    """

    first: Array
    sort: Array


def alike(columns: list[Array], most: int) -> Sorts | None:
    """The rows that say the same in all columns, without sorting; None where there might be more sorts than ``most``.

    There is at least one row, and columns hold whole numbers or truth values.
    """
    code, span = np.zeros(1, np.int64), 1
    for column in columns:
        low, high = int(column.min()), int(column.max())
        span *= high - low + 1
        if span > most:
            return None
        code = code * (high - low + 1) + np.subtract(column, low, dtype=np.int64)
    place = np.full(span, -1, np.int64)
    place[code] = np.arange(len(columns[0]))
    taken = place >= 0
    first = place[taken]
    place[taken] = np.arange(len(first))
    return Sorts(first, place[code])

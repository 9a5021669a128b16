"""Layouts: how the events of all copies lie in files, each of which is written by a piece of work of its own."""

from __future__ import annotations

import itertools
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from conformance.generate.ordering import IN_A_FILE, Order
from conformance.generate.placing import Copy, Placed
from conformance.generate.shifting import Rows
from conformance.generate.tiles import Tile
from conformance.trace.blocks import numbers

WINDOW: Final = 1 << 20
"""Events that are brought into the order of their clocks at once, about."""

Tables: TypeAlias = Iterator[Any]
"""Arrow tables, one after another."""


@dataclass(frozen=True)
class File:
    """One file of a trace: what makes its tables, and whether they are sorted; else how many events the trace has."""

    tables: Callable[[], Tables]
    in_order: bool
    books_of: int | None = None


def files_of(order: Order, copies: Placed) -> list[File]:
    """The files of an order's layout."""
    in_a_file = -(-copies.events // order.files) if order.files else IN_A_FILE
    return _sorted(copies, in_a_file) if order.layout == "sorted" else _by_time(copies, in_a_file)


def _sorted(copies: Placed, in_a_file: int) -> list[File]:
    """Events about no log come first, then the long log, then all others; no two files share an LSN."""
    strands: list[tuple[Sequence[Copy], Callable[[Tile], Rows]]] = [
        (copies.all, lambda tile: tile.of_no_log),
        (copies.long, lambda tile: tile.of_no_lsn),
        (copies.long, lambda tile: tile.at_lsns),
        (copies.others, lambda tile: tile.of_logs),
    ]
    return [
        File(partial(_copied, some, rows_of), in_order=True)
        for strand, rows_of in strands
        for some in _runs(strand, rows_of, in_a_file)
    ]


def _runs(strand: Sequence[Copy], rows_of: Callable[[Tile], Rows], in_a_file: int) -> Iterator[Sequence[Copy]]:
    """Neighbouring copies, so many that a file has about as many rows as it should."""
    ends = list(itertools.accumulate(len(rows_of(copy.tile)) for copy in strand))
    files = max(1, round(ends[-1] / in_a_file)) if ends else 0
    cuts = [bisect_left(ends, ends[-1] * number // files) + 1 for number in range(1, files)]
    for first, last in itertools.pairwise([0, *cuts, len(strand)]):
        if first < last:
            yield strand[first:last]


def _copied(copies: Sequence[Copy], rows_of: Callable[[Tile], Rows]) -> Tables:
    return (rows_of(copy.tile).shifted(copy.shift) for copy in copies)


def _by_time(copies: Placed, in_a_file: int) -> list[File]:
    """Each file has the events of a span of time, and as many at a time as memory should hold are put in order."""
    window = min(WINDOW, in_a_file)
    windows, in_one = -(-copies.events // window), max(1, round(in_a_file / window))
    end = max(copy.ends_ns for copy in copies.all)
    borders = [end * number // windows for number in range(windows + 1)]
    return [
        File(partial(_timed, copies, borders[first : first + in_one + 1]), in_order=False, books_of=copies.events)
        for first in range(0, windows, in_one)
    ]


def _timed(copies: Placed, borders: Sequence[int]) -> Tables:
    for low, high in itertools.pairwise(borders):
        pieces = list(_between(copies.long, low, high)) + list(_between(copies.others, low, high))
        if pieces:
            table = pa.concat_tables(pieces).combine_chunks()
            yield table.take(pa.array(np.argsort(numbers(table["time_ns"]).value, kind="stable")))


def _between(copies: Sequence[Copy], low: int, high: int) -> Tables:
    """What copies, by where they begin, recorded from one time up to another."""
    longest = max((copy.tile.size.time_ns for copy in copies), default=0)
    first, last = (bisect_left(copies, time, key=_begins_ns) for time in (low - longest, high))
    for copy in copies[first:last]:
        rows, begins = copy.tile.by_time, copy.shift.time_ns
        start, stop = np.searchsorted(rows.times, [low - begins, high - begins])
        if start < stop:
            yield rows.shifted(copy.shift, int(start), int(stop))


def _begins_ns(copy: Copy) -> int:
    return copy.shift.time_ns

"""Ranges: a trace in one order, cut into stretches of places; each is a file of sorted events.

New events are put in order, cut where ranges begin, and joined with what the ranges have. A range that grows too long
is cut between two places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import numpy as np
import pyarrow as pa

from conformance.store.errors import damage_named
from conformance.trace import parquet
from conformance.trace.arrow import whole, with_recorders
from conformance.trace.blocks import numbers
from conformance.trace.header import Header
from conformance.trace.parquet_writing import appending
from conformance.trace.sort import place_keys
from spec.columns.column import Array
from spec.columns.order import changes
from spec.columns.piece import TracePosition
from spec.language.orders import Order

LENGTH: Final = 1 << 17
"""Events of a range at most, unless they are all at one place."""


@dataclass(frozen=True)
class Range:
    """A stretch of the trace's order.

    Attributes:
        first: the place at which it begins; None: nothing comes before it.
        content: a fingerprint of its events, after which its file is called.
        rows: how many events it has.
    """

    first: TracePosition | None
    content: str
    rows: int

    def path(self, folder: Path) -> Path:
        """The file of its events."""
        return folder / f"{self.content}.parquet"


def keys_of(table: Any, order: Order, header: Header) -> list[Array]:
    """The place of each event, its own number, and its recorder, to settle what the order leaves open."""
    return [*place_keys(table, order, header.low_bits), whole(table["recorder"]).indices.to_numpy()]


def in_order(table: Any, order: Order, header: Header) -> Any:
    """The events in an order."""
    keys = keys_of(table, order, header)
    rows = np.lexsort(tuple(reversed(keys)))
    return table if (rows[1:] > rows[:-1]).all() else table.take(pa.array(rows))


def with_a_place(table: Any, order: Order, kinds: Iterable[int]) -> Any:
    """The events of some kinds that have a place in an order."""
    keep = np.isin(numbers(table["kind"]).value, list(kinds))
    for name in (order.partition, *order.position.parts):
        keep &= np.asarray(table[name].is_valid())
    return table if keep.all() else table.filter(pa.array(keep))


def cuts_of(table: Any, order: Order, header: Header, firsts: Sequence[TracePosition]) -> list[int]:
    """The first row of each range in a table in order, if all ranges but one begin at these places; and its end."""
    partition, position, *_ = keys_of(table, order, header)
    return [0, *(_row_of(partition, position, first) for first in firsts), len(table)]


def _row_of(partition: Array, position: Array, place: TracePosition) -> int:
    low, high = (int(np.searchsorted(partition, place.partition, side)) for side in ("left", "right"))
    return low + int(np.searchsorted(position[low:high], place.position))


@dataclass(frozen=True)
class Joined:
    """Events that were joined.

    Attributes:
        table: they, in order, each once.
        doubled: how many stood there twice, the same in everything.
    """

    table: Any
    doubled: int


def joined(tables: Sequence[Any], order: Order, header: Header) -> Joined:
    """The events of several tables, of those that are the same in everything one."""
    table = pa.concat_tables(tables, promote_options="default").combine_chunks() if len(tables) > 1 else tables[0]
    table = in_order(table, order, header)
    keys = keys_of(table, order, header)
    same = np.ones(max(len(table) - 1, 0), np.bool_)
    for key in keys:
        same &= key[1:] == key[:-1]
    suspects = np.flatnonzero(same)
    if not len(suspects):
        return Joined(table, 0)
    before, after = (table.take(pa.array(rows)).to_pylist() for rows in (suspects, suspects + 1))
    again = suspects[[one == other for one, other in zip(before, after, strict=True)]] + 1
    keep = np.ones(len(table), np.bool_)
    keep[again] = False
    return Joined(table.filter(pa.array(keep)), len(again))


def split(table: Any, order: Order, header: Header, length: int) -> list[int]:
    """The first rows of the ranges that a table in order is cut into, and its end; a place is never cut."""
    if len(table) <= length:
        return [0, len(table)]
    partition, position, *_ = keys_of(table, order, header)
    starts, wanted = changes([partition, position]), np.arange(length // 2, len(table), max(length // 2, 1))
    found = starts[np.minimum(np.searchsorted(starts, wanted), len(starts) - 1)]
    return sorted({0, *(int(row) for row in found), len(table)})


def place_of(table: Any, row: int, order: Order, header: Header) -> TracePosition:
    """The place of an event."""
    partition, position, *_ = keys_of(table.slice(row, 1), order, header)
    return TracePosition(int(partition[0]), int(position[0]))


def write_range(folder: Path, table: Any, first: TracePosition | None, header: Header) -> Range:
    """Keep the events of a range under a name that follows from them; gives the range."""
    unfinished = folder / f".{token_hex(8)}.parquet"
    with appending(unfinished, header) as append:
        append(with_recorders(table, header))
    found = Range(first, _content_of(unfinished), len(table))
    unfinished.replace(found.path(folder))
    return found


def _content_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "blake2b").hexdigest()[:32]


def parts_of(folder: Path, range_: Range) -> tuple[parquet.TraceFile, ...]:
    """The file of a range's events, once it is seen to have the content after which it is called.

    Raises:
        NoStore: it is damaged.
    """
    path = range_.path(folder)
    with damage_named(path):
        if _content_of(path) != range_.content:
            raise ValueError("other bytes")
        return parquet.parts_of(path)


def read_range(folder: Path, range_: Range, header: Header) -> Any:
    """The events of a range.

    Raises:
        NoStore: its file is damaged.
    """
    with damage_named(range_.path(folder)):
        tables = [with_recorders(table, header) for _, table in parquet.read_tables(parts_of(folder, range_))]
        return pa.concat_tables(tables).combine_chunks()

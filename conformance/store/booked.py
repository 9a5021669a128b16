"""Booked: what was told with what books say of it, worked out again from all that was told, and cut as it was before.

Books may say something else of any event when more is told, so they are kept anew; only ranges of which they say
something else than before are other ranges then.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from conformance.store.errors import damage_named
from conformance.store.ranges import Range, cuts_of, parts_of, place_of, split
from conformance.store.work import Growing, cut
from conformance.trace import parquet
from conformance.trace.header import Header
from conformance.trace.open import Parquet, Trace
from conformance.trace.sort import in_order
from spec.columns.piece import TracePosition
from spec.language.orders import Order


class RangesTogether(Parquet):
    """All events of some ranges as one trace.

    Args:
        folder: of the ranges' files.
        ranges: they, in order; one at least.
        in_order: books are kept, and no event stands twice. Where they are still to be kept, all that the files have
            is read, and their content is looked at before.

    Raises:
        NoStore: a file is damaged.
    """

    def __init__(self, folder: Path, ranges: Iterable[Range], *, in_order: bool) -> None:
        found = (_parts_of(one.path(folder)) if in_order else parts_of(folder, one) for one in ranges)
        self.parts = tuple(chain.from_iterable(found))
        Trace.__init__(self, folder, self.parts[0].header, in_order=in_order)


def _parts_of(path: Path) -> tuple[parquet.TraceFile, ...]:
    with damage_named(path):
        return parquet.parts_of(path)


def booked(told: RangesTogether, before: Sequence[Range], growing: Growing, order: Order) -> tuple[Range, ...]:
    """What was told with what books say, in ranges that begin where they did before, and more where one is too long.

    Raises:
        TraceError: one of its kinds, for what no trace may have.
    """
    found: list[Range] = []
    firsts = [one.first for one in before if one.first is not None]
    with TemporaryDirectory(dir=growing.folder, prefix=".books-") as scratch:
        _, tables = in_order(told, Path(scratch))
        for table in _cut(tables, firsts, growing, order):
            first = place_of(table, 0, order, growing.header) if found else None
            found += cut(table, first, growing, order)
    return tuple(found)


def _cut(tables: Iterable[Any], firsts: list[TracePosition], growing: Growing, order: Order) -> Iterator[Any]:
    """The events between places, and of more than a range may have some at a time."""
    waiting, places = list[Any](), deque(firsts)
    for whole in tables:
        table = whole
        while places:
            row = cuts_of(table, order, growing.header, [places[0]])[1]
            if row == len(table):
                break
            places.popleft()
            yield from _one([*waiting, table.slice(0, row)])
            waiting, table = [], table.slice(row)
        waiting.append(table)
        if sum(map(len, waiting)) > growing.length:
            (one,) = _one(waiting)
            *some, last = _pieces(one, order, growing.header, growing.length)
            yield from some
            waiting = [last]
    yield from _one(waiting)


def _pieces(table: Any, order: Order, header: Header, length: int) -> Iterator[Any]:
    cuts = split(table, order, header, length)
    return (table.slice(begin, end - begin) for begin, end in pairwise(cuts))


def _one(tables: list[Any]) -> Iterator[Any]:
    filled = [table for table in tables if len(table)]
    if filled:
        yield pa.concat_tables(filled, promote_options="default").combine_chunks()

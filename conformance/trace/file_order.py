"""The order of files: in which a folder of sorted files is one sorted trace, if it is one.

What files tell of their row groups settles it, but where one file ends and the next begins within a partition: there
the events on both sides are read. So of 10^9 events in 250 files no more than as many row groups are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import attrgetter
from typing import NamedTuple

from conformance.trace import parquet
from conformance.trace.blocks import Blocks
from conformance.trace.open import Parquet


class Stretch(NamedTuple):
    """The partitions of a row group that has events, and where it is; stretches are compared in this order.

    Attributes:
        least: its least partition.
        most: its greatest one.
        file: the number of its file.
        number: its own in the file.
    """

    least: int
    most: int
    file: int
    number: int


def as_one(trace: Parquet) -> Parquet | None:
    """The trace with its files in an order in which it is sorted from first to last; None: none was found.

    Raises:
        TraceError: one of its kinds, for whatever is wrong where one file ends and another begins.
    """
    if not trace.sorted or len(trace.parts) == 1:
        return trace if trace.sorted else None
    found = _stretches(trace.parts)
    files = [file for file, _ in groupby(found or (), attrgetter("file"))]
    if found is None or len(files) > len({*files}):
        return None
    borders = [(one, other) for one, other in pairwise(found) if one.file != other.file]
    if not all(one.most < other.least or _goes_on(trace, one, other) for one, other in borders):
        return None
    return trace.of_parts(tuple(trace.parts[file] for file in files) or trace.parts)


def _stretches(files: Sequence[parquet.TraceFile]) -> list[Stretch] | None:
    """All row groups that have events, by their partitions; None where a file does not tell."""
    found = list[Stretch]()
    for number, file in enumerate(files):
        for group, (rows, span) in enumerate(zip(file.groups, file.partitions, strict=True)):
            if not rows:
                continue
            if span is None:
                return None
            found.append(Stretch(*span, number, group))
    return sorted(found)


def _goes_on(trace: Parquet, one: Stretch, other: Stretch) -> bool:
    """One file ends within a partition in which another goes on, with a later event."""
    return one.most == other.least and _key(trace, one, -1) < _key(trace, other, 0)


def _key(trace: Parquet, place: Stretch, row: int) -> tuple[int, ...]:
    """What one row of a row group is sorted by."""
    order, file = trace.header.sorted_by, trace.parts[place.file]
    names = (order.partition, order.place, order.own)
    blocks = Blocks(trace.header, names)
    raw = blocks.of(parquet.read_group(file, place.number, blocks.names))
    return tuple(int(raw[name].value[row]) for name in names)

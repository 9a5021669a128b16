"""The order of files: whether a folder of sorted files is one sorted trace, which tasks can judge range by range.

What files tell of their row groups settles it, but where one file ends and the next begins within a partition: there
the events on both sides are read. So 10^9 events in 250 files take a look at as many row groups at most.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from conformance.trace import parquet
from conformance.trace.blocks import Blocks
from conformance.trace.open import Parquet
from spark_checks.looking import Group
from spec.columns.column import Raw
from spec.language.orders import Order


class Stretch(NamedTuple):
    """The partitions of a row group, and where it is; stretches are compared in this order.

    Attributes:
        least: its least partition.
        most: its greatest one.
        file: the number of its file, among those that have events.
        number: its own in the file, among those that have events.
    """

    least: int
    most: int
    file: int
    number: int


def is_in_order(trace: Parquet) -> bool:
    """It is sorted from the first file to the last, or no partition is in two files, as far as these tell.

    Raises:
        TraceError: one of its kinds, for whatever is wrong where one file ends and another begins.
    """
    if not trace.sorted or len(trace.parts) == 1:
        return trace.sorted
    files = [file for part in trace.parts if (file := _row_groups(part))]
    spans = [
        (group.partitions, file, number) for file, groups in enumerate(files) for number, group in enumerate(groups)
    ]
    stretches = sorted(Stretch(*span, file, number) for span, file, number in spans if span is not None)
    return len(stretches) == len(spans) and all(
        one.file == other.file or one.most < other.least or _goes_on(trace, files, one, other)
        for one, other in pairwise(stretches)
    )


def _row_groups(part: parquet.TraceFile) -> list[Group]:
    return [Group(part, number) for number, rows in enumerate(part.groups) if rows]


def _goes_on(trace: Parquet, files: list[list[Group]], one: Stretch, other: Stretch) -> bool:
    """One file ends within a partition in which the next file goes on, with a later event."""
    is_border = one.file + 1 == other.file and one.number + 1 == len(files[one.file]) and not other.number
    if not is_border or one.most != other.least:
        return False
    order = trace.header.sorted_by
    blocks = Blocks(trace.header, {order.partition, order.place, order.own})
    before, after = (files[place.file][place.number].read(blocks) for place in (one, other))
    return _key(before, order, -1) < _key(after, order, 0)


def _key(raw: Raw, order: Order, row: int) -> tuple[int, ...]:
    return tuple(int(raw[name].value[row]) for name in (order.partition, order.place, order.own))

"""Cutting: tasks read row groups in whatever order, and hand Spark the events of each range as a few large pieces.

Pieces are Arrow batches as bytes. In memory of a task: ``CHUNK`` events and one row group, twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

from conformance.trace import parquet
from conformance.trace.arrow import with_recorders
from conformance.trace.blocks import Blocks, whole_blocks
from conformance.trace.files import placed
from conformance.trace.header import Header
from spark_checks.any_order.ranges import Ranges
from spark_checks.looking import Group, InOrder
from spark_checks.tasks import Row
from spec.columns.column import Raw
from spec.columns.order import changes, lengths, order_by, stable_order

CHUNK: Final = 1 << 20
"""Events that a task cuts at once: the more, the larger are pieces."""

PIECE: Final = 1 << 16
"""Events of one piece at most."""


class Cut(NamedTuple):
    """How events are cut.

    Attributes:
        header: the trace's.
        events: which events, and their order.
        columns: what is read of them, by its names in the vocabulary.
        ranges: where their order is cut.
        looks_at_all: whether all values of all events are looked at in passing, not only those that are read.
    """

    header: Header
    events: InOrder
    columns: frozenset[str]
    ranges: Ranges
    looks_at_all: bool = False

    @property
    def blocks(self) -> Blocks:
        """What makes columns of events that were checked, and of where they stand."""
        order = self.events.order
        return Blocks(self.header, sorted({"kind", *self.columns, *order.stored, order.place}))

    def pieces(self, groups: Sequence[Group]) -> Iterator[Row]:
        """All events of some row groups in pieces, each with the number of its range.

        Raises:
            TraceError: one of its kinds, with the place, for whatever is wrong.
        """
        waiting: list[Any] = []
        blocks = self.blocks
        checked = whole_blocks(self.header) if self.looks_at_all else blocks
        for group in groups:
            waiting.append(self._read(group, checked).select(blocks.names))
            if sum(map(len, waiting)) >= CHUNK:
                yield from self._cut(pa.concat_tables(waiting), blocks)
                waiting.clear()
        if waiting:
            yield from self._cut(pa.concat_tables(waiting), blocks)

    def _read(self, group: Group, checked: Blocks) -> Any:
        """The checked columns of a row group."""
        with placed(group.place):
            table = parquet.read_group(group.part, group.number, checked.names)
            checked.of(table)
            return with_recorders(table, self.header) if "recorder" in checked.names else table

    def _cut(self, table: Any, blocks: Blocks) -> Iterator[Row]:
        table = table.combine_chunks()
        raw = blocks.again(table)
        here = self.events.are(raw)
        if not here.all():
            table = table.filter(pa.array(here))
            raw = blocks.again(table)
        numbers = self.ranges.numbers(self.events.places(raw))
        order = stable_order(numbers)
        ordered = numbers[order]
        begins = changes([ordered])
        for begin, length in zip(begins.tolist(), lengths(begins, len(ordered)).tolist(), strict=True):
            for first in range(begin, begin + length, PIECE):
                rows = order[first : min(first + PIECE, begin + length)]
                yield {"place": int(ordered[first]), "part": written(table.take(pa.array(rows)))}

    def in_order(self, pieces: Sequence[bytes]) -> Raw:
        """The events of all pieces of one range, in order."""
        blocks = self.blocks
        raw = blocks.again(read(pieces))
        order = order_by(*(raw[name].value for name in self.events.order.stored))
        return {name: raw[name].take(order) for name in self.columns | {"kind"}}


def written(table: Any) -> bytes:
    """A table as bytes."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def read(pieces: Sequence[bytes]) -> Any:
    """The rows of tables that were written as bytes, as one table."""
    return pa.concat_tables([pa.ipc.open_stream(piece).read_all() for piece in pieces]).combine_chunks()

"""Cutting: tasks read row groups in whatever order, and hand Spark the events of each range as a few large pieces.

In memory of a task: ``CHUNK`` events and one row group, twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa

from conformance.trace import parquet
from conformance.trace.blocks import Blocks, whole_blocks
from conformance.trace.files import placed
from conformance.trace.header import Header
from spark_checks.any_order.pieces import Parcel, narrowed
from spark_checks.any_order.ranges import Ranges
from spark_checks.any_order.tables import by_range, read_for
from spark_checks.looking import Group, InOrder
from spark_checks.tasks import Row, to_part
from spec.columns.order import changes, lengths, places, stable_order
from spec.language.declare import Dimension

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
        dimensions: what rows look up about their own partitions alone.
        looks_at_all: whether all values of all events are looked at in passing, not only those that are read.
    """

    header: Header
    events: InOrder
    columns: frozenset[str]
    ranges: Ranges
    dimensions: Sequence[type[Dimension]] = ()
    looks_at_all: bool = False

    @property
    def blocks(self) -> Blocks:
        """What makes columns of events that were checked, and of where they stand."""
        return Blocks(self.header, sorted({*self.read, self.events.order.place, *read_for(self.dimensions)}))

    def pieces(self, groups: Sequence[Group]) -> Iterator[Row]:
        """All events of some row groups in parcels, each with the number of its range.

        Raises:
            TraceError: one of its kinds, with the place, for whatever is wrong.
        """
        waiting: list[Any] = []
        blocks = self.blocks
        checked = whole_blocks(self.header) if self.looks_at_all else blocks
        for group in groups:
            with placed(group.place):
                table = parquet.read_group(group.part, group.number, checked.names)
                checked.of(table)
            waiting.append(table.select(blocks.names))
            if sum(map(len, waiting)) >= CHUNK:
                yield from self._cut(pa.concat_tables(waiting), blocks)
                waiting.clear()
        if waiting:
            yield from self._cut(pa.concat_tables(waiting), blocks)

    def _cut(self, table: Any, blocks: Blocks) -> Iterator[Row]:
        raw = blocks.again(table)
        tables = by_range(self.dimensions, raw, self.header, self.ranges)
        here = places(self.events.are(raw))
        numbers = self.ranges.numbers(self.events.places(raw))[here]
        order = stable_order(numbers)
        rows, numbers = here[order], numbers[order]
        every = {name: narrowed(raw[name], rows) for name in self.read}
        begins = changes([numbers])
        for begin, length in zip(begins.tolist(), lengths(begins, len(numbers)).tolist(), strict=True):
            for first in range(begin, begin + length, PIECE):
                some, number = slice(first, min(first + PIECE, begin + length)), int(numbers[first])
                piece = {name: column.slice(some) for name, column in every.items()}
                yield {"place": number, "part": to_part(Parcel(piece, tables.pop(number, {})))}
        for number, left in tables.items():
            yield {"place": number, "part": to_part(Parcel(None, left))}

    @property
    def read(self) -> list[str]:
        """What is handed on of each event."""
        return sorted({"kind", *self.columns, *self.events.order.stored})

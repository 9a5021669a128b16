"""Opening a trace, whatever its form: the content decides, not the name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from pathlib import Path
from typing import Any

import pyarrow as pa

from conformance.trace import bulk, jsonl, parquet
from conformance.trace.arrow import count_unknown
from conformance.trace.blocks import Blocks, OrderCheck, whole_blocks
from conformance.trace.fields import EXTRA
from conformance.trace.files import PARQUET_MAGIC, first_bytes, placed
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from conformance.trace.statistics import Statistics
from conformance.trace.watch import Watch
from spec.columns.column import Raw
from spec.columns.piece import kinds_of
from spec.language.parameters import Parameters


class Trace(ABC):
    """A recorded trace; it can be read any number of times.

    Attributes:
        path: the file or folder.
        header: what was recorded, where, how completely, and what the system promises.
        sorted: it says that it is sorted by partition, position and sequence number, and that no event stands
            twice; reading makes sure of the order.
        has_books: it says that what clients knew was worked out of all its events, and of no others.
        statistics: what the last reading of ``events`` saw, whole when that reading is.
    """

    path: Path
    header: Header
    sorted: bool
    has_books: bool
    statistics: Statistics

    def __init__(self, path: Path, header: Header, *, in_order: bool) -> None:
        self.path, self.header, self.sorted, self.has_books = path, header, in_order, in_order
        self.statistics = Statistics(header.shapes)

    def events(self) -> Iterator[EventRow]:
        """The events one at a time, in the order of the file.

        Raises:
            TraceError: one of its kinds, with the place, for whatever is wrong.
        """
        self.statistics = Statistics(self.header.shapes)
        self.statistics.count_fields(self.header.unknown_fields())
        yield from self._events(Watch(self.statistics, self.header.sorted_by, in_order=self.sorted))

    def events_of(self, partitions: frozenset[int]) -> Iterator[EventRow]:
        """The events of some partitions, in the order of the file; its other parts need not be read, nor checked.

        Raises:
            TraceError: as ``events``.
        """
        partition = self.header.sorted_by.partition
        return (event for event in self.events() if event.get(partition) in partitions)

    def parameters(self) -> Parameters:
        """The header's numbers and domains, as rules use them."""
        return self.header.parameters()

    @abstractmethod
    def raws(self, columns: Iterable[str]) -> Iterator[Raw]:
        """The named columns in blocks, in the order of the file, for the columns reading; checked in bulk.

        Sets of more than 64 members have their words on axis 0; ``recorder`` gives places in the header. That no event
        stands twice is checked by ``sort`` and by ``events``, not here.

        Raises:
            TraceError: one of its kinds, with the place, for whatever is wrong.
            KeyError: the vocabulary has no such column.
        """

    def raws_of(self, wanted: Mapping[int, frozenset[str]]) -> Iterator[Raw]:
        """As ``raws``, of the events of some kinds at least, with the columns that are wanted of each.

        What is not needed for them need not be read: a column that is wanted of other kinds alone may hold anything.

        Raises:
            TraceError: as ``raws``, for whatever is wrong with what is read.
            KeyError: the vocabulary has no such column.
        """
        return self.raws(frozenset().union(*wanted.values()))

    @abstractmethod
    def tables(self, *, in_order: bool = False) -> Iterator[Any]:
        """All columns as Arrow tables, checked, with recorders as numbers of the header's names.

        Args:
            in_order: make sure that the events are sorted.

        Raises:
            TraceError: as ``raws``.
        """

    @abstractmethod
    def unknown_fields(self) -> Counter[str]:
        """How many times each field occurs that this version does not know; reads no more than it must.

        Raises:
            TraceError: as ``events``.
        """

    def notes(self) -> tuple[str, ...]:
        """What a reader of the verdict must know besides, such as fields that this version does not know.

        Raises:
            TraceError: as ``events``.
        """
        said = ", ".join(f"{name} ({times})" for name, times in sorted(self.unknown_fields().items()))
        unknown = f"fields that this version does not know, read by no rule: {said}" if said else ""
        return tuple(filter(None, (self.header.note, unknown)))

    @abstractmethod
    def _events(self, watch: Watch) -> Iterator[EventRow]: ...


class JsonLines(Trace):
    """A trace in JSON lines, plain or zstd."""

    def __init__(self, path: Path) -> None:
        first = jsonl.read_first_line(path)
        super().__init__(path, first.header, in_order=first.in_order)
        self._unknown: Counter[str] | None = None

    def raws(self, columns: Iterable[str]) -> Iterator[Raw]:
        """As ``Trace.raws``: lines are turned into blocks on the way."""
        blocks, order = Blocks(self.header, columns), OrderCheck(self.header.sorted_by)
        for table in self.tables():
            with placed(self.path):
                raw = blocks.of(table)
                if self.sorted:
                    order.check(raw)
            yield raw

    def tables(self, *, in_order: bool = False) -> Iterator[Any]:
        """As ``Trace.tables``."""
        order = OrderCheck(self.header.sorted_by) if in_order else None
        found = Counter(self.header.unknown_fields())
        for batch in bulk.read_batches(self.path):
            if order is not None and len(order.falls(whole_blocks(self.header).of(batch))):
                for _ in self.events():  # names the line
                    pass
            table = pa.Table.from_batches([batch])
            if EXTRA in table.column_names:
                found += count_unknown(table.select([EXTRA]))
            yield table
        self._unknown = found

    def unknown_fields(self) -> Counter[str]:
        """As ``Trace.unknown_fields``: reads everything, if nobody has before."""
        if self._unknown is None:
            for _ in self.tables():
                pass
        return Counter(self._unknown)

    def _events(self, watch: Watch) -> Iterator[EventRow]:
        return jsonl.read_events(self.path, watch)


class Parquet(Trace):
    """A trace in Parquet: a file, or a folder of files.

    Attributes:
        parts: the files; ``parquet.read_group`` reads one row group of one of them.
    """

    def __init__(self, path: Path) -> None:
        self.parts = parquet.parts_of(path)
        super().__init__(path, self.parts[0].header, in_order=all(part.in_order for part in self.parts))
        events = sum(part.rows for part in self.parts)
        self.has_books = self.sorted or all(part.books_of == events for part in self.parts)

    def of_parts(self, parts: tuple[parquet.TraceFile, ...]) -> Parquet:
        """The trace as if it had these files of its own, in this order."""
        other = copy(self)
        other.parts = parts
        return other

    def raws(self, columns: Iterable[str]) -> Iterator[Raw]:
        """As ``Trace.raws``: reads only the columns it must, without copies."""
        return parquet.read_raws(self.parts, columns, in_order=self.sorted)

    def raws_of(self, wanted: Mapping[int, frozenset[str]]) -> Iterator[Raw]:
        """As ``Trace.raws_of``: these events alone."""
        return parquet.read_kinds(self.parts, wanted)

    def kinds(self) -> frozenset[int]:
        """The kinds of event that occur.

        Raises:
            TraceError: one of its kinds, with the place, for whatever is wrong with what is read.
        """
        raws = parquet.read_raws(self.parts, ("kind",), in_order=False)
        return frozenset().union(*(kinds_of(raw["kind"].value) for raw in raws))

    def tables(self, *, in_order: bool = False) -> Iterator[Any]:
        """As ``Trace.tables``."""
        return (table for _, table in parquet.read_checked(self.parts, in_order=in_order))

    def events_of(self, partitions: frozenset[int]) -> Iterator[EventRow]:
        """As ``Trace.events_of``: row groups without these partitions are skipped, where the file tells."""
        self.statistics = Statistics(self.header.shapes)
        parts = tuple(part.with_partitions(partitions) for part in self.parts)
        if not any(part.rows for part in parts):
            return
        for event in parquet.read_events(parts, Watch(self.statistics, self.header.sorted_by, in_order=self.sorted)):
            if event.get(self.header.sorted_by.partition) in partitions:
                yield event

    def unknown_fields(self) -> Counter[str]:
        """As ``Trace.unknown_fields``: reads the texts of unknown fields, if there are any."""
        found = Counter(self.header.unknown_fields())
        for part in self.parts:
            if part.rows and part.unknown:
                for place, table in parquet.read_tables((part,), list(part.unknown)):
                    with placed(place):
                        found.update(count_unknown(table))
        return found

    def _events(self, watch: Watch) -> Iterator[EventRow]:
        return parquet.read_events(self.parts, watch)


def open_trace(path: Path | str) -> JsonLines | Parquet:
    """The trace in a file or folder, with its header read and checked.

    Raises:
        NotReadable: there is no such file, or it cannot be opened.
        NotATrace: it is in no form known here.
        TraceError: another of its kinds, for whatever is wrong with its header or its columns.
    """
    path = Path(path)
    if path.is_dir():
        return Parquet(path)
    with placed(path):
        magic = first_bytes(path)
    return Parquet(path) if magic == PARQUET_MAGIC else JsonLines(path)

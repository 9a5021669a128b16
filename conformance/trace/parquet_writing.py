"""Writing Parquet: LZ4, deltas where numbers rise, checksums on pages, whole files or nothing.

LZ4 is read in three quarters of the time that zstd takes, and takes a fifth more on disk.

A table may bring columns that earlier ones did not have, such as the first payload; the file is widened then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace.arrow import to_batches
from conformance.trace.by_field import by_field, schema_by_field
from conformance.trace.errors import Mistyped
from conformance.trace.files import atomic
from conformance.trace.header import Header
from conformance.trace.header_json import header_to_json
from conformance.trace.json_text import encode
from conformance.trace.parquet import BOOKS_KEY, HEADER_KEY, SORTED_KEY
from conformance.trace.rows import EventRow

GROUP: Final = 1 << 18
"""Rows of one row group: the unit of reading."""


class Target:
    """A Parquet file in the making.

    Args:
        path: where it is written; the caller gives it its final name.
        in_order: the rows that follow are sorted, and no event stands twice.
        books_of: how many events the trace has in all its files, of which books were kept; None: nobody knows.
        group: rows of one row group.
    """

    def __init__(
        self, path: Path, header: Header, *, in_order: bool, books_of: int | None = None, group: int = GROUP
    ) -> None:
        self.path, self.header, self.in_order, self.books_of, self.group = path, header, in_order, books_of, group
        self.schema = schema_by_field(header)
        self.writer: Any = None
        self.waiting: list[Any] = []
        self.rows = 0

    def write(self, table: Any) -> None:
        """Add the rows of a table of shared columns; row groups are written when they are full."""
        table = by_field(table, self.header)
        if set(table.column_names) - set(self.schema.names):
            self._widen(table.schema)
        self.waiting.append(table)
        self.rows += len(table)
        if sum(map(len, self.waiting)) >= self.group:
            self._flush(whole_groups=True)

    def close(self) -> None:
        """Write what is left, and the footer."""
        self._flush(whole_groups=False)
        entries = {HEADER_KEY: encode(header_to_json(self.header))}
        if self.in_order:
            entries[SORTED_KEY] = str(self.rows).encode()
        if self.books_of is not None:
            entries[BOOKS_KEY] = str(self.books_of).encode()
        self.writer.add_key_value_metadata(entries)
        self.writer.close()

    def _flush(self, *, whole_groups: bool) -> None:
        if self.writer is None:
            self.writer = _writer(self.path, self.schema, self.header)
        ready = pa.concat_tables([fitted(table, self.schema) for table in self.waiting]) if self.waiting else None
        if ready is None:
            return
        cut = len(ready) - len(ready) % self.group if whole_groups else len(ready)
        if cut:
            self.writer.write_table(ready.slice(0, cut), row_group_size=self.group)
        self.waiting = [ready.slice(cut)] if cut < len(ready) else []

    def _widen(self, schema: Any) -> None:
        """Take in columns that the rows so far did not have."""
        beyond = [pa.field(field.name, field.type) for field in schema if field.name not in self.schema.names]
        self.schema = pa.schema([*self.schema, *beyond])
        if self.writer is None:
            return
        self.writer.close()
        narrow = self.path.with_name(self.path.name + ".narrow")
        self.path.rename(narrow)
        try:
            self.writer = _writer(self.path, self.schema, self.header)
            with pq.ParquetFile(narrow) as before:
                for number in range(before.num_row_groups):
                    self.writer.write_table(fitted(before.read_row_group(number, use_threads=False), self.schema))
        finally:
            narrow.unlink()


@contextmanager
def appending(
    path: Path, header: Header, *, in_order: bool = False, books_of: int | None = None
) -> Iterator[Callable[[Any], None]]:
    """A function that writes one table; the file gets its name only when the block ends without an error.

    Whoever says ``in_order`` vouches that rows come sorted by partition, position and seq, and that none stands twice.
    For ``books_of`` see ``Target``.

    Raises:
        NotWritable: the folder or the disk refuses.
    """
    with atomic(path) as unfinished:
        target = Target(unfinished, header, in_order=in_order, books_of=books_of)
        try:
            yield target.write
            target.close()
        finally:
            with suppress(pa.ArrowException, OSError):
                if target.writer is not None:
                    target.writer.close()


def write_events(
    path: Path, header: Header, events: Iterable[EventRow], *, in_order: bool = False, books_of: int | None = None
) -> int:
    """Write a trace as Parquet, whole or not at all; gives the number of events. For ``books_of`` see ``Target``.

    Raises:
        TraceError: one of its kinds, for an event that the header or the vocabulary does not allow.
    """
    count = 0
    with appending(path, header, in_order=in_order, books_of=books_of) as append:
        for batch in to_batches(events, header, place=f"{path}, event"):
            append(pa.Table.from_batches([batch]))
            count += len(batch)
    return count


def fitted(table: Any, schema: Any) -> Any:
    """The table with the columns of a schema, in its order; those it does not have are NULL.

    Raises:
        Mistyped: a column has a type that does not fit.
    """
    columns = [
        table[field.name] if field.name in table.column_names else pa.nulls(len(table), field.type) for field in schema
    ]
    try:
        return pa.table([column.cast(field.type) for column, field in zip(columns, schema, strict=True)], schema=schema)
    except pa.ArrowException as error:
        raise Mistyped("a column changes its type within the trace", str(error), "cast it before") from None


def _writer(path: Path, schema: Any, header: Header) -> Any:
    """A writer that keeps differences of what mostly rises, and as it is what no dictionary makes smaller: hashes."""
    rising = (*header.sorted_by.stored, "time_ns")
    fields = (field for shape in header.shapes.values() for field in shape.fields)
    hashes = {field.name for field in fields if field.universe is not None and field.universe.hashed}
    plain = [name for name in (*rising, *sorted(hashes)) if name in schema.names]
    repeated: Any = [name for name in schema.names if name not in plain]
    return pq.ParquetWriter(
        path,
        schema,
        compression="lz4",
        use_dictionary=repeated,
        column_encoding={name: "DELTA_BINARY_PACKED" if name in rising else "PLAIN" for name in plain},
        write_page_checksum=True,
    )

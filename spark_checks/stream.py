"""Streams: sources of Structured Streaming of which each batch is had as slices, which tasks read themselves.

A growing folder is one, whose rows are slices of files and not events.

Spark keeps in its checkpoint how far each file was read, and calls each batch by a number; a batch that was interrupted
comes again under its number with the same slices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from conformance.store.read_before import refuse_any_altered
from conformance.store.sources import Slice, new_slices, unread
from conformance.store.state import FileRead

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

SCHEMA: Final = "path STRING, name STRING, form STRING, begin BIGINT, end BIGINT, size BIGINT"
FORMAT: Final = "quorate_slices"

BYTES: Final = 1 << 27
"""Bytes of files that a batch takes in, about."""


class Slices(DataSource):
    """What is new in a folder or file, as slices."""

    @classmethod
    def name(cls) -> str:
        """What the format is called."""
        return FORMAT

    def schema(self) -> str:
        """The columns of a slice."""
        return SCHEMA

    def simpleStreamReader(self, schema: object) -> SliceReader:  # noqa: N802, ARG002 - Spark's name and arguments
        """A reader for one query."""
        return SliceReader(Path(self.options["path"]), int(self.options.get("bytes", BYTES)))


class SliceReader(SimpleDataSourceStreamReader):
    """Reads what is new: offsets say how many bytes were read of each file.

    Args:
        source: the folder or file.
        most: bytes in one batch, about.
    """

    def __init__(self, source: Path, most: int) -> None:
        self.source, self.most = source, most

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802 - Spark's name
        """Nothing was read."""
        return {"read": {}}

    def read(self, start: dict[str, Any]) -> tuple[Iterator[tuple[Any, ...]], dict[str, Any]]:
        """The slices that are new, as many as fit into a batch, and what was read then."""
        before: Mapping[str, int] = start["read"]
        chosen, read = list[Slice](), dict(before)
        left = self.most
        for slice_ in new_slices(self.source, before, growing=True):
            is_begun = slice_.form != "lines" and slice_.name in read
            if left <= 0 and not is_begun:
                break
            if not is_begun:
                left -= slice_.size - read.get(slice_.name, 0)
            chosen.append(slice_)
            read[slice_.name] = slice_.size
        return map(_row, chosen), {"read": read}

    def readBetweenOffsets(self, start: dict[str, Any], end: dict[str, Any]) -> Iterator[tuple[Any, ...]]:  # noqa: N802
        """The same slices again."""
        return map(_row, new_slices(self.source, start["read"], growing=True, upto=end["read"]))


def _row(slice_: Slice) -> tuple[Any, ...]:
    return (str(slice_.path), *(value for name, value in asdict(slice_).items() if name != "path"))


def slice_of(row: Any) -> Slice:
    """The slice that a row tells of."""
    return Slice(Path(row.path), row.name, row.form, row.begin, row.end, row.size)


class Stream(Protocol):
    """A source of Structured Streaming."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    def rows(self, session: SparkSession) -> DataFrame:
        """It as a stream of rows."""
        ...

    def slices(self, rows: DataFrame, number: int) -> list[Slice]:
        """What the rows of a batch, which has this number, stand for."""
        ...


@dataclass(frozen=True)
class FolderStream:
    """A growing folder, or a file.

    Args:
        path: where it lies.
    """

    path: Path
    unit = "bytes"

    @property
    def name(self) -> str:
        """Where it lies."""
        return str(self.path)

    def lag(self, read: Mapping[str, FileRead]) -> int:
        """How many bytes of its files were not read yet; files that were removed since count for nothing."""
        return unread(self.path, {name: one.size for name, one in read.items()})

    def examine(self, read: Mapping[str, FileRead]) -> None:
        """Look at its files: errors of the process in which Spark reads them come as text.

        Raises:
            TraceError: one of its kinds, for what cannot be read, or has changed.
        """
        new_slices(self.path, {name: one.size for name, one in read.items()}, growing=True)
        refuse_any_altered(self.path, read)

    def rows(self, session: SparkSession) -> DataFrame:
        """Its slices as a stream."""
        session.dataSource.register(Slices)
        return session.readStream.format(FORMAT).option("path", str(self.path)).load()

    def slices(self, rows: DataFrame, number: int) -> list[Slice]:  # noqa: ARG002 - that of a folder needs no number
        """The slices of a batch."""
        return [slice_of(row) for row in rows.collect()]


def query_of(
    session: SparkSession,
    stream: Stream,
    checkpoint: Path,
    take: Callable[[list[Slice], int], None],
    *,
    once: bool,
    every_s: float = 0.0,
) -> StreamingQuery:
    """Start a query that gives each batch of slices and its number to a function, until it is stopped.

    Args:
        session: where it runs.
        stream: what it asks.
        checkpoint: a folder for what Spark keeps of it.
        take: takes a batch in.
        once: end when all that is there was taken in.
        every_s: how long a batch waits for the next at least.
    """

    def take_rows(rows: DataFrame, number: int) -> None:
        take(stream.slices(rows, number), number)

    writer = stream.rows(session).writeStream.foreachBatch(take_rows).option("checkpointLocation", str(checkpoint))
    trigger = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{every_s} seconds")
    return trigger.start()

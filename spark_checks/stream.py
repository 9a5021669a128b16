"""The stream: a growing folder as a source of Structured Streaming, whose rows are slices of files and not events.

Spark keeps in its checkpoint how far each file was read, and calls each batch by a number; a batch that was interrupted
comes again under its number with the same slices. Tasks read the files themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader

from conformance.store.sources import Slice, new_slices

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


def query_of(
    session: SparkSession,
    source: Path,
    checkpoint: Path,
    take: Callable[[list[Slice], int], None],
    *,
    once: bool,
    every_s: float = 0.0,
) -> StreamingQuery:
    """Start a query that gives each batch of slices and its number to a function, until it is stopped.

    Args:
        session: where it runs.
        source: the folder or file.
        checkpoint: a folder for what Spark keeps of it.
        take: takes a batch in.
        once: end when all that is there was taken in.
        every_s: how long a batch waits for the next at least.
    """
    session.dataSource.register(Slices)

    def take_rows(rows: DataFrame, number: int) -> None:
        take([slice_of(row) for row in rows.collect()], number)

    stream = session.readStream.format(FORMAT).option("path", str(source)).load()
    writer = stream.writeStream.foreachBatch(take_rows).option("checkpointLocation", str(checkpoint))
    trigger = writer.trigger(availableNow=True) if once else writer.trigger(processingTime=f"{every_s} seconds")
    return trigger.start()

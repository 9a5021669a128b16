"""Topics: a topic of Kafka as a source, whose records land as lines in files of the store and are read there.

Spark keeps in its checkpoint up to which offset each partition was taken, and calls each batch by a number; a batch
that was interrupted comes again under its number with the same records, and lands anew.

Source: Spark, Structured Streaming + Kafka Integration Guide: ``startingOffsets``, ``maxOffsetsPerTrigger``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any, Final

from conformance.store.errors import SourceFailed
from conformance.store.sources import HEADER, Slice, new_slices
from conformance.store.state import FileRead
from conformance.store.topic import Topic
from conformance.trace.header import Header
from conformance.trace.header_json import header_to_json
from conformance.trace.json_text import encode

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RECORDS: Final = 500_000
"""Records that a batch takes in at most."""

LINE: Final = "trim(TRAILING '\\r\\n' FROM CAST(value AS STRING)) AS line"
"""What a record says, without the end of line that some producers send."""


class TopicStream:
    """The records of a topic, each a line or several.

    Args:
        topic: which.
        header: the header of the trace.
        landed: a folder for the lines of the last batch.
    """

    unit = "records"

    def __init__(self, topic: Topic, header: Header, landed: Path) -> None:
        self.topic, self.header, self.landed = topic, header, landed
        self._session: SparkSession | None = None

    @property
    def name(self) -> str:
        """Where the topic is."""
        return str(self.topic)

    def lag(self, read: Mapping[str, FileRead]) -> int | None:  # noqa: ARG002 - Kafka counts by offsets
        """How many records the topic had behind the last batch that Spark has told of."""
        queries = [] if self._session is None else self._session.streams.active
        told = [query.lastProgress for query in queries]
        found = [_behind(source) for progress in told if progress is not None for source in progress["sources"]]
        return sum(found) if found else None

    def examine(self, read: Mapping[str, FileRead]) -> None:  # noqa: ARG002 - as above
        """Look whether any broker can be reached.

        Raises:
            SourceFailed: none can.
        """
        if fault := self.topic.fault():
            raise SourceFailed("no broker can be reached", fault, "the same command, when Kafka serves").at(self.name)

    def rows(self, session: SparkSession) -> DataFrame:
        """Its records as a stream, from the first that Kafka still has."""
        self._session = session
        reader = session.readStream.format("kafka").options(
            **{f"kafka.{name}": value for name, value in self.topic.settings.items()},
            **{"kafka.bootstrap.servers": self.topic.brokers, "subscribe": self.topic.topic},
        )
        return reader.options(startingOffsets="earliest", maxOffsetsPerTrigger=RECORDS).load()

    def slices(self, rows: DataFrame, number: int) -> list[Slice]:
        """Let the records of a batch land, a file for each partition, in the order of their offsets."""
        rmtree(self.landed, ignore_errors=True)
        unfinished, folder = self.landed / f".{number}", self.landed / str(number)
        rows.selectExpr(LINE, "partition").write.partitionBy("partition").text(str(unfinished))
        folder.mkdir()
        (folder / HEADER).write_bytes(encode(header_to_json(self.header)))
        for path in unfinished.glob("partition=*/part-*"):
            partition, task = path.parent.name.partition("=")[2], path.name.split("-")[1]
            path.rename(folder / f"partition-{partition}-{task}.jsonl")
        return new_slices(folder, {}, growing=False)


def _behind(source: Any) -> int:
    """How many records of a source were there behind those that were taken."""
    with suppress(KeyError, TypeError, ValueError):
        latest, end = (json.loads(source[name]) or {} for name in ("latestOffset", "endOffset"))
        return sum(
            offset - end.get(topic, {}).get(partition, 0)
            for topic, partitions in latest.items()
            for partition, offset in partitions.items()
        )
    return 0

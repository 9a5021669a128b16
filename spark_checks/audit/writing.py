"""Writing a snapshot: tables in pieces, as they come, and the whole folder or nothing."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace.errors import NotWritable
from conformance.trace.json_text import encode
from spark_checks.audit import ledgers
from spark_checks.audit.cluster import Cluster, to_json
from spark_checks.audit.snapshot import ABOUT
from spark_checks.audit.tables import ANSWERS, MARKS
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata

TABLES: Final = {"ledgers": ledgers.SCHEMA, "answers": ANSWERS, "marks": MARKS}

ROWS: Final = 4096
"""Ledgers that are written together; their answers are a row group of their own."""


class Ledger(NamedTuple):
    """What a cluster says of a ledger.

    Attributes:
        number: what it is called.
        metadata: what the metadata server says.
        answers: what bookies say, by name, in the bytes of the wire; None where one gave no answer.
        mark: its under-replication mark, if it has one.
    """

    number: int
    metadata: Metadata
    answers: Mapping[str, bytes | None]
    mark: Mark | None = None


def write(folder: Path, cluster: Cluster, found: Iterable[Ledger]) -> None:
    """Write a snapshot of ledgers that come in ascending order.

    Raises:
        NotWritable: the folder is there already, or the disk refuses; nothing is left behind.
        KeyError: an ensemble, or an answer, names a bookie that the cluster has not.
    """
    places = {one.name: place for place, one in enumerate(cluster.bookies)}
    with Target(folder, cluster) as target:
        waiting: list[Ledger] = []
        for ledger in found:
            waiting.append(ledger)
            if len(waiting) == ROWS:
                target.write(**_tables(waiting, places))
                waiting = []
        target.write(**_tables(waiting, places))


class Target:
    """A snapshot in the making, as a context: at its end the folder is there, or nothing is.

    Args:
        folder: where it is to be.
        cluster: what it says of the cluster.
    """

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.folder, self.unfinished = folder, folder.with_name(f".{folder.name}.{secrets.token_hex(6)}")
        self.cluster, self.writers = cluster, dict[str, Any]()

    def __enter__(self) -> Self:
        if self.folder.exists():
            raise NotWritable("cannot be written", "it is there already", "another name").at(self.folder)
        with self._writable():
            self.unfinished.mkdir()
            (self.unfinished / ABOUT).write_bytes(encode(to_json(self.cluster)))
            for name, schema in TABLES.items():
                self.writers[name] = pq.ParquetWriter(self.unfinished / f"{name}.parquet", schema, compression="zstd")
        return self

    def write(self, **tables: Any) -> None:
        """Add rows to tables, as a row group in each."""
        with self._writable():
            for name, rows in tables.items():
                if len(rows):
                    self.writers[name].write_table(rows)

    def __exit__(self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        try:
            with self._writable():
                for writer in self.writers.values():
                    writer.close()
                if kind is None:
                    self.unfinished.rename(self.folder)
        finally:
            shutil.rmtree(self.unfinished, ignore_errors=True)

    @contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            advice = "a folder that exists, is writable and has room"
            raise NotWritable("cannot be written", error.strerror or str(error), advice, str(self.folder)) from None


def _tables(found: list[Ledger], places: Mapping[str, int]) -> dict[str, Any]:
    """The rows of some ledgers, table by table."""
    answers = [
        {"ledger": one.number, "bookie": bookie, "entries": said}
        for one in found
        for bookie, said in sorted((places[name], said) for name, said in one.answers.items())
    ]
    marks = [
        {"ledger": one.number, "marked_ms": one.mark.marked_ms, "replicas": list(one.mark.replicas)}
        for one in found
        if one.mark
    ]
    rows = {"ledgers": [_row(one, places) for one in found], "answers": answers, "marks": marks}
    return {name: pa.Table.from_pylist(some, schema=TABLES[name]) for name, some in rows.items()}


def _row(one: Ledger, places: Mapping[str, int]) -> dict[str, Any]:
    quorums, segments = one.metadata.quorums, one.metadata.segments
    return {
        "ledger": one.number,
        "state": int(one.metadata.state),
        "ensemble_size": quorums.ensemble,
        "write_quorum": quorums.write,
        "ack_quorum": quorums.ack,
        "last_entry": one.metadata.last_entry,
        "segments": [
            {"first_entry": first, "ensemble": [places[bookie] for bookie in ensemble]} for first, ensemble in segments
        ],
    }

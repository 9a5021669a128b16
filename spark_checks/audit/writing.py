"""Writing a snapshot: tables in pieces, as they come, and the whole folder or nothing."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace.errors import NotWritable
from conformance.trace.json_text import encode
from spark_checks.audit import ledgers
from spark_checks.audit.cluster import Bookie, Cluster, to_json
from spark_checks.audit.snapshot import ABOUT
from spark_checks.audit.tables import ANSWERS, MARKS
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.metadata import Metadata, State
from spec.ledger.schedule import Quorums

TABLES: Final = {"ledgers": ledgers.SCHEMA, "answers": ANSWERS, "marks": MARKS}

ROWS: Final = 4096
"""Ledgers that are written together; their answers are a row group of their own."""


UNREADABLE: Final = Metadata(Quorums(0, 0, 0), (), State.CLOSED)
"""Stands for metadata that cannot be read: no ledger has such sizes."""


def write(folder: Path, cluster: Cluster, found: Iterable[LedgerEvidence]) -> None:
    """Write a snapshot of ledgers that come in ascending order.

    A bookie that an ensemble or an answer names, and the cluster does not, is written as one that is not registered,
    and known to be down.

    Raises:
        NotWritable: the folder is there already, or the disk refuses; nothing is left behind.
    """
    with Target(folder, cluster) as target:
        waiting: list[LedgerEvidence] = []
        for said in found:
            waiting.append(said)
            if len(waiting) == ROWS:
                target.write(**_tables(waiting, target.places))
                waiting = []
        target.write(**_tables(waiting, target.places))


class Places(dict[str, int]):
    """The place of each bookie in the list of all; one that is new gets the next."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


class Target:
    """A snapshot in the making, as a context: at its end the folder is there, or nothing is.

    Args:
        folder: where it is to be.
        cluster: what it says of the cluster.
    """

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.folder, self.unfinished = folder, folder.with_name(f".{folder.name}.{secrets.token_hex(6)}")
        self.cluster, self.writers = cluster, dict[str, Any]()
        self.places = Places({one.name: place for place, one in enumerate(cluster.bookies)})

    def __enter__(self) -> Self:
        if self.folder.exists():
            raise NotWritable("cannot be written", "it is there already", "another name").at(self.folder)
        with self._writable():
            self.unfinished.mkdir()
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
                    (self.unfinished / ABOUT).write_bytes(encode(to_json(self._with_all_bookies())))
                    self.unfinished.rename(self.folder)
        finally:
            shutil.rmtree(self.unfinished, ignore_errors=True)

    def _with_all_bookies(self) -> Cluster:
        strangers = [name for name in self.places if name not in {one.name for one in self.cluster.bookies}]
        more = (Bookie(name, registered=False, known_down=True) for name in strangers)
        return replace(self.cluster, bookies=(*self.cluster.bookies, *more))

    @contextmanager
    def _writable(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            advice = "a folder that exists, is writable and has room"
            raise NotWritable("cannot be written", error.strerror or str(error), advice, str(self.folder)) from None


def _tables(found: list[LedgerEvidence], places: Places) -> dict[str, Any]:
    """The rows of some ledgers, table by table."""
    answers = [
        {"ledger": one.ledger, "bookie": bookie, "entries": said}
        for one in found
        for bookie, said in sorted((places[name], said) for name, said in one.answers.items())
    ]
    marks = [
        {"ledger": one.ledger, "marked_ms": one.mark.marked_ms, "replicas": list(one.mark.replicas)}
        for one in found
        if one.mark
    ]
    rows = [_row(one, one.metadata or UNREADABLE, places) for one in found]
    tables = {"ledgers": rows, "answers": answers, "marks": marks}
    return {name: pa.Table.from_pylist(some, schema=TABLES[name]) for name, some in tables.items()}


def _row(said: LedgerEvidence, metadata: Metadata, places: Places) -> dict[str, Any]:
    return {
        "ledger": said.ledger,
        "version": said.version,
        "state": int(metadata.state),
        "ensemble_size": metadata.quorums.ensemble,
        "write_quorum": metadata.quorums.write,
        "ack_quorum": metadata.quorums.ack,
        "last_entry": metadata.last_entry,
        "segments": [
            {"first_entry": first, "ensemble": [places[bookie] for bookie in ensemble]}
            for first, ensemble in metadata.segments
        ],
    }

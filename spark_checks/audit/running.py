"""Running an audit: block by block in this process, or by tasks of Spark that read their own row groups.

Nothing but counts and the first findings passes through Spark: where all violations are wanted, each task writes its
own. Memory is bounded by a block of ledgers and their answers, for each task.
"""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace.errors import NotSorted, NotWritable
from conformance.trace.files import atomic
from spark_checks.audit.findings import SCHEMA
from spark_checks.audit.judging import Audited, audited
from spark_checks.audit.report import Report
from spark_checks.audit.snapshot import Reader, Snapshot, opened
from spark_checks.audit.sorting import sorted_copy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KEPT: Final = 20
"""Violations of each category that a report has."""

Told = Callable[[int, int], None]
"""Is told how many ledgers are audited, and how many there are."""


class Sum:
    """What came of some blocks: the first violations of each category, and counts of all."""

    def __init__(self) -> None:
        self.counts, self.first, self.whole = Counter[str](), list[dict[str, Any]](), Audited()

    def add(self, part: Audited) -> None:
        """Add what came of one block more."""
        for category in part.violations["category"].unique().to_pylist():
            rows = part.violations.filter(pa.array(part.violations["category"].to_numpy() == category))
            self.counts[category] += len(rows["ledger"].unique())
            self.first += rows.slice(0, KEPT).to_pylist()
        part.violations = SCHEMA.empty_table()
        self.whole += part
        self._trim()

    def merge(self, other: Sum) -> None:
        """Add what came of other blocks."""
        self.counts += other.counts
        self.first += other.first
        self.whole += other.whole
        self._trim()

    def report(self) -> Report:
        """What there is to say in the end."""
        whole = self.whole
        return Report(self.counts, self.first, whole.endings, whole.faults, whole.compared)

    def _trim(self) -> None:
        found = Counter[str]()
        kept = list[dict[str, Any]]()
        for one in sorted(self.first, key=lambda row: (row["ledger"], row["segment"] or 0)):
            found[one["category"]] += 1
            if found[one["category"]] <= KEPT:
                kept.append(one)
        self.first = kept


def audit(path: Path, *, as_shipped: bool = False, output: Path | None = None, told: Told = lambda *_: None) -> Report:
    """Audit a snapshot in this process.

    Args:
        path: its folder.
        as_shipped: whether to compare with the shipped checker.
        output: a folder, for a table ``violations`` of all of them.
        told: is told how far it is.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the snapshot.
        NotSorted: it is not in the order of ledgers.
    """
    snapshot, found = opened(path), Sum()
    _prepared(output)
    for part in _audited(snapshot, range(len(snapshot.blocks)), as_shipped=as_shipped, output=output):
        found.add(part)
        told(sum(found.whole.endings.values()), snapshot.ledgers)
    return found.report()


def audit_on_spark(
    session: SparkSession, path: Path, *, as_shipped: bool = False, output: Path | None = None
) -> Report:
    """Audit a snapshot by tasks; one that is not sorted is sorted first, into a temporary folder.

    Args:
        session: where to run.
        path: its folder, which all workers can read.
        as_shipped: whether to compare with the shipped checker.
        output: a folder that all workers can write to, for a table ``violations`` of all of them.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the snapshot.
    """
    with _in_order(session, path) as snapshot:
        _prepared(output)

        def task(batches: Iterator[Any]) -> Iterator[Any]:
            pa.set_cpu_count(1)
            numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
            found = Sum()
            try:
                for part in _audited(snapshot, numbers, as_shipped=as_shipped, output=output):
                    found.add(part)
            except Exception as error:  # noqa: BLE001 - raised again, with its name, by the driver
                yield _row(None, error)
            else:
                yield _row(found, None)

        many = len(snapshot.blocks)
        tasks = min(many, 4 * session.sparkContext.defaultParallelism)
        whole = Sum()
        for row in session.range(0, many, 1, tasks).mapInArrow(task, "part BINARY, error BINARY").toLocalIterator():
            if row.error is not None:
                raise pickle.loads(row.error)  # noqa: S301 - from our own tasks
            whole.merge(pickle.loads(row.part))  # noqa: S301 - from our own tasks
        return whole.report()


def _row(part: Sum | None, error: Exception | None) -> Any:
    """What a task gives."""
    values = [[None if one is None else pickle.dumps(one)] for one in (part, error)]
    return pa.RecordBatch.from_arrays([pa.array(value, pa.binary()) for value in values], ["part", "error"])


@contextmanager
def _in_order(session: SparkSession, path: Path) -> Iterator[Snapshot]:
    """A snapshot in the order of ledgers."""
    try:
        snapshot = opened(path)
    except NotSorted:
        with tempfile.TemporaryDirectory(prefix="quorate-audit-") as scratch:
            yield opened(sorted_copy(session, path, Path(scratch) / "sorted"))
    else:
        yield snapshot


def _audited(snapshot: Snapshot, numbers: Iterable[int], *, as_shipped: bool, output: Path | None) -> Iterator[Audited]:
    """What came of each of some blocks; their violations are written where all are wanted."""
    reader = Reader()
    for number in numbers:
        rows, answers = reader.read(snapshot.blocks[number])
        part = audited(rows, answers, snapshot.marks, snapshot.cluster, as_shipped=as_shipped)
        if output is not None and len(part.violations):
            with atomic(output / "violations" / f"part-{number:06}.parquet") as unfinished:
                pq.write_table(part.violations, unfinished)
        yield part


def _prepared(output: Path | None) -> None:
    """Make the folder for violations.

    Raises:
        NotWritable: it is there already, or cannot be made.
    """
    if output is None:
        return
    try:
        (output / "violations").mkdir(parents=True)
    except OSError as error:
        raise NotWritable("cannot be written", error.strerror or str(error), "another folder", str(output)) from None

"""Running an audit: block by block in this process, or by tasks of Spark that read their own row groups.

Nothing but counts and the first violations passes through Spark: where all findings are wanted, each task writes its
own. Memory is bounded by a block of ledgers and their answers, for each task.
"""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from conformance.trace.errors import NotSorted
from spark_checks.audit import kept
from spark_checks.audit.earlier import NOTHING, SOUND, Earlier
from spark_checks.audit.findings import SCHEMA
from spark_checks.audit.judging import Audited, audited
from spark_checks.audit.report import Report
from spark_checks.audit.snapshot import Reader, Snapshot, opened
from spark_checks.audit.sorting import sorted_copy
from spark_checks.session import cores_of

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
        part.violations, part.sound = SCHEMA.empty_table(), SOUND.empty_table()
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


class Since(NamedTuple):
    """What an audit goes on from.

    Attributes:
        findings: the folder that an earlier audit left.
        older_than_ms: what was asked longer ago is judged again all the same.
    """

    findings: Path
    older_than_ms: int | None = None


def audit(
    path: Path,
    *,
    as_shipped: bool = False,
    output: Path | None = None,
    since: Since | None = None,
    told: Told = lambda *_: None,
) -> Report:
    """Audit a snapshot in this process.

    Args:
        path: its folder.
        as_shipped: whether to compare with the shipped checker.
        output: a new folder for findings: all violations, and what is sound.
        since: an earlier audit; only what changed since is judged again.
        told: is told how far it is.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the snapshot or the earlier findings.
        NotSorted: it is not in the order of ledgers.
    """
    snapshot, found = opened(path), Sum()
    with _findings(snapshot, output, since) as earlier:
        for part in _audited(snapshot, range(len(snapshot.blocks)), earlier, as_shipped=as_shipped, output=output):
            found.add(part)
            told(sum(found.whole.endings.values()), snapshot.ledgers)
    return found.report()


def audit_on_spark(
    session: SparkSession,
    path: Path,
    *,
    as_shipped: bool = False,
    output: Path | None = None,
    since: Since | None = None,
) -> Report:
    """Audit a snapshot by tasks; one that is not sorted is sorted first, into a temporary folder.

    Args:
        session: where to run.
        path: its folder, which all workers can read.
        as_shipped: whether to compare with the shipped checker.
        output: a new folder that all workers can write to, for findings: all violations, and what is sound.
        since: an earlier audit; only what changed since is judged again. What it found sound is sent to each task.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the snapshot or the earlier findings.
    """
    with _in_order(session, path) as snapshot, _findings(snapshot, output, since) as earlier:

        def task(batches: Iterator[Any]) -> Iterator[Any]:
            pa.set_cpu_count(1)
            numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
            found = Sum()
            try:
                for part in _audited(snapshot, numbers, earlier, as_shipped=as_shipped, output=output):
                    found.add(part)
            except Exception as error:  # noqa: BLE001 - raised again, with its name, by the driver
                yield _row(None, error)
            else:
                yield _row(found, None)

        many = len(snapshot.blocks)
        tasks = min(many, 4 * cores_of(session))
        whole = Sum()
        for row in session.range(0, many, 1, tasks).mapInArrow(task, "part BINARY, error BINARY").toLocalIterator():
            if row.error is not None:
                raise pickle.loads(row.error)  # noqa: S301 - from our own tasks
            whole.merge(pickle.loads(row.part))  # noqa: S301 - from our own tasks
    return whole.report()


@contextmanager
def _findings(snapshot: Snapshot, output: Path | None, since: Since | None) -> Iterator[Earlier]:
    """What an earlier audit found sound, for the length of an audit; findings that are wanted are whole at its end."""
    earlier = NOTHING if since is None else kept.earlier_of(since.findings, snapshot.cluster, since.older_than_ms)
    if output is not None:
        kept.prepare(output)
    yield earlier
    if output is not None:
        kept.finish(output, snapshot.cluster)


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


def _audited(
    snapshot: Snapshot, numbers: Iterable[int], earlier: Earlier, *, as_shipped: bool, output: Path | None
) -> Iterator[Audited]:
    """What came of each of some blocks; their findings are written where these are wanted."""
    reader = Reader()
    for number in numbers:
        rows, answers = reader.read(snapshot.blocks[number])
        part = audited(rows, answers, snapshot.marks, snapshot.cluster, as_shipped=as_shipped, earlier=earlier)
        if output is not None:
            kept.write_part(output, number, violations=part.violations, sound=part.sound)
        yield part

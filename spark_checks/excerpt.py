"""Excerpts: of a trace in any order, the few events that explanations read, found by Spark and sorted here.

Spark filters, and hands over an Arrow table of ``MOST`` events at most; partitions that would be too much are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from conformance.trace.arrow import with_recorders
from conformance.trace.header import Header
from conformance.trace.open import Parquet, Trace
from conformance.trace.parquet_writing import appending
from conformance.trace.sort import sort
from spark_checks.sql_check import EVENTS, register
from spec.language.sql.events import kind_is

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST: Final = 1 << 20
"""Events that an excerpt may have."""


@contextmanager
def excerpt(
    session: SparkSession, trace: Trace, partitions: Collection[int], kinds: Collection[int] = ()
) -> Iterator[Parquet]:
    """A sorted trace, which lasts as long as the block, of some partitions, of what is in none, and of some kinds.

    Args:
        session: where to look for events.
        trace: in any form, at a path that all workers can read.
        partitions: all their events are wanted; the smallest first, until there are ``MOST`` events.
        kinds: the kinds whose events are wanted of all partitions.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    register(session, trace)
    always = _always(trace.header, kinds)
    column = trace.header.sorted_by.partition
    sizes = _sizes(session, f"NOT ({always}) AND {_one_of(column, partitions)}", column)
    left = MOST - session.table(EVENTS).where(always).count()
    chosen = []
    for partition, size in sorted(sizes.items(), key=lambda item: (item[1], item[0])):
        if size <= left:
            left -= size
            chosen.append(partition)
    wanted = f"({always}) OR {_one_of(column, chosen)}" if chosen else always
    table = session.table(EVENTS).where(wanted).limit(MOST).toArrow()
    with TemporaryDirectory(prefix="quorate-") as folder:
        found, ordered = Path(folder) / "found.parquet", Path(folder) / "sorted.parquet"
        with appending(found, trace.header) as append:
            append(with_recorders(table, trace.header))
        sort(found, ordered)
        yield Parquet(ordered)


def _always(header: Header, kinds: Collection[int]) -> str:
    """The condition of events that are wanted of whatever partition: those of none, and of some kinds."""
    column = header.sorted_by.partition
    lacking = {kind for kind, shape in header.shapes.items() if column not in shape.columns}
    return kind_is(sorted({*kinds, *lacking}))


def _one_of(column: str, numbers: Collection[int]) -> str:
    return f"{column} IN ({', '.join(map(str, sorted(numbers)))})" if numbers else "false"


def _sizes(session: SparkSession, condition: str, column: str) -> dict[int, int]:
    """How many events there are for each number in a column, among those of a condition: as many numbers as asked."""
    counted = session.table(EVENTS).where(condition).groupBy(column).count().collect()
    return {int(row[0]): int(row[1]) for row in counted}

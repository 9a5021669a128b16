"""Workers: Spark's tasks do what a store asks for, each some of it; only what comes of that passes through Spark."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA: Final = "number BIGINT, found BINARY, error BINARY"
_TYPES: Final = pa.schema([("number", pa.int64()), ("found", pa.binary()), ("error", pa.binary())])


def workers_of(session: SparkSession) -> Callable[[Callable[[Any], Any], Sequence[Any]], list[Any]]:
    """What does some work on many things in Spark's tasks, and gives what came of each in their order.

    It raises what the work raises.
    """

    def work_on(work: Callable[[Any], Any], things: Sequence[Any]) -> list[Any]:
        if not things:
            return []
        packed = [pickle.dumps(thing) for thing in things]

        def task(batches: Iterator[Any]) -> Iterator[Any]:
            pa.set_cpu_count(1)
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield _done(number, work, packed[number])

        parts = min(len(things), 4 * session.sparkContext.defaultParallelism)
        rows = session.range(0, len(things), 1, parts).mapInArrow(task, SCHEMA).collect()
        for row in rows:
            if row.error is not None:
                raise pickle.loads(row.error)  # noqa: S301 - from our own tasks
        return [pickle.loads(row.found) for row in sorted(rows, key=lambda row: row.number)]  # noqa: S301 - as above

    return work_on


def _done(number: int, work: Callable[[Any], Any], packed: bytes) -> Any:
    """What came of the work on one thing, as a record batch; an error keeps its name."""
    found = error = None
    try:
        found = pickle.dumps(work(pickle.loads(packed)))  # noqa: S301 - from our own driver
    except Exception as raised:  # noqa: BLE001 - raised again by the driver
        error = pickle.dumps(raised)
    return pa.RecordBatch.from_pydict({"number": [number], "found": [found], "error": [error]}, _TYPES)

"""Work by numbers: Spark tasks do pieces of work that leave files behind, and no row passes through Spark."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def each(session: SparkSession, count: int, work: Callable[[int], None]) -> None:
    """Let tasks do so many pieces of work, one each.

    Args:
        session: where to run.
        count: how many there are; each is given its number.
        work: what workers can unpickle. A task may be run again, so it leaves the same behind however often.

    Raises:
        Exception: whatever a piece of work raised, with its own name.
    """

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        pa.set_cpu_count(1)
        for batch in batches:
            errors = [error for number in batch.column(0).to_pylist() if (error := _failure(work, number))]
            yield pa.RecordBatch.from_arrays([pa.array(errors, pa.binary())], ["error"])

    for row in session.range(0, count, 1, count).mapInArrow(task, "error BINARY").collect():
        raise pickle.loads(row.error)  # noqa: S301 - from our own tasks


def _failure(work: Callable[[int], None], number: int) -> bytes | None:
    """What a piece of work raised, pickled."""
    try:
        work(number)
    except Exception as error:  # noqa: BLE001 - raised again, with its name, by the driver
        return pickle.dumps(error)
    return None

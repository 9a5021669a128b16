"""Tasks of Spark for work that is no plan over rows: each gets one item, and gives one answer; both travel pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Item = TypeVar("Item")
Answer = TypeVar("Answer")

SCHEMA: Final = "place BIGINT, answer BINARY, error BINARY"
_TYPES: Final = pa.schema([("place", pa.int64()), ("answer", pa.binary()), ("error", pa.binary())])


def in_tasks(session: SparkSession, work: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
    """Let a task work on each item; gives the answers in the order of the items.

    Raises:
        Exception: the first that a task raised.
    """
    if not items:
        return []
    packed = pickle.dumps((work, list(items)))

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        pa.set_cpu_count(1)
        work, items = pickle.loads(packed)  # noqa: S301 - from our own driver
        for place in (place for batch in batches for place in batch.column(0).to_pylist()):
            yield pa.RecordBatch.from_pylist([_answered(work, items[place], place)], _TYPES)

    rows = session.range(0, len(items), 1, len(items)).mapInArrow(task, SCHEMA).collect()
    for row in rows:
        if row.error is not None:
            raise pickle.loads(row.error)  # noqa: S301 - from our own tasks
    return [pickle.loads(row.answer) for row in sorted(rows, key=lambda row: row.place)]  # noqa: S301 - as above


def _answered(work: Callable[[Any], Any], item: Any, place: int) -> dict[str, Any]:
    try:
        return {"place": place, "answer": pickle.dumps(work(item)), "error": None}
    except Exception as error:  # noqa: BLE001 - raised again, with its name, by the driver
        return {"place": place, "answer": None, "error": pickle.dumps(error)}

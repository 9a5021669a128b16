"""Tasks: what Spark lets its Python workers do, and the few rows that they give back.

No event passes through Spark as a row: a task is given numbers, or bytes that another task made, and gives bytes.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

import pyarrow as pa
import zstandard

from spark_checks.session import cores_of
from spark_checks.violations import KEY_PARTS
from spark_checks.violations import SCHEMA as VIOLATIONS_SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Item = TypeVar("Item")
Answer = TypeVar("Answer")

SCHEMA: Final = f"place BIGINT, part BINARY, error BINARY, {VIOLATIONS_SCHEMA}"
"""What tasks give: bytes with the place that they belong to, an error, or a violation."""

ROWS: Final = 4096
"""Rows of one batch."""

BYTES: Final = 1 << 24
"""Bytes of one batch, about."""

MOST: Final = 64
"""Pieces that one task works on at most, such as row groups."""

Row: TypeAlias = Mapping[str, Any]
Work: TypeAlias = Callable[[Iterator[int]], Iterator[Row]]
"""What a task does with a run of neighbouring numbers."""

_TYPES: Final = {"place": pa.int64(), "part": pa.binary(), "error": pa.binary(), "rule": pa.string()} | {
    f"k{number}": pa.int64() for number in range(KEY_PARTS)
}


def over(session: SparkSession, count: int, work: Work) -> DataFrame:
    """Let tasks work on runs of neighbouring numbers below ``count``."""

    def task(given: Iterator[Any]) -> Iterator[Any]:
        pa.set_cpu_count(1)
        return batches(work(number for batch in given for number in batch.column(0).to_pylist()))

    return session.range(0, count, 1, tasks_for(session, count)).mapInArrow(task, SCHEMA)


def each(session: SparkSession, count: int, work: Callable[[int], None]) -> None:
    """Let tasks do so many pieces of work that leave files behind.

    Args:
        session: where to run.
        count: how many there are; each is given its number.
        work: what workers can unpickle. A task may be run again, so it leaves the same behind however often.

    Raises:
        Exception: whatever a piece of work raised, with its own name.
    """
    in_tasks(session, work, range(count))


def in_tasks(session: SparkSession, work: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer]:
    """Let tasks work on items, each on a few; gives the answers in the order of the items.

    Raises:
        Exception: what a task raised, with its own name.
    """
    if not items:
        return []
    packed, packed_work = [pickle.dumps(item) for item in items], pickle.dumps(work)

    def answers(numbers: Iterator[int]) -> Iterator[Row]:
        own = unpacked(packed_work)
        for number in numbers:
            item = pickle.loads(packed[number])  # noqa: S301 - from our own driver
            yield {"place": number, "part": to_part(own(item))}

    rows = parts_of(over(session, len(items), answers))
    return [from_part(row.part) for row in sorted(rows, key=lambda row: row.place)]


@lru_cache(maxsize=1)
def unpacked(packed: bytes) -> Any:
    """What all tasks of a job know, unpickled once for each worker and not for each of its tasks.

    It may bring large tables, and with it come all modules: the collector need not go through them all again.
    """
    known = pickle.loads(packed)  # noqa: S301 - from our own driver
    gc.freeze()
    return known


def tasks_for(session: SparkSession, count: int) -> int:
    """How many tasks share so many pieces: a few for each core, so that a slow one does not hold up the rest.

    Where there are many pieces, there are more tasks: what one keeps in memory does not grow with the trace.
    """
    return min(count, max(a_few_for_each_core(session), -(-count // MOST)))


def a_few_for_each_core(session: SparkSession) -> int:
    """So many tasks that a slow one does not hold up the rest."""
    return max(1, 4 * cores_of(session))


def in_groups(table: DataFrame, name: str, work: Callable[[Any], Iterator[Row]]) -> DataFrame:
    """Let tasks work on all rows that have one value in a column, as an Arrow table, value by value."""

    def task(group: Any) -> Any:
        pa.set_cpu_count(1)
        return pa.Table.from_batches(list(batches(work(group))), _schema())

    return table.groupBy(name).applyInArrow(task, SCHEMA)


def in_places(table: DataFrame, count: int, work: Callable[[int, list[bytes]], Iterator[Row]]) -> DataFrame:
    """Let tasks work on all parts of one place, place by place: on its number, below ``count``, and on the parts.

    What went wrong where the parts were made is handed on, and no work is done where it shows.
    """

    def parts(given: Iterator[Any]) -> Iterator[Row]:
        place, found = None, list[bytes]()
        for batch in given:
            raise_first(batch["error"].to_pylist())
            found += batch["part"].to_pylist()
            place = batch["place"][0].as_py() if len(batch) else place
        if place is not None:
            yield from work(place, found)

    def task(given: Iterator[Any]) -> Iterator[Any]:
        pa.set_cpu_count(1)
        return batches(parts(given))

    placed = table.selectExpr(f"CAST(coalesce(place, 0) % {count} AS INT) AS place", "part", "error")
    return placed.repartitionById(count, "place").mapInArrow(task, SCHEMA)


def to_part(thing: object) -> bytes:
    """What a task gives, as few bytes: Java copies them several times, and columns that wait repeat themselves."""
    return zstandard.ZstdCompressor(level=1).compress(pickle.dumps(thing, protocol=5))


def from_part(part: bytes) -> Any:
    """What a task gave."""
    return pickle.loads(zstandard.ZstdDecompressor().decompress(part))  # noqa: S301 - from our own tasks


def batches(rows: Iterator[Row]) -> Iterator[Any]:
    """Rows as record batches; an error becomes the last row, so that it keeps its name."""
    waiting: list[Row] = []
    size = 0
    try:
        for row in rows:
            waiting.append(row)
            size += len(row.get("part") or b"")
            if len(waiting) >= ROWS or size >= BYTES:
                yield _batch(waiting)
                waiting, size = [], 0
    except Exception as error:  # noqa: BLE001 - raised again, with its name, by the driver
        waiting.append({"error": pickle.dumps(error)})
    if waiting:
        yield _batch(waiting)


def raise_first(errors: Iterable[bytes | None]) -> None:
    """Raise the first error that a task raised, if one did."""
    for error in errors:
        if error is not None:
            raise pickle.loads(error)  # noqa: S301 - from our own tasks


def _batch(rows: list[Row]) -> Any:
    arrays = [pa.array([row.get(name) for row in rows], kind) for name, kind in _TYPES.items()]
    return pa.RecordBatch.from_arrays(arrays, schema=_schema())


def _schema() -> Any:
    return pa.schema(list(_TYPES.items()))


def parts_of(rows: DataFrame) -> list[Any]:
    """The bytes that tasks gave, with their places, after raising what a task raised."""
    found = rows.where("part IS NOT NULL OR error IS NOT NULL").select("place", "part", "error").collect()
    raise_first(row.error for row in found)
    return found

"""Watching: a query that goes on where it was when a worker, or Spark itself, fails under it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from conformance.store.sources import Slice
from spark_checks.stream import query_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ATTEMPTS: Final = 5
"""Times that a query is started again without a batch between."""

LOOKS_S: Final = 1


class Taker(Protocol):
    """What takes batches in."""

    def take(self, slices: list[Slice], number: int) -> None:
        """Take a batch in."""
        ...

    def rest(self) -> None:
        """Be told now and then that nothing has failed."""
        ...

    def conclude(self) -> None:
        """Be told that nothing more is expected."""
        ...


def watch(session: SparkSession, source: Path, checkpoint: Path, taker: Taker, *, once: bool, every_s: float) -> None:
    """Give every batch of a growing source to a taker, until interrupted or, if ``once``, until all was given.

    What the taker raises is raised here, and ends it; whatever else fails is tried again from the last batch.
    """
    from pyspark.errors import StreamingQueryException  # noqa: PLC0415 - Spark is loaded only where it runs

    raised: list[Exception] = []
    left, taken = ATTEMPTS, 0

    def take(slices: list[Slice], number: int) -> None:
        nonlocal left, taken
        try:
            taker.take(slices, number)
        except Exception as error:
            raised.append(error)
            raise
        left, taken = ATTEMPTS, taken + 1

    while True:
        before = taken
        query = query_of(session, source, checkpoint, take, once=once, every_s=every_s)
        try:
            while not query.awaitTermination(LOOKS_S):
                if not once:
                    taker.rest()
            if taken == before:  # a query that began with an interrupted batch may end after it, though there is more
                break
        except KeyboardInterrupt:
            return
        except StreamingQueryException:
            left -= 1
            if raised and not _is_of_spark(raised[-1]):
                raise raised[-1] from None
            if not left:
                raise
        finally:
            query.stop()
    taker.conclude()


def _is_of_spark(error: Exception) -> bool:
    """Whether a task failed, and not its work."""
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")

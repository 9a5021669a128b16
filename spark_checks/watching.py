"""Watching: a query that goes on where it was when a worker, or Spark itself, fails under it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from conformance.store.errors import SourceFailed
from conformance.store.sources import Slice
from spark_checks.stream import Stream, query_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ATTEMPTS: Final = 5
"""Times that a query is started again without a batch between."""

LOOKS_S: Final = 1
LONGEST: Final = 400
"""Characters of what Spark says that are told on."""


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

    def examine(self) -> None:
        """Raise what is wrong with the source, if that can be seen."""
        ...


def watch(session: SparkSession, stream: Stream, checkpoint: Path, taker: Taker, *, once: bool, every_s: float) -> None:
    """Give every batch of a growing source to a taker, until interrupted or, if ``once``, until all was given.

    What the taker raises is raised here, and ends it; whatever else fails is tried again from the last batch.

    Raises:
        SourceFailed: it was tried so often, and the taker sees nothing wrong.
    """
    from py4j.protocol import Py4JError, Py4JNetworkError  # noqa: PLC0415 - Spark is loaded only where it runs
    from pyspark.errors import PySparkException  # noqa: PLC0415 - as above

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
        before, query = taken, None
        try:
            query = query_of(session, stream, checkpoint, take, once=once, every_s=every_s)
            while not query.awaitTermination(LOOKS_S):
                if not once:
                    taker.rest()
            if taken == before:  # a query that began with an interrupted batch may end after it, though there is more
                break
        except KeyboardInterrupt:
            return
        except Py4JNetworkError:  # nobody is there to be asked again
            raise
        except (PySparkException, Py4JError) as error:
            left -= 1
            if raised and not _is_of_spark(raised[-1]):
                raise raised[-1] from None
            if not left:
                taker.examine()
                raise _failed(error).at(stream.name) from None
        finally:
            if query is not None:
                query.stop()
    taker.conclude()


def _failed(error: Exception) -> SourceFailed:
    """The error of a query as ours; Spark is asked for its words while it is there."""
    said = str(error).partition("terminated with exception: ")[2] or str(error)
    first = next(iter(said.strip().splitlines()), "")[:LONGEST]
    return SourceFailed("Spark cannot read what is watched", first, "the same command again: it goes on where it was")


def _is_of_spark(error: Exception) -> bool:
    """Whether a task failed, and not its work."""
    return type(error).__module__.partition(".")[0] in ("pyspark", "py4j")

"""What a caller of an iterator may see: a function of the samples, the range and the calls, and of nothing else.

Where samples are stored, how they were cut into segments, what travelled in which message and who acknowledged first
is not in it. So two runs of the same calls over the same samples look the same, wherever they run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from spec.segment.iterator.choices import FailedSeek, Merge
from spec.segment.iterator.commands import Close, Command, Error, Move, Next, Prev, Valid
from spec.segment.iterator.positions import Query, reached, sought
from spec.segment.iterator.times import TimeRange, within

CLOSED: Final = "closed"
"""The error of every call after the iterator was closed."""


@dataclass(frozen=True)
class Answer:
    """What a call gave.

    Attributes:
        ok: what it said.
        samples: the times of the samples that it read, in ascending order.
        error: the error that it told, if it was asked for one, or if it came too late.
    """

    ok: bool
    samples: tuple[int, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class IteratorPosition:
    """Where an iterator is.

    Attributes:
        view: the range that its last move read, or the place that a seek went to; None where no seek has succeeded.
        is_valid: its last call was a move that read something.
        is_closed: it was closed.
    """

    view: TimeRange | None = None
    is_valid: bool = False
    is_closed: bool = False


OPENED: Final = IteratorPosition()
"""An iterator that was just opened: nothing is read before a seek succeeds."""


def answered(place: IteratorPosition, command: Command, query: Query) -> tuple[IteratorPosition, Answer]:
    """Where a call leaves the iterator, and what it gives.

    Synnax, Segment distribution, Query Patterns, Error Handling, Closing an Iterator.
    """
    if place.is_closed:
        return place, Answer(ok=True) if isinstance(command, Close) else Answer(ok=False, error=CLOSED)
    match command:
        case Close():
            return replace(place, is_closed=True, is_valid=False), Answer(ok=True)
        case Error():
            return place, Answer(ok=True)
        case Valid():
            return place, Answer(ok=place.is_valid)
        case Next() | Prev():
            return _moved(place, command, query)
        case _:
            view = sought(command, query)
            stays = view is None and query.choices.failed_seek is FailedSeek.UNMOVED
            return IteratorPosition(place.view if stays else view), Answer(ok=view is not None)


def _moved(place: IteratorPosition, move: Move, query: Query) -> tuple[IteratorPosition, Answer]:
    """A move reads every sample of the view that it reaches, and says whether there was any."""
    if place.view is None:
        return place, Answer(ok=False)
    view = reached(move, place.view, query)
    samples = within(query.samples, view)
    return IteratorPosition(view, is_valid=bool(samples)), Answer(ok=bool(samples), samples=samples)


def seen(commands: Iterable[Command], query: Query) -> Iterator[Answer]:
    """What some calls give, one after the other."""
    place = OPENED
    for command in commands:
        place, answer = answered(place, command, query)
        yield answer


def merged(acknowledgements: Iterable[bool], merge: Merge) -> bool:
    """What acknowledgements, in the order in which they come, come to.

    Synnax, Segment distribution, Execution Flow: the synchronizer waits for all nodes, and then the call returns.

    Raises:
        ValueError: there is none.
    """
    acks = list(acknowledgements)
    if not acks:
        raise ValueError("no acknowledgement to merge: a call has at least one channel, on one node")
    return {Merge.ALL: all(acks), Merge.ANY: any(acks), Merge.LAST: acks[-1]}[merge]

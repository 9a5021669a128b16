"""The state of an iterator over stored segments, and what it is asked with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from reference_impl.segment.iterator.flaws import NONE, Flaw
from reference_impl.segment.storage import NOWHERE, Segment, Store
from spec.segment.iterator.choices import BY_SAMPLE, Choices
from spec.segment.iterator.times import ALL_TIME, TimeRange, at

CHUNK_DEFAULT = 100_000


@dataclass(frozen=True)
class Setting:
    """What an iterator is opened with.

    Attributes:
        bounds: the range that it reads.
        chunk: how many samples a chunk has.
        choices: the answers to what the document leaves open.
        flaws: the ways in which it departs from the definition.
    """

    bounds: TimeRange = ALL_TIME
    chunk: int = CHUNK_DEFAULT
    choices: Choices = BY_SAMPLE
    flaws: frozenset[Flaw] = NONE


class Series(NamedTuple):
    """What was read of one segment: the part of its range that was in view, and the samples."""

    range: TimeRange
    times: tuple[int, ...]
    values: tuple[Any, ...]


class Cursor(NamedTuple):
    """The segment that an iterator is at.

    Attributes:
        place: its number in the store.
        segment: the segment as it was when the cursor came to it.
        can_step: it may go to another one.
    """

    place: int = 0
    segment: Segment = NOWHERE
    can_step: bool = False


@dataclass(frozen=True)
class Reading:
    """The state of an iterator.

    Attributes:
        view: the range that its last move read, or where a seek went to.
        cursor: the segment that it is at.
        frame: what its last move read, by segment.
        is_positioned: a seek has succeeded.
        error: the error that was met.
        is_closed: it was closed.
        store: what was stored when it last looked.
    """

    view: TimeRange
    cursor: Cursor = field(default=Cursor())
    frame: tuple[Series, ...] = ()
    is_positioned: bool = False
    error: str | None = None
    is_closed: bool = False
    store: Store = ()

    @property
    def is_valid(self) -> bool:
        """Its last move read something, and no error was met."""
        return bool(self.frame) and self.error is None

    @property
    def times(self) -> tuple[int, ...]:
        """The times of the samples that its last move read."""
        return tuple(time for series in self.frame for time in series.times)

    def showing(self, view: TimeRange) -> Reading:
        """The same with another view, of which nothing is read yet."""
        return replace(self, view=view, frame=())


def bounded_anew(reading: Reading, setting: Setting) -> Reading:
    """The iterator after its range was set: where it was opened, until a seek succeeds."""
    return replace(opened(setting), cursor=reading.cursor._replace(can_step=False), is_closed=reading.is_closed)


def opened(setting: Setting) -> Reading:
    """An iterator that was just opened."""
    return Reading(at(setting.bounds.end))

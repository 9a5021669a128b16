"""Times and ranges of time: whole nanoseconds of 64 bits; a range has its start and not its end."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, NamedTuple

EARLIEST: Final = -(1 << 63)
LATEST: Final = (1 << 63) - 1


class TimeRange(NamedTuple):
    """All times from a start up to an end, which is not in it."""

    start: int
    end: int

    @property
    def is_empty(self) -> bool:
        """No time is in it."""
        return self.start >= self.end

    def has(self, time: int) -> bool:
        """Whether a time is in it."""
        return self.start <= time < self.end

    def overlaps(self, other: TimeRange) -> bool:
        """Whether they share a time; one without any shares its start, but not with a range that ends there."""
        if self.start == other.start:
            return True
        return self.start < other.end and other.start < self.end

    def clipped(self, bounds: TimeRange) -> TimeRange:
        """What of it is within bounds; where nothing is, no time at the nearer bound."""
        return TimeRange(*(min(max(time, bounds.start), bounds.end) for time in self))


ALL_TIME: Final = TimeRange(EARLIEST, LATEST)


def at(time: int) -> TimeRange:
    """The range that begins and ends at a time."""
    return TimeRange(time, time)


def moved(time: int, span: int) -> int:
    """A time so much later, or earlier; there is none before the earliest or after the latest."""
    return min(max(time + span, EARLIEST), LATEST)


def between(one: int, other: int) -> TimeRange:
    """The range between two times, in whichever order they come."""
    return TimeRange(min(one, other), max(one, other))


def within(times: Sequence[int], view: TimeRange) -> tuple[int, ...]:
    """The times, of some in ascending order, that are in a range."""
    return tuple(times[bisect_left(times, view.start) : bisect_left(times, view.end)])

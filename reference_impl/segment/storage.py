"""What a node stores of one channel: segments, each with a range of time and the samples that were written together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from spec.segment.iterator.times import TimeRange, moved


@dataclass(frozen=True)
class Segment:
    """Samples that were written together.

    Attributes:
        range: from where the writer began to right behind the last sample.
        times: the time of each sample.
        values: the value of each sample.
    """

    range: TimeRange
    times: tuple[int, ...] = ()
    values: tuple[Any, ...] = ()

    def rank(self, time: int) -> int:
        """How many samples are before a time, found by halving: right where times ascend."""
        low, high = 0, len(self.times)
        while low < high:
            middle = (low + high - 1) // 2
            if self.times[middle] == time:
                return middle
            low, high = (middle + 1, high) if self.times[middle] < time else (low, middle)
        return low

    def place(self, time: int) -> int:
        """How many samples lie between the start of its range and a time."""
        return self.rank(time) - self.rank(self.range.start)


Store: TypeAlias = tuple[Segment, ...]
"""All segments of a channel, in order of time; none overlaps another."""

NOWHERE = Segment(TimeRange(0, 0))
"""In place of the segment that an iterator is at, before it is at any."""


class Overlap(Exception):
    """A segment was to be stored where another one is: what is stored first stays."""


def written(start: int, times: Sequence[int], values: Sequence[Any]) -> Segment:
    """A segment as a writer that began at a time leaves it: it ends one nanosecond after its last sample."""
    end = max(moved(times[-1], 1), start) if times else start
    return Segment(TimeRange(start, end), tuple(times), tuple(values))


def stored(store: Store, segment: Segment) -> Store:
    """The segments with one more, or with one that has grown.

    Raises:
        Overlap: it overlaps another that does not start where it does.
    """
    others = tuple(one for one in store if one.range.start != segment.range.start)
    if taken := [one for one in others if one.range.overlaps(segment.range)]:
        raise Overlap(f"{segment.range} overlaps {taken[0].range}: write where nothing is stored")
    return tuple(sorted((*others, segment), key=lambda one: one.range))


def times_of(store: Iterable[Segment]) -> list[int]:
    """The times of all samples, as they are stored."""
    return list(chain.from_iterable(segment.times for segment in store))

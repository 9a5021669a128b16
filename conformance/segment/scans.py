"""Scans: moves of an iterator in one direction without a seek between them, and where they gave nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from spec.segment.iterator.times import TimeRange


@dataclass
class Scan:
    """One scan of one channel.

    Attributes:
        number: its number, from 1.
        is_onward: it reads on in time.
        request: the last request of it.
        covered: the range that its moves have covered.
        given: the times of the samples that it gave.
    """

    number: int
    is_onward: bool
    request: int
    covered: TimeRange
    given: list[int] = field(default_factory=list)

    def goes_on(self, request: int, view: TimeRange) -> None:
        """A move covers one more range beside it."""
        self.request = request
        self.covered = TimeRange(min(self.covered.start, view.start), max(self.covered.end, view.end))

    def gaps(self) -> Iterator[TimeRange]:
        """The stretches that it covered and in which it gave nothing."""
        ends = [self.covered.start - 1, *sorted(set(self.given)), self.covered.end]
        for before, after in pairwise(ends):
            if before + 1 < after:
                yield TimeRange(before + 1, after)


@dataclass
class Scans:
    """The scans of one channel of one iterator."""

    all: list[Scan] = field(default_factory=list)
    of_request: dict[int, Scan] = field(default_factory=dict)
    is_over: bool = True

    def moves(self, request: int, view: TimeRange, *, onward: bool) -> Scan:
        """The scan that a move belongs to: the last one, unless it is over or goes the other way."""
        if self.is_over or self.all[-1].is_onward is not onward:
            self.all.append(Scan(len(self.all) + 1, onward, request, view))
            self.is_over = False
        scan = self.all[-1]
        scan.goes_on(request, view)
        self.of_request[request] = scan
        return scan

"""The first faults of a trace, gathered place by place."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

from conformance.trace.errors import TraceError

END: Final = sys.maxsize
"""The place of what is wrong with the trace as a whole."""


class Enough(Exception):
    """As many faults were found as are to be named."""


class Faults:
    """The faults that were found so far, each with its place: the number of its line or row.

    Args:
        most: how many are to be named.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.found: list[tuple[int, TraceError]] = []

    def add(self, place: int, error: TraceError) -> None:
        """Take note of the next fault.

        Raises:
            Enough: that makes as many as are to be named.
        """
        self.found.append((place, error))
        if len(self.found) >= self.most:
            raise Enough

    def first(self, others: Iterable[tuple[int, TraceError]] = ()) -> tuple[TraceError, ...]:
        """The first of these and of others, by place."""
        among = heapq.nsmallest(self.most, others, itemgetter(0))
        return tuple(error for _, error in heapq.nsmallest(self.most, [*self.found, *among], itemgetter(0)))

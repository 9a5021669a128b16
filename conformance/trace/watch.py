"""Watching events pass: counts, sequence numbers that stand twice, and the order that a sorted trace promises."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from conformance.trace.errors import Duplicated, NotSorted
from conformance.trace.rows import EventRow
from conformance.trace.statistics import Statistics
from spec.language.orders import Order

_BITS: Final = 10
_LOW: Final = (1 << _BITS) - 1


class Seen:
    """The sequence numbers of each recorder, one bit each in blocks of 1024.

    Memory: a quarter of a byte for each event of a recorder that counts without gaps, in any order; some 200 bytes for
    each event of one whose numbers are all far apart. ``sort`` finds the same in bounded memory whatever the numbers.
    """

    def __init__(self) -> None:
        self.blocks: dict[str, dict[int, int]] = defaultdict(dict)

    def add(self, recorder: str, seq: int) -> None:
        """Take note of an event.

        Raises:
            Duplicated: it was noted before.
        """
        blocks, block, bit = self.blocks[recorder], seq >> _BITS, 1 << (seq & _LOW)
        before = blocks.get(block, 0)
        if before & bit:
            raise twice(recorder, seq)
        blocks[block] = before | bit


def twice(recorder: str, seq: int, before: str = "") -> Duplicated:
    """The error for two events of one name; ``before`` is the place of the first, where it is known."""
    places = "" if before else "`quorate trace validate` for the places of both; "
    return Duplicated(
        f"event {seq} of recorder {recorder!r} stands twice",
        f"{before and f'it stands in {before}, too; '}a recorder counts its events, each with a number of its own",
        f"{places}check whether recordings overlap, or whether a restarted recorder counted from the start again",
    )


def place_of(row: EventRow, sorted_by: Order) -> tuple[int, ...]:
    """Where an event stands in a sorted trace; 0 for what its kind does not have."""
    return tuple(row.get(column, 0) for column in sorted_by.stored)


def not_sorted() -> NotSorted:
    """The error for a trace that promises an order and breaks it."""
    return NotSorted(
        "an event stands before one of a smaller partition, position or sequence number",
        "the header says that the trace is sorted",
        "`quorate trace sort`",
    )


class Watch:
    """Looks at every event of one reading.

    Args:
        statistics: where events are counted.
        sorted_by: how a sorted trace is sorted.
        in_order: the trace says that it is sorted.
        unique: make sure that no event stands twice.
    """

    def __init__(self, statistics: Statistics, sorted_by: Order, *, in_order: bool, unique: bool = True) -> None:
        self.statistics, self.sorted_by, self.in_order = statistics, sorted_by, in_order
        self.seen = Seen() if unique else None
        self.last: tuple[int, ...] | None = None

    def note(self, row: EventRow) -> EventRow:
        """Look at one event, and hand it on.

        Raises:
            Duplicated: its recorder has already used its number.
            NotSorted: it comes too late.
        """
        self.statistics.count(row)
        if self.seen is not None:
            self.seen.add(row["recorder"], row["seq"])
        if self.in_order:
            last, self.last = self.last, place_of(row, self.sorted_by)
            if last is not None and self.last < last:
                raise not_sorted()
        return row

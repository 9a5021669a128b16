"""Sequences and sequence groups: how a bookie's entries of a ledger are told in few numbers.

BookKeeper, BP-34, Public Interfaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from spec.ledger.errors import TooLarge

INT_MAX: Final = (1 << 31) - 1
"""The largest size or period: both are ints of four bytes."""

ENTRIES_MAX: Final = 1 << 24
"""No list of entries is written out at greater length, unless whoever asks says so."""


class Sequence(NamedTuple):
    """Entries without a gap between them.

    BookKeeper, BP-34, Public Interfaces: a sequence, and its size.

    Attributes:
        start: the first of them.
        size: how many they are.
    """

    start: int
    size: int


class SequenceGroup(NamedTuple):
    """Sequences of one size that follow each other at one period.

    BookKeeper, BP-34, Public Interfaces: SequenceGroup.

    Attributes:
        first_start: where the first sequence begins.
        last_start: where the last sequence begins.
        size: how many entries each sequence has.
        period: how far the starts of neighbours are apart; 0 where there is one sequence.
    """

    first_start: int
    last_start: int
    size: int
    period: int

    @property
    def starts(self) -> range:
        """Where its sequences begin."""
        return range(self.first_start, self.last_start + 1, self.period or 1)

    @property
    def sequences(self) -> int:
        """How many sequences it has."""
        return (self.last_start - self.first_start) // self.period + 1 if self.period else 1

    @property
    def last_entry(self) -> int:
        """The last entry of its last sequence."""
        return self.last_start + self.size - 1

    def holds(self, entry: int) -> bool:
        """An entry is in one of its sequences."""
        start = min(entry, self.last_start)
        start -= (start - self.first_start) % self.period if self.period else 0
        return self.first_start <= start <= entry < start + self.size

    def admits(self, sequence: Sequence) -> bool:
        """A sequence goes on where this group ends: it has its size, and its period if there is one yet.

        BookKeeper, BP-34, Public Interfaces: neighbours of one size and at one period make a group.
        """
        gap = sequence.start - self.last_start
        return sequence.size == self.size and (gap == self.period if self.period else gap <= INT_MAX)

    def extended(self, sequence: Sequence) -> SequenceGroup:
        """The group with one sequence more."""
        return self._replace(last_start=sequence.start, period=sequence.start - self.last_start)


Groups = tuple[SequenceGroup, ...]


def sequences_of(entries: Iterable[int]) -> Iterator[Sequence]:
    """The longest runs of entries without a gap, in ascending order, whatever the order of the entries.

    BookKeeper, BP-34, Public Interfaces: continuous entries are a sequence.
    """
    start = size = 0
    for entry in sorted(set(entries)):
        if size and entry != start + size:
            yield Sequence(start, size)
            size = 0
        start, size = (start if size else entry), size + 1
    if size:
        yield Sequence(start, size)


def grouped(sequences: Iterable[Sequence]) -> Groups:
    """Each sequence joins the group before it if that admits it, else it begins a group.

    BookKeeper, BP-34, Public Interfaces, examples 1 and 2.
    """
    groups: list[SequenceGroup] = []
    for sequence in (piece for whole in sequences for piece in _pieces(whole)):
        if groups and groups[-1].admits(sequence):
            groups[-1] = groups[-1].extended(sequence)
        else:
            groups.append(alone(sequence))
    return tuple(groups)


def alone(sequence: Sequence) -> SequenceGroup:
    """The group that a sequence is by itself: its period is 0.

    BookKeeper, BP-34, Public Interfaces, example 2: the third and the fourth group.
    """
    return SequenceGroup(sequence.start, sequence.start, sequence.size, 0)


def entries_of(groups: Iterable[SequenceGroup], most: int = ENTRIES_MAX) -> frozenset[int]:
    """All entries that some group holds.

    Raises:
        TooLarge: they are more than whoever asks wants to write out.
    """
    groups = tuple(groups)
    if (count := sum(max(group.size, 1) * max(group.sequences, 0) for group in groups)) > most:
        raise TooLarge(
            "too many entries to write out", "a list of entries", f"{count} of them", f"at most {most}, or ask for more"
        )
    return frozenset(entry for group in groups for start in group.starts for entry in range(start, start + group.size))


def _pieces(sequence: Sequence) -> Iterator[Sequence]:
    """A sequence that is too long for its size to be written, in pieces that are not."""
    for taken in range(0, sequence.size, INT_MAX):
        yield Sequence(sequence.start + taken, min(INT_MAX, sequence.size - taken))

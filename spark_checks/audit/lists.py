"""Lists of entries in columns: the bytes of many answers become sequence groups at once.

The reading in columns of ``spec.ledger.availability.encoding.decode``: it refuses what that refuses, and entries below
0 besides.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from spec.ledger.availability.encoding import ENTRY_MAX, GROUP, HEADER, VERSION

Array: TypeAlias = "np.ndarray[Any, Any]"

FAULTS: Final = (
    "",
    "a list of entries ends early",
    "a list of entries has an unknown version",
    "a list of entries uses reserved bytes",
    "a list of entries has a number of groups below 0",
    "a list of entries goes on behind its groups",
    "a list of entries has groups that are not in order",
    "a list of entries has a group that no entries make",
)
"""What may be wrong with an answer, by number; 0 is nothing."""

ENDS_EARLY, UNKNOWN_VERSION, USES_RESERVED, NO_COUNT, GOES_ON, OUT_OF_ORDER, NO_GROUP = range(1, len(FAULTS))

WORD: Final = 8
"""Bytes of a word: a header and a group are so many words each."""

HALF: Final = 32
"""Bits of half a word: a size, or a period."""


class Groups(NamedTuple):
    """The sequence groups of many answers, one answer after the other.

    Attributes:
        begins: for each answer where its groups begin; one more number, where those of the last one end.
        answer: the answer of each group.
        first, last: where the first and the last sequence of each group begin.
        size: how many entries each of its sequences has.
        period: how far the starts of neighbours are apart; 0 where there is one sequence.
    """

    begins: Array
    answer: Array
    first: Array
    last: Array
    size: Array
    period: Array

    @property
    def ends(self) -> Array:
        """One past the last entry of each group."""
        ends: Array = self.last + self.size
        return ends

    @property
    def goes_on(self) -> Array:
        """Whether each group but the first belongs to the same answer as the one before it."""
        same: Array = self.answer[1:] == self.answer[:-1]
        return same


class Lists(NamedTuple):
    """What answers say.

    Attributes:
        groups: those of answers without a fault.
        faults: the fault of each answer, a number of ``FAULTS``.
    """

    groups: Groups
    faults: Array


def decode(answers: Any) -> Lists:
    """The groups of each answer that has no fault; one that is NULL has neither groups nor a fault.

    Args:
        answers: a binary array of Arrow.
    """
    faults, counts = _headers(answers)
    groups = _groups(answers.filter(pa.array(counts >= 0)), np.maximum(counts, 0), np.cumsum(counts >= 0))
    wrong = np.maximum(_impossible(groups), _disorder(groups))
    np.maximum.at(faults, groups.answer, wrong)
    return Lists(_only(groups, faults == 0) if wrong.any() else groups, faults)


def _headers(answers: Any) -> tuple[Array, Array]:
    """The fault of each answer as far as its header shows, and how many groups it has; -1 where they are not read."""
    offsets = np.frombuffer(answers.buffers()[1], np.int32)[answers.offset : answers.offset + len(answers) + 1]
    lengths = np.diff(offsets).astype(np.int64)
    is_there = ~answers.is_null().to_numpy(zero_copy_only=False)
    faults = np.where(is_there & (lengths < HEADER.size), ENDS_EARLY, 0)
    read = np.flatnonzero(is_there & (faults == 0))
    data = np.frombuffer(answers.buffers()[2] or b"", np.uint8)
    heads = data[offsets[:-1][read, None] + np.arange(HEADER.size)]
    numbers = np.ascontiguousarray(heads[:, :WORD]).view(">i4").astype(np.int64)
    version, count = numbers[:, 0], numbers[:, 1]
    needed = HEADER.size + GROUP.size * count
    faults[read] = np.select(
        [version != VERSION, heads[:, WORD:].any(axis=1), count < 0, lengths[read] < needed, lengths[read] > needed],
        [UNKNOWN_VERSION, USES_RESERVED, NO_COUNT, ENDS_EARLY, GOES_ON],
        0,
    )
    counts = np.full(len(lengths), -1)
    counts[read] = np.where(faults[read] == 0, count, -1)
    return faults, counts


def _groups(whole: Any, counts: Array, ordinal: Array) -> Groups:
    """The groups of answers whose headers are right: words that follow each other, a header before those of each."""
    words = np.frombuffer(whole.buffers()[2] or b"", np.uint8)[: _bytes(whole)].view(">i8")
    begins = np.concatenate(([0], np.cumsum(counts)))
    answer = np.repeat(np.arange(len(counts)), counts)
    at = HEADER.size // WORD * ordinal[answer] + GROUP.size // WORD * np.arange(len(answer))
    first, last, both = (words[at + step].astype(np.int64) for step in range(GROUP.size // WORD))
    return Groups(begins, answer, first, last, both >> HALF, (both << HALF) >> HALF)


def _bytes(array: Any) -> int:
    """How many bytes the values of a binary array have."""
    return int(np.frombuffer(array.buffers()[1], np.int32)[array.offset + len(array)])


def _impossible(groups: Groups) -> Array:
    """``NO_GROUP`` for each group that no entries make: see ``spec.ledger.availability.encoding``."""
    _, _, first, last, size, period = groups
    length = last - first
    return np.where(
        (first < 0)
        | (length < 0)
        | (size < 1)
        | (last > ENTRY_MAX - size + 1)
        | ((length == 0) != (period == 0))
        | ((length > 0) & ((period < size) | (length % np.maximum(period, 1) != 0))),
        NO_GROUP,
        0,
    )


def _disorder(groups: Groups) -> Array:
    """``OUT_OF_ORDER`` for each group that begins before the end of the one before it."""
    wrong = np.zeros(len(groups.answer), np.int64)
    wrong[1:][groups.goes_on & (groups.first[1:] < groups.ends[:-1])] = OUT_OF_ORDER
    return wrong


def _only(groups: Groups, wanted: Array) -> Groups:
    """The groups of these answers; others have none."""
    counts = np.where(wanted, np.diff(groups.begins), 0)
    kept = wanted[groups.answer]
    return Groups(np.concatenate(([0], np.cumsum(counts))), *(column[kept] for column in groups[1:]))

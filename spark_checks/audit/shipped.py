"""What the shipped checker finds, in columns: it gives up at the first gap of two entries, and misses ends of ledgers.

The reading in columns of ``spec.ledger.durability.findings_as_shipped``. BookKeeper 4.10 to 4.18,
util/AvailabilityOfEntriesOfLedger.java and replication/AuditorReplicasCheckTask.java.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from spark_checks.audit.durability import LEVELS, judged, places, scheduled
from spark_checks.audit.ledgers import Ledgers
from spark_checks.audit.lists import Groups
from spark_checks.audit.windows import Answers, Shares, held, shares, turns
from spec.ledger.availability.groups import SequenceGroup
from spec.ledger.durability import category, findings_as_shipped
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums

Array: TypeAlias = "np.ndarray[Any, Any]"

NEVER = np.iinfo(np.int64).max
"""The entry at which a search gives up that does not."""


def levels_as_shipped(ledgers: Ledgers, chosen: Array, answers: Answers) -> Array:
    """What each of some closed ledgers comes to as shipped: numbers of ``durability.LEVELS``.

    Lists whose groups touch are none that a shipped bookie sends; they are looked up one by one, by the specification.
    """
    levels = np.full(len(ledgers.number), len(LEVELS) - 1)
    odd = np.zeros(len(levels), bool)
    odd[answers.ledger[answers.groups.answer[_touches(answers.groups)]]] = True
    ends, gives_up = ledgers.ends_of_segments(as_shipped=True), _gives_up(answers.groups)
    for windows in turns(ledgers, chosen[~odd[chosen]], answers, ends):
        some = shares(ledgers, windows, answers, ends)
        has = held(windows, answers)
        share, entry = scheduled(ledgers, windows, some)
        lacks = ~has[places(windows, some, answers)[share] + entry]
        lacks |= entry >= _ends_of_search(ledgers, some, answers, gives_up)[share]
        found = judged(ledgers, windows, some, share[lacks], entry[lacks], answers)
        np.minimum.at(levels, found.ledger, found.level)
    for row in chosen[odd[chosen]].tolist():
        levels[row] = _one_by_one(ledgers, row, answers)
    return levels[chosen]


def _touches(groups: Groups) -> Array:
    """Whether a group begins where the one before it ends, or its own sequences follow each other without a gap."""
    touches: Array = groups.period == groups.size
    touches[1:] |= groups.goes_on & (groups.first[1:] == groups.ends[:-1])
    return touches


def _gives_up(groups: Groups) -> Array:
    """Where a search that has come to a group gives up: behind the first group that is two entries off the next."""
    gap = np.ones(len(groups.answer), bool)
    gap[:-1] = ~groups.goes_on | (groups.first[1:] > groups.ends[:-1] + 1)
    last = np.flatnonzero(gap)
    return (groups.ends + 1)[last[np.searchsorted(last, np.arange(len(gap)))]]


def _ends_of_search(ledgers: Ledgers, some: Shares, answers: Answers, gives_up: Array) -> Array:
    """The entry at which the search for each share gives up."""
    groups, begin = answers.groups, ledgers.first[some.segment]
    low, high = groups.begins[some.answer], groups.begins[some.answer + 1]
    if not len(gives_up):
        return begin
    group = np.maximum(_floor(groups.first, low, high, begin), low)
    at = np.minimum(group, len(gives_up) - 1)
    is_behind = (groups.first[at] <= begin) & (begin > groups.ends[at])
    return np.where((low == high) | is_behind, begin, gives_up[at])


def _floor(values: Array, low: Array, high: Array, wanted: Array) -> Array:
    """The last place from ``low`` on, before ``high``, with a value up to the wanted one; else that before ``low``.

    Between these places values ascend.
    """
    least, most = low - 1, high - 1
    while (open_ := least < most).any():
        middle = np.where(open_, (least + most + 1) // 2, most)
        is_least = values[np.clip(middle, 0, len(values) - 1)] <= wanted
        least = np.where(open_ & is_least, middle, least)
        most = np.where(open_ & ~is_least, middle - 1, most)
    return least


def _one_by_one(ledgers: Ledgers, row: int, answers: Answers) -> int:
    """What one ledger comes to, by the specification.

    Raises:
        TooLarge: it has more entries than can be looked at one by one.
    """
    metadata = metadata_of(ledgers, row)
    said = {
        str(answers.bookie[answer]): groups_of(answers.groups, answer) if answers.is_heard[answer] else None
        for answer in range(answers.begins[row], answers.begins[row + 1])
    }
    return LEVELS.index(category(findings_as_shipped(metadata, said), metadata.quorums))


def metadata_of(ledgers: Ledgers, row: int) -> Metadata:
    """The metadata of one closed ledger; bookies are called by their rows."""
    size = int(ledgers.ensemble[row])
    quorums = Quorums(size, int(ledgers.write[row]), int(ledgers.ack[row]))
    segments = range(ledgers.begins[row], ledgers.begins[row + 1])
    ensembles = (ledgers.bookies[ledgers.member[segment] :][:size].tolist() for segment in segments)
    firsts = ledgers.first[segments.start : segments.stop].tolist()
    found = (Segment(first, tuple(map(str, some))) for first, some in zip(firsts, ensembles, strict=True))
    return Metadata(quorums, tuple(found), State.CLOSED, int(ledgers.last[row]), 0)


def groups_of(groups: Groups, answer: int) -> tuple[SequenceGroup, ...]:
    """The groups of one answer."""
    rows = slice(groups.begins[answer], groups.begins[answer + 1])
    columns = (groups.first, groups.last, groups.size, groups.period)
    return tuple(map(SequenceGroup, *(column[rows].tolist() for column in columns)))

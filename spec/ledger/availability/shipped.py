"""How BookKeeper 4.10 to 4.18 group entries and look them up: neither is what BP-34 says.

BookKeeper, util/AvailabilityOfEntriesOfLedger.java.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from spec.ledger.availability.groups import Groups, Sequence, SequenceGroup, alone

UNSET: Final = -1
"""An entry id that stands for none."""


def sequences_as_shipped(entries: Iterable[int]) -> Iterator[Sequence]:
    """Runs in order of arrival: an entry that is not in the present run, nor next to it, begins another.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java, addEntryToAvailabileEntriesOfLedger.
    """
    start, size = UNSET, 0
    for entry in entries:
        if start == UNSET:
            start, size = entry, 1
        elif entry == start + size:
            size += 1
        elif not start <= entry < start + size:
            yield Sequence(start, size)
            start, size = entry, 1
    if start != UNSET:
        yield Sequence(start, size)


def grouped_as_shipped(entries: Iterable[int]) -> Groups:
    """Each run is a group of its own, and replaces an earlier one that begins at the same entry.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java: a group has period 0 at first, so none admits a run.
    """
    return _by_start(map(alone, sequences_as_shipped(entries)))


def count_as_shipped(groups: Groups) -> int:
    """How many entries the groups have, those of equal start counted once.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java, getTotalNumOfAvailableEntries.
    """
    return sum(group.size * group.sequences for group in _by_start(groups))


def holds_as_shipped(groups: Groups, entry: int) -> bool:
    """The last group that begins at or before an entry has it.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java, isEntryAvailable.
    """
    group = _floor(_by_start(groups), entry)
    return group is not None and _has(group, entry)


def missing_as_shipped(groups: Groups, first: int, last: int, expected: Collection[int]) -> tuple[int, ...]:
    """The expected entries that are said to be missing: from the first gap of two entries on, all of them.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java, getUnavailableEntries: a group behind an entry ends the search.
    """
    groups, missing, group = _by_start(groups), list[int](), None
    for entry in range(first, last + 1):
        if group is None or entry > _end(group):
            group = _floor(groups, entry)
            if entry > _end(group) if group else not groups:
                return (*missing, *(one for one in range(entry, last + 1) if one in expected))
        if entry in expected and not (group and _has(group, entry)):
            missing.append(entry)
    return tuple(missing)


def _by_start(groups: Iterable[SequenceGroup]) -> Groups:
    """In ascending order, the last of those that begin at one entry."""
    last = {group.first_start: group for group in groups}
    return tuple(last[start] for start in sorted(last))


def _floor(groups: Groups, entry: int) -> SequenceGroup | None:
    place = bisect_right(groups, entry, key=lambda group: group.first_start)
    return groups[place - 1] if place else None


def _end(group: SequenceGroup) -> int:
    """One entry too far."""
    return group.last_start + group.size


def _has(group: SequenceGroup, entry: int) -> bool:
    distance = entry - group.first_start
    is_within = distance >= 0 and entry <= _end(group)
    return is_within and (distance % group.period if group.period else distance) < group.size

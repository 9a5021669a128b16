"""Durability of closed ledgers: BookKeeper, BP-34, High Level Logic, and as AuditorReplicasCheckTask.java has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations, product

import pytest

from spec.ledger.availability.shipped import grouped_as_shipped
from spec.ledger.durability import (
    Durability,
    category,
    durability,
    findings,
    findings_as_shipped,
    is_judged,
    shares,
    shares_as_shipped,
)
from spec.ledger.errors import TooLarge
from spec.ledger.metadata import ENTRY_MAX, Metadata, Segment, State
from spec.ledger.schedule import Quorums

NONE, BELOW_ACK, BELOW_WRITE, WHOLE = Durability
ORDER = list(Durability)

Held = Mapping[str, frozenset[int]]


def ledger(quorums: Quorums, last: int, *firsts: int) -> Metadata:
    """A closed ledger, each of whose segments goes to the next bookies."""
    segments = (
        Segment(first, tuple(f"b{number + member}" for member in range(quorums.ensemble)))
        for number, first in enumerate((0, *firsts))
    )
    return Metadata(quorums, tuple(segments), State.CLOSED, last, 0)


def whole(metadata: Metadata) -> dict[str, frozenset[int]]:
    """Every bookie has what it should, and nothing else."""
    held: dict[str, frozenset[int]] = {}
    for share in shares(metadata):
        held[share.bookie] = held.get(share.bookie, frozenset()) | share.entries
    return held


def judged(metadata: Metadata, held: Held) -> Durability:
    return category(findings(metadata, held), metadata.quorums)


def shipped(metadata: Metadata, held: Held) -> Durability:
    answers = {bookie: grouped_as_shipped(sorted(entries)) for bookie, entries in held.items()}
    return category(findings_as_shipped(metadata, answers), metadata.quorums)


def test_what_is_missing_makes_the_category() -> None:
    """No replica, fewer than the ack quorum, fewer than the write quorum."""
    assert [durability(missing, Quorums(5, 4, 2)) for missing in range(5)] == [
        WHOLE,
        BELOW_WRITE,
        BELOW_WRITE,
        BELOW_ACK,
        NONE,
    ]
    assert [durability(missing, Quorums(2, 2, 2)) for missing in range(4)] == [WHOLE, BELOW_ACK, NONE, NONE]


def test_bookies_have_what_is_striped_to_them() -> None:
    """RoundRobinDistributionSchedule, segment by segment, up to the last entry."""
    metadata = ledger(Quorums(3, 2, 2), 6, 4)
    assert [(share.segment, share.bookie, sorted(share.entries)) for share in shares(metadata)] == [
        (0, "b0", [0, 2, 3]),
        (0, "b1", [0, 1, 3]),
        (0, "b2", [1, 2]),
        (4, "b1", [5, 6]),
        (4, "b2", [4, 6]),
        (4, "b3", [4, 5]),
    ]


def test_an_entry_counts_by_its_own_bookies() -> None:
    """Those that lack it, the worst entry for the ledger; a copy elsewhere counts for nothing."""
    metadata = ledger(Quorums(4, 3, 2), 3)
    held = whole(metadata) | {"b0": frozenset({0}), "b2": frozenset({0, 1, 2, 3})}
    found = findings(metadata, held)
    assert found.missing == {2: 1, 3: 1}
    assert [(share.bookie, entries) for share, entries in found.lacking] == [("b0", (2, 3))]
    assert category(found, metadata.quorums) is BELOW_WRITE
    assert judged(metadata, held | {"b3": frozenset({1})}) is BELOW_ACK


def test_a_silent_bookie_may_have_everything() -> None:
    """It is told, and no entry whose bookie is silent has no replica for sure."""
    metadata = ledger(Quorums(3, 3, 2), 1)
    found = findings(metadata, {"b0": frozenset(), "b1": frozenset(), "b2": None})
    assert [share.bookie for share in found.silent] == ["b2"]
    assert category(found, metadata.quorums) is BELOW_ACK
    assert len(findings(metadata, {}).silent) == 3


@pytest.mark.parametrize(
    ("metadata", "is_marked"),
    [
        (ledger(Quorums(1, 1, 1), -1), False),
        (ledger(Quorums(1, 1, 1), 3), True),
        (Metadata(Quorums(1, 1, 1), (Segment(0, ("b0",)),)), False),
        (Metadata(Quorums(1, 1, 1), (Segment(0, ("b0",)),), State.IN_RECOVERY), False),
    ],
)
def test_only_closed_ledgers_with_entries_and_no_mark_are_judged(metadata: Metadata, is_marked: bool) -> None:
    assert not is_judged(metadata, is_marked=is_marked)
    assert is_judged(ledger(Quorums(1, 1, 1), 3))


def sizes(most: int) -> list[Quorums]:
    """All of up to so many bookies."""
    numbers = range(1, most + 1)
    return [Quorums(*one) for one in product(numbers, repeat=3) if one[2] <= one[1] <= one[0]]


def subsets(of: frozenset[int]) -> list[frozenset[int]]:
    return [frozenset(some) for some in chain.from_iterable(combinations(of, size) for size in range(len(of) + 1))]


def improvements(metadata: Metadata, judge: Callable[[Metadata, Held], Durability]) -> Iterator[tuple[Held, str, int]]:
    """Whatever bookies have of what they should: what they had, and whose loss of which entry made the category better.

    Each holding is judged once; it is held against all that have one copy less.
    """
    due = sorted(whole(metadata).items())
    names = [bookie for bookie, _ in due]
    judged_by = {
        one: ORDER.index(judge(metadata, dict(zip(names, one, strict=True))))
        for one in product(*(subsets(entries) for _, entries in due))
    }
    for one, before in judged_by.items():
        for place, entries in enumerate(one):
            for entry in entries:
                if judged_by[(*one[:place], entries - {entry}, *one[place + 1 :])] > before:
                    yield dict(zip(names, one, strict=True)), names[place], entry


@pytest.mark.parametrize("quorums", sizes(4), ids=str)
def test_losing_a_copy_never_improves_a_category(quorums: Quorums) -> None:
    """Whatever bookies have of three entries in two segments, and whichever copy of it is lost."""
    assert next(improvements(ledger(quorums, 2, 2), judged), None) is None


@pytest.mark.parametrize("quorums", sizes(3), ids=str)
def test_a_silent_bookie_that_turns_out_empty_never_improves_a_category(quorums: Quorums) -> None:
    metadata = ledger(quorums, 2, 2)
    bookies = sorted(whole(metadata))
    for one in product(*(subsets(entries) for _, entries in sorted(whole(metadata).items()))):
        held = dict(zip(bookies, one, strict=True))
        for bookie in bookies:
            silent = {name: entries for name, entries in held.items() if name != bookie}
            empty = silent | {bookie: frozenset[int]()}
            assert ORDER.index(judged(metadata, silent)) >= ORDER.index(judged(metadata, empty))


def test_where_only_entries_count_that_somebody_has_a_loss_improves_a_category() -> None:
    """A category that is wrong in this way is noticed: the last copy of the worst entry is lost."""

    def of_what_is_there(metadata: Metadata, held: Held) -> Durability:
        there = frozenset[int]().union(*held.values())
        found = findings(metadata, held)
        return category(
            found._replace(missing={entry: found.missing[entry] for entry in found.missing if entry in there}),
            metadata.quorums,
        )

    had, bookie, entry = next(improvements(ledger(Quorums(2, 2, 2), 0), of_what_is_there))
    assert sum(entry in entries for entries in had.values()) == 1
    assert entry in had[bookie]


def test_losing_a_copy_improves_a_category_as_shipped() -> None:
    """Its search gives up at a gap of two entries: without the entry before the gap it finds the one behind it."""
    metadata = ledger(Quorums(2, 2, 1), 3)
    had = {"b0": frozenset({0, 3}), "b1": frozenset({0, 1, 2})}
    assert (had, "b0", 0) in list(improvements(metadata, shipped))
    assert shipped(metadata, had) is NONE
    assert shipped(metadata, had | {"b0": frozenset({3})}) is BELOW_WRITE
    assert judged(metadata, had) is judged(metadata, had | {"b0": frozenset({3})}) is BELOW_WRITE


def test_a_healthy_ledger_is_never_reported() -> None:
    """As shipped it is, just where E - W is 2 or more: what a bookie has then has gaps of two entries."""
    alarms = set()
    for quorums in sizes(5):
        for metadata in (ledger(quorums, 3 * quorums.ensemble), ledger(quorums, 4, 3)):
            assert judged(metadata, whole(metadata)) is WHOLE
        if shipped(metadata := ledger(quorums, 3 * quorums.ensemble), whole(metadata)) is not WHOLE:
            alarms.add(quorums)
    assert alarms == {quorums for quorums in sizes(5) if quorums.ensemble - quorums.write >= 2}


def test_a_bookie_that_comes_back_elsewhere_is_reported_as_shipped() -> None:
    """Even with E - W = 1: the search begins behind its older entries and gives up."""
    quorums = Quorums(3, 2, 2)
    segments = (
        Segment(0, ("a", "b", "c")),
        Segment(10, ("d", "b", "c")),
        Segment(20, ("d", "a", "c")),
    )
    metadata = Metadata(quorums, segments, State.CLOSED, 29, 0)
    assert judged(metadata, whole(metadata)) is WHOLE
    assert shipped(metadata, whole(metadata)) is not WHOLE


def test_what_dangles_behind_the_end_is_not_asked_for() -> None:
    """As shipped, a segment is held to the next one alone."""
    metadata = ledger(Quorums(3, 3, 2), 9, 10, 12)
    held = whole(metadata)
    assert judged(metadata, held) is WHOLE
    assert shipped(metadata, held | {"b3": frozenset(), "b4": frozenset()}) is NONE
    assert {share.segment for share in shares_as_shipped(metadata)} == {0, 10}


def test_what_is_too_large_is_refused() -> None:
    """A ledger of 2^63 entries is not looked at one by one."""
    endless = replace(ledger(Quorums(1, 1, 1), 0), last_entry=ENTRY_MAX)
    for of in (shares, shares_as_shipped):
        with pytest.raises(TooLarge, match="too many entries"):
            next(of(endless))

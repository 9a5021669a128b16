"""Durability: how many copies of each entry the bookies have that should have one.

BookKeeper, BP-34, High Level Logic, and replication/AuditorReplicasCheckTask.java.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from itertools import pairwise
from typing import NamedTuple, TypeVar

from spec.ledger.availability.groups import ENTRIES_MAX, Groups
from spec.ledger.availability.shipped import missing_as_shipped
from spec.ledger.coverage import write_set
from spec.ledger.errors import TooLarge
from spec.ledger.metadata import NO_ENTRY, Metadata, ranges
from spec.ledger.schedule import Quorums

Answer = TypeVar("Answer")

Answers = Mapping[str, Answer | None]
"""What each bookie says that it has of a ledger; None, or nothing at all, where it is silent."""


class Durability(Enum):
    """What an entry, or the worst of a ledger's, comes to, the worst first. BookKeeper, BP-34, High Level Logic."""

    NO_REPLICA = "no copy"
    BELOW_ACK_QUORUM = "fewer copies than the ack quorum"
    BELOW_WRITE_QUORUM = "fewer copies than the write quorum"
    WHOLE = "all copies"


class Share(NamedTuple):
    """What a member of a segment's ensemble should have.

    BookKeeper, BP-34, High Level Logic: what bookies have by the round-robin schedule.

    Attributes:
        segment: the first entry of the segment.
        member: its place in the ensemble.
        bookie: who it is.
        of: all entries of the segment.
        entries: those that go to it.
    """

    segment: int
    member: int
    bookie: str
    of: range
    entries: frozenset[int]


class Findings(NamedTuple):
    """What is found of a ledger's copies.

    Attributes:
        missing: how many copies of an entry are missing, of those that lack one.
        silent: the shares of bookies that said nothing, and may have all of theirs.
        lacking: the shares of bookies that lack some, and which.
    """

    missing: Mapping[int, int]
    silent: tuple[Share, ...]
    lacking: tuple[tuple[Share, tuple[int, ...]], ...]


def durability(missing: int, quorums: Quorums) -> Durability:
    """The category of an entry by how many of its write quorum of copies are missing.

    BookKeeper, replication/AuditorReplicasCheckTask.java: no replica, fewer than the ack quorum, than the write quorum.
    """
    copies = quorums.write - missing
    if copies <= 0:
        return Durability.NO_REPLICA
    if copies < quorums.ack:
        return Durability.BELOW_ACK_QUORUM
    return Durability.BELOW_WRITE_QUORUM if missing else Durability.WHOLE


def shares(metadata: Metadata) -> Iterator[Share]:
    """What each member of each ensemble of a closed ledger should have, if that is anything.

    BookKeeper, BP-34, High Level Logic: entries are striped round robin up to the end of the ledger.

    Raises:
        TooLarge: it has more entries than can be looked at one by one.
    """
    return _shares(metadata, ranges(metadata))


def shares_as_shipped(metadata: Metadata) -> Iterator[Share]:
    """The same, where a segment goes up to the next one even behind the end of the ledger.

    BookKeeper, replication/AuditorReplicasCheckTask.java: only the last segment is held against the last entry.

    Raises:
        TooLarge: they are more than can be looked at one by one.
    """
    end = ranges(metadata)[-1]
    segments = (range(one.first_entry, after.first_entry) for one, after in pairwise(metadata.segments))
    return _shares(metadata, (*segments, end))


def findings(metadata: Metadata, answers: Answers[frozenset[int]]) -> Findings:
    """Which copies are missing, and who is silent; a copy elsewhere than scheduled counts for nothing.

    BookKeeper, BP-34, High Level Logic: bookies have all that the schedule gives them.
    """
    return _findings(shares(metadata), answers, lambda share, held: sorted(share.entries - held))


def findings_as_shipped(metadata: Metadata, answers: Answers[Groups]) -> Findings:
    """The same by the search of releases 4.10 to 4.18, which gives up at a gap of two entries.

    BookKeeper, replication/AuditorReplicasCheckTask.java.
    """
    return _findings(
        shares_as_shipped(metadata),
        answers,
        lambda share, groups: missing_as_shipped(groups, share.of[0], share.of[-1], share.entries),
    )


def category(found: Findings, quorums: Quorums) -> Durability:
    """The category of a ledger is that of its worst entry; a silent bookie counts as if it had everything.

    BookKeeper, replication/AuditorReplicasCheckTask.java: one category a ledger.
    """
    return durability(max(found.missing.values(), default=0), quorums)


def is_judged(metadata: Metadata, *, is_marked: bool = False) -> bool:
    """A ledger is held to its copies if it is closed, has entries, and no mark.

    BookKeeper, BP-34, High Level Logic: closed ledgers only, and no ledger that has a mark.
    """
    return metadata.last_entry is not None and metadata.last_entry > NO_ENTRY and not is_marked


def _shares(metadata: Metadata, segments: Iterable[range]) -> Iterator[Share]:
    segments, quorums = tuple(segments), metadata.quorums
    if (count := sum(entries.stop - entries.start for entries in segments if entries)) > ENTRIES_MAX:
        raise TooLarge(
            "too many entries to look at one by one", "metadata", f"{count} of them", f"at most {ENTRIES_MAX}"
        )
    for segment, entries in zip(metadata.segments, segments, strict=True):
        striped: list[list[int]] = [[] for _ in segment.ensemble]
        for entry in entries:
            for member in write_set(entry, quorums.ensemble, quorums.write):
                striped[member].append(entry)
        for member, bookie in enumerate(segment.ensemble):
            if striped[member]:
                yield Share(segment.first_entry, member, bookie, entries, frozenset(striped[member]))


def _findings(
    expected: Iterable[Share], answers: Answers[Answer], lacks: Callable[[Share, Answer], Iterable[int]]
) -> Findings:
    missing, silent, lacking = Counter[int](), list[Share](), list[tuple[Share, tuple[int, ...]]]()
    for share in expected:
        held = answers.get(share.bookie)
        if held is None:
            silent.append(share)
        elif lacked := tuple(lacks(share, held)):
            missing.update(lacked)
            lacking.append((share, lacked))
    return Findings(missing, tuple(silent), tuple(lacking))

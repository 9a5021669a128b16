"""The two checks that came before the metadata checker: they mark ledgers, by lost bookies or by what cannot be read.

BookKeeper, BP-34; replication/AuditorBookieCheckTask.java, replication/AuditorCheckAllLedgersTask.java and
client/LedgerChecker.java.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from spec.ledger.durability import Share, shares
from spec.ledger.metadata import Metadata

ALL: Final = 100
"""The percentage at which everything is read."""


def lost_replicas(metadata: Metadata, available: Collection[str]) -> tuple[str, ...]:
    """The bookies of any segment that are lost: with one of them, a ledger is marked, even if it has no entries.

    BookKeeper, replication/AuditorBookieCheckTask.java: registered bookies are available, read-only ones too.
    """
    bookies = (bookie for segment in metadata.segments for bookie in segment.ensemble if bookie not in available)
    return tuple(dict.fromkeys(bookies))


def entries_to_read(share: Share, percentage: int = 0) -> tuple[int, ...]:
    """The entries that are read of what a bookie should have: both ends, and more, evenly, if a percentage is asked.

    BookKeeper, client/LedgerChecker.java, auditorLedgerVerificationPercentage, which draws those between at random.

    Raises:
        ValueError: it is no percentage.
    """
    if not 0 <= percentage <= ALL:
        raise ValueError(f"{percentage} is no percentage: auditorLedgerVerificationPercentage goes from 0 to {ALL}")
    entries = sorted(share.entries)
    count = max(1, len(entries) * percentage // ALL)
    between = (entries[number * len(entries) // count] for number in range(count))
    return tuple(sorted({entries[0], entries[-1], *between}))


def unread_replicas(metadata: Metadata, held: Mapping[str, Collection[int]], percentage: int = 0) -> tuple[str, ...]:
    """The bookies that lack an entry that is read of them, or that cannot be asked: with one, a ledger is marked.

    BookKeeper, replication/AuditorCheckAllLedgersTask.java: any failure marks.
    """
    failing = (
        share.bookie
        for share in shares(metadata)
        if not set(entries_to_read(share, percentage)) <= set(held.get(share.bookie, ()))
    )
    return tuple(dict.fromkeys(failing))

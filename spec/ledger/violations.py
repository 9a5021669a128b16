"""Violations that a checker of metadata reports, by category, and how they are counted.

BookKeeper, BP-34, Intention, and replication/ReplicationStats.java.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from spec.ledger.durability import Durability


class Category(Enum):
    """What is wrong with a ledger. BookKeeper, BP-34, Intention."""

    NO_REPLICA = "no replica of an entry"
    BELOW_ACK_QUORUM = "fewer replicas of an entry than its ack quorum"
    BELOW_WRITE_QUORUM = "fewer replicas of an entry than its write quorum"
    MISPLACED = "an ensemble that the placement policy does not allow"
    MARKED_TOO_LONG = "an under-replication mark that stands too long"
    SILENT_BOOKIE = "a bookie that does not answer and is not known to be down"


BY_DURABILITY: Final = {
    Durability.NO_REPLICA: Category.NO_REPLICA,
    Durability.BELOW_ACK_QUORUM: Category.BELOW_ACK_QUORUM,
    Durability.BELOW_WRITE_QUORUM: Category.BELOW_WRITE_QUORUM,
}
"""The category of an entry that lacks copies."""

GAUGES: Final = {
    Durability.NO_REPLICA: "NUM_LEDGERS_HAVING_NO_REPLICA_OF_AN_ENTRY",
    Durability.BELOW_ACK_QUORUM: "NUM_LEDGERS_HAVING_LESS_THAN_AQ_REPLICAS_OF_AN_ENTRY",
    Durability.BELOW_WRITE_QUORUM: "NUM_LEDGERS_HAVING_LESS_THAN_WQ_REPLICAS_OF_AN_ENTRY",
}
"""The gauge that counts ledgers whose worst entry is so. BookKeeper, replication/ReplicationStats.java."""


class Violation(NamedTuple):
    """One violation, with all that is needed to understand it.

    BookKeeper, BP-34, High Level Logic: each is logged with complete information.

    Attributes:
        ledger: whose it is.
        category: what is wrong.
        segment: the first entry of the segment; None where it is about the whole ledger.
        bookies: whom it is about: who lacks copies, the ensemble, or who is silent.
        entries: which entries lack copies.
        since_ms: since when a mark stands.
    """

    ledger: int
    category: Category
    segment: int | None = None
    bookies: tuple[str, ...] = ()
    entries: tuple[int, ...] = ()
    since_ms: int | None = None

    def __str__(self) -> str:
        parts = [
            f"ledger {self.ledger}: {self.category.value}",
            f"segment {self.segment}" if self.segment is not None else "",
            f"entries {', '.join(map(str, self.entries))}" if self.entries else "",
            f"bookies {', '.join(self.bookies)}" if self.bookies else "",
            f"since {self.since_ms} ms" if self.since_ms is not None else "",
        ]
        return "; ".join(filter(None, parts))


def counts(violations: Iterable[Violation]) -> Mapping[Category, int]:
    """How many ledgers have violations of each category, all categories told.

    BookKeeper, BP-34, High Level Logic: the aggregated count of each category at the end of a run.
    """
    found = Counter(category for _, category in {(one.ledger, one.category) for one in violations})
    return {category: found[category] for category in Category}


def gauges(ranges: Iterable[Sequence[Durability]]) -> Mapping[str, int]:
    """What the three gauges show after a run over ranges of ledgers: all ledgers, each by its worst entry.

    BookKeeper, BP-34, High Level Logic: aggregated over the whole run.
    """
    found = Counter(one for ledgers in ranges for one in ledgers)
    return {gauge: found[durability] for durability, gauge in GAUGES.items()}


def gauges_as_shipped(ranges: Sequence[Sequence[Durability]]) -> Mapping[str, int]:
    """The same in releases 4.10 to 4.18: only the last range counts.

    BookKeeper, replication/AuditorReplicasCheckTask.java: the counters are set to 0 at the start of every range.
    """
    return gauges(ranges[-1:])

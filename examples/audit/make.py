"""Writes the snapshot in this folder: what a cluster of five bookies said of four ledgers.

    python examples/audit/make.py

Ledger 1 is whole. Of ledger 2 two bookies have lost entries, ledger 3 has a mark that stands too long, and of ledger 4,
which is whole, a bookie that is registered says nothing.
"""

from __future__ import annotations

import sys
from pathlib import Path

from spark_checks.audit.cluster import Bookie, Cluster
from spark_checks.audit.writing import write
from spec.ledger.availability.encoding import pack
from spec.ledger.availability.shipped import grouped_as_shipped
from spec.ledger.durability import shares
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums

RACKS = {"bookie1:3181": "/rack1", "bookie2:3181": "/rack1", "bookie3:3181": "/rack2", "bookie4:3181": "/rack2"}
BOOKIES = (*(Bookie(name, rack) for name, rack in RACKS.items()), Bookie("bookie5:3181", "/rack3"))
CLUSTER = Cluster(
    BOOKIES, "rack-aware", {"least": 2}, taken_ms=1_790_000_000_000, grace_ms=3_600_000, identity="example"
)
NAMES = tuple(one.name for one in BOOKIES)

WIDE = Metadata(Quorums(5, 3, 2), (Segment(0, NAMES),), State.CLOSED, last_entry=20, length_bytes=2100)
NARROW = Metadata(Quorums(3, 2, 2), (Segment(0, NAMES[::2]),), State.CLOSED, last_entry=8, length_bytes=900)


def answers(metadata: Metadata, **lost: tuple[int, ...]) -> dict[str, bytes | None]:
    """What bookies say that have all that they should, but for some entries; as shipped bookies send it."""
    return {
        one.bookie: pack(grouped_as_shipped(sorted(one.entries.difference(lost.get(one.bookie.partition(":")[0], ())))))
        for one in shares(metadata)
    }


LEDGERS = (
    LedgerEvidence(1, WIDE, answers(WIDE), version=1),
    LedgerEvidence(2, WIDE, answers(WIDE, bookie1=(10,), bookie2=(10, 11)), version=1),
    LedgerEvidence(3, NARROW, answers(NARROW), Mark(("bookie3:3181",), CLUSTER.taken_ms - 7_200_000), version=1),
    LedgerEvidence(4, NARROW, answers(NARROW) | {"bookie5:3181": None}, version=1),
)

if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("snapshot"), CLUSTER, LEDGERS)

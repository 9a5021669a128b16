"""Random clusters of bookies for tests of the audit: as a snapshot, and as what the reference checker asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from random import Random
from typing import Any, Final

from reference_impl.ledger.checker.earlier import Earlier
from reference_impl.ledger.checker.running import run
from reference_impl.ledger.checker.state import Check, Settings, Versioned
from spark_checks.audit.cluster import Bookie, Cluster
from spec.ledger.availability.encoding import encode, pack
from spec.ledger.availability.groups import SequenceGroup
from spec.ledger.availability.shipped import grouped_as_shipped
from spec.ledger.errors import Malformed
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums
from spec.ledger.violations import Violation
from tests.support.ledger_cluster import SmallCluster, whole

BOOKIES: Final = 6
ENTRIES: Final = 40
NOW_MS: Final = 1_000_000
GRACE_MS: Final = 1000

NEVER: Final = Earlier()
"""Where there was no earlier run."""

Row = tuple[Any, ...]


def random_cluster(rng: Random) -> Cluster:
    """Bookies in three racks, some of them down."""
    bookies = tuple(
        Bookie(f"b{number}", rng.choice(("", "r1", "r2", "r3")), rng.random() < 0.7, rng.random() < 0.5)
        for number in range(BOOKIES)
    )
    return Cluster(bookies, "rack-aware", {"least": 2}, NOW_MS, GRACE_MS, "random")


def random_ledgers(rng: Random, cluster: Cluster, count: int) -> list[LedgerEvidence]:
    """Ledgers whose bookies have all, have lost some, are silent or send damaged bytes, and one that cannot be read."""
    names = [one.name for one in cluster.bookies]
    return [*(_ledger(rng, names, number) for number in range(count)), LedgerEvidence(count, None)]


def random_metadata(rng: Random, names: list[str]) -> Metadata:
    """The metadata of a ledger, mostly closed."""
    ensemble = rng.randint(1, len(names))
    write = rng.randint(1, ensemble)
    firsts = [0, *sorted(rng.sample(range(1, ENTRIES + 10), rng.randint(0, 2)))]
    segments = tuple(Segment(first, tuple(rng.sample(names, ensemble))) for first in firsts)
    quorums = Quorums(ensemble, write, rng.randint(1, write))
    if rng.random() < 0.1:
        return Metadata(quorums, segments, rng.choice((State.OPEN, State.IN_RECOVERY)))
    return Metadata(quorums, segments, State.CLOSED, rng.randint(-1, ENTRIES), 0)


def random_list(rng: Random, entries: Iterable[int]) -> bytes:
    """Entries as BP-34 groups them, as shipped bookies do, or as one group for each, so that groups touch."""
    ordered = sorted(entries)
    alone = tuple(SequenceGroup(entry, entry, 1, 0) for entry in ordered)
    return rng.choice((encode(ordered), pack(grouped_as_shipped(ordered)), pack(alone)))


def _ledger(rng: Random, names: list[str], number: int) -> LedgerEvidence:
    metadata, is_hurt = random_metadata(rng, names), rng.random() < 0.5
    due = whole(metadata) if metadata.is_closed else {}
    answers: dict[str, bytes | None] = {}
    for name in names:
        held = set(due.get(name, ()))
        if name not in due and rng.random() < 0.5:
            continue
        if is_hurt and rng.random() < 0.4:
            held -= set(rng.sample(range(ENTRIES), rng.randint(1, 6))) if rng.random() < 0.8 else held
            held |= {rng.randrange(ENTRIES + 20)} if rng.random() < 0.3 else set()
        said = random_list(rng, held)
        answers[name] = None if is_hurt and rng.random() < 0.1 else said[:-3] if rng.random() < 0.02 else said
    is_marked = rng.random() < 0.1
    mark = Mark((names[0],), rng.choice((None, NOW_MS - rng.randrange(2 * GRACE_MS)))) if is_marked else None
    return LedgerEvidence(number, metadata, answers, mark, rng.choice((None, 1, 2)))


def by_reference(
    cluster: Cluster,
    ledgers: Iterable[LedgerEvidence],
    earlier: Earlier = NEVER,
    done: Callable[[Check], None] = lambda _: None,
) -> tuple[Counter[Row], Counter[str]]:
    """The violations that the reference checker finds, as rows, and how many ledgers ended how."""
    asked = SmallCluster(
        present={one.name for one in cluster.bookies if one.registered},
        down={one.name for one in cluster.bookies if one.known_down},
        time_ms=cluster.taken_ms,
    )
    numbers = []
    for one in ledgers:
        numbers.append(one.ledger)
        damage = Malformed("it cannot be read", "metadata", "damaged", "ask again")
        asked.metadatas[one.ledger] = damage if one.metadata is None else Versioned(one.metadata, one.version or 0)
        asked.held[one.ledger] = {name: said for name, said in one.answers.items() if said is not None}
        if one.mark:
            asked.marks[one.ledger] = one.mark
    settings = Settings(cluster.policy, cluster.grace_ms, delay_ms=0, earlier=earlier)
    report = run(asked, numbers, settings, lambda _: None, done=done)
    return Counter(map(_row, report.violations)), Counter({one.name: count for one, count in report.endings.items()})


def _row(found: Violation) -> Row:
    entries = sorted(found.entries)
    span = (len(entries), entries[0], entries[-1]) if entries else (None, None, None)
    return (found.ledger, found.category.name, found.segment, tuple(sorted(found.bookies)), *span, found.since_ms)


def rows_of(violations: Iterable[dict[str, Any]]) -> Counter[Row]:
    """Rows of the table of violations in the same form."""
    names = ("entries", "first_entry", "last_entry", "since_ms")
    return Counter(
        (one["ledger"], one["category"], one["segment"], tuple(sorted(one["bookies"])), *(one[name] for name in names))
        for one in violations
    )

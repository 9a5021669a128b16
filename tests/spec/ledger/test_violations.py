"""Violations and their counts: BookKeeper, BP-34, High Level Logic; gauges: replication/ReplicationStats.java."""

from __future__ import annotations

from spec.ledger.durability import Durability
from spec.ledger.violations import BY_DURABILITY, GAUGES, Category, Violation, counts, gauges, gauges_as_shipped

NONE, BELOW_ACK, BELOW_WRITE, WHOLE = Durability


def test_a_violation_tells_all_that_is_known() -> None:
    """Each is logged with complete information."""
    lost = Violation(7, Category.NO_REPLICA, 5, ("a", "b"), (5, 6))
    assert str(lost) == "ledger 7: no replica of an entry; segment 5; entries 5, 6; bookies a, b"
    marked = Violation(8, Category.MARKED_TOO_LONG, since_ms=12)
    assert str(marked) == "ledger 8: an under-replication mark that stands too long; since 12 ms"


def test_ledgers_are_counted_by_category() -> None:
    """The aggregated count of each category, those without any too; a ledger counts once in each."""
    found = [
        Violation(1, Category.MISPLACED, 0),
        Violation(1, Category.MISPLACED, 5),
        Violation(2, Category.NO_REPLICA),
    ]
    assert {category: count for category, count in counts(found).items() if count} == {
        Category.MISPLACED: 1,
        Category.NO_REPLICA: 1,
    }
    assert counts([]) == dict.fromkeys(Category, 0)


def test_every_lack_of_copies_has_a_category_and_a_gauge() -> None:
    assert list(BY_DURABILITY) == list(GAUGES) == [one for one in Durability if one is not WHOLE]


def test_gauges_show_the_whole_run() -> None:
    """As shipped, only its last range of ledgers: counters start anew with each."""
    ranges = [[NONE, NONE, BELOW_ACK], [WHOLE, BELOW_WRITE]]
    assert list(gauges(ranges).values()) == [2, 1, 1]
    assert list(gauges_as_shipped(ranges).values()) == [0, 0, 1]
    assert gauges(ranges[:1]) == gauges_as_shipped(ranges[:1])

"""What is written down of a running cluster: nobody is asked in vain, and who is silent is asked again.

Justified by BookKeeper, BP-34, High Level Logic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import cast

from conformance.record.bookkeeper_batches import Pair
from conformance.record.bookkeeper_live import TOGETHER, Found, LiveCluster, Marks
from conformance.record.bookkeeper_said import said
from conformance.record.java_functions import Later
from reference_impl.ledger.checker.state import Versioned
from spec.ledger.errors import Malformed
from spec.ledger.evidence import LedgerEvidence
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, Segment
from spec.ledger.schedule import Quorums
from tests.support.ledger_cluster import closed

OPEN = Metadata(Quorums(1, 1, 1), (Segment(0, ("a",)),))
DAMAGE = Malformed("no version", "metadata", "b''", "get it again")


class Told:
    """A cluster that has what it is given, and of which bookie b is silent for some time."""

    def __init__(self, found: Found, marks: Marks, silences: int = 0) -> None:
        self.found, self.marks, self.silences = found, marks, silences
        self.asked: list[Pair] = []

    def marked(self, ledgers: Sequence[int]) -> Later[tuple[Marks, Found]]:
        return lambda: ({one: self.marks.get(one) for one in ledgers}, {one: self.found[one] for one in ledgers})

    def lists(self, pairs: Sequence[Pair]) -> Later[Mapping[Pair, bytes | None]]:
        self.asked += pairs
        self.silences -= 1
        return lambda: {pair: None if pair[1] == "b" and self.silences >= 0 else b"some" for pair in pairs}

    def says(self) -> list[LedgerEvidence]:
        return list(said(cast("LiveCluster", self), list(self.found), later_ms=0))


def test_nobody_is_asked_about_what_is_not_judged() -> None:
    """Open, empty or marked, or not to be read; what is deleted is not even written down."""
    mark = Mark(("a",), 1)
    found: Found = {1: Versioned(OPEN, 7), 2: Versioned(closed(-1), 1), 3: Versioned(closed(), 1), 4: DAMAGE, 5: None}
    cluster = Told(found, {3: mark})
    assert cluster.says() == [
        LedgerEvidence(1, OPEN, version=7),
        LedgerEvidence(2, closed(-1), version=1),
        LedgerEvidence(3, closed(), {}, mark, version=1),
        LedgerEvidence(4, None),
    ]
    assert cluster.asked == []


def test_who_is_silent_is_asked_again() -> None:
    cluster = Told({1: Versioned(closed(), 1)}, {}, silences=1)
    assert cluster.says() == [LedgerEvidence(1, closed(), {"a": b"some", "b": b"some", "c": b"some"}, version=1)]
    assert cluster.asked == [(1, "a"), (1, "b"), (1, "c"), (1, "b")]
    (told,) = Told({1: Versioned(closed(), 1)}, {}, silences=2).says()
    assert told.answers == {"a": b"some", "b": None, "c": b"some"}


def test_every_ledger_is_told_in_order_however_many_groups_they_are() -> None:
    many = range(2 * TOGETHER + 1)
    assert [one.ledger for one in Told({ledger: Versioned(OPEN, 1) for ledger in many}, {}).says()] == list(many)


def test_about_marks_nobody_is_asked_at_the_first_look_where_none_were_listed() -> None:
    """The second look, before a report, is at what is so then."""
    asked = list[Sequence[int]]()

    def marks(ledgers: Sequence[int]) -> Later[Marks]:
        asked.append(ledgers)
        return lambda: {one: Mark(("a",), one) for one in ledgers}

    listed = cast("LiveCluster", SimpleNamespace(_batches=SimpleNamespace(marks=marks), _unmarked={1, 2}))
    assert LiveCluster.marks(listed, [1, 3])() == {1: None, 3: Mark(("a",), 3)}
    assert LiveCluster.marks(listed, [1, 2])() == {1: Mark(("a",), 1), 2: None}
    assert asked == [[3], [1]]

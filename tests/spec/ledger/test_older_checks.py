"""The auditor's checks of bookies and of ledgers: BookKeeper, BP-34; client/LedgerChecker.java."""

from __future__ import annotations

import pytest

from spec.ledger.durability import shares
from spec.ledger.marks import Mark
from spec.ledger.older_checks import entries_to_read, lost_replicas, unread_replicas
from spec.ledger.schedule import Quorums
from tests.support.ledger_cluster import closed, whole

LEDGER = closed(5, ("a", "b", "c"), ("a", "b", "d"))


def test_a_lost_bookie_marks_every_ledger_of_it() -> None:
    """Whichever segment names it, and even if the ledger is empty."""
    assert lost_replicas(LEDGER, "abcd") == ()
    assert lost_replicas(LEDGER, "ad") == ("b", "c")
    assert lost_replicas(closed(-1), "ab") == ("c",)
    assert Mark().added(lost_replicas(LEDGER, "abd"), 5) == Mark(("c",), 5)


def test_both_ends_of_what_a_bookie_should_have_are_read() -> None:
    """Of each segment; a hole between them goes unnoticed."""
    whole_ledger = closed(29, quorums=Quorums(3, 3, 2))
    assert [entries_to_read(share) for share in shares(whole_ledger)] == [(0, 29)] * 3
    assert unread_replicas(whole_ledger, whole(whole_ledger)) == ()
    held = whole(whole_ledger)
    assert unread_replicas(whole_ledger, held | {"b": held["b"] - {29}}) == ("b",)
    assert unread_replicas(whole_ledger, held | {"b": held["b"] - {15}}) == ()
    assert unread_replicas(LEDGER, {"a": whole(LEDGER)["a"]}) == ("b", "c", "d")


def test_a_percentage_of_entries_is_read_up_to_all() -> None:
    """At 100 % no hole goes unnoticed."""
    (share, *_) = shares(closed(29, quorums=Quorums(3, 3, 2)))
    counts = [len(entries_to_read(share, percentage)) for percentage in range(101)]
    assert counts == sorted(counts)
    assert (counts[0], counts[50], counts[100]) == (2, 16, 30)
    held = whole(LEDGER)
    for bookie, entries in held.items():
        for entry in entries:
            assert unread_replicas(LEDGER, held | {bookie: entries - {entry}}, 100) == (bookie,)
    for percentage in (-1, 101):
        with pytest.raises(ValueError, match="is no percentage"):
            entries_to_read(share, percentage)

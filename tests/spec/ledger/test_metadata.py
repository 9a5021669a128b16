"""Metadata of ledgers and how it changes: BookKeeper, client/LedgerMetadataBuilder.java, client/LedgerHandle.java."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from spec.ledger.changes import change_ensemble, close, fence, last_add_confirmed, recovery_begins_at
from spec.ledger.errors import BadLedger, CannotChange
from spec.ledger.metadata import ENTRY_MAX, Metadata, Segment, State, check, ensemble_of, ranges
from spec.ledger.schedule import Quorums

OPEN = Metadata(Quorums(3, 2, 2), (Segment(0, ("a", "b", "c")), Segment(5, ("a", "d", "c"))))
CLOSED = replace(OPEN, state=State.CLOSED, last_entry=8, length_bytes=900)


def test_segments_share_out_the_entries() -> None:
    """LedgerMetadataImpl.java, getEnsembleAt; what is not closed has no end yet."""
    assert ranges(CLOSED) == (range(5), range(5, 9))
    assert ranges(OPEN) == (range(5), range(5, ENTRY_MAX))
    assert ensemble_of(CLOSED, 4) == ("a", "b", "c")
    assert ensemble_of(CLOSED, 5) == ("a", "d", "c")
    with pytest.raises(BadLedger, match="-1 is before 0"):
        ensemble_of(CLOSED, -1)


def test_a_segment_behind_the_end_has_no_entries() -> None:
    """An empty last segment is usual, and one that dangles has none either."""
    empty = replace(CLOSED, last_entry=4)
    assert [len(one) for one in ranges(empty)] == [5, 0]
    dangling = replace(CLOSED, last_entry=2)
    assert [len(one) for one in ranges(dangling)] == [3, 0]
    assert [len(one) for one in ranges(replace(CLOSED, last_entry=-1))] == [0, 0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"quorums": Quorums(3, 2, 3)}, "its sizes do not fit"),
        ({"quorums": Quorums(1, 2, 1)}, "its sizes do not fit"),
        ({"quorums": Quorums(3, 2, 0)}, "its sizes do not fit"),
        ({"segments": ()}, "no such segments"),
        ({"segments": (Segment(-1, ("a", "b", "c")),)}, "no such segments"),
        ({"segments": (Segment(0, ("a", "b")),)}, "2 bookies from entry 0 on"),
        ({"segments": OPEN.segments[:1] * 2}, "0 follows 0"),
        ({"last_entry": 8}, "an end and a state contradict each other"),
        ({"state": State.CLOSED, "last_entry": 8}, "an end and a state contradict each other"),
        ({"state": State.CLOSED, "last_entry": -2, "length_bytes": 0}, "no such end"),
        ({"state": State.CLOSED, "last_entry": 0, "length_bytes": -1}, "no such end"),
    ],
)
def test_what_no_ledger_is(wrong: dict[str, Any], told: str) -> None:
    """LedgerMetadataBuilder.java refuses it."""
    assert check(OPEN, "here") is OPEN
    assert check(CLOSED, "here") is CLOSED
    with pytest.raises(BadLedger, match=f"^here: .*{told}.* Try: "):
        check(replace(OPEN, **wrong), "here")


def test_entries_are_confirmed_in_order() -> None:
    """LedgerHandle.java, sendAddSuccessCallbacks: a gap holds up what is behind it."""
    assert last_add_confirmed(()) == -1
    assert last_add_confirmed({0, 1, 3}) == 1
    assert last_add_confirmed({2, 3, 5}, known=1) == 3


def test_an_ensemble_changes_behind_what_is_confirmed() -> None:
    """LedgerHandle.java, ensembleChangeLoop: a new segment at LAC + 1, or the last one replaced."""
    appended = change_ensemble(OPEN, 6, {0: "e"})
    assert appended.segments == (*OPEN.segments, Segment(7, ("e", "d", "c")))
    replaced = change_ensemble(OPEN, 4, {0: "e", 2: "f"})
    assert replaced.segments == (OPEN.segments[0], Segment(5, ("e", "d", "f")))
    assert check(appended, "here") == appended


@pytest.mark.parametrize(
    ("metadata", "confirmed", "replaced"),
    [(fence(OPEN), 6, {0: "e"}), (CLOSED, 8, {0: "e"}), (OPEN, 3, {0: "e"}), (OPEN, 6, {}), (OPEN, 6, {3: "e"})],
)
def test_other_changes_of_an_ensemble_are_refused(metadata: Metadata, confirmed: int, replaced: dict[int, str]) -> None:
    """While the ledger is open, for members that there are, and never before the last segment."""
    with pytest.raises(CannotChange):
        change_ensemble(metadata, confirmed, replaced)


def test_a_fenced_ledger_is_recovered_and_closed() -> None:
    """ReadOnlyLedgerHandle.java, recover; issue 2615: recovery reads nothing before the last segment."""
    fenced = fence(OPEN)
    assert fenced.state is State.IN_RECOVERY
    assert fence(fenced) == fenced
    assert recovery_begins_at(fenced, -1) == 5
    assert recovery_begins_at(fenced, 6) == 7
    assert close(fenced, 8, 900) == CLOSED == close(CLOSED, 8, 900)
    assert close(OPEN, 4, 500).last_entry == 4
    with pytest.raises(CannotChange, match="what is closed needs no recovery"):
        fence(CLOSED)
    with pytest.raises(CannotChange, match="its end is 8, not 7"):
        close(CLOSED, 7, 900)
    with pytest.raises(CannotChange, match="its last segment begins at 5, not 4"):
        close(OPEN, 3, 400)

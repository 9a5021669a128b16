"""Under-replication marks: BookKeeper, meta/ZkLedgerUnderreplicationManager.java; their age: BP-34, Intention."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.ledger.errors import BadLedger, LedgerError, Malformed, TooLarge, Truncated
from spec.ledger.forms.messages import BYTES_MAX
from spec.ledger.marks import (
    LEDGER_MAX,
    Mark,
    is_too_old,
    is_too_old_as_shipped,
    ledger_at,
    path_of,
    read,
    read_check_time_ms,
    write,
)


def test_where_a_mark_stands() -> None:
    """As seen on a real cluster, for ledger 424242."""
    assert path_of(424242) == "underreplication/ledgers/0000/0000/0006/7932/urL0000424242"
    assert ledger_at(f"/ledgers/{path_of(424242)}") == 424242
    assert path_of(LEDGER_MAX).endswith("/7fff/ffff/ffff/ffff/urL9223372036854775807")


@pytest.mark.parametrize("path", ["", "urL-000000001", "x/urL0000000001", path_of(1)[:-1] + "2", f"{path_of(1)}/x"])
def test_no_mark_stands_elsewhere(path: str) -> None:
    with pytest.raises(Malformed, match="no mark stands there"):
        ledger_at(path)


@pytest.mark.parametrize("ledger", [-1, LEDGER_MAX + 1])
def test_a_ledger_has_a_number(ledger: int) -> None:
    """What is negative would never be found again."""
    with pytest.raises(BadLedger, match="no such ledger"):
        path_of(ledger)


@given(st.integers(0, LEDGER_MAX))
def test_a_ledger_is_found_by_its_path(ledger: int) -> None:
    assert ledger_at(path_of(ledger)) == ledger


def test_what_a_mark_says() -> None:
    """By hand; both parts may be absent."""
    mark = Mark(("127.0.0.1:3181", "b:1"), 1700000000000)
    assert write(mark) == b'replica: "127.0.0.1:3181"\nreplica: "b:1"\nctime: 1700000000000\n'
    assert read(write(mark)) == mark
    assert read(b"") == Mark()


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"replica:", Truncated), (b"replica: 1", Malformed), (b"\xff", Malformed), (bytes(BYTES_MAX + 1), TooLarge)],
    ids=["cut", "number", "no text", "huge"],
)
def test_damaged_marks_are_refused_by_name(data: bytes, error: type[LedgerError]) -> None:
    with pytest.raises(error, match="under-replication mark"):
        read(data)


def test_when_a_check_was_done() -> None:
    """Protocol buffers as bytes: a message with one number."""
    assert read_check_time_ms(bytes.fromhex("0880d095ffbc31")) == 1700000000000
    with pytest.raises(Malformed, match="a field is missing"):
        read_check_time_ms(b"")


def test_a_new_replica_starts_the_age_anew() -> None:
    """handleLedgerUnderreplicatedAlreadyMarked: as shipped, a mark may stand for ever and never be too old."""
    mark = Mark(("a",), 0)
    assert mark.added(("a",), 5) == mark == mark.added((), 5)
    assert mark.added(("b", "a", "b"), 5) == Mark(("a", "b"), 5)
    assert not is_too_old_as_shipped(mark.added(("b",), 5000), 9000, grace_s=4)
    assert is_too_old(mark.added(("b",), 5000), 9000, grace_ms=4000, first_seen_ms=0)


def test_how_long_a_mark_may_stand() -> None:
    """Strictly longer; as shipped in whole seconds, and not at all with a grace of 0 or without a time."""
    mark = Mark((), 1000)
    assert [is_too_old(mark, now, 10_000) for now in (11_000, 11_001)] == [False, True]
    assert [is_too_old_as_shipped(mark, now, 10) for now in (11_999, 12_000)] == [False, True]
    assert not is_too_old_as_shipped(mark, 12_000, 0)
    assert not is_too_old_as_shipped(Mark(), 12_000, 1)
    assert [is_too_old(Mark(), 12_000, 1000, first_seen_ms=seen) for seen in (None, 500)] == [False, True]

"""How bookies are asked for their entries: BookKeeper, BP-34, Public Interfaces; BookkeeperProtocol.proto."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.ledger.availability.asking import (
    NO_LEDGER,
    OK,
    Response,
    groups_in,
    listed,
    read_request,
    read_response,
    write_request,
    write_response,
)
from spec.ledger.availability.encoding import decode, encode
from spec.ledger.availability.groups import entries_of
from spec.ledger.errors import LedgerError, Malformed, Truncated

NUMBERS = st.integers(0, (1 << 63) - 1)


def test_a_bookie_is_asked_by_the_number_of_a_ledger() -> None:
    """By hand: field 1, which must be there."""
    assert write_request(300) == bytes.fromhex("08ac02")
    assert read_request(write_request(300)) == 300
    with pytest.raises(Malformed, match="a field is missing: ledgerId"):
        read_request(b"")


def test_an_answer_has_a_status_a_ledger_and_entries() -> None:
    """By hand: fields 1 and 2, which must be there, and 3, which may be absent."""
    assert write_response(Response(OK, 300, b"\1\2")) == bytes.fromhex("080010ac021a020102")
    assert write_response(Response(NO_LEDGER, 300)) == bytes.fromhex("08920310ac02")
    for data, missing in (("10ac02", "status"), ("0800", "ledgerId")):
        with pytest.raises(Malformed, match=f"a field is missing: {missing}"):
            read_response(bytes.fromhex(data))
    with pytest.raises(Truncated):
        read_response(bytes.fromhex("080010ac021a0301"))


@given(st.integers(0, 1000), NUMBERS, st.none() | st.binary(max_size=9))
def test_what_is_answered_is_heard(status: int, ledger: int, entries: bytes | None) -> None:
    response = Response(status, ledger, entries)
    assert read_response(write_response(response)) == response


def test_what_an_answer_means() -> None:
    """An unknown ledger is an empty list; any other error, or another ledger's list, is no answer."""
    data = encode([1, 2])
    assert groups_in(Response(OK, 7, data), 7) == decode(data)
    assert groups_in(Response(NO_LEDGER, 7), 7) == ()
    for other in (Response(OK, 7), Response(501, 7, data), Response(OK, 8, data), Response(NO_LEDGER, 8)):
        assert groups_in(other, 7) is None
    with pytest.raises(LedgerError):
        groups_in(Response(OK, 7, data[:-1]), 7)


def test_a_bookie_lists_what_its_index_and_its_memory_name() -> None:
    """Each entry once, in order; whether the entry log has them is not looked at."""
    assert listed({5, 1}, {1, 2}) == encode([1, 2, 5])
    assert entries_of(decode(listed(set(), {3}))) == {3}

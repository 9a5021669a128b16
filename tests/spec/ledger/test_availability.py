"""Lists of entries in few numbers and as bytes: BookKeeper, BP-34, Public Interfaces, as written and as shipped."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import compress, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.ledger.availability.encoding import GROUP, HEADER, decode, decode_as_shipped, encode, pack
from spec.ledger.availability.groups import (
    INT_MAX,
    Groups,
    Sequence,
    SequenceGroup,
    entries_of,
    grouped,
    sequences_of,
)
from spec.ledger.availability.shipped import (
    count_as_shipped,
    grouped_as_shipped,
    holds_as_shipped,
    missing_as_shipped,
)
from spec.ledger.errors import LedgerError, Malformed, TooLarge, Truncated, UnknownVersion
from spec.ledger.schedule import Quorums, striped_to

BEST = (1, 2, 4, 5, 7, 8, 10, 11)
"""BP-34's first example."""

LACKING = (1, 2, 3, 6, 7, 8, 11, 13, 16, 17, 18, 21, 22)
"""BP-34's second example."""

ENTRIES_BELOW = 15
"""Every set of entries below this is tried."""

ENTRIES = st.sets(st.integers(0, 200) | st.integers(0, 1 << 62), max_size=60)


def groups(entries: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [tuple(group) for group in grouped(sequences_of(entries))]


def held(found: Groups, upto: int) -> list[int]:
    """By asking each entry."""
    return [entry for entry in range(upto) if any(group.holds(entry) for group in found)]


def packed(*found: tuple[int, int, int, int], version: int = 0, count: int | None = None, reserved: int = 0) -> bytes:
    """Bytes that nobody checked."""
    header = HEADER.pack(version, len(found) if count is None else count, bytes([reserved]) + bytes(55))
    return header + b"".join(GROUP.pack(*one) for one in found)


def test_a_sequence_is_a_run_without_a_gap() -> None:
    assert list(sequences_of(BEST)) == [(1, 2), (4, 2), (7, 2), (10, 2)]
    assert list(sequences_of(LACKING)) == [(1, 3), (6, 3), (11, 1), (13, 1), (16, 3), (21, 2)]
    assert list(sequences_of(reversed(BEST * 2))) == list(sequences_of(BEST))


def test_the_best_case_is_one_group() -> None:
    """Public Interfaces, example 1: the size is the write quorum, the period the ensemble size."""
    assert groups(BEST) == [(1, 10, 2, 3)]
    assert groups(striped_to(2, 0, 14, Quorums(5, 3, 2))) == [(0, 10, 3, 5)]


def test_an_entry_that_is_missing_parts_groups() -> None:
    """Public Interfaces, example 2."""
    assert groups(LACKING) == [(1, 6, 3, 5), (11, 13, 1, 2), (16, 16, 3, 0), (21, 21, 2, 0)]


def test_thousands_of_entries_take_few_groups() -> None:
    """Public Interfaces: far less than a bit an entry; one more where a ledger begins, or ends, in a sequence."""
    found = [grouped(sequences_of(striped_to(member, 0, 9999, Quorums(5, 3, 2)))) for member in range(5)]
    assert [len(one) for one in found] == [3, 3, 1, 1, 1]
    assert max(len(pack(one)) for one in found) < 9999 / 8


def test_a_group_knows_what_it_holds() -> None:
    """By asking and by listing, at both ends and between."""
    for entries in (BEST, LACKING):
        found = grouped(sequences_of(entries))
        assert tuple(held(found, 30)) == entries == tuple(sorted(entries_of(found)))


def test_a_header_has_64_bytes_and_a_group_24() -> None:
    """Public Interfaces: a version, a number, zeros; then groups in order."""
    assert encode(()) == bytes(64)
    assert encode(BEST).hex() == "0000000000000001" + "00" * 56 + f"{1:016x}{10:016x}{2:08x}{3:08x}"
    assert encode(LACKING) == packed((1, 6, 3, 5), (11, 13, 1, 2), (16, 16, 3, 0), (21, 21, 2, 0))


def test_whatever_is_encoded_is_decoded_small() -> None:
    """All sets of small entries."""
    for chosen in product((False, True), repeat=ENTRIES_BELOW):
        entries = frozenset(compress(range(ENTRIES_BELOW), chosen))
        found = decode(encode(entries))
        assert entries_of(found) == entries
        assert held(found, ENTRIES_BELOW + 1) == sorted(entries)


@given(ENTRIES)
def test_whatever_is_encoded_is_decoded(entries: set[int]) -> None:
    """Far apart too."""
    assert entries_of(decode(encode(entries))) == entries
    assert decode_as_shipped(encode(entries)) == decode(encode(entries))


def test_sizes_and_periods_fit_their_four_bytes() -> None:
    """A gap that is too wide begins a group, and a run that is too long is cut."""
    assert groups((0, INT_MAX)) == [(0, INT_MAX, 1, INT_MAX)]
    assert groups((0, INT_MAX + 1)) == [(0, 0, 1, 0), (INT_MAX + 1, INT_MAX + 1, 1, 0)]
    whole = grouped([Sequence(0, 2 * INT_MAX + 1)])
    assert whole == ((0, INT_MAX, INT_MAX, INT_MAX), (2 * INT_MAX, 2 * INT_MAX, 1, 0))
    assert decode(pack(whole)) == whole
    with pytest.raises(TooLarge, match="4294967295 of them"):
        entries_of(whole)
    with pytest.raises(Malformed, match="no such entry"):
        encode([1 << 63])


@pytest.mark.parametrize(
    ("data", "error", "told"),
    [
        (b"", Truncated, "0 of 64 bytes"),
        (encode(BEST)[:63], Truncated, "63 of 64 bytes"),
        (encode(BEST)[:-1], Truncated, "87 of 88 bytes"),
        (packed(count=INT_MAX), Truncated, "64 of 51539607592 bytes"),
        (packed(count=-1), Malformed, "no such number of groups"),
        (packed(version=1), UnknownVersion, "version 1"),
        (packed(version=-1), UnknownVersion, "version -1"),
        (packed(reserved=7), Malformed, "reserved bytes are in use"),
        (encode(BEST) + b"\0", Malformed, "something follows the groups: 1 bytes"),
        (packed((0, 0, 0, 0)), Malformed, "a sequence has no such size"),
        (packed(((1 << 63) - 1, (1 << 63) - 1, 2, 0)), Malformed, "a sequence has no such size"),
        (packed((0, 7, 1, 0)), Malformed, "one sequence has no period, several have one"),
        (packed((0, 0, 1, 7)), Malformed, "one sequence has no period, several have one"),
        (packed((7, 0, 1, 7)), Malformed, "do not follow each other"),
        (packed((0, 7, 1, 2)), Malformed, "do not follow each other"),
        (packed((0, 4, 3, 2)), Malformed, "do not follow each other"),
        (packed((0, 4, 1, -2)), Malformed, "do not follow each other"),
        (packed((5, 5, 1, 0), (0, 0, 1, 0)), Malformed, "group 1: a group begins before the end of the one before it"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "" if isinstance(value, bytes) else value,
)
def test_damaged_bytes_are_refused_by_name(data: bytes, error: type[LedgerError], told: str) -> None:
    with pytest.raises(error, match=re.escape(told)):
        decode(data)


@given(st.binary(max_size=140), st.lists(st.tuples(st.integers(0, 139), st.integers(0, 255)), max_size=3))
def test_any_bytes_are_decoded_or_refused(noise: bytes, changes: list[tuple[int, int]]) -> None:
    """Never with another error, and what is decoded can be asked."""
    data = bytearray(encode(LACKING))
    for place, byte in changes:
        data[place] = byte
    for one in (noise, bytes(data)):
        for read in (decode, decode_as_shipped):
            try:
                found = read(one)
            except LedgerError:
                continue
            assert sum(group.holds(3) for group in found) <= len(found)


STARTS = st.sampled_from([0, 1, -1, 5, 1 << 40, (1 << 63) - 1, -(1 << 63)])
SIZES = st.sampled_from([0, 1, -1, 2, INT_MAX, -INT_MAX - 1])


@given(st.lists(st.tuples(STARTS, STARTS, SIZES, SIZES), max_size=3))
def test_numbers_at_their_limits_are_decoded_or_refused(found: list[tuple[int, int, int, int]]) -> None:
    """And what is taken is listed, counted and searched in no time, or refused."""
    for read in (decode, decode_as_shipped):
        with suppress(LedgerError):
            taken = read(packed(*found))
            count_as_shipped(taken)
            missing_as_shipped(taken, 0, 9, range(10))
            assert len(entries_of(taken, 1000)) <= 1000


class TestAsShipped:
    """util/AvailabilityOfEntriesOfLedger.java, releases 4.10 to 4.18."""

    def test_every_run_is_a_group(self) -> None:
        """BP-34's one group goes as four, larger than the plain numbers would be."""
        found = grouped_as_shipped(BEST)
        assert found == ((1, 1, 2, 0), (4, 4, 2, 0), (7, 7, 2, 0), (10, 10, 2, 0))
        assert len(pack(found)) > 8 * len(BEST)
        assert count_as_shipped(found) == len(BEST)

    def test_entries_that_come_out_of_order_are_lost(self) -> None:
        """A group replaces one that begins at the same entry, and entry -1 stands for none."""
        assert entries_of(grouped_as_shipped((5, 6, 9, 5))) == {5, 9}
        assert entries_of(grouped_as_shipped((-1, 0, 1, 1))) == {0, 1}
        assert grouped_as_shipped((-1,)) == ()

    def test_a_group_claims_an_entry_behind_its_end(self) -> None:
        """Where the size is the period, which the shipped encoder never sends."""
        group = SequenceGroup(0, 2, 2, 2)
        assert holds_as_shipped((group,), 4)
        assert not group.holds(4)
        assert not holds_as_shipped((group,), -1)

    def test_negative_versions_and_what_follows_are_taken(self) -> None:
        assert decode_as_shipped(packed((0, 0, 1, 0), version=-1) + b"more") == ((0, 0, 1, 0),)
        with pytest.raises(UnknownVersion):
            decode_as_shipped(packed(version=1))
        with pytest.raises(Malformed, match="no period"):
            decode_as_shipped(packed((0, 7, 1, 0)))

    def test_the_search_for_what_is_missing_gives_up_at_a_gap(self) -> None:
        """The smallest healthy ledger that is reported: three bookies, one copy, entries 0 and 3 of the first."""
        healthy = striped_to(0, 0, 3, Quorums(3, 1, 1))
        assert missing_as_shipped(grouped_as_shipped(healthy), 0, 3, healthy) == (3,)
        assert all(holds_as_shipped(grouped_as_shipped(healthy), entry) for entry in healthy)

    def test_gaps_of_one_entry_are_survived(self) -> None:
        """From the first entry on; a segment that begins behind a gap is lost at once."""
        assert missing_as_shipped(grouped_as_shipped((0, 2, 4)), 0, 5, {0, 2, 4, 5}) == (5,)
        assert missing_as_shipped(grouped_as_shipped((3, 5)), 0, 5, {1, 3, 5}) == (1,)
        assert missing_as_shipped(grouped_as_shipped((0, 21)), 20, 21, {21}) == (21,)
        assert missing_as_shipped((), 0, 2, {1}) == (1,)

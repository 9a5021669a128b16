"""The bytes in which a bookie's entries of a ledger are sent, both ways.

BookKeeper, BP-34, Public Interfaces: a header of 64 bytes, then 24 bytes for each sequence group.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from struct import Struct
from typing import Final

from spec.ledger.availability.groups import INT_MAX, Groups, SequenceGroup, grouped, sequences_of
from spec.ledger.errors import LedgerError, Malformed, Truncated, UnknownVersion

VERSION: Final = 0
HEADER: Final = Struct(">ii56s")
"""Version, number of groups, and what is reserved. BookKeeper, util/AvailabilityOfEntriesOfLedger.java: big-endian."""

RESERVED: Final = bytes(56)
GROUP: Final = Struct(">qqii")
"""Where the first and the last sequence begin, the size, and the period."""

ENTRY_MAX: Final = (1 << 63) - 1
WHERE: Final = "availability of entries"


def encode(entries: Iterable[int]) -> bytes:
    """The entries of a ledger as bytes, in as few groups as BP-34 makes of them.

    BookKeeper, BP-34, Public Interfaces: the condensed encoding.

    Raises:
        Malformed: an entry has no number of eight bytes.
    """
    return pack(grouped(sequences_of(entries)))


def pack(groups: Groups) -> bytes:
    """A header, and the groups behind it in order.

    BookKeeper, BP-34, Public Interfaces: 24 bytes for each group behind 64 reserved ones.

    Raises:
        Malformed: an entry has no number of eight bytes.
    """
    for group in groups:
        if not -ENTRY_MAX <= group.first_start <= group.last_entry <= ENTRY_MAX:
            raise Malformed("no such entry", WHERE, f"{group}", f"numbers up to {ENTRY_MAX}")
    return HEADER.pack(VERSION, len(groups), RESERVED) + b"".join(GROUP.pack(*group) for group in groups)


def decode(data: bytes) -> Groups:
    """The groups of a list of entries, each of which could have been made by grouping, in order.

    BookKeeper, BP-34, Public Interfaces: header, groups, and nothing else.

    Raises:
        Truncated: it ends within its header or its groups.
        UnknownVersion: its version is not 0.
        Malformed: reserved bytes are in use, something follows the groups, or the groups are none.
    """
    version, count, reserved = _header(data)
    if version != VERSION:
        raise UnknownVersion("unknown version", f"{WHERE}, byte 0", f"version {version}", f"version {VERSION}")
    if reserved != RESERVED:
        raise Malformed("reserved bytes are in use", f"{WHERE}, bytes 8 to 63", "not zero", "ask for version 0")
    if count < 0:
        raise Malformed("no such number of groups", f"{WHERE}, byte 4", f"{count}", "0 or more")
    groups = _groups(data, count)
    if extra := len(data) - HEADER.size - GROUP.size * count:
        raise Malformed("something follows the groups", WHERE, f"{extra} bytes", "the answer of one request alone")
    for number, group in enumerate(groups):
        _refuse_impossible(group, number)
    for number, (before, after) in enumerate(pairwise(groups), start=1):
        if after.first_start <= before.last_entry:
            raise _malformed("a group begins before the end of the one before it", number, after)
    return groups


def decode_as_shipped(data: bytes) -> Groups:
    """The groups that releases 4.10 to 4.18 take from bytes: nothing is checked but a version above 0.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java: what Java fails at with its own exceptions is named.

    Raises:
        Truncated: it ends within its header or its groups.
        UnknownVersion: its version is above 0.
        Malformed: a group of several sequences has no period, by which they are divided.
    """
    version, count, _ = _header(data)
    if version > VERSION:
        raise UnknownVersion("unknown version", f"{WHERE}, byte 0", f"version {version}", f"up to {VERSION}")
    groups = _groups(data, max(count, 0))
    for number, group in enumerate(groups):
        if group.period == 0 and group.first_start != group.last_start:
            raise _malformed("a group of several sequences has no period", number, group)
    return groups


def _header(data: bytes) -> tuple[int, int, bytes]:
    if len(data) < HEADER.size:
        raise _truncated(data, HEADER.size)
    version, count, reserved = HEADER.unpack_from(data)
    return version, count, reserved


def _groups(data: bytes, count: int) -> Groups:
    end = HEADER.size + GROUP.size * count
    if len(data) < end:
        raise _truncated(data, end)
    return tuple(SequenceGroup(*numbers) for numbers in GROUP.iter_unpack(data[HEADER.size : end]))


def _refuse_impossible(group: SequenceGroup, number: int) -> None:
    """A group has entries, and its sequences follow each other at its period without overlap."""
    length = group.last_start - group.first_start
    if group.size < 1 or group.last_entry > ENTRY_MAX:
        raise _malformed("a sequence has no such size", number, group)
    if (length == 0) != (group.period == 0):
        raise _malformed("one sequence has no period, several have one", number, group)
    if length and (length < 0 or group.period < group.size or length % group.period):
        raise _malformed("its sequences do not follow each other at its period", number, group)


def _malformed(what: str, number: int, group: SequenceGroup) -> LedgerError:
    return Malformed(what, f"{WHERE}, group {number}", f"{group}", f"sizes and periods up to {INT_MAX} that fit")


def _truncated(data: bytes, needed: int) -> LedgerError:
    return Truncated("it ends early", WHERE, f"{len(data)} of {needed} bytes", "ask the bookie again")

"""Metadata as a metadata server keeps it: a line with the version of its form, then one of three forms.

BookKeeper, meta/LedgerMetadataSerDe.java.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from spec.ledger.errors import CannotCarry, Malformed, TooLarge, Truncated, UnknownVersion
from spec.ledger.forms import binary, tabs, text
from spec.ledger.forms.messages import BYTES_MAX, LEDGER, Values, every, first, present
from spec.ledger.metadata import NO_ENTRY, DigestType, Metadata, Segment, State, check
from spec.ledger.schedule import Quorums

WHERE: Final = "metadata"
FIRST_WORD: Final = b"BookieMetadataFormatVersion\t"
_FIRST_LINE: Final = re.compile(re.escape(FIRST_WORD) + rb"(\d{1,9})\n")


class Version(IntEnum):
    """The forms of metadata. BookKeeper, meta/LedgerMetadataSerDe.java."""

    TABS = 1
    TEXT = 2
    BINARY = 3


def read(data: bytes) -> Metadata:
    """Metadata in any form, and of a ledger that can be.

    BookKeeper, meta/LedgerMetadataSerDe.java, parseConfig.

    Raises:
        TooLarge: no metadata is of such size.
        Truncated: it ends early.
        UnknownVersion: its form is none of the three.
        Malformed: it is not as its form has it.
        BadLedger: no ledger is so.
    """
    if len(data) > BYTES_MAX:
        raise TooLarge("no metadata is of such size", WHERE, f"{len(data)} bytes", f"at most {BYTES_MAX}")
    version, rest = _version(data)
    if version is Version.BINARY:
        return check(metadata_of(binary.read(LEDGER, _delimited(rest), WHERE)), WHERE)
    try:
        lines = rest.decode()
    except UnicodeDecodeError as wrong:
        raise Malformed("no text", WHERE, wrong.reason, "text in UTF-8") from wrong
    metadata = (
        tabs.read(lines, WHERE) if version is Version.TABS else metadata_of(text.read(LEDGER, lines, WHERE, line=2))
    )
    return check(metadata, WHERE)


def write(metadata: Metadata, version: Version = Version.BINARY) -> bytes:
    """Metadata in a form, from which it can be read again as it is.

    BookKeeper, meta/LedgerMetadataSerDe.java, serialize.

    Raises:
        CannotCarry: the form has no place for something that it says.
        BadLedger: no ledger is so.
    """
    values = values_of(check(metadata, WHERE))
    if version is Version.TABS:
        content = tabs.write(metadata, WHERE).encode()
    elif version is Version.BINARY:
        message = binary.write(LEDGER, values)
        content = binary.write_varint(len(message)) + message
    elif metadata.token is not None:
        raise CannotCarry("version 2 has no place for it", WHERE, "a token", "version 3")
    else:
        content = text.write(LEDGER, values).encode()
    return FIRST_WORD + b"%d\n" % version + content


def metadata_of(values: Values) -> Metadata:
    """What a message of metadata says; without an ack quorum it is the write quorum.

    BookKeeper, meta/LedgerMetadataSerDe.java, decodeFormat.
    """
    write = first(values, "quorumSize", int) or 0
    ack = first(values, "ackQuorumSize", int)
    state, digest = State(first(values, "state", int) or State.OPEN), first(values, "digestType", int)
    is_closed = state is State.CLOSED
    last, length = first(values, "lastEntryId", int), first(values, "length", int)
    return Metadata(
        Quorums(first(values, "ensembleSize", int) or 0, write, write if ack is None else ack),
        tuple(
            Segment(first(segment, "firstEntryId", int) or 0, tuple(every(segment, "ensembleMember", str)))
            for segment in every(values, "segment", dict)
        ),
        state,
        last if is_closed else None,
        length if is_closed else None,
        None if digest is None else DigestType(digest),
        first(values, "password", bytes),
        first(values, "ctime", int),
        tuple(
            (first(one, "key", str) or "", first(one, "value", bytes) or b"")
            for one in every(values, "customMetadata", dict)
        ),
        first(values, "cToken", int),
    )


def values_of(metadata: Metadata) -> Values:
    """The message that says what metadata does; a ledger that is not closed has length 0 and no last entry.

    BookKeeper, meta/LedgerMetadataSerDe.java, buildLedgerMetadataFormat.
    """
    quorums = metadata.quorums
    values = present(
        quorumSize=quorums.write,
        ensembleSize=quorums.ensemble,
        length=metadata.length_bytes or 0,
        lastEntryId=NO_ENTRY if metadata.last_entry is None else metadata.last_entry,
        state=metadata.state.value,
        digestType=metadata.digest_type and metadata.digest_type.value,
        password=metadata.password,
        ackQuorumSize=quorums.ack,
        ctime=metadata.created_ms,
        cToken=metadata.token,
    )
    values["segment"] = [
        {"ensembleMember": [*segment.ensemble], "firstEntryId": [segment.first_entry]} for segment in metadata.segments
    ]
    values["customMetadata"] = [present(key=key, value=value) for key, value in metadata.custom]
    return values


def _version(data: bytes) -> tuple[Version, bytes]:
    found = _FIRST_LINE.match(data)
    if found is None:
        if FIRST_WORD.startswith(data[: len(FIRST_WORD)]) and b"\n" not in data:
            raise Truncated("it ends early", f"{WHERE}, first line", f"{data[:50]!r}", "all bytes of it")
        raise Malformed("no version", f"{WHERE}, first line", f"{data[:50]!r}", f"{FIRST_WORD.decode()!r} and a number")
    if int(found[1]) not in list(Version):
        known = ", ".join(map(str, map(int, Version)))
        raise UnknownVersion("unknown version", f"{WHERE}, first line", f"version {int(found[1])}", f"one of {known}")
    return Version(int(found[1])), data[found.end() :]


def _delimited(data: bytes) -> bytes:
    """The message behind its length, and nothing else."""
    length, start = binary.read_varint(data, 0, WHERE)
    if len(data) - start < length:
        raise Truncated("it ends early", WHERE, f"{len(data) - start} of {length} bytes", "all bytes of it")
    if extra := len(data) - start - length:
        raise Malformed("something follows the message", WHERE, f"{extra} bytes", "the message alone")
    return data[start:]

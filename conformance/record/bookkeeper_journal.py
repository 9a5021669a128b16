"""Read the journals of a bookie of Apache BookKeeper directly: what it wrote down, in order, alive or not.

Format: BookKeeper, bookie/Journal.java and bookie/JournalChannel.java, version 6: a sector of header, then records,
each behind its length, with padding between groups of them. An entry begins with what its writer sent along:
proto/checksum/DigestManager.java. An incomplete last record is a torn tail.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from conformance.record.errors import DamagedFile

_MAGIC: Final = b"BKLG"
_VERSIONS: Final = (5, 6)
_FILE_HEADER: Final = struct.Struct(">4si")
_RECORDS_BEGIN: Final = 512
_LENGTH: Final = struct.Struct(">i")
_PADDING: Final = -0x100
_PLACE: Final = struct.Struct(">qq")
_ENTRY: Final = struct.Struct(">qqqq")
_CHECKSUM_BYTES: Final = 4
_FENCE: Final = -0x2000


@dataclass(frozen=True)
class Journalled:
    """One thing that a bookie wrote down of a ledger.

    Attributes:
        ledger: its number.
        entry: the entry that it stored; None where it fenced the ledger.
        confirmed: the last entry confirmed that was sent along with the entry, -1 if none.
        payload: the entry's content.
    """

    ledger: int
    entry: int | None
    confirmed: int = -1
    payload: bytes = b""


def read_journal(content: bytes) -> Iterator[Journalled]:
    """The entries and fences of a journal, in order, up to a torn tail; what else bookies note there is passed over.

    Entries are those of ledgers with CRC32C checksums, which are not verified.

    Raises:
        DamagedFile: it is no journal of a known version, or a record of it is too short.
    """
    magic, version = _FILE_HEADER.unpack_from(content.ljust(_FILE_HEADER.size, b"\0"))
    if magic != _MAGIC or version not in _VERSIONS:
        raise DamagedFile(0, f"{magic!r}, version {version}: no journal of version {_VERSIONS}")
    at = _RECORDS_BEGIN
    while at + _LENGTH.size <= len(content):
        (length,) = _LENGTH.unpack_from(content, at)
        at += _LENGTH.size
        if length == _PADDING:
            length = _LENGTH.size + int.from_bytes(content[at : at + _LENGTH.size])
        elif length <= 0 or at + length > len(content):
            return
        else:
            yield from _record(content[at : at + length], at)
        at += length


def _record(record: bytes, at: int) -> Iterator[Journalled]:
    if len(record) < _PLACE.size:
        raise DamagedFile(at, f"a record of {len(record)} bytes names no ledger and entry")
    ledger, entry = _PLACE.unpack_from(record)
    if entry == _FENCE:
        yield Journalled(ledger, None)
    elif entry >= 0:
        if len(record) < _ENTRY.size + _CHECKSUM_BYTES:
            raise DamagedFile(at, f"an entry of {len(record)} bytes has no header")
        _, _, confirmed, _ = _ENTRY.unpack_from(record)
        yield Journalled(ledger, entry, confirmed, record[_ENTRY.size + _CHECKSUM_BYTES :])

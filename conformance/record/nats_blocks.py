"""Read the blocks of messages that a NATS server stores for a stream.

Source: nats-server, ``server/filestore.go``, ``writeMsgRecord``: length with a flag for headers, sequence, time,
length of the subject, subject, headers, message, checksum; all little-endian. The checksum (HighwayHash) is not asked.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

_HEAD: Final = struct.Struct("<IQqH")
_LENGTH: Final = struct.Struct("<I")
_HAS_HEADERS: Final = 1 << 31
_IS_NO_MESSAGE: Final = 62
"""From this bit of the sequence on stand marks: erased, or a tombstone."""

_CHECKSUM_BYTES: Final = 8


class StoredMessage(NamedTuple):
    """A message on a disk: its sequence, and its payload."""

    sequence: int
    payload: bytes


class DamagedBlock(Exception):
    """A block has a record of an impossible length."""

    def __init__(self, position: int, length: int) -> None:
        super().__init__(f"A block has a record of {length} bytes at byte {position}. Try: record again.")


def read_block(block: bytes) -> Iterator[StoredMessage]:
    """The messages of a block, in its order; a record that is still being written ends it.

    Raises:
        DamagedBlock: the length of a record is impossible.
    """
    position = 0
    while position + _HEAD.size <= len(block):
        marked, sequence, _, of_subject = _HEAD.unpack_from(block, position)
        length = marked & ~_HAS_HEADERS
        if length < _HEAD.size + of_subject + _CHECKSUM_BYTES:
            raise DamagedBlock(position, length)
        if position + length > len(block):
            return
        start = position + _HEAD.size + of_subject
        if marked & _HAS_HEADERS:
            start += _LENGTH.size + _LENGTH.unpack_from(block, start)[0]
        position += length
        if not sequence >> _IS_NO_MESSAGE:
            yield StoredMessage(sequence, block[start : position - _CHECKSUM_BYTES])

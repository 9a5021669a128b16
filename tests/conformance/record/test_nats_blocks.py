"""Reading the blocks of a NATS stream.

Source: nats-server, ``server/filestore.go``, ``writeMsgRecord``.
"""

from __future__ import annotations

import struct

import pytest

from conformance.record.nats_blocks import DamagedBlock, StoredMessage, read_block

ERASED = 1 << 63


def message(sequence: int, payload: bytes, headers: bytes | None = None) -> bytes:
    """One record of the subject `s`."""
    told = b"" if headers is None else struct.pack("<I", len(headers)) + headers
    body = b"s" + told + payload + bytes(8)
    length = 22 + len(body)
    return struct.pack("<IQqH", length if headers is None else length | 1 << 31, sequence, 0, 1) + body


def test_messages_come_with_their_sequences_and_without_headers() -> None:
    block = message(1, b"one") + message(2, b"two", b"NATS/1.0\r\n\r\n") + message(3, b"")
    assert list(read_block(block)) == [StoredMessage(1, b"one"), StoredMessage(2, b"two"), StoredMessage(3, b"")]


def test_what_was_erased_is_no_message() -> None:
    assert list(read_block(message(ERASED | 1, b"gone") + message(2, b"two"))) == [StoredMessage(2, b"two")]


def test_a_record_that_is_still_being_written_ends_a_block() -> None:
    assert list(read_block(message(1, b"one") + message(2, b"two")[:-1])) == [StoredMessage(1, b"one")]


def test_an_impossible_length_is_told() -> None:
    with pytest.raises(DamagedBlock, match="of 5 bytes at byte 32"):
        list(read_block(message(1, b"a") + struct.pack("<IQqH", 5, 2, 0, 1)))

"""Read Kafka's segment files directly: what one replica holds, whether or not its broker runs.

Format: Apache Kafka documentation, "Record Batch", magic 2; checksum CRC-32C (RFC 3720, appendix B.4) over the bytes
from the attributes on. Batches follow one another; an incomplete last batch is a torn tail, which a restarting broker
cuts off.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

_BATCH_HEADER = struct.Struct(">qiibIhiqqqhii")
_LENGTH_ENDS_AT = 12
_CRC_COVERS_FROM = 21
_MAGIC = 2
_COMPRESSION_MASK = 0x07
_CONTROL_BATCH = 0x20
_NO_SEQUENCE = -1
_SEQUENCES = 1 << 31
_CASTAGNOLI_REVERSED = 0x82F63B78
_MORE_BYTES = 0x80


class DamagedSegment(ValueError):
    """A complete batch that cannot be read: other format version, compressed, or wrong checksum; says where."""

    def __init__(self, position: int, why: str) -> None:
        super().__init__(f"record batch at byte {position}: {why}")
        self.position, self.why = position, why


@dataclass(frozen=True)
class StoredRecord:
    """One record on one disk.

    Producer id and sequence are -1 when its producer is not idempotent; no value is a tombstone.
    """

    offset: int
    epoch: int
    producer_id: int
    producer_sequence: int
    value: bytes | None


def read_segment(segment: bytes) -> Iterator[StoredRecord]:
    """The data records of a segment in file order, up to a torn tail. Raises `DamagedSegment`."""
    position = 0
    while position + _BATCH_HEADER.size <= len(segment):
        (length,) = struct.unpack_from(">i", segment, position + 8)
        end = position + _LENGTH_ENDS_AT + length
        if length <= 0 or end > len(segment):
            return
        yield from _read_batch(segment[position:end], position)
        position = end


def crc32c(content: bytes) -> int:
    """CRC-32C (Castagnoli) of some bytes."""
    crc = 0xFFFFFFFF
    for byte in content:
        crc = _CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _read_batch(batch: bytes, position: int) -> Iterator[StoredRecord]:
    base, _, epoch, magic, crc, attributes, _, _, _, producer_id, _, sequence, count = _BATCH_HEADER.unpack_from(batch)
    if magic != _MAGIC:
        raise DamagedSegment(position, f"magic {magic}, only {_MAGIC} is known")
    if crc32c(batch[_CRC_COVERS_FROM:]) != crc:
        raise DamagedSegment(position, "the checksum does not match")
    if attributes & _COMPRESSION_MASK:
        raise DamagedSegment(position, "compressed; record with compression.type=none")
    if attributes & _CONTROL_BATCH:
        return
    at = _BATCH_HEADER.size
    for index in range(count):
        length, start = _varint(batch, at)
        offset_delta, value = _read_record(batch, start)
        numbered = _NO_SEQUENCE if sequence == _NO_SEQUENCE else (sequence + index) % _SEQUENCES
        yield StoredRecord(base + offset_delta, epoch, producer_id, numbered, value)
        at = start + length


def _read_record(batch: bytes, at: int) -> tuple[int, bytes | None]:
    """A record's offset delta and value; its attributes, time, key and headers are passed over."""
    _, at = _varint(batch, at + 1)
    offset_delta, at = _varint(batch, at)
    key_length, at = _varint(batch, at)
    value_length, at = _varint(batch, at + max(key_length, 0))
    return offset_delta, None if value_length < 0 else batch[at : at + value_length]


def _varint(content: bytes, at: int) -> tuple[int, int]:
    """A zigzag variable-length integer and the position after it."""
    number = shift = 0
    while True:
        byte = content[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < _MORE_BYTES:
            return (number >> 1) ^ -(number & 1), at


def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        remainder = byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ (_CASTAGNOLI_REVERSED if remainder & 1 else 0)
        table.append(remainder)
    return tuple(table)


_CRC_TABLE = _crc_table()

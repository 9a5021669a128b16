"""Reading Kafka's segment files.

Apache Kafka documentation, "Record Batch" (magic 2); CRC-32C and its test vectors: RFC 3720, appendix B.4.
"""

from __future__ import annotations

import struct

import pytest

from conformance.record.kafka_segments import DamagedSegment, StoredRecord, crc32c, read_segment

CONTROL = 0x20
GZIP = 0x01


def varint(number: int) -> bytes:
    """A zigzag varint, as Protocol Buffers define it."""
    zigzag = (number << 1) ^ (number >> 63)
    out = bytearray()
    while zigzag > 0x7F:
        out.append(zigzag & 0x7F | 0x80)
        zigzag >>= 7
    return bytes([*out, zigzag])


def record(offset_delta: int, value: bytes | None, key: bytes | None = None) -> bytes:
    """One record with a time delta of 300 ms and one header."""
    parts = [b"\0", varint(300), varint(offset_delta)]
    parts += [varint(-1)] if key is None else [varint(len(key)), key]
    parts += [varint(-1)] if value is None else [varint(len(value)), value]
    parts += [varint(1), varint(1), b"h", varint(2), b"hv"]
    body = b"".join(parts)
    return varint(len(body)) + body


def batch(
    *records: bytes, base: int = 0, epoch: int = 0, attributes: int = 0, producer: int = -1, sequence: int = -1
) -> bytes:
    """A batch around finished records."""
    last = len(records) - 1
    covered = struct.pack(">hiqqqhii", attributes, last, 1000, 1300, producer, 0, sequence, len(records))
    covered += b"".join(records)
    tail = struct.pack(">ibI", epoch, 2, crc32c(covered)) + covered
    return struct.pack(">qi", base, len(tail)) + tail


@pytest.mark.parametrize(
    ("content", "checksum"),
    [(bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E), (b"123456789", 0xE3069283)],
)
def test_the_checksum_is_that_of_rfc_3720(content: bytes, checksum: int) -> None:
    assert crc32c(content) == checksum


def test_a_record_has_its_offset_epoch_producer_and_value() -> None:
    segment = batch(record(0, b"a"), record(1, b"b", key=b"k"), base=7, epoch=3, producer=1000, sequence=40)
    assert list(read_segment(segment)) == [StoredRecord(7, 3, 1000, 40, b"a"), StoredRecord(8, 3, 1000, 41, b"b")]


def test_batches_follow_one_another() -> None:
    segment = batch(record(0, b"a" * 200)) + batch(record(0, b"b"), base=1, epoch=1)
    assert [(r.offset, r.epoch, r.value) for r in read_segment(segment)] == [(0, 0, b"a" * 200), (1, 1, b"b")]


def test_without_idempotence_there_is_no_sequence() -> None:
    assert [r.producer_sequence for r in read_segment(batch(record(0, b"a"), record(1, b"b")))] == [-1, -1]


def test_a_producer_sequence_wraps_to_zero() -> None:
    segment = batch(record(0, b"a"), record(1, b"b"), producer=1, sequence=2**31 - 1)
    assert [r.producer_sequence for r in read_segment(segment)] == [2**31 - 1, 0]


def test_a_tombstone_has_no_value() -> None:
    assert [r.value for r in read_segment(batch(record(0, None, key=b"k"), record(1, b"")))] == [None, b""]


def test_control_batches_hold_no_data() -> None:
    segment = batch(record(0, b"marker"), attributes=CONTROL) + batch(record(0, b"a"), base=1)
    assert [r.value for r in read_segment(segment)] == [b"a"]


def test_a_torn_tail_ends_the_segment() -> None:
    whole = batch(record(0, b"a"))
    torn = batch(record(0, b"b"), base=1)
    for length in range(len(torn)):
        assert [r.value for r in read_segment(whole + torn[:length])] == [b"a"]


def test_preallocated_zeros_end_the_segment() -> None:
    assert [r.value for r in read_segment(batch(record(0, b"a")) + bytes(200))] == [b"a"]


def test_another_magic_is_refused() -> None:
    older = bytearray(batch(record(0, b"a")))
    older[16] = 1
    with pytest.raises(DamagedSegment, match="byte 0: magic 1"):
        list(read_segment(bytes(older)))


def test_a_flipped_bit_is_refused_and_located() -> None:
    first, second = batch(record(0, b"a")), bytearray(batch(record(0, b"b"), base=1))
    second[-1] ^= 1
    with pytest.raises(DamagedSegment, match=f"byte {len(first)}: the checksum does not match"):
        list(read_segment(first + bytes(second)))


def test_compression_is_refused() -> None:
    with pytest.raises(DamagedSegment, match="compressed"):
        list(read_segment(batch(record(0, b"a"), attributes=GZIP)))

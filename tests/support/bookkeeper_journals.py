"""Journals of bookies, as BookKeeper writes them: bookie/Journal.java, bookie/JournalChannel.java."""

from __future__ import annotations

import struct


def journal(*records: bytes, version: int = 6) -> bytes:
    """A sector of header, then the records."""
    return struct.pack(">4si", b"BKLG", version).ljust(512, b"\0") + b"".join(records)


def sized(record: bytes) -> bytes:
    """A record behind its length."""
    return struct.pack(">i", len(record)) + record


def entry(ledger: int, number: int, payload: bytes) -> bytes:
    """An entry behind its header and a checksum of four bytes."""
    return sized(struct.pack(">qqqqi", ledger, number, number - 1, 10, 0) + payload)


def note(ledger: int, number: int) -> bytes:
    """What a bookie notes of a ledger: a number below 0 says what."""
    return sized(struct.pack(">qq", ledger, number))

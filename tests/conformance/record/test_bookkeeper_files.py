"""Reading what BookKeeper and ZooKeeper leave on disk.

Journals: BookKeeper, bookie/Journal.java, bookie/JournalChannel.java and proto/checksum/DigestManager.java. Transaction
logs: ZooKeeper, zookeeper.jute and server/persistence/FileTxnLog.java.
"""

from __future__ import annotations

import struct

import pytest

from conformance.record.bookkeeper_journal import Journalled, read_journal
from conformance.record.errors import DamagedFile
from conformance.record.zookeeper_log import Changed, read_transactions
from tests.support.bookkeeper_journals import entry, journal, note, sized

FENCE, MASTER_KEY, PADDING = -0x2000, -0x1000, -0x100
CREATE, DELETE, SET, MULTI, CLOSE_SESSION, CREATE_SESSION = 1, 2, 5, 14, -11, -10


# ------------------------------------------------------------------------------------------------- journals


def test_a_journal_has_entries_and_fences_in_order() -> None:
    padding = struct.pack(">ii", PADDING, 24) + bytes(24)
    content = journal(note(7, MASTER_KEY), entry(7, 0, b"a"), padding, note(7, FENCE), entry(7, 1, b"b"))
    told = [Journalled(7, 0, -1, b"a"), Journalled(7, None), Journalled(7, 1, 0, b"b")]
    assert list(read_journal(content)) == told
    assert list(read_journal(content + bytes(1000))) == told, "it is allocated ahead"


def test_a_torn_record_ends_a_journal() -> None:
    content = journal(entry(7, 0, b"a"), entry(7, 1, b"whole"))
    for missing in range(1, len(entry(7, 1, b"whole"))):
        assert list(read_journal(content[:-missing])) == [Journalled(7, 0, -1, b"a")]


def test_torn_padding_ends_a_journal() -> None:
    content = journal(entry(7, 0, b"a"), struct.pack(">ii", PADDING, 24))
    for missing in range(1, 9):
        assert list(read_journal(content[:-missing])) == [Journalled(7, 0, -1, b"a")]


@pytest.mark.parametrize(
    ("record", "why"),
    [(sized(b"short"), "no ledger and entry"), (sized(struct.pack(">qqq", 7, 0, -1)), "no header")],
)
def test_a_record_that_is_too_short_is_refused_with_its_place(record: bytes, why: str) -> None:
    with pytest.raises(DamagedFile, match=f"byte {512 + 4}.*{why}"):
        list(read_journal(journal(record)))


@pytest.mark.parametrize("content", [b"", b"BKLG", journal(version=4), b"ZKLG" + bytes(508)])
def test_what_is_no_journal_is_refused(content: bytes) -> None:
    with pytest.raises(DamagedFile, match="no journal"):
        list(read_journal(content))


# --------------------------------------------------------------------------------------- transaction logs


def transactions(*records: bytes) -> bytes:
    framed = (struct.pack(">qi", 0, len(record)) + record + b"B" for record in records)
    return struct.pack(">4siq", b"ZKLG", 2, 0) + b"".join(framed) + bytes(100)


def transaction(kind: int, body: bytes, session: int = 9, time_ms: int = 1000) -> bytes:
    return struct.pack(">qiqqi", session, 0, 0, time_ms, kind) + body


def text(content: str | bytes | None) -> bytes:
    if content is None:
        return struct.pack(">i", -1)
    raw = content.encode() if isinstance(content, str) else content
    return struct.pack(">i", len(raw)) + raw


def test_a_log_has_each_change_with_time_session_and_version() -> None:
    created = transaction(CREATE, text("/a") + text(b"one") + struct.pack(">i", 0) + b"\0" + struct.pack(">i", 1))
    changed = transaction(SET, text("/a") + text(b"two") + struct.pack(">i", 1), session=8, time_ms=2000)
    deleted = transaction(DELETE, text("/a"), time_ms=3000)
    told = [
        Changed(1000, 9, "/a", b"one"),
        Changed(2000, 8, "/a", b"two", 1),
        Changed(3000, 9, "/a", None),
    ]
    begun = transaction(CREATE_SESSION, struct.pack(">i", 4000))
    assert list(read_transactions(transactions(begun, created, changed, deleted))) == told


def test_what_goes_with_a_session_goes_one_by_one() -> None:
    ended = transaction(CLOSE_SESSION, struct.pack(">i", 2) + text("/a") + text("/b"))
    older = transaction(CLOSE_SESSION, b"")
    gone = [Changed(1000, 9, path, None) for path in ("/a", "/b")]
    assert list(read_transactions(transactions(ended, older))) == gone


def test_changes_made_together_are_told_one_by_one() -> None:
    part = text("/a") + text(None) + struct.pack(">i", 3)
    both = struct.pack(">i", 2) + struct.pack(">i", SET) + text(part) + struct.pack(">i", DELETE) + text(text("/b"))
    told = [Changed(1000, 9, "/a", b"", 3), Changed(1000, 9, "/b", None)]
    assert list(read_transactions(transactions(transaction(MULTI, both)))) == told


def test_a_torn_transaction_ends_a_log() -> None:
    whole = transactions(transaction(DELETE, text("/a")))[:-100]
    assert list(read_transactions(whole))
    for missing in range(1, len(whole) - 16):
        assert list(read_transactions(whole[:-missing])) == []


@pytest.mark.parametrize("content", [b"", b"BKLG", b"snapshot"])
def test_what_is_no_log_is_refused(content: bytes) -> None:
    with pytest.raises(DamagedFile, match="no transaction log"):
        list(read_transactions(content))

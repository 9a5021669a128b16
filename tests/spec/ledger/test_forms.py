"""Forms of metadata: BookKeeper, meta/LedgerMetadataSerDe.java, versions 1 to 3, each read and written."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.ledger.errors import BadLedger, CannotCarry, LedgerError, Malformed, TooLarge, Truncated, UnknownVersion
from spec.ledger.forms.binary import write_varint
from spec.ledger.forms.messages import BYTES_MAX
from spec.ledger.forms.versions import FIRST_WORD, Version, read, write
from spec.ledger.metadata import DigestType, Metadata, Segment, State
from spec.ledger.schedule import Quorums

PLAIN = Metadata(
    Quorums(2, 2, 2),
    (Segment(0, ("127.0.0.1:3181", "127.0.0.1:3182")), Segment(7, ("127.0.0.1:3181", "b:1"))),
    State.CLOSED,
    last_entry=9,
    length_bytes=1234,
)
FULL = replace(
    PLAIN,
    quorums=Quorums(2, 2, 1),
    digest_type=DigestType.CRC32C,
    password=b'se"cret\n\\\x00\xff',
    created_ms=1_700_000_000_000,
    custom=(("application", b"pulsar"), ("na\u00efve", b"")),
)
TEXT = """BookieMetadataFormatVersion\t2
quorumSize: 2
ensembleSize: 2
length: 1234
lastEntryId: 9
state: CLOSED
segment {
  ensembleMember: "127.0.0.1:3181"
  ensembleMember: "127.0.0.1:3182"
  firstEntryId: 0
}
segment {
  ensembleMember: "127.0.0.1:3181"
  ensembleMember: "b:1"
  firstEntryId: 7
}
ackQuorumSize: 2
"""

NUMBERS = st.integers(0, (1 << 63) - 1)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@st.composite
def ledgers(draw: st.DrawFn) -> Metadata:
    """Any metadata that a ledger can have."""
    ack, write, size = sorted(draw(st.tuples(*[st.integers(1, 4)] * 3)))
    firsts = sorted(draw(st.sets(NUMBERS, min_size=1, max_size=3)))
    state = draw(st.sampled_from(State))
    is_closed = state is State.CLOSED
    return Metadata(
        Quorums(size, write, ack),
        tuple(Segment(first, tuple(draw(st.lists(WORDS, min_size=size, max_size=size)))) for first in firsts),
        state,
        draw(NUMBERS | st.just(-1)) if is_closed else None,
        draw(NUMBERS) if is_closed else None,
        draw(st.none() | st.sampled_from(DigestType)),
        draw(st.none() | st.binary(max_size=6)),
        draw(st.none() | st.integers(-(1 << 63), (1 << 63) - 1)),
        tuple(draw(st.lists(st.tuples(WORDS, st.binary(max_size=4)), max_size=2))),
        draw(st.none() | NUMBERS),
    )


def test_tabs() -> None:
    """Version 1, as releases up to 4.1 wrote it, by hand."""
    text = b"2\n2\n1234\n0\t127.0.0.1:3181\t127.0.0.1:3182\n7\t127.0.0.1:3181\tb:1\n"
    assert write(PLAIN, Version.TABS) == FIRST_WORD + b"1\n" + text + b"9\tCLOSED"
    open_ledger = replace(PLAIN, state=State.OPEN, last_entry=None, length_bytes=None)
    assert write(open_ledger, Version.TABS) == FIRST_WORD + b"1\n" + text.replace(b"1234", b"0")
    assert write(replace(open_ledger, state=State.IN_RECOVERY), Version.TABS).endswith(b"b:1\n-102\tCLOSED")


def test_text() -> None:
    """Version 2, by hand; commas, comments, other brackets and numbers for names are taken, too."""
    assert write(PLAIN, Version.TEXT) == TEXT.encode()
    other = (
        re.sub(r"segment \{([^}]*)\}", r"segment: <\1>;", TEXT)
        .replace("CLOSED", "3 # closed")
        .replace('"b:1"', "'b:1'")
    )
    assert read(other.encode()) == PLAIN


def test_binary() -> None:
    """Version 3, by hand: the length, then tag and value of each field."""
    small = Metadata(Quorums(1, 1, 1), (Segment(0, ("b:1",)),))
    message = "0801 1001 1800 20ffffffffffffffffff01 2801 3207 0a03 623a31 1000 4801"
    assert write(small) == FIRST_WORD + b"3\n" + bytes([30]) + bytes.fromhex(message)


OLD = Metadata(
    Quorums(3, 2, 2), (Segment(0, ("192.0.2.1:1234", "192.0.2.2:1234", "192.0.2.3:1234")),), State.IN_RECOVERY
)
GUARDED = replace(OLD, digest_type=DigestType.CRC32, password=b"passwd")
NEW = Metadata(
    Quorums(3, 2, 1),
    (Segment(0, ("192.0.2.1:3181", "192.0.2.2:3181", "192.0.2.3:3181")),),
    digest_type=DigestType.CRC32C,
    password=b"foobar",
    created_ms=-1,
    token=0,
)


@pytest.mark.parametrize(
    ("metadata", "version", "digest"),
    [
        (OLD, Version.TABS, "1cc1fa5dc836e52f"),
        (GUARDED, Version.TEXT, "ad87e7446d806467"),
        (replace(GUARDED, created_ms=1544002383075), Version.TEXT, "b97c3ec0b06a661e"),
        (NEW, Version.BINARY, "4fe1ad3805338814"),
    ],
    ids=["4.0", "4.2", "4.4", "4.9"],
)
def test_bytes_are_those_of_releases(metadata: Metadata, version: Version, digest: str) -> None:
    """Samples of four releases in BookKeeper's own test, meta/TestLedgerMetadataSerDe.java, by their SHA-256."""
    assert sha256(write(metadata, version)).hexdigest().startswith(digest)
    assert read(write(metadata, version)) == metadata


@pytest.mark.parametrize("version", Version)
def test_what_is_written_is_read(version: Version) -> None:
    for metadata in (PLAIN, replace(PLAIN, state=State.IN_RECOVERY, last_entry=None, length_bytes=None)):
        assert read(write(metadata, version)) == metadata


@given(ledgers())
def test_any_ledger_is_read_as_it_was_written(metadata: Metadata) -> None:
    """In the forms that have a place for all of it."""
    assert read(write(metadata)) == metadata
    assert read(write(replace(metadata, token=None), Version.TEXT)) == replace(metadata, token=None)


def test_an_early_form_has_no_place_for_what_came_later() -> None:
    """The shipped writer leaves it out without a word."""
    assert read(write(FULL, Version.TEXT)) == FULL
    for metadata, version in ((FULL, Version.TABS), (replace(FULL, token=1), Version.TEXT)):
        with pytest.raises(CannotCarry):
            write(metadata, version)
    with pytest.raises(BadLedger):
        write(replace(FULL, segments=()))


def test_without_an_ack_quorum_it_is_the_write_quorum() -> None:
    """decodeFormat: metadata of before 4.2 has none."""
    assert read(TEXT.replace("ackQuorumSize: 2\n", "").encode()) == PLAIN


def test_unknown_fields_are_passed_over_in_bytes() -> None:
    """As protocol buffers have it; in text they are refused."""
    prefix, message = write(FULL).split(b"3\n", 1)
    for extra in ("a00101", "a1010102030405060708", "a201021122", "a50101020304"):
        more = message[2:] + bytes.fromhex(extra)
        assert read(prefix + b"3\n" + write_varint(len(more)) + more) == FULL


HEAD = "BookieMetadataFormatVersion\t"


def binary(message: str, length: int | None = None) -> bytes:
    data = bytes.fromhex(message)
    return FIRST_WORD + b"3\n" + bytes([len(data) if length is None else length]) + data


DAMAGED: list[tuple[bytes, type[LedgerError], str]] = [
    (b"", Truncated, "metadata, first line"),
    (FIRST_WORD + b"3", Truncated, "metadata, first line"),
    (b"Something else\n", Malformed, "no version"),
    (FIRST_WORD + b"three\n", Malformed, "no version"),
    (FIRST_WORD + b"4\n", UnknownVersion, "version 4. Try: one of 1, 2, 3"),
    (bytes(BYTES_MAX + 1), TooLarge, "no metadata is of such size"),
    (FIRST_WORD + b"1\n2\n2", Truncated, "line 4: it ends early: no length"),
    (f"{HEAD}1\n2\ntwo\n0\n".encode(), Malformed, "line 3: no number: 'two'"),
    (f"{HEAD}1\n1\n1\n0\n0\n".encode(), Malformed, "line 5: no such line: '0'"),
    (f"{HEAD}1\n1\n1\n0\n0\tb:1\n5\tCLOSED\n6\tb:1".encode(), Malformed, "line 7: no such line"),
    (f"{HEAD}1\n1\n1\n0\n5\tCLOSED".encode(), BadLedger, "no such segments"),
    (FIRST_WORD + b"2\n\xff", Malformed, "no text"),
    (TEXT[:-3].encode(), Truncated, "line 17: it ends early: instead of a number for ackQuorumSize"),
    (TEXT.split("  firstEntryId: 7", maxsplit=1)[0].encode(), Truncated, "segment, line 15: it ends early"),
    (TEXT.replace("length: 1234\n", "").encode(), Malformed, "a field is missing: length"),
    (TEXT.replace("1234", "1\nlength: 2").encode(), Malformed, "a field is there more than once: length"),
    (TEXT.replace("1234", '"1234"').encode(), Malformed, "'\"1234\"'. Try: a number for length"),
    (TEXT.replace("1234", str(1 << 63)).encode(), Malformed, f"length is {1 << 63}"),
    (TEXT.replace("quorumSize: 2", f"quorumSize: {1 << 31}", 1).encode(), Malformed, f"quorumSize is {1 << 31}"),
    (TEXT.replace("CLOSED", "SHUT").encode(), Malformed, "'SHUT'. Try: a name for state"),
    (TEXT.replace("CLOSED", "9").encode(), Malformed, "state is 9. Try: 1 for OPEN, 2 for IN_RECOVERY, 3 for CLOSED"),
    (TEXT.replace("segment {", "segment:", 1).encode(), Malformed, "a message for segment"),
    (TEXT.replace("length", "size").encode(), Malformed, "'size'. Try: a field: quorumSize"),
    (TEXT.replace("length: ", "length % ").encode(), Malformed, "no part of a message: '% 1234"),
    (TEXT.replace('"b:1"', r'"\q"').encode(), Malformed, "known signs behind a backslash"),
    (TEXT.replace('"b:1"', r'"\777"').encode(), Malformed, "known signs behind a backslash"),
    (TEXT.replace('"b:1"', r'"\377"').encode(), Malformed, "a text in UTF-8"),
    (FIRST_WORD + b"3\n", Truncated, "byte 0: it ends early"),
    (binary("0801", length=9), Truncated, "2 of 9 bytes"),
    (binary("080100", length=2), Malformed, "something follows the message: 1 bytes"),
    (binary("08"), Truncated, "byte 1: it ends early: within a field"),
    (binary("08ff"), Truncated, "it ends early"),
    (binary("08" + "ff" * 9 + "7f"), Malformed, "a number is too long"),
    (binary("08" + "ff" * 12), Malformed, "a number is too long"),
    (binary("0b"), Malformed, "no such tag: wire type 3"),
    (binary("0a0161"), Malformed, "a field is of another kind: quorumSize"),
    (binary("3001"), Malformed, "a field is of another kind: segment"),
    (binary("0880808080 10"), Malformed, "quorumSize is 4294967296"),
    (binary("32030a01ff"), Malformed, "segment, ensembleMember: a text is no UTF-8"),
    (binary("3209"), Truncated, "it ends early"),
    (binary("0801"), Malformed, "a field is missing: ensembleSize"),
]


@pytest.mark.parametrize(("data", "error", "told"), DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_metadata_is_refused_by_name(data: bytes, error: type[LedgerError], told: str) -> None:
    with pytest.raises(error, match=re.escape(told)):
        read(data)


@given(
    st.sampled_from([write(PLAIN, version) for version in Version] + [write(FULL), write(FULL, Version.TEXT)]),
    st.lists(st.tuples(st.integers(0, 400), st.binary(max_size=3)), min_size=1, max_size=3),
)
def test_any_change_of_bytes_is_read_or_refused(data: bytes, changes: list[tuple[int, bytes]]) -> None:
    """Never with another error; what is read can be written again."""
    for place, piece in changes:
        data = data[:place] + piece + data[place + 1 :]
    with suppress(LedgerError):
        assert read(write(read(data))) == read(data)

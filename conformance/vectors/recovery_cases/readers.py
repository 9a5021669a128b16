"""What a case expects of a reader after the recovery: records, and gaps of some kinds.

LogDevice, test/RecoveryTest.cpp. Tests append one more record to the epoch that the recovery leads to; a case calls its
LSN "last appended lsn". What they read in several turns is put together here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from conformance.vectors.differences import told_lsn, told_lsns
from conformance.vectors.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from reference_impl.log.lsn import ESN_MAX, epoch_of, lsn_of
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.log_recovery import digest_now
from reference_impl.log.repair.reading import Piece, Told, read
from reference_impl.log.repair.stores import Stores

ENDS: Final = re.compile(r"lsn\(\s*(\w[\w.]*)\s*,\s*(\w[\w.]*(?:\s*-\s*\d{1,9})?)\s*\)|(last_lsn)")
"""One end of what a test reads, as the test writes it."""

LAST: Final = re.compile(r"<?last[ _](?:appended )?lsn(?: ?- ?(\d{1,9}))?>?")
"""The LSN of the record that the test appends, or one some places before it."""

LAST_ESN: Final = re.compile(r"ESN_MAX(?:\.val_)?(?:\s*-\s*(\d{1,9}))?")
"""The last ESN of an epoch, or one some places before it."""


class Unreadable(Exception):
    """Words in which a test says what it reads, and which are no LSN."""


def compare_reader(expected: Fields, stores: Stores, epochs: Sequence[int], seal: int, found: Findings) -> None:
    """The pieces that a reader is told of, beside those that the case expects; unclear words are no agreement."""
    try:
        _compare_pieces(expected, stores, lsn_of(max([seal, *epochs]) + 1, 1), found)
    except Unreadable as error:
        found.add(f"reader: no such LSN or gap as {error}")


def _compare_pieces(expected: Fields, stores: Stores, appended: int, found: Findings) -> None:
    copies = _copies(stores)
    pieces: dict[Piece, None] = {}
    for text in expected.every("ranges", Fields.text):
        first, upto = _range(text, appended)
        more = {appended: Held(1)} if upto >= appended and "last_lsn" in text else {}
        pieces.update(dict.fromkeys(read({**copies, **more}, first, upto)))
    records = expected.every("expected_records", lambda inside, name: _lsn(inside, name, appended))
    seen = sorted(piece.first for piece in pieces if piece.told is Told.RECORD)
    found.compare("records read", told_lsns(records), told_lsns(seen))
    if "expected_gaps" in expected:
        gaps = expected.every("expected_gaps", lambda inside, name: _gap(inside, name, appended))
        _compare_gaps(gaps, sorted(piece for piece in pieces if piece.told is not Told.RECORD), found)


def _copies(stores: Stores) -> Mapping[int, Held]:
    """What a reader of all shards finds at each LSN."""
    epochs = {epoch_of(lsn) for store in stores.values() for lsn in store.copies}
    return {
        lsn_of(epoch, esn): entry.target for epoch in epochs for esn, entry in digest_now(stores, epoch, stores).items()
    }


def _range(text: str, appended: int) -> tuple[int, int]:
    ends = [appended if last else lsn_of(_whole(epoch), _whole(esn)) for epoch, esn, last in ENDS.findall(text)]
    if len(ends) != 2:  # noqa: PLR2004 - a range has two ends
        raise Unreadable(f"{text!r:.80}")
    return ends[0], ends[1]


def _whole(text: str) -> int:
    if last := LAST_ESN.fullmatch(text):
        return ESN_MAX - int(last[1] or 0)
    if not text.isdecimal() or len(text) > len(str(ESN_MAX)) or int(text) > ESN_MAX:
        raise Unreadable(repr(text))
    return int(text)


def _lsn(fields: Fields, name: str, appended: int) -> int:
    """An LSN, or one that is told by the record that the test appended."""
    value = fields.text(name)
    if last := LAST.fullmatch(value):
        return appended - int(last[1] or 0)
    if not value.startswith(("e", "LSN_")):
        raise Unreadable(f"{value!r:.80}")
    return fields.lsn(name)


def _gap(fields: Fields, name: str, appended: int) -> tuple[Told, int, int, bool]:
    """Its kind, its ends, and whether several in its place would do."""
    gap = fields.members(name, len(("kind", "first", "last")))
    about, *ends = gap
    kind, _, words = gap.text(about).partition(" ")
    first, last = (_lsn(gap, end, appended) for end in ends)
    if kind not in {*Told}:
        raise Unreadable(f"{gap.text(about)!r:.80}")
    return Told(kind), first, last, "several" in words


def _compare_gaps(wanted: Iterable[tuple[Told, int, int, bool]], seen: list[Piece], found: Findings) -> None:
    """Where several gaps would do, those that follow each other are one."""
    for told, first, last, several in wanted:
        inside = [piece for piece in seen if several and first <= piece.first and piece.last <= last]
        if inside and all(piece.told is told for piece in inside):
            seen = [piece for piece in seen if piece not in inside]
            seen.append(Piece(told, inside[0].first, inside[-1].last))
    expected = sorted(Piece(*gap[:3]) for gap in wanted)
    found.compare("gaps", [_shown(gap) for gap in expected], [_shown(gap) for gap in sorted(seen)])


def _shown(piece: Piece) -> str:
    return f"{piece.told} {told_lsn(piece.first)} to {told_lsn(piece.last)}"

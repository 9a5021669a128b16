"""What a case expects of a reader after the recovery: records, and gaps of some kinds.

LogDevice, test/RecoveryTest.cpp. Tests append one more record to the epoch that the recovery leads to; a case calls its
LSN "last appended lsn". What they read in several turns is put together here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from conformance.vectors.recovery_cases.fields import Fields
from conformance.vectors.recovery_cases.findings import Findings
from reference_impl.log.lsn import ESN_MAX, epoch_of, esn_of, lsn_of
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.log_recovery import digest_now
from reference_impl.log.repair.reading import Piece, Told, read
from reference_impl.log.repair.stores import Stores

ENDS: Final = re.compile(r"lsn\(\s*(\w[\w.]*)\s*,\s*(\w[\w.]*)\s*\)|(last_lsn)")
"""One end of what a test reads, as the test writes it."""

LAST: Final = re.compile(r"<?last[ _](?:appended )?lsn(?: ?- ?(\d{1,9}))?>?")
"""The LSN of the record that the test appends, or one some places before it."""


class Unreadable(Exception):
    """Words in which a test says what it reads, and which are no LSN."""


def compare_reader(expected: Fields, stores: Stores, epochs: Sequence[int], seal: int, found: Findings) -> None:
    """The pieces that a reader is told of, beside those that the case expects; unclear words are no agreement."""
    found.unknown("reader", expected, ("ranges", "expected_records", "expected_gaps"))
    try:
        _compare_pieces(expected, stores, lsn_of(max([seal, *epochs]) + 1, 1), found)
    except Unreadable as error:
        found.add(f"reader: no such LSN or gap as {error}")


def _compare_pieces(expected: Fields, stores: Stores, appended: int, found: Findings) -> None:
    copies = _copies(stores)
    pieces: dict[Piece, None] = {}
    for text in expected.names("ranges"):
        first, upto = _range(text, appended)
        more = {appended: Held(1)} if upto >= appended and "last_lsn" in text else {}
        pieces.update(dict.fromkeys(read({**copies, **more}, first, upto)))
    records = [_lsn(one, appended, expected) for one in expected.items("expected_records")]
    seen = sorted(piece.first for piece in pieces if piece.told is Told.RECORD)
    found.compare("records read", _told(records), _told(seen))
    gaps = [_gap(one, appended, expected) for one in expected.items("expected_gaps", [])]
    if "expected_gaps" in expected:
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
    if text.startswith("ESN_MAX"):
        return ESN_MAX
    if not text.isdecimal() or len(text) > len(str(ESN_MAX)) or int(text) > ESN_MAX:
        raise Unreadable(repr(text))
    return int(text)


def _lsn(value: object, appended: int, fields: Fields) -> int:
    if not isinstance(value, str):
        return fields.lsn(value)
    if last := LAST.fullmatch(value):
        return appended - int(last[1] or 0)
    if not value.startswith("e"):
        raise Unreadable(f"{value!r:.80}")
    return fields.lsn(value)


def _gap(value: object, appended: int, fields: Fields) -> tuple[Told, int, int, bool]:
    """Its kind, its ends, and whether several in its place would do."""
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[0], str):  # noqa: PLR2004 - kind and ends
        raise fields.refuse("no such gap", f"{value!r:.80}, where a kind and two LSNs must be")
    kind, _, words = value[0].partition(" ")
    first, last = (_lsn(end, appended, fields) for end in value[1:])
    if kind not in {*Told}:
        raise Unreadable(f"{value[0]!r:.80}")
    return Told(kind), first, last, "several" in words


def _compare_gaps(wanted: list[tuple[Told, int, int, bool]], seen: list[Piece], found: Findings) -> None:
    """Where several gaps would do, those that follow each other are one."""
    for told, first, last, several in wanted:
        inside = [piece for piece in seen if several and first <= piece.first and piece.last <= last]
        if inside and all(piece.told is told for piece in inside):
            seen = [piece for piece in seen if piece not in inside]
            seen.append(Piece(told, inside[0].first, inside[-1].last))
    expected = sorted(Piece(*gap[:3]) for gap in wanted)
    found.compare("gaps", [_shown(gap) for gap in expected], [_shown(gap) for gap in sorted(seen)])


def _shown(piece: Piece) -> str:
    return f"{piece.told} {' to '.join(_told((piece.first, piece.last)))}"


def _told(lsns: Sequence[int]) -> list[str]:
    return [f"e{epoch_of(lsn)}n{esn_of(lsn)}" for lsn in lsns]

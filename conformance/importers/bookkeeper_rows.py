"""The rows of a BookKeeper recording: what clients saw, how metadata changed, what bookies stored, what they list.

Source of the fields: the recorder in ``conformance.record.bookkeeper``. Metadata and lists are BookKeeper's own bytes,
in base64.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.lines import Line, read_lines
from conformance.importers.payloads import payload_of
from conformance.trace.errors import Mistyped
from spec.ledger.availability.encoding import decode
from spec.ledger.errors import LedgerError
from spec.ledger.forms.versions import read
from spec.ledger.metadata import NO_ENTRY, Metadata

NODE_MAX: Final = (1 << 15) - 1
LEDGER_MAX: Final = (1 << 63) - 1
CREATED, RECOVERED, ASKED, TOLD, UNSURE, GIVEN, MISSED = (
    *("create", "recover", "invoke_append", "ack", "indefinite", "deliver", "missing"),
)
_FAULT, _CHANGE = "fault", "change"
_WITH_PAYLOAD: Final = {ASKED, TOLD, UNSURE, GIVEN}
_WITH_ENTRY: Final = {TOLD, GIVEN, MISSED}
_KINDS: Final = (CREATED, RECOVERED, ASKED, TOLD, UNSURE, GIVEN, MISSED, _CHANGE, _FAULT)


@dataclass(frozen=True, slots=True)
class ClientRow:
    """One thing that a client did or was told.

    Attributes:
        entry: its number, -1 where the row is about none.
        digest: the hash of its payload; None where there is none.
        text: the payload itself.
        confirmed: the last entry confirmed that a reader knew.
    """

    kind: str
    client: str
    time_ns: int
    ledger: int
    entry: int = NO_ENTRY
    digest: int | None = None
    text: str | None = None
    confirmed: int = NO_ENTRY


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of a ledger's metadata, and whose session made it; no metadata where the ledger was deleted."""

    time_ns: int
    session: str
    ledger: int
    version: int
    metadata: Metadata | None


@dataclass(frozen=True, slots=True)
class RegistrationRow:
    """A bookie registered, or its registration is gone; what metadata calls it is its name."""

    time_ns: int
    bookie: int
    name: str
    present: bool


@dataclass(frozen=True, slots=True)
class StoredRow:
    """What a bookie wrote down: an entry; or, without one, that it fenced the ledger; or that it lost everything.

    Attributes:
        time_ns: when it took the entry to write it down; None where that is not known.
        wiped_ns: when it lost all that stands before; None where it stored or fenced.
        confirmed: the last entry confirmed that was sent along.
    """

    bookie: int
    ledger: int = 0
    entry: int | None = None
    digest: int | None = None
    confirmed: int = NO_ENTRY
    time_ns: int | None = None
    wiped_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ListRow:
    """What a bookie said that it has of a ledger, as it was sent; None if it knows no such ledger."""

    time_ns: int
    ledger: int
    bookie: int
    data: bytes | None


def read_history(path: Path) -> tuple[list[ClientRow], dict[tuple[int, int], int]]:
    """What clients did, in order; and what writers knew to be confirmed, by the ledger and entry of a new segment.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    rows, confirmed = [], {}
    for line in read_lines(path):
        kind = line.words("kind")
        if kind not in _KINDS:
            raise line.refuse(UnknownRow(f"kind {kind!r:.40}", f"known are {', '.join(_KINDS)}", "one of these"))
        if kind == _CHANGE:
            confirmed[_ledger(line), line.whole("entry")] = line.whole("confirmed", NO_ENTRY)
        elif kind != _FAULT:
            rows.append(_client_row(line, kind))
    return rows, confirmed


def _client_row(line: Line, kind: str) -> ClientRow:
    digest, text = payload_of(line) if kind in _WITH_PAYLOAD else (None, None)
    return ClientRow(
        kind,
        line.words("client"),
        line.whole("time_ns"),
        _ledger(line),
        line.whole("entry") if kind in _WITH_ENTRY else NO_ENTRY,
        digest,
        text,
        line.whole("confirmed", NO_ENTRY) if kind in {GIVEN, MISSED} else NO_ENTRY,
    )


def read_metadata(path: Path) -> tuple[list[VersionRow], list[RegistrationRow]]:
    """The versions of all metadata, and who was registered when, each in order.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    versions, registrations = list[VersionRow](), list[RegistrationRow]()
    for line in read_lines(path):
        time_ns = line.whole("time_ns")
        if line.has("node"):
            registrations.append(RegistrationRow(time_ns, _node(line), line.words("bookie"), _flag(line)))
        else:
            versions.append(
                VersionRow(time_ns, line.words("session"), _ledger(line), line.whole("version"), _metadata(line))
            )
    return versions, registrations


def _metadata(line: Line) -> Metadata | None:
    data = _bytes(line)
    try:
        return None if data is None else read(data)
    except LedgerError as damage:
        raise line.refuse(Mistyped("data is no metadata", str(damage), "record its bytes as they are")) from None


def read_stored(path: Path) -> list[StoredRow]:
    """What bookies wrote down, each in its order.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    return [_stored(line) for line in read_lines(path)]


def _stored(line: Line) -> StoredRow:
    if line.has("wiped_ns"):
        return StoredRow(_node(line), wiped_ns=line.whole("wiped_ns"))
    if not line.has("entry"):
        return StoredRow(_node(line), _ledger(line))
    digest, _ = payload_of(line)
    time_ns = line.whole("time_ns") if line.has("time_ns") else None
    confirmed = line.whole("confirmed", NO_ENTRY)
    return StoredRow(_node(line), _ledger(line), line.whole("entry"), digest, confirmed, time_ns)


def read_lists(path: Path) -> Iterator[ListRow]:
    """What bookies list, each list such that it can be read.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    for line in read_lines(path):
        data = _bytes(line)
        try:
            decode(data or b"") if data is not None else ()
        except LedgerError as damage:
            raise line.refuse(Contradiction("data is no list of entries", str(damage), "record it as sent")) from None
        yield ListRow(line.whole("time_ns"), _ledger(line), _node(line), data)


def _bytes(line: Line) -> bytes | None:
    if not line.has("data"):
        return None
    try:
        return b64decode(line.words("data"), validate=True)
    except Error:
        raise line.refuse(Mistyped("data is not base64", "it stands for bytes", "write it in base64")) from None


def _flag(line: Line) -> bool:
    said = line.value("registered")
    if not isinstance(said, bool):
        raise line.refuse(Mistyped(f"registered is {said!r:.40}", "it must be true or false", "true, or false"))
    return said


def _node(line: Line) -> int:
    return line.whole("node", 0, NODE_MAX)


def _ledger(line: Line) -> int:
    return line.whole("ledger", 0, LEDGER_MAX)

"""Small recordings of BookKeeper, as its recorder would write them."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from spec.ledger.availability.encoding import encode
from spec.ledger.forms.versions import write as metadata_bytes
from spec.ledger.metadata import Metadata, Segment, State
from spec.ledger.schedule import Quorums
from tests.support.recordings import write

BOOKIES: Final = ("a:1", "b:1", "c:1", "d:1")
SECOND: Final = 1_000_000_000
WRITER, RECOVERER = "0x1", "0x2"
Rows = list[dict[str, Any]]


def opened(ack: int = 2) -> Metadata:
    """A ledger of three copies on the first three bookies, to be written."""
    return Metadata(Quorums(3, 3, ack), (Segment(0, BOOKIES[:3]),))


def moved(metadata: Metadata, first: int, *ensemble: str) -> Metadata:
    """The ledger with a new segment."""
    return replace(metadata, segments=(*metadata.segments, Segment(first, ensemble)))


def recovering(metadata: Metadata) -> Metadata:
    """The ledger in recovery."""
    return replace(metadata, state=State.IN_RECOVERY)


def closed(metadata: Metadata, last: int) -> Metadata:
    """The ledger with its end."""
    return replace(metadata, state=State.CLOSED, last_entry=last, length_bytes=4 * (last + 1))


def versions(*made: tuple[str, Metadata | None]) -> Rows:
    """All bookies register, and each session makes a version of ledger 0, a second after the one before."""
    registered = [
        {"time_ns": 0, "session": "0x9", "node": node, "bookie": name, "registered": True}
        for node, name in enumerate(BOOKIES)
    ]
    changes = [
        {
            "time_ns": (2 * number + 1) * SECOND,
            "session": session,
            "ledger": 0,
            "version": number,
            "data": None if metadata is None else b64encode(metadata_bytes(metadata)).decode(),
        }
        for number, (session, metadata) in enumerate(made)
    ]
    return [*registered, *changes]


def history(*acknowledged: int, read_to: int | None = None, unsure: int | None = None) -> Rows:
    """A writer's appends, with what becomes of each; a takeover; and what a reader is given."""
    rows: Rows = [{"client": "w0", "kind": "create", "ledger": 0}]
    for entry in acknowledged:
        rows += [_row("w0", "invoke_append", entry), _row("w0", "ack", entry, entry=entry)]
    if unsure is not None:
        rows += [_row("w0", "invoke_append", unsure), _row("w0", "indefinite", unsure, error="LedgerFencedException")]
    rows.append({"client": "r0", "kind": "recover", "ledger": 0})
    for entry in range(0 if read_to is None else read_to + 1):
        rows.append(_row("reader", "deliver", entry, entry=entry, confirmed=read_to))
    return [{"time_ns": (number + 2) * SECOND, **row} for number, row in enumerate(rows)]


def _row(client: str, kind: str, number: int, **more: Any) -> dict[str, Any]:
    return {"client": client, "kind": kind, "ledger": 0, "value": f"w0:{number}", **more}


def stored(held: Mapping[int, Iterable[int | None]], *, late: Collection[int] | None = ()) -> Rows:
    """What each bookie wrote down, in order: entries, and None where it fenced the ledger.

    It took each entry before that was acknowledged; those that are late a minute after; none at a time if nobody knows.
    """
    fence: dict[str, Any] = {"ledger": 0}
    return [
        {"node": node, **(fence if entry is None else fence | _stored(entry, late))}
        for node, entries in held.items()
        for entry in entries
    ]


def _stored(entry: int, late: Collection[int] | None) -> dict[str, Any]:
    time = {} if late is None else {"time_ns": SECOND * (2 * entry + (60 if entry in late else 3))}
    return {"entry": entry, "confirmed": entry - 1, "value": f"w0:{entry}", **time}


def lists(held: Mapping[int, Sequence[int] | None]) -> Rows:
    """What each bookie lists; None where it knows no such ledger."""
    return [
        {
            "time_ns": 100 * SECOND,
            "ledger": 0,
            "node": node,
            "data": None if entries is None else b64encode(encode(entries)).decode(),
        }
        for node, entries in held.items()
    ]


def recorded(folder: Path, **files: Rows) -> Path:
    """The folder with these files."""
    for name, rows in files.items():
        write(folder / f"{name}.jsonl", rows)
    return folder


def sound(folder: Path) -> Path:
    """Three entries on three bookies, acknowledged and read; the ledger was recovered, and the last entry repeated."""
    ledger = opened()
    made = ((WRITER, ledger), (RECOVERER, recovering(ledger)), (RECOVERER, closed(ledger, 2)))
    return recorded(
        folder,
        history=history(0, 1, 2, read_to=2),
        metadata=versions(*made),
        stored=stored(dict.fromkeys(range(3), (0, 1, 2, None, 2))),
        lists=lists(dict.fromkeys(range(3), (0, 1, 2))),
    )

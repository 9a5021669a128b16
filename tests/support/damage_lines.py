"""Damages to a trace in JSON lines, plain and zstd: what each does, and which error names it.

The list of what must be named is the promise of ``conformance.trace.errors``: truncated, mistyped, duplicated, NULL,
unknown and oversized input.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import zstandard

from conformance.trace.errors import (
    Damaged,
    Duplicated,
    Empty,
    Inconsistent,
    MissingField,
    Mistyped,
    NotATrace,
    NotSorted,
    NullValue,
    Oversized,
    TraceError,
    Truncated,
    UnknownKind,
    UnknownPartition,
    UnknownPromise,
    UnknownRecorder,
    UnknownRole,
    UnknownVersion,
)

Object = dict[str, Any]
Damage = Callable[[Path, Path], None]
Expected = type[TraceError] | None
"""The error that must name a damage; None where the trace stays readable, with something unknown in it."""

STORE: Final = 4
"""The line, counted from 0, of a store that knows everything."""

EPOCH: Final = 2
"""The line of an epoch with its metadata."""

STATUS: Final = 1
"""The line of the statuses of nodes."""

ACK: Final = 6
"""The line of an acknowledgement."""

GAP: Final = 8
"""The line of a gap."""

DELIVER: Final = 9
"""The line of a record that a reader was given."""

LOST: Final = {"underreplicated": [4], "empty": [4]}
BOOKS: Final[Object] = {"role": "books", "records": {"store": "complete"}}
READ: Final[Object] = {"kind": "read"}
"""What makes a gap over several LSNs a read that says to have answered for them."""


def on_header(change: Callable[[Object], object]) -> Damage:
    """Change the header's object."""
    return _on_line(0, change)


def on_store(change: Callable[[Object], object]) -> Damage:
    """Change the object of a store."""
    return _on_line(STORE, change)


def _on_line(number: int, change: Callable[[Object], object]) -> Damage:
    def damage(source: Path, target: Path) -> None:
        lines = source.read_text(encoding="utf-8").splitlines()
        said = json.loads(lines[number])
        change(said)
        lines[number] = json.dumps(said)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")

    return damage


def on_lines(change: Callable[[list[bytes]], object]) -> Damage:
    """Change the list of lines."""

    def damage(source: Path, target: Path) -> None:
        lines = source.read_bytes().splitlines(keepends=True)
        change(lines)
        target.write_bytes(b"".join(lines))

    return damage


def on_bytes(change: Callable[[bytes], bytes]) -> Damage:
    """Change the bytes of the file."""
    return lambda source, target: void(target.write_bytes(change(source.read_bytes())))


def on_zstd(change: Callable[[bytes], bytes]) -> Damage:
    """Change the bytes of the file after it was packed."""
    packer = zstandard.ZstdCompressor(write_checksum=True)
    return on_bytes(lambda plain: change(packer.compress(plain)))


def void(_: object) -> None:
    """Nothing, whatever is given."""


def flipped(data: bytes, place: int) -> bytes:
    """The bytes with one bit changed."""
    return data[:place] + bytes([data[place] ^ 16]) + data[place + 1 :]


def with_text(name: str, text: bytes) -> Damage:
    """Give a field of a store a value that is written as this text."""

    def change(lines: list[bytes]) -> None:
        said = json.loads(lines[STORE])
        said[name] = "HERE"
        lines[STORE] = json.dumps(said).encode().replace(b'"HERE"', text) + b"\n"

    return on_lines(change)


def _swap(lines: list[bytes]) -> None:
    lines[EPOCH], lines[STORE] = lines[STORE], lines[EPOCH]


def _header_only(lines: list[bytes]) -> None:
    said = json.loads(lines[0])
    del said["end_line"]
    lines[:] = [json.dumps(said).encode() + b"\n"]


LINE_DAMAGES: Final[dict[str, tuple[Expected, Damage]]] = {
    "file empty": (NotATrace, on_bytes(lambda _: b"")),
    "file of noise": (NotATrace, on_bytes(lambda _: bytes(range(256)) * 40)),
    "header missing": (NotATrace, on_lines(lambda lines: lines.pop(0))),
    "header cut": (Truncated, on_bytes(lambda data: data[:100])),
    "header alone": (Empty, on_lines(_header_only)),
    "header twice": (Duplicated, on_lines(lambda lines: lines.insert(STORE, lines[0]))),
    "header of an unknown version": (UnknownVersion, on_header(lambda said: said.update(quorate_trace="2.0"))),
    "header version mistyped": (Mistyped, on_header(lambda said: said.update(quorate_trace=1.0))),
    "header without nodes": (MissingField, on_header(lambda said: said.pop("nodes"))),
    "header clock bound null": (NullValue, on_header(lambda said: said.update(clock_bound_ns=None))),
    "header nodes mistyped": (Mistyped, on_header(lambda said: said.update(nodes="n0 n1"))),
    "header node twice": (Duplicated, on_header(lambda said: said["nodes"].append(said["nodes"][0]))),
    "header scope unknown": (Mistyped, on_header(lambda said: said["nodes"][0]["location"].update(shelf="s"))),
    "header promise unknown": (UnknownPromise, on_header(lambda said: said["promises"].update(speed=True))),
    "header kind unknown": (
        UnknownKind,
        on_header(lambda said: said["recorders"]["n0"]["records"].update(boil="partial")),
    ),
    "header role unknown": (UnknownRole, on_header(lambda said: said["recorders"]["n0"].update(role="king"))),
    "header role kept for the books": (
        UnknownRole,
        on_header(lambda said: said["recorders"]["n0"].update(role="books")),
    ),
    "header name kept for the books": (
        UnknownRole,
        on_header(lambda said: said["recorders"].update(books={"role": "client", "records": {}})),
    ),
    "header books that record more": (UnknownRole, on_header(lambda said: said["recorders"].update(books=BOOKS))),
    "header records what books add": (
        UnknownRole,
        on_header(lambda said: said["recorders"]["n0"]["records"].update(passed="complete")),
    ),
    "header promise of no copies": (Oversized, on_header(lambda said: said["promises"].update(copies=0))),
    "header domain without a name": (Mistyped, on_header(lambda said: said["nodes"][0]["location"].update(rack=""))),
    "header esn_bits oversized": (Oversized, on_header(lambda said: said.update(esn_bits=63))),
    "byte order mark": (Mistyped, on_bytes(lambda data: b"\xef\xbb\xbf" + data)),
    "line cut": (Truncated, on_bytes(lambda data: data[:-40])),
    "last lines missing": (Truncated, on_lines(lambda lines: lines.__delitem__(slice(-2, None)))),
    "line missing": (Truncated, on_lines(lambda lines: lines.pop(STORE))),
    "lines after the end": (Duplicated, on_lines(lambda lines: lines.append(lines[STORE]))),
    "line no JSON": (Mistyped, on_lines(lambda lines: lines.insert(STORE, b"kind=store node=3\n"))),
    "line no object": (Mistyped, on_lines(lambda lines: lines.insert(STORE, b"[1, 2]\n"))),
    "line no UTF-8": (Mistyped, with_text("payload", b'"\xff\xfe"')),
    "line too long": (Oversized, with_text("payload", b'"' + b"x" * (1 << 24) + b'"')),
    "line nested without end": (Oversized, with_text("deep", b"[" * 100_000 + b"]" * 100_000)),
    "number as text": (Mistyped, on_store(lambda said: said.update(esn="1"))),
    "number with a fraction": (Mistyped, on_store(lambda said: said.update(esn=1.5))),
    "number as a truth value": (Mistyped, on_store(lambda said: said.update(esn=True))),
    "number NaN": (Mistyped, with_text("wave", b"NaN")),
    "number infinite": (Oversized, with_text("unheard", b"1e999")),
    "number beyond 64 bits": (Oversized, on_store(lambda said: said.update(digest=1 << 63))),
    "number of 5000 digits": (Oversized, with_text("digest", b"9" * 5000)),
    "number beyond its column": (Oversized, on_store(lambda said: said.update(wave=1 << 31))),
    "node beyond the topology": (Oversized, on_store(lambda said: said.update(node=5))),
    "node negative": (Oversized, on_store(lambda said: said.update(node=-1))),
    "copyset beyond the topology": (Oversized, on_store(lambda said: said.update(copyset=[0, 64]))),
    "copyset with a node twice": (Duplicated, on_store(lambda said: said.update(copyset=[3, 3]))),
    "copyset mistyped": (Mistyped, on_store(lambda said: said.update(copyset={"0": 3}))),
    "ESN too wide": (Oversized, on_store(lambda said: said.update(esn=1 << 32))),
    "replication scope unknown": (Mistyped, _on_line(EPOCH, lambda said: said.update(replication={"shelf": 2}))),
    "replication of no copy": (Mistyped, _on_line(EPOCH, lambda said: said.update(replication={"node": 0}))),
    "replication wider than narrow": (
        Inconsistent,
        _on_line(EPOCH, lambda said: said.update(replication={"node": 2, "rack": 3})),
    ),
    "delivery answers for more": (Inconsistent, _on_line(DELIVER, lambda said: said.update(upto_esn=2))),
    "read answers for something": (Inconsistent, _on_line(GAP, lambda said: said.update(READ))),
    "acknowledged as it began": (Inconsistent, _on_line(ACK, lambda said: said.update(invoked=said["seq"]))),
    "node copied and not copied": (Inconsistent, _on_line(STATUS, lambda said: said.update(LOST))),
    "number below the least": (Oversized, on_store(lambda said: said.update(wave=0))),
    "epoch of a recovery negative": (Oversized, on_store(lambda said: said.update(recovery=-1))),
    "event that books add": (UnknownRecorder, _on_line(GAP, lambda said: said.update(kind="passed", why=1))),
    "field missing": (MissingField, on_store(lambda said: said.pop("node"))),
    "field null": (NullValue, on_store(lambda said: said.update(node=None))),
    "field twice": (Duplicated, with_text("wave", b'1, "wave": 2')),
    "optional field null": (None, on_store(lambda said: said.update(digest=None))),
    "kind unknown": (UnknownKind, on_store(lambda said: said.update(kind="boil"))),
    "kind missing": (MissingField, on_store(lambda said: said.pop("kind"))),
    "log unknown": (UnknownPartition, on_store(lambda said: said.update(log=3))),
    "gap reason unknown": (Oversized, _on_line(GAP, lambda said: said.update(reason=99))),
    "recorder unknown": (UnknownRecorder, on_store(lambda said: said.update(recorder="nobody"))),
    "recorder half a character": (Mistyped, with_text("recorder", b'"\\ud800"')),
    "event twice": (Duplicated, on_lines(lambda lines: lines.__setitem__(STORE + 1, lines[STORE]))),
    "event too many": (Duplicated, on_lines(lambda lines: lines.insert(STORE, lines[STORE]))),
    "events out of order": (NotSorted, on_lines(_swap)),
    "zstd cut": (Truncated, on_zstd(lambda data: data[: len(data) // 2])),
    "zstd with a flipped bit": (Damaged, on_zstd(lambda data: flipped(data, len(data) - 20))),
    "zstd with noise behind": (Damaged, on_zstd(lambda data: data + b"noise behind it")),
}
"""Each damage by name, with the error that must name it."""

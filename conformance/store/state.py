"""The state of a store: what was read, which ranges there are, and what was told. One file, replaced batch by batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from conformance.store.errors import NoStore, damage_named
from conformance.store.numbers_seen import Stretches
from conformance.store.ranges import Range
from conformance.trace.files import atomic
from conformance.trace.header import Header
from conformance.trace.header_json import header_from_json, header_to_json
from conformance.trace.json_text import decode, encode
from spec.columns.piece import TracePosition
from spec.language.outcomes import Violation

NAME: Final = "state.json"
VERSION: Final = 3

DIGEST: Final = b',"digest":'
"""What stands before the last field, which has the digest of all that is before it."""


@dataclass(frozen=True)
class FileRead:
    """What was read of a file.

    Attributes:
        size: so many bytes.
        events: so many events.
        ended: its last line was there, which counts them.
        last: a digest of the last of these bytes.
    """

    size: int
    events: int
    ended: bool = False
    last: str = ""


@dataclass(frozen=True)
class Since:
    """Since when a violation has stood: how many events there were, and the latest time that any of them told."""

    events: int
    latest_ns: int


@dataclass
class State:
    """What a store knows after a batch.

    Attributes:
        header: the trace's, without what books add.
        version: a fingerprint of the rules that its parts were judged by.
        batch: the number of the last batch.
        stream: the number that a stream gave to the last batch that came from one; -1: none did.
        events: how many events there are.
        doubled: how many came again, the same in everything.
        latest_ns: the latest time that any event told.
        read: what was read of each file, by name.
        numbers: which numbers of each recorder there are.
        layers: the ranges of each layer, in order.
        parts: the name of the part of each range, by layer and the range's content.
        pending: violations that stand and are not told yet.
        told: how many violations were told.
        late: those of them that do not stand any more.
        booked: of how many events books were kept.
        by_books: violations that stood then, as books say.
    """

    header: Header
    version: str = ""
    batch: int = 0
    stream: int = -1
    events: int = 0
    doubled: int = 0
    latest_ns: int = 0
    read: dict[str, FileRead] = field(default_factory=dict)
    numbers: Stretches = field(default_factory=dict)
    layers: dict[str, list[Range]] = field(default_factory=dict)
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    pending: dict[Violation, Since] = field(default_factory=dict)
    told: int = 0
    late: set[Violation] = field(default_factory=set)
    booked: int = 0
    by_books: set[Violation] = field(default_factory=set)

    def files(self) -> dict[str, set[str]]:
        """The names of the files that it names, by folder."""
        return {
            "events": {f"{one.content}.parquet" for ranges in self.layers.values() for one in ranges},
            "found": {name for parts in self.parts.values() for name in parts.values()},
        }


def write_state(folder: Path, state: State) -> None:
    """Replace the state of a store."""
    said = {
        "quorate_store": VERSION,
        "header": header_to_json(state.header),
        "rules": state.version,
        "batch": state.batch,
        "stream": state.stream,
        "events": state.events,
        "doubled": state.doubled,
        "latest_ns": state.latest_ns,
        "read": {name: (one.size, one.events, one.ended, one.last) for name, one in state.read.items()},
        "numbers": state.numbers,
        "layers": {name: [(r.first, r.content, r.rows) for r in ranges] for name, ranges in state.layers.items()},
        "parts": state.parts,
        "pending": [(v.rule, v.key, since.events, since.latest_ns) for v, since in state.pending.items()],
        "told": state.told,
        "late": _listed(state.late),
        "booked": state.booked,
        "by_books": _listed(state.by_books),
    }
    with atomic(folder / NAME) as unfinished:
        content = encode(said).removesuffix(b"}")
        unfinished.write_bytes(content + DIGEST + encode(_digest(content)) + b"}")


def read_state(folder: Path) -> State | None:
    """The state of a store; None where there is none yet.

    Raises:
        NoStore: the folder holds something else, a store of another version, or one that is damaged.
    """
    path = folder / NAME
    if not path.exists():
        if folder.exists() and any(one.name not in OWN and not one.name.startswith(".") for one in folder.iterdir()):
            raise NoStore("no store", "the folder holds something else", "name a new folder").at(folder)
        return None
    with damage_named(path):
        whole = path.read_bytes()
        said: Mapping[str, Any] = decode(whole.decode())
        version = said["quorate_store"]
        if version == VERSION:
            if said["digest"] != _digest(whole.rpartition(DIGEST)[0]):
                raise ValueError("other bytes")
            return _state(said)
    why = f"this quorate keeps version {VERSION}"
    raise NoStore(f"version {version}", why, "judge the trace in a new folder").at(folder)


def _state(said: Mapping[str, Any]) -> State:
    return State(
        header=header_from_json(said["header"]),
        version=said["rules"],
        batch=said["batch"],
        stream=said["stream"],
        events=said["events"],
        doubled=said["doubled"],
        latest_ns=said["latest_ns"],
        read={name: FileRead(*one) for name, one in said["read"].items()},
        numbers={name: [(first, last) for first, last in some] for name, some in said["numbers"].items()},
        layers={name: [_range(*one) for one in ranges] for name, ranges in said["layers"].items()},
        parts=said["parts"],
        pending={Violation(rule, tuple(key)): Since(*since) for rule, key, *since in said["pending"]},
        told=said["told"],
        late=_violations(said["late"]),
        booked=said["booked"],
        by_books=_violations(said["by_books"]),
    )


OWN: Final = frozenset({"events", "found", "new", "violations", "checkpoint", "landed", "lock", "metrics.jsonl", NAME})
"""What stands in a store."""


def _digest(content: bytes) -> str:
    return blake2b(content).hexdigest()


def _range(first: list[int] | None, content: str, rows: int) -> Range:
    return Range(None if first is None else TracePosition(*first), content, rows)


def _listed(violations: set[Violation]) -> list[tuple[str, tuple[int, ...]]]:
    return [(violation.rule, violation.key) for violation in sorted(violations)]


def _violations(listed: list[tuple[str, list[int]]]) -> set[Violation]:
    return {Violation(rule, tuple(key)) for rule, key in listed}

"""The rows of a Kafka recording: what clients saw, and what each replica held when it was looked at.

Source of the fields: the recorder in ``conformance.record.kafka``; offsets, leader epochs and producer ids are those of
Kafka's record batches (Apache Kafka documentation, Record Batch).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import hexdigits
from typing import Final

from conformance.importers.errors import Contradiction, UnknownRow
from conformance.importers.faults import fault_of
from conformance.importers.journal import HASH_DIGITS, digest_from, digest_of
from conformance.importers.lines import Line, read_lines
from conformance.trace.errors import Duplicated, Empty, MissingField, Mistyped

KINDS: Final = {
    "invoke_append": "invoke",
    "ack": "ack",
    "fail": "fail",
    "indefinite": "indefinite",
    "deliver": "deliver",
}
"""Kinds of rows in a history, and the words of the vocabulary for them."""

FAULT: Final = "fault"
"""The kind of a row that tells what befell a node."""

_NO_PRODUCER: Final = -1
_EPOCH_MAX: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Record:
    """A payload at an offset: what joins an acknowledgement to the copies of it."""

    log: str
    offset: int
    digest: int


@dataclass(frozen=True, slots=True)
class ClientRow:
    """One row of a history.

    Attributes:
        kind: the word of the vocabulary.
        number: the client's own number of the append or delivery.
        offset, epoch: -1 where the row does not say it.
    """

    line: Line
    client: str
    kind: str
    number: int
    time_ns: int
    log: str
    offset: int
    epoch: int
    digest: int
    text: str | None

    @property
    def record(self) -> Record:
        """What the row says of the log."""
        return Record(self.log, self.offset, self.digest)


@dataclass(frozen=True, slots=True)
class Hurt:
    """A fault of one node."""

    time_ns: int
    what: int
    node: int


@dataclass(frozen=True, slots=True)
class Copy:
    """One record on one replica.

    Attributes:
        idempotent: whether its producer numbers its appends; None where the row does not say it.
    """

    node: int
    record: Record
    epoch: int
    text: str | None
    idempotent: bool | None

    @property
    def identity(self) -> tuple[int, Record, int]:
        """What makes it the same copy in two looks."""
        return self.node, self.record, self.epoch


def read_history(path: Path) -> tuple[list[ClientRow], list[Hurt]]:
    """The rows of a history, each client's in the order of its clock, and the faults.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    rows: list[ClientRow] = []
    faults: list[Hurt] = []
    for line in read_lines(path):
        if line.words("kind") == FAULT:
            faults.append(Hurt(line.whole("time_ns"), fault_of(line), line.whole("node", 0, _EPOCH_MAX)))
        else:
            rows.append(_client_row(line))
    if not rows:
        raise Empty("no client", "the history has only faults", "check whether the clients were on").at(path)
    invoked: set[tuple[str, int]] = set()
    for row in rows:
        if row.kind == "invoke":
            if (row.client, row.number) in invoked:
                raise row.line.refuse(
                    Duplicated(
                        f"append {row.number} of client {row.client!r} is invoked twice",
                        "a client numbers its appends",
                        "import one recording at a time, and name a restarted client anew",
                    )
                )
            invoked.add((row.client, row.number))
    return sorted(rows, key=lambda row: row.time_ns), sorted(faults, key=lambda fault: fault.time_ns)


def read_copies(path: Path) -> list[Copy]:
    """The records that each replica held, by node and offset.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    found: dict[tuple[int, str, int], Copy] = {}
    for line in read_lines(path):
        copy = _copy(line)
        place = (copy.node, copy.record.log, copy.record.offset)
        if place in found:
            raise line.refuse(
                Duplicated(
                    f"node {copy.node} holds offset {copy.record.offset} of {copy.record.log!r} twice",
                    "a replica holds one record at an offset",
                    "write each look at the replicas to a file of its own",
                )
            )
        found[place] = copy
    return [found[place] for place in sorted(found)]


def _client_row(line: Line) -> ClientRow:
    said = line.words("kind")
    if said not in KINDS:
        known, advice = ", ".join([*KINDS, FAULT]), "the importer for this system"
        raise line.refuse(UnknownRow(f"kind {said!r:.40}", f"a Kafka history has {known}", advice))
    digest, text = _payload(line)
    return ClientRow(
        line=line,
        client=line.words("client"),
        kind=KINDS[said],
        number=line.whole("seq"),
        time_ns=line.whole("time_ns"),
        log=line.words("log"),
        offset=line.whole("offset") if said in ("ack", "deliver") else -1,
        epoch=line.whole("epoch", -1, _EPOCH_MAX) if line.has("epoch") else -1,
        digest=digest,
        text=text,
    )


def _copy(line: Line) -> Copy:
    digest, text = _payload(line)
    return Copy(
        node=line.whole("node", 0, _EPOCH_MAX),
        record=Record(line.words("log"), line.whole("offset"), digest),
        epoch=line.whole("epoch", 0, _EPOCH_MAX),
        text=text,
        idempotent=line.whole("pid", _NO_PRODUCER) > _NO_PRODUCER if line.has("pid") else None,
    )


def _payload(line: Line) -> tuple[int, str | None]:
    """The digest and the text of a payload; the text alone is enough, and so is its hash."""
    said = _hash(line) if line.has("hash") else None
    if not line.has("value"):
        if said is None:
            raise line.refuse(MissingField("value is missing", "it tells one payload from another", "record it"))
        return said, None
    text = line.words("value")
    digest = digest_of(text)
    if said is not None and said != digest:
        raise line.refuse(
            Contradiction(
                f"hash is not that of value {text!r:.40}",
                f"it must be the first {HASH_DIGITS} hexadecimal digits of its SHA-256",
                "leave hash out, or record the payload whole",
            )
        )
    return digest, text


def _hash(line: Line) -> int:
    said = line.words("hash")
    if len(said) != HASH_DIGITS or set(said) - set(hexdigits):
        raise line.refuse(
            Mistyped(f"hash is {said!r:.40}", f"it must be {HASH_DIGITS} hexadecimal digits", "leave hash out")
        )
    return digest_from(said)

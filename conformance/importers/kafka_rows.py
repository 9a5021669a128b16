"""The rows of a Kafka history: what clients saw, and what happened to nodes.

Source of the fields: the recorder in ``conformance.record.kafka``; offsets, leader epochs and producer ids are those of
Kafka's record batches (Apache Kafka documentation, Record Batch).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.importers.copies import EPOCH_MAX, Record
from conformance.importers.errors import UnknownRow
from conformance.importers.faults import FAULT, Hurt, hurt_of
from conformance.importers.lines import Line, read_lines
from conformance.importers.payloads import payload_of
from conformance.trace.errors import Duplicated, Empty

KINDS: Final = {
    "invoke_append": "invoke",
    "ack": "ack",
    "fail": "fail",
    "indefinite": "indefinite",
    "deliver": "deliver",
}
"""Kinds of rows in a history, and the words of the vocabulary for them."""

NUMBERED: Final = {"invoke": "append", "deliver": "delivery"}
"""What clients number, each number once, by the word of the vocabulary."""


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


def read_history(path: Path) -> tuple[list[ClientRow], list[Hurt]]:
    """The rows of a history, each client's in the order of its clock, and the faults.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    rows: list[ClientRow] = []
    faults: list[Hurt] = []
    for line in read_lines(path):
        if line.words("kind") == FAULT:
            faults.append(hurt_of(line))
        else:
            rows.append(_client_row(line))
    if not rows:
        raise Empty("no client", "the history has only faults", "check whether the clients were on").at(path)
    seen: set[tuple[str, str, int]] = set()
    for row in rows:
        if row.kind in NUMBERED:
            if (row.client, row.kind, row.number) in seen:
                raise row.line.refuse(
                    Duplicated(
                        f"{NUMBERED[row.kind]} {row.number} of client {row.client!r} stands twice",
                        "a client numbers its appends, and what it is given",
                        "import one recording at a time, and name a restarted client anew",
                    )
                )
            seen.add((row.client, row.kind, row.number))
    return sorted(rows, key=lambda row: row.time_ns), sorted(faults, key=lambda fault: fault.time_ns)


def _client_row(line: Line) -> ClientRow:
    said = line.words("kind")
    if said not in KINDS:
        known, advice = ", ".join([*KINDS, FAULT]), "the importer for this system"
        raise line.refuse(UnknownRow(f"kind {said!r:.40}", f"a Kafka history has {known}", advice))
    digest, text = payload_of(line)
    return ClientRow(
        line=line,
        client=line.words("client"),
        kind=KINDS[said],
        number=line.whole("seq"),
        time_ns=line.whole("time_ns"),
        log=line.words("log"),
        offset=line.whole("offset") if said in ("ack", "deliver") else -1,
        epoch=line.whole("epoch", -1, EPOCH_MAX) if line.has("epoch") else -1,
        digest=digest,
        text=text,
    )

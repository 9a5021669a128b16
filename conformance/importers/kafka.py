"""Import a Kafka recording: a client history, and where there are looks at replicas, what these held.

Replicas are looked at in the end, and before a killed node came back. A history alone is judged at the level of
clients: nothing is said of copies, and the epoch of an acknowledgement is that of the same record where it was read.
A partition's leader epoch is the epoch, its offset the ESN. Settings say what an acknowledgement promises: ``acks=1``
promises the leader's copy, ``acks=all`` as many copies as ``min.insync.replicas``; without settings nothing is promised
of copies, and the rules on copies are not in force. An acknowledgement names no nodes, so its copyset is empty: it
counts on no node in particular.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.importers.actors import names_of, numbers_of
from conformance.importers.copies import (
    Copy,
    ends,
    first_offsets,
    holders,
    idempotent,
    node_name,
    node_numbers,
    read_copies,
    write_copies,
)
from conformance.importers.errors import Contradiction
from conformance.importers.faults import FAULT, Hurt
from conformance.importers.journal import Journal
from conformance.importers.kafka_epochs import Epochs
from conformance.importers.kafka_reads import Position, Reader
from conformance.importers.kafka_rows import ClientRow, read_history
from conformance.trace.fields import EPOCH_INFERRED
from conformance.trace.files import placed
from conformance.trace.header import Header, Member, System
from conformance.trace.rows import EventRow
from spec.events.universes import LOGS, NODES, READERS, WRITERS

ACKS: Final = ("1", "all")
"""Settings of a producer whose acknowledgements carry an offset."""

_ESN_BITS_LEAST: Final = 32
_WRITES: Final = ("invoke", "ack", "fail", "indefinite")
_READS: Final = ("read", "deliver", "gap")
_IMPORTER: Final = "importer"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the producers and the topic were set to, as far as it is known.

    Attributes:
        acks: ``"1"``, ``"all"``, or None.
        min_insync: the topic's ``min.insync.replicas``, or None; Kafka's own default is 1.
    """

    acks: str | None = None
    min_insync: int | None = None

    def __post_init__(self) -> None:
        if self.acks not in (None, *ACKS):
            raise Contradiction(f"acks {self.acks!r:.20}", "producers have 1 or all", "what they were set to")
        if self.min_insync is not None and self.min_insync < 1:
            raise Contradiction(f"min.insync {self.min_insync}", "the leader always is in sync", "at least 1")

    @property
    def required(self) -> int | None:
        """How many copies an acknowledgement promises; None where that is not known."""
        if self.acks == "all":
            return self.min_insync or 1
        return None if self.acks is None else 1


@dataclass(frozen=True, slots=True)
class _Recording:
    """All that was read of one recording, with numbers for its logs, nodes and clients."""

    rows: Sequence[ClientRow]
    faults: Sequence[Hurt]
    earlier: Sequence[Copy] | None
    final: Sequence[Copy] | None
    logs: dict[str, int]
    nodes: dict[int, int]
    actors: dict[str, int]
    esn_bits: int

    @property
    def copies(self) -> list[Copy]:
        """The copies of all looks."""
        return [*(self.earlier or ()), *(self.final or ())]

    @property
    def looks(self) -> str:
        """How often the replicas were looked at, for people."""
        times = (self.earlier is not None) + (self.final is not None)
        return f"The replicas were {('not looked at', 'looked at once', 'looked at twice')[times]}."


def import_kafka(
    history: Path,
    *,
    replicas: Path | None = None,
    before_restart: Path | None = None,
    acks: str | None = None,
    min_insync: int | None = None,
) -> tuple[Header, list[EventRow]]:
    """The header and the events of a Kafka recording, in trace order.

    Args:
        history: what clients saw, as JSON lines, plain or zstd.
        replicas: what each replica held at the end; None if nobody looked.
        before_restart: what each replica held before a killed node came back and cut off what diverged.
        acks: the producers' setting, ``"1"`` or ``"all"``; None if it is not known.
        min_insync: the topic's ``min.insync.replicas``; None means Kafka's default of 1.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong with a file or the settings.
    """
    settings = Settings(acks, min_insync)
    if replicas is None and before_restart is not None:
        raise Contradiction("no look at the replicas at the end", "there is one before the restart", "both, or none")
    recording = _read(history, replicas, before_restart)
    if recording.final is not None and (settings.min_insync or 0) > len(recording.nodes):
        why = f"the recording has {len(recording.nodes)} replicas"
        raise Contradiction(f"min.insync {settings.min_insync}", why, "the topic's min.insync.replicas")
    epochs = Epochs(recording.rows, recording.earlier or (), recording.final or ())
    journal = Journal()
    _write_clients(journal, recording, epochs, settings)
    if replicas is not None and recording.final is not None:
        with placed(replicas):
            write_copies(journal, recording.earlier, recording.final, recording.nodes, recording.logs)
    _write_context(journal, recording, epochs, settings)
    with placed(history):
        header = _header(journal, recording, epochs, settings)
        return header, journal.events(header)


def _read(history: Path, replicas: Path | None, before_restart: Path | None) -> _Recording:
    rows, faults = read_history(history)
    earlier, final = (None if path is None else read_copies(path) for path in (before_restart, replicas))
    looks = [*(earlier or ()), *(final or ())]
    logs = sorted({row.log for row in rows} | {copy.record.log for copy in looks})
    most = max([row.offset for row in rows] + [copy.record.offset for copy in looks])
    return _Recording(
        rows,
        faults,
        earlier,
        final,
        logs={log: number for number, log in enumerate(logs)},
        nodes=node_numbers(looks, faults),
        actors=numbers_of(row.client for row in rows),
        esn_bits=max(_ESN_BITS_LEAST, most.bit_length()),
    )


def _write_clients(journal: Journal, recording: _Recording, epochs: Epochs, settings: Settings) -> None:
    kinds = {client: {row.kind for row in recording.rows if row.client == client} for client in recording.actors}
    for client, said in kinds.items():
        kept = (*(_WRITES if said - {"deliver"} else ()), *(_READS if "deliver" in said else ()))
        journal.declare(client, "client", dict.fromkeys(kept, "complete"))
    invoked: dict[tuple[str, int], int] = {}
    readers: dict[tuple[str, str], Reader] = {}
    furthest: dict[str, Position] = {}
    starts = first_offsets(recording.final or ())
    for row in recording.rows:
        log, actor = recording.logs[row.log], recording.actors[row.client]
        own: dict[str, object] = {"time_ns": row.time_ns, "log": log, "digest": row.digest, "payload": row.text}
        begun = {"invoked": invoked.get((row.client, row.number))}
        match row.kind:
            case "ack":
                epoch, inferred = epochs.of_ack(row)
                furthest[row.log] = max(furthest.get(row.log, (0, 0)), (epoch, row.offset))
                own |= {"epoch": epoch, "esn": row.offset, "copyset": [], "required": settings.required}
                journal.add(
                    row.client, "ack", writer=actor, **own, **begun, **({EPOCH_INFERRED: True} if inferred else {})
                )
            case "deliver":
                fresh = Reader(journal, row.client, actor, log, recording.esn_bits, starts.get(row.log, 0))
                readers.setdefault((row.client, row.log), fresh).deliver(row, epochs.of_delivery(row))
            case "invoke":
                invoked[row.client, row.number] = journal.add(row.client, row.kind, writer=actor, **own)
            case _:
                journal.add(row.client, row.kind, writer=actor, **own, **begun)
    _finish(readers, recording, furthest)


def _finish(readers: dict[tuple[str, str], Reader], recording: _Recording, furthest: dict[str, Position]) -> None:
    end, noticed = ends(recording.final or ()), recording.rows[-1].time_ns
    for (_, log), reader in readers.items():
        if log in end and log in furthest:
            reader.finish(end[log], furthest[log], noticed)


def _write_context(journal: Journal, recording: _Recording, epochs: Epochs, settings: Settings) -> None:
    """What happened to nodes, and every leader epoch that was seen; which broker led it is not recorded."""
    journal.declare(_IMPORTER, _IMPORTER, {"epoch": "partial", "fault": "partial"})
    for fault in recording.faults:
        journal.add(_IMPORTER, FAULT, time_ns=fault.time_ns, node=recording.nodes[fault.node], what=fault.what)
    held = holders(recording.copies)
    for log, seen in sorted(epochs.seen.items()):
        nodeset = sorted(recording.nodes[broker] for broker in held[log]) or None
        replication = None if settings.required is None else {"node": settings.required}
        for epoch in sorted(seen):
            place = {"log": recording.logs[log], "epoch": epoch, "esn": 0}
            journal.add(_IMPORTER, "epoch", **place, nodeset=nodeset, replication=replication)


def _header(journal: Journal, recording: _Recording, epochs: Epochs, settings: Settings) -> Header:
    promises: dict[str, bool | int] = {} if settings.required is None else {"copies": settings.required}
    if idempotent(recording.final or ()):
        promises["append_once"] = True
    note = (
        "Imported from a Kafka history: offsets are ESNs, leader epochs are epochs; acknowledgements name no nodes. "
        f"{epochs.inferred} acknowledgements have an inferred epoch; what a reader passed over is a gap that was "
        f"inferred. {recording.looks}"
    )
    return Header(
        system=System("kafka"),
        members={NODES.section: tuple(Member(node_name(one), {"node": node_name(one)}) for one in recording.nodes)},
        recorders=journal.recorders,
        clock_bound_ns=0,
        named={
            LOGS.section: {number: log for log, number in recording.logs.items()},
            WRITERS.section: names_of(
                recording.actors, {row.client for row in recording.rows if row.kind != "deliver"}
            ),
            READERS.section: names_of(
                recording.actors, {row.client for row in recording.rows if row.kind == "deliver"}
            ),
        },
        low_bits=recording.esn_bits,
        promises=promises,
        note=note,
    )

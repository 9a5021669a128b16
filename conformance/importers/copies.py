"""What replicas held when they were looked at: copies, and copies that were gone at the second look.

A look has no clock of the history, so the times of these events are unknown; and a copy that was made and cut off
between two looks is not seen, so stores and erasures are recorded in part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.importers.faults import NODE_MAX, Hurt
from conformance.importers.journal import Journal
from conformance.importers.lines import Line, read_lines
from conformance.importers.payloads import payload_of
from conformance.trace.errors import Duplicated
from spec.events import RECORD

EPOCH_MAX: Final = (1 << 31) - 1
"""The greatest epoch: 31 bits, as Kafka has them."""

_NO_PRODUCER: Final = -1


@dataclass(frozen=True, slots=True)
class Record:
    """A payload at an offset: what joins an acknowledgement to the copies of it."""

    log: str
    offset: int
    digest: int


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


def node_numbers(*seen: Iterable[Copy | Hurt]) -> dict[int, int]:
    """The place in the header of each node, in the order of their numbers."""
    return {node: place for place, node in enumerate(sorted({one.node for some in seen for one in some}))}


def node_name(node: int) -> str:
    """How people call a node."""
    return f"n{node}"


def read_copies(path: Path, epoch: int | None = None) -> list[Copy]:
    """The records that each replica held, by node and offset.

    Args:
        path: JSON lines, plain or zstd.
        epoch: the one epoch of all, where logs have none; else each row says its own.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong.
    """
    found: dict[tuple[int, str, int], Copy] = {}
    for line in read_lines(path):
        copy = _copy(line, epoch)
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


def _copy(line: Line, epoch: int | None) -> Copy:
    digest, text = payload_of(line)
    return Copy(
        node=line.whole("node", 0, NODE_MAX),
        record=Record(line.words("log"), line.whole("offset"), digest),
        epoch=line.whole("epoch", 0, EPOCH_MAX) if epoch is None else epoch,
        text=text,
        idempotent=line.whole("pid", _NO_PRODUCER) > _NO_PRODUCER if line.has("pid") else None,
    )


def write_copies(
    journal: Journal,
    earlier: Sequence[Copy] | None,
    final: Sequence[Copy],
    nodes: Mapping[int, int],
    logs: Mapping[str, int],
) -> None:
    """Write down what each node held: first the copies of the earlier look, then what went, then what came."""
    seen = ("store",) if earlier is None else ("store", "erase")
    for node in nodes:
        journal.declare(node_name(node), "node", dict.fromkeys(seen, "partial"))
    before, after = ({copy.identity: copy for copy in look} for look in (earlier or (), final))
    for copy in before.values():
        _store(journal, copy, nodes, logs)
    for identity, copy in before.items():
        if identity not in after:
            _write(journal, "erase", copy, nodes, logs)
    for identity, copy in after.items():
        if identity not in before:
            _store(journal, copy, nodes, logs)


def _store(journal: Journal, copy: Copy, nodes: Mapping[int, int], logs: Mapping[str, int]) -> None:
    said = {"digest": copy.record.digest, "becomes": RECORD, "recovery": 0, "payload": copy.text}
    _write(journal, "store", copy, nodes, logs, **said)


def _write(
    journal: Journal, kind: str, copy: Copy, nodes: Mapping[int, int], logs: Mapping[str, int], **fields: object
) -> None:
    journal.add(
        node_name(copy.node),
        kind,
        log=logs[copy.record.log],
        epoch=copy.epoch,
        esn=copy.record.offset,
        node=nodes[copy.node],
        **fields,
    )


def holders(looks: Iterable[Copy]) -> dict[str, set[int]]:
    """The nodes that held a record of each log."""
    found: dict[str, set[int]] = defaultdict(set)
    for copy in looks:
        found[copy.record.log].add(copy.node)
    return found


def ends(final: Iterable[Copy]) -> dict[str, tuple[int, int]]:
    """Where the last record stands that any replica of a log holds at the end: leader epoch and offset."""
    found: dict[str, tuple[int, int]] = {}
    for copy in final:
        here = (copy.epoch, copy.record.offset)
        found[copy.record.log] = max(found.get(copy.record.log, here), here)
    return found


def first_offsets(final: Iterable[Copy]) -> dict[str, int]:
    """The least offset of each log that any replica holds at the end: retention cut off what lies below."""
    found: dict[str, int] = {}
    for copy in final:
        found[copy.record.log] = min(found.get(copy.record.log, copy.record.offset), copy.record.offset)
    return found


def idempotent(final: Iterable[Copy]) -> bool:
    """Every record of which it is told has a producer that numbers its appends, and some has."""
    told = [copy.idempotent for copy in final if copy.idempotent is not None]
    return bool(told) and all(told)

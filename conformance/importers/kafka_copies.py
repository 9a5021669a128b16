"""What replicas held when they were looked at: copies, and copies that were gone at the second look.

A look has no clock of the history, so the times of these events are unknown; and a copy that was made and cut off
between two looks is not seen, so stores and erasures are recorded in part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from conformance.importers.journal import Journal
from conformance.importers.kafka_rows import Copy, Hurt
from spec.events import RECORD


def node_numbers(*seen: Iterable[Copy | Hurt]) -> dict[int, int]:
    """The place in the header of each broker id, in the order of the ids."""
    return {broker: place for place, broker in enumerate(sorted({one.node for some in seen for one in some}))}


def node_name(broker: int) -> str:
    """How people call a broker."""
    return f"n{broker}"


def write_copies(
    journal: Journal,
    earlier: Sequence[Copy] | None,
    final: Sequence[Copy],
    nodes: Mapping[int, int],
    logs: Mapping[str, int],
) -> None:
    """Write down what each node held: first the copies of the earlier look, then what went, then what came."""
    seen = ("store",) if earlier is None else ("store", "erase")
    for broker in nodes:
        journal.declare(node_name(broker), "node", dict.fromkeys(seen, "partial"))
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
    """The brokers that held a record of each log."""
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

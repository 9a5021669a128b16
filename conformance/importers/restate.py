"""Import a Restate recording: calls of counters, and an operator's looks at the logs below.

A segment is an epoch and a loglet's offset the ESN; the copies of each node are what the digests show. Digests do not
show records, so copies have no digest. What callers see is a log of its own for each counter: the answer ``7`` says
that the call is the seventh of its counter, an acknowledgement at position 7. No rule joins the two: which record of
which log makes a counter's step is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from conformance.importers.journal import Journal, Records, digest_of
from conformance.importers.restate_looks import OPERATOR, Looks, node_name
from conformance.importers.restate_rows import Call, Hurt, Look, read_calls, read_looks
from conformance.importers.restate_text import Chain, Digest, Segment
from conformance.trace.errors import MissingField
from conformance.trace.header import Header, Member, System
from conformance.trace.rows import EventRow
from spec.events.universes import LOGS, NODES

PROMISES: Final[Mapping[str, bool | int]] = {"sequencers": True, "seals": True, "release": True}
"""What Restate's replicated loglets promise, as far as this recording bears on it (Restate, architecture: logs)."""

COUNTED_FROM: Final = 1
"""The one epoch of a counter."""

_CALLS: Final = ("invoke", "ack", "fail", "indefinite")
_COPIES: Final = ("store", "erase", "seal")


def import_restate(client: Path, controller: Path) -> tuple[Header, list[EventRow]]:
    """The header and the events of a Restate recording, in trace order.

    Args:
        client: what callers of the counters saw, as JSON lines, plain or zstd.
        controller: what the operator saw, and the faults.

    Raises:
        TraceError: one of its kinds, with the file and line, for whatever is wrong with a file.
    """
    calls, looks = read_calls(client), read_looks(controller)
    segments = list(_segments(looks))
    if not segments:
        raise MissingField("no segment", "no command described a log", "record logs and digests").at(controller)
    nodes = _nodes(looks, segments)
    chains = {log: number for number, log in enumerate(sorted({segment.log for segment in segments}))}
    counters = {key: len(chains) + number for number, key in enumerate(sorted({call.key for call in calls}))}
    journal = Journal()
    _write_looks(journal, looks, nodes, chains)
    _write_calls(journal, calls, counters)
    header = Header(
        system=System("restate"),
        members={NODES.section: tuple(Member(node_name(node), {"node": node_name(node)}) for node in nodes)},
        recorders=journal.recorders,
        clock_bound_ns=0,
        named={
            LOGS.section: {number: f"log {log}" for log, number in chains.items()}
            | {number: f"counter {key}" for key, number in counters.items()}
        },
        promises=PROMISES,
        note=(
            "Imported from calls of counters and an operator's looks: segments are epochs, loglet offsets are ESNs; "
            "each counter is a log that its callers see. What a digest lists below the tail is an append. Times of "
            "segments and releases are when the operator saw them."
        ),
    )
    return header, journal.events(header)


def _segments(looks: Iterable[Look]) -> Iterable[Segment]:
    for look in looks:
        match look.seen:
            case Chain(segments):
                yield from segments
            case Digest(segment):
                yield segment
            case _:
                pass


def _nodes(looks: Iterable[Look], segments: Iterable[Segment]) -> dict[int, int]:
    found = {node for segment in segments for node in (segment.sequencer, *segment.nodeset)}
    for look in looks:
        if isinstance(look.seen, Digest):
            found |= set(look.seen.nodes)
        elif isinstance(look.seen, Hurt):
            found.add(look.seen.node)
    return {node: place for place, node in enumerate(sorted(found))}


def _write_looks(journal: Journal, looks: Sequence[Look], nodes: Mapping[int, int], logs: Mapping[int, int]) -> None:
    whole = all(look.seen.whole for look in looks if isinstance(look.seen, Chain))
    described = any(isinstance(look.seen, Chain) for look in looks)
    epochs: Records = {"epoch": "complete" if whole and described else "partial"}
    # Tail repairs happen and are not seen: recoveries are recorded in part, though none is here.
    seen: Records = {"append": "partial", "mutate": "partial", "release": "partial", "fault": "complete"}
    journal.declare(OPERATOR, "controller", {**epochs, **seen})
    for node in nodes:
        journal.declare(node_name(node), "node", dict.fromkeys(_COPIES, "partial"))
    shown = Looks(journal, nodes, logs)
    for look in looks:
        match look.seen:
            case Chain(segments):
                for segment in segments:
                    shown.segment(segment, look.time_ns)
            case Digest():
                shown.digest(look.seen, look.time_ns)
            case Hurt(what, node):
                journal.add(OPERATOR, "fault", time_ns=look.time_ns, node=nodes[node], what=what)


def _write_calls(journal: Journal, calls: Sequence[Call], counters: Mapping[str, int]) -> None:
    for client in dict.fromkeys(call.client for call in calls):
        journal.declare(caller_name(client), "client", dict.fromkeys(_CALLS, "complete"))
    invoked: dict[tuple[int, int], int] = {}
    for call in calls:
        text = f"{call.client}:{call.operation}"
        own: dict[str, object] = {"time_ns": call.time_ns, "log": counters[call.key], "writer": call.client}
        own |= {"digest": digest_of(text), "payload": text}
        if call.kind == "ack":
            own |= {"epoch": COUNTED_FROM, "esn": call.position, "invoked": invoked.get((call.client, call.operation))}
        seq = journal.add(caller_name(call.client), call.kind, **own)
        if call.kind == "invoke":
            invoked[call.client, call.operation] = seq


def caller_name(client: int) -> str:
    """The recorder of one caller."""
    return f"client {client}"

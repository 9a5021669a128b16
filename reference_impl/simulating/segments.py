"""Simulated writers of segments: random runs of the text ``leaseholder``, told as nodes and callers record them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from reference_impl.kernel.heading import Heading
from reference_impl.simulating.simulated import Options, from_text
from reference_impl.telling.segments import BY_CALLERS, BY_NODES, SegmentTeller
from spec.language.protocol.running import Move
from spec.protocols.registry import TEXTS
from spec.segment.channel_numbers import LOCAL_BITS
from spec.segment.events.universes import NODES

ANYWHERE: Final = 0
"""Only this segment is also given in for channels that a writer did not lock, once it locked another."""

SENT_LEAST: Final = 3
"""Callers end their writers only after so many segments."""


def heading_of(options: Options) -> Heading:
    """What is fixed of a run before its first event."""
    by_node, by_caller = (tuple(event.word for event in events) for events in (BY_NODES, BY_CALLERS))
    recorders: dict[str, tuple[str, tuple[str, ...]]] = {
        **{f"node{node}": ("node", by_node) for node in range(options["nodes"])},
        **{f"caller{writer}": ("client", by_caller) for writer in range(options["writers"])},
    }
    places = tuple((f"n{node}", dict[str, str]()) for node in range(options["nodes"]))
    system = "protocol text Leaseholder"
    return Heading(system, "segment", LOCAL_BITS, recorders, {NODES.section: places}, promises={"lock": True})


def as_callers_do(way: Sequence[Move], move: Move) -> bool:
    """Callers use their writers before they end them, and nodes store in the order sent, as the document implies."""
    taken = [(step.action.name, step.args) for step in (one.step for one in way)]
    who, *rest = move.step.args
    match move.step.action.name:
        case "send":
            locked = {args[2] for name, args in taken if name == "acquire" and args[0] == who}
            return rest[0] in locked or (bool(locked) and rest[1] == ANYWHERE)
        case "ask_to_close" | "cancel":
            return sum(name == "send" and args[0] == who for name, args in taken) >= SENT_LEAST
        case "store":
            sent = [args for name, args in taken if name == "send" and args[:2] == tuple(rest[:2])]
            settled = {args[-3:] for name, args in taken if name in {"store", "refuse"}}
            return all(one in settled for one in sent[: sent.index(tuple(rest))])
        case _:
            return True


SEGMENTS: Final = from_text(
    "segment",
    TEXTS["leaseholder"],
    heading_of,
    lambda machine, run: SegmentTeller(machine, run).tell(),
    as_callers_do,
    {"steps": 120, "nodes": 3, "channels": 2, "writers": 4, "instants": 5},
    {"instants": 64},
)

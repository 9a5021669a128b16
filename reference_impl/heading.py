"""Headings of simulated logs: who they are made of, and what they record and promise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reference_impl.kernel.heading import Heading
from reference_impl.log.context import (
    EXTRAS,
    GRACEFUL,
    GREYLIST,
    METADATA_LOG,
    PIPELINED,
    PURGING,
    SOFT_SEALS,
    STICKY,
    WRITE_STREAMS,
)
from reference_impl.log.lsn import ESN_BITS
from reference_impl.plan import SimulationPlan
from spec.client.bookkeeping import Recording
from spec.events.universes import LOGS, NODES
from spec.language.scopes import SCOPES
from spec.promises import PROMISES

BY_EVENT_LOG: Final = ("status", "rebuilding", "donated", "emptied")
BY_CONTROLLER: Final = ("epoch", "append", "plan", "mutate", "clean", "release", "trim", "fault", *BY_EVENT_LOG)
BY_NODE: Final = ("store", "seal", "digest", "obey", "settle", "erase", "rebuilt", "copyset", "trimmed")
BY_CLIENT: Final = ("invoke", "ack", "fail", "indefinite")
BY_READER: Final = ("read", "deliver", "gap")
SENT: Final = ("ship",)
ASKED: Final = ("ask", "allow")
OF_SEQUENCERS: Final[Mapping[str, tuple[str, ...]]] = {
    STICKY: ("chosen",),
    GRACEFUL: ("draining",),
    SOFT_SEALS: ("draining",),  # where nobody drains, that is told too: soft seals ask who does
    EXTRAS: ("dismissed", "retired"),
    METADATA_LOG: ("described",),
    WRITE_STREAMS: ("streamed",),
}
"""What the controller records besides, by variant."""
OF_NODES: Final[Mapping[str, tuple[str, ...]]] = {SOFT_SEALS: ("soft_seal",), PURGING: ("purge", "kept")}
"""What nodes record besides, by variant."""
OF_READERS: Final[Mapping[str, tuple[str, ...]]] = {GREYLIST: ("greylisted", "reinstated"), METADATA_LOG: ("learnt",)}
"""What readers record besides, by variant."""

OVERTAKING: Final = frozenset({PIPELINED, WRITE_STREAMS})
"""Variants in which clients have several appends under way."""


def header_of(plan: SimulationPlan) -> Heading:
    """What is fixed of a run before its first event."""
    sent, asked = (SENT, ASKED) if plan.on_the_wire else ((), ())
    decided = dict.fromkeys(word for variant in plan.variants for word in OF_SEQUENCERS.get(variant, ()))
    recorders: dict[str, tuple[str, tuple[str, ...]]] = {"controller": ("controller", (*BY_CONTROLLER, *decided))}
    besides = tuple(word for variant in plan.variants for word in OF_NODES.get(variant, ()))
    recorders |= {f"node-{node}": ("node", (*BY_NODE, *sent, *besides)) for node in range(len(plan.topology.locations))}
    recorders |= {f"client-{client}": ("client", BY_CLIENT) for client in range(plan.clients)}
    besides = tuple(word for variant in plan.variants for word in OF_READERS.get(variant, ()))
    recorders |= {f"reader-{stream}": ("reader", (*BY_READER, *asked, *besides)) for stream in range(plan.readers)}
    return Heading(
        system="reference machine" + (f", mutant {plan.mutant}" if plan.mutant else ""),
        family="log",
        low_bits=ESN_BITS,
        recorders=recorders,
        members={
            NODES.section: tuple((f"n{node}", _told_apart(at)) for node, at in enumerate(plan.topology.locations))
        },
        named={LOGS.section: {log: f"log-{log}" for log in range(plan.number_of_logs)}},
        promises=_promised(plan),
    )


def recording_of(plan: SimulationPlan) -> Recording:
    """What the books of a run's clients are kept by: one clock, and recorders that leave nothing out."""
    recorders = header_of(plan).recorders
    return Recording(
        recorders={name: place for place, name in enumerate(recorders)},
        followed=frozenset(name for name, (_, words) in recorders.items() if "deliver" in words),
        appends=True,
        trims=True,
        real_time="real_time_order" in _promised(plan),
        esn_bits=ESN_BITS,
        clock_bound_ns=0,
    )


def _promised(plan: SimulationPlan) -> dict[str, bool | int]:
    """Everything, but where appends of a client overtake each other, their order."""
    promised = {promise for promise in PROMISES if promise != "client_order" or not OVERTAKING & set(plan.variants)}
    return {promise: plan.copies if promise == "copies" else True for promise in PROMISES if promise in promised}


def _told_apart(location: Mapping[str, str]) -> dict[str, str]:
    """Names of domains that tell which domains are around them, as headers need."""
    found: dict[str, str] = {}
    for depth, scope in enumerate(SCOPES):
        if location.get(scope):
            around = () if scope == "node" else SCOPES[depth + 1 :]
            parts = [location[above] for above in reversed(around) if location.get(above)]
            found[scope] = ".".join([*parts, location[scope]])
    return found

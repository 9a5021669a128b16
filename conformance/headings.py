"""Headings: the header of a trace from what the reference machine says of a run in plain values."""

from __future__ import annotations

from conformance.trace.header import Header, Member, Recorder, System
from reference_impl.heading import Heading
from spec.events.universes import LOGS, NODES


def header_from(said: Heading) -> Header:
    """A trace's header from what it says in plain values."""
    return Header(
        system=System(said.system),
        members={NODES.section: tuple(Member(name, location) for name, location in said.nodes)},
        recorders={
            name: Recorder(role, dict.fromkeys(words, "complete")) for name, (role, words) in said.recorders.items()
        },
        clock_bound_ns=said.clock_bound_ns,
        named={LOGS.section: said.logs},
        low_bits=said.esn_bits,
        promises=said.promises,
    )

"""Headings: the header of a trace from what the reference machine says of a run in plain values."""

from __future__ import annotations

from conformance.trace.header import Header, Member, Recorder, System
from reference_impl.kernel.heading import Heading
from spec.registry import family_named


def header_from(said: Heading) -> Header:
    """A trace's header from what it says in plain values.

    Raises:
        NoSuchFamily: nobody declares its family.
    """
    return Header(
        family=family_named(said.family),
        system=System(said.system),
        members={
            section: tuple(Member(name, location) for name, location in members)
            for section, members in said.members.items()
        },
        recorders={
            name: Recorder(role, dict.fromkeys(words, "complete")) for name, (role, words) in said.recorders.items()
        },
        clock_bound_ns=said.clock_bound_ns,
        named=said.named,
        low_bits=said.low_bits,
        promises=said.promises,
    )

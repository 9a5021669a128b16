"""What all rules say of runs of protocol texts, as ``quorate check`` would say it of their traces."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.trace.header import Header, Node, Recorder, System
from conformance.trace.keeping import with_books
from reference_impl.heading import Heading
from reference_impl.telling.teller import Told
from spec.language.fold import Fold
from spec.registry import RULES
from spec.verdicts import RuleVerdict, TraceVerdict, conclude, in_force


def judged(told: Told) -> TraceVerdict:
    """The verdict of all rules."""
    header, events = with_books(header_for(told.heading), told.rows)
    return conclude(RULES, Fold(events, header.parameters()).judge(in_force(RULES, header)), header)


def by_rule(told: Told) -> Mapping[str, RuleVerdict]:
    """The verdicts that count, by rule."""
    return {said.rule.id: said for said in judged(told).judged}


def header_for(heading: Heading) -> Header:
    """The header of a trace, from what it says in plain values."""
    return Header(
        system=System(heading.system),
        nodes=tuple(Node(name, location) for name, location in heading.nodes),
        recorders={
            name: Recorder(role, dict.fromkeys(words, "complete")) for name, (role, words) in heading.recorders.items()
        },
        logs=heading.logs,
        promises=heading.promises,
        clock_bound_ns=heading.clock_bound_ns,
        esn_bits=heading.esn_bits,
    )

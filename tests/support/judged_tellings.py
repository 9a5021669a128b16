"""What all rules say of runs of protocol texts, as ``quorate check`` would say it of their traces."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.check.checking import verdict_of_events
from conformance.headings import header_from
from reference_impl.telling.teller import Told
from spec.verdicts import RuleVerdict, TraceVerdict


def judged(told: Told) -> TraceVerdict:
    """The verdict of all rules."""
    return verdict_of_events(header_from(told.heading), told.rows)


def by_rule(told: Told) -> Mapping[str, RuleVerdict]:
    """The verdicts that count, by rule."""
    return {said.rule.id: said for said in judged(told).judged}

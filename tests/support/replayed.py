"""Simulated runs replayed on the machine of events, as tests need it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reference_impl.heading import recording_of
from reference_impl.plan import SimulationPlan
from reference_impl.replay import GUARDS, Refusal, TraceChecker
from reference_impl.replay.known_parameters import KnownParameters, known_of
from reference_impl.simulate import header_of
from spec.client.bookkeeping import kept
from spec.language.outcomes import Outcome
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES


def machine_of(plan: SimulationPlan, known: KnownParameters | None = None) -> TraceChecker:
    """A machine for the events of a plan, with the guards of what its header promises."""
    header = header_of(plan)
    records = {name: frozenset(words) for name, (_, words) in header.recorders.items()}
    parameters = plan.parameters()
    guards = [guard for guard in GUARDS if not guard.promise or guard.promise in header.promises]
    return TraceChecker(parameters, records, guards, known=known_of(parameters) if known is None else known)


def refusal_of(plan: SimulationPlan, events: Iterable[Mapping[str, Any]]) -> Refusal | None:
    """The first event that the machine refuses; None where it takes all of them."""
    machine = machine_of(plan)
    return next(refusals(machine, events), None)


def refusals(machine: TraceChecker, events: Iterable[Mapping[str, Any]]) -> Iterator[Refusal]:
    """What the machine refuses; it goes on after it, as if that event had not been."""
    for event in events:
        refusal = machine.step(event)
        if refusal is not None:
            yield refusal


def violated(plan: SimulationPlan, rows: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The rules that the events of a plan break."""
    judgement = ReferenceEvaluator(kept(rows, recording_of(plan)), plan.parameters()).judge(RULES)
    return frozenset(rule.id for rule in RULES if judgement.counts[rule.id, Outcome.VIOLATED])

"""Runs of the simulated ledgers, judged by what the rules mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from conformance.trace.header import Header, Member, Recorder, System
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.simulate import simulate
from spec.language.events import all_events, layout
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.ledger.events import Event
from spec.ledger.family import LEDGER

NOTHING = {
    name: frozenset[int]() if column.sort == "set" else 0
    for name, column in layout(Event).items()
    if not column.computed
}
"""What a column holds in kinds that do not fill it."""


def events_of(plan: LedgerPlan) -> list[dict[str, Any]]:
    """All events of a run, with all columns."""
    return [NOTHING | event for event in simulate(plan)]


def header_of(plan: LedgerPlan, recorders: Iterable[str] = ()) -> Header:
    """The header of a run whose recorders write all down."""
    bookies = tuple(Member(f"b{bookie}", {"rack": f"r{bookie % plan.racks}"}) for bookie in range(plan.bookies))
    records: dict[str, Literal["complete", "partial"]] = {event.word: "complete" for event in all_events(Event)}
    return Header(
        family=LEDGER,
        system=System("reference machine"),
        members={"bookies": bookies},
        recorders={name: Recorder("importer", records) for name in recorders},
        clock_bound_ns=0,
        low_bits=16,
    )


def judged(plan: LedgerPlan, rules: Iterable[Rule]) -> Judgement:
    """What rules say of a run."""
    return ReferenceEvaluator(events_of(plan), header_of(plan).parameters()).judge(rules)

"""Runs of the simulated ledgers, judged by what the rules mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.simulate import simulate
from spec.language.events import layout
from spec.language.fold import Fold
from spec.language.outcomes import Judgement
from spec.language.parameters import Parameters
from spec.language.rule import Rule
from spec.ledger.events import Event

NOTHING = {
    name: frozenset[int]() if column.sort == "set" else 0
    for name, column in layout(Event).items()
    if not column.computed
}
"""What a column holds in kinds that do not fill it."""


def events_of(plan: LedgerPlan) -> list[dict[str, Any]]:
    """All events of a run, with all columns."""
    return [NOTHING | event for event in simulate(plan)]


def parameters_of(plan: LedgerPlan) -> Parameters:
    """The topology of a run."""
    racks = tuple(frozenset(range(plan.bookies)[rack :: plan.racks]) for rack in range(plan.racks))
    return Parameters(size=plan.bookies, domains={"rack": racks}, low_bits=16)


def judged(plan: LedgerPlan, rules: Iterable[Rule]) -> Judgement:
    """What rules say of a run."""
    return Fold(events_of(plan), parameters_of(plan)).judge(rules)

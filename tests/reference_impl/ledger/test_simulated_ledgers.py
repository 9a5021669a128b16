"""The right machine of ledgers keeps all rules under faults, and is asked about each of them.

Issue 20: ledgers are written, fenced, recovered, marked, restored and checked while bookies fail and lose copies.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.check.checking import verdict_in_memory
from conformance.trace.jsonl import write_events
from conformance.trace.open import open_trace
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.simulate import simulate
from spec.language.outcomes import Outcome, Verdict
from spec.ledger.family import LEDGER
from spec.ledger.schedule import Quorums
from tests.support.ledger_runs import events_of, header_of, judged

PLANS = {
    "two copies, both acknowledge": LedgerPlan(seed=2, ledgers=12),
    "every bookie has a rack": LedgerPlan(seed=1, quorums=Quorums(4, 3, 2), bookies=7, racks=7),
    "five bookies, three copies": LedgerPlan(seed=1, quorums=Quorums(5, 3, 2), bookies=8, racks=3),
    "one copy acknowledges": LedgerPlan(seed=3, quorums=Quorums(3, 2, 1), bookies=6),
    "no striping": LedgerPlan(seed=1, quorums=Quorums(3, 3, 2), bookies=6),
}
ASKED = {name: judged(plan, LEDGER.rules).counts for name, plan in PLANS.items()}


@pytest.mark.parametrize("name", PLANS)
def test_all_rules_hold(name: str) -> None:
    wrong = {rule for rule, outcome in ASKED[name] if outcome in {Outcome.VIOLATED, Outcome.UNKNOWN}}
    assert {
        rule for rule in wrong if ASKED[name][rule, Outcome.VIOLATED] or ASKED[name][rule, Outcome.UNKNOWN]
    } == set()


def test_every_rule_is_asked() -> None:
    """Somewhere it has an instance."""
    asked = {rule for counts in ASKED.values() for (rule, outcome), number in counts.items() if number}
    assert {rule.id for rule in LEDGER.rules} - asked == set()


def test_a_run_is_told_by_its_seed() -> None:
    plan = LedgerPlan(seed=5, ledgers=2)
    assert list(simulate(plan)) == list(simulate(plan))
    assert list(simulate(plan)) != list(simulate(LedgerPlan(seed=6, ledgers=2)))


def test_a_run_is_a_trace(tmp_path: Path) -> None:
    """Whoever records what completely, the file that is written is judged as the run is."""
    plan = LedgerPlan(seed=1)
    events = events_of(plan)
    header = header_of(plan, {event["recorder"] for event in events})
    write_events(tmp_path / "run.jsonl", header, events)
    assert verdict_in_memory(open_trace(tmp_path / "run.jsonl")).verdict is Verdict.HOLDS


def test_a_plan_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="an ensemble has 4 members, and there are 3 bookies"):
        LedgerPlan(bookies=3, quorums=Quorums(4, 2, 2))
    with pytest.raises(ValueError, match="no ledger"):
        LedgerPlan(quorums=Quorums(3, 2, 3))

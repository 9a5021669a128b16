"""Unknown times: what a recorder does not tell makes verdicts unknown, and blames nobody.

Justified by docs/reference/trace-format.md, Clocks: a time may be unknown. So of a correct run from which times are
taken away, no rule may say that it is broken.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from conformance.headings import header_from
from reference_impl.heading import recording_of
from reference_impl.plan import EVERY_FAULT, SimulationPlan
from reference_impl.simulate import header_of, simulate
from spec.client.bookkeeping import kept
from spec.language.outcomes import Judgement, Outcome
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES
from spec.verdicts import in_force

SHARES = (0.02, 0.1, 0.5, 1.0)
"""Which share of all events has no time."""

PLAN = SimulationPlan(events=2_000)


def judged_without_times(plan: SimulationPlan, share: float) -> Judgement:
    """What the rules say of a run of which a share of all times is not known."""
    random, header = Random(plan.seed), header_from(header_of(plan))
    events = ({**event, "time_ns": None} if random.random() < share else event for event in simulate(plan))
    return ReferenceEvaluator(kept(events, recording_of(plan)), header.parameters()).judge(in_force(RULES, header))


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("seed", [5, 6])
def test_nobody_is_blamed_for_a_time_that_nobody_knows(seed: int, share: float) -> None:
    assert judged_without_times(replace(PLAN, seed=seed), share).violations == set()


def test_a_release_without_a_time_leaves_open_whether_it_came_in_time() -> None:
    counts = judged_without_times(replace(PLAN, seed=5), 0.5).counts
    assert counts["log.release.before_delivery", Outcome.UNKNOWN] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(100, 160))
def test_nobody_is_blamed_whatever_fails(seed: int) -> None:
    plan = replace(PLAN, seed=seed, events=4_000, faults=EVERY_FAULT)
    assert judged_without_times(plan, SHARES[seed % len(SHARES)]).violations == set()

"""Schedules are runs as data: the whole of one is the run again, a part of one is a run, and the smallest is found.

Justified by the network of the machine, which may lose, delay, repeat and reorder; ``reference_impl/log`` cites it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.known_bugs.reducing import TRIALS_OF, NoViolation, breaks, reduce, small_plans
from reference_impl.known_bugs.schedule import NotReplayable, ScheduledFault, acts_in_words, replayed, schedule_of
from reference_impl.plan import SimulationPlan
from spec.registry import BY_ID, RULES

PLANS = [replace(plan, seed=seed) for plan in small_plans("") for seed in range(3)]


@pytest.mark.parametrize(
    "plan", PLANS, ids=lambda plan: f"{', '.join(plan.faults.rates)}: {plan.readers} readers, seed {plan.seed}"
)
def test_a_whole_schedule_is_the_run_again(plan: SimulationPlan) -> None:
    """To the event; the last act may record more than the plan has room for."""
    acts, events = schedule_of(plan)
    taken, again = replayed(plan, acts)
    assert again[: len(events)] == events
    assert len(again) - len(events) < 10
    assert replayed(plan, taken)[1] == again


@pytest.mark.parametrize("name", TRIALS_OF)
def test_a_schedule_tells_of_racks_and_of_nodes_that_leave(name: str) -> None:
    """To the event of each recorder: what happens to nodes and what comes of it are told one after the other."""
    for plan in small_plans(name):
        correct = replace(plan, mutant="", seed=1)
        acts, events = schedule_of(correct)
        again = replayed(correct, acts)[1]
        order = [sorted(run, key=lambda event: (event["recorder"], event["seq"])) for run in (events, again)]
        assert [event for event in order[1] if event in order[0]] == order[0]
        assert len(again) - len(events) < 10


@pytest.mark.parametrize("left_out", [*(pytest.param(one, marks=pytest.mark.slow) for one in (2, 3)), 5])
def test_a_part_of_a_schedule_is_a_run_of_the_correct_machine(left_out: int) -> None:
    """Whatever is lost or comes late, no rule is violated."""
    for plan in PLANS:
        acts, _ = schedule_of(plan)
        part = [act for number, act in enumerate(acts) if number % left_out or number < 20]
        events = replayed(plan, part)[1]
        assert not [rule.id for rule in RULES if breaks(rule, plan, events)]


def test_nothing_is_delivered_that_nobody_sent() -> None:
    acts, events = schedule_of(PLANS[0])
    inputs = [act for act in acts if not isinstance(act, ScheduledFault)][-40:]
    assert len(replayed(PLANS[0], inputs)[1]) < len(events) // 10


@pytest.mark.slow
def test_a_mutant_is_reduced_to_what_it_needs() -> None:
    """Without any one act of the smallest run the rule holds, and with all of them it is broken again."""
    rule = BY_ID["log.sequencing.one_sequencer"]
    reduced = reduce("epoch_given_twice", rule, seeds=30)
    acts = list(reduced.acts)
    assert len(acts) < 12
    assert breaks(rule, reduced.plan, reduced.events)
    assert tuple(replayed(reduced.plan, acts)[1]) == reduced.events
    for left_out in range(len(acts)):
        assert not breaks(rule, reduced.plan, replayed(reduced.plan, acts[:left_out] + acts[left_out + 1 :])[1])
    assert [line for line in acts_in_words(acts) if line.startswith("epochs 0 takes NextEpoch")]


def test_faults_are_told_in_words() -> None:
    """Cuts by whom they strike, and tables of statuses, of which the reader is told."""
    lines = {line for plan in PLANS for line in acts_in_words(schedule_of(plan)[0])}
    assert {"node 1 crashes", "node 1 is cut off", "node 1 is reached again"} <= lines
    assert {"the statuses of nodes change", "reader 0 takes StatusesTold"} <= lines
    assert not [line for line in lines if line.startswith("events")]


def test_the_correct_machine_is_not_reduced() -> None:
    with pytest.raises(NoViolation, match="in none of 18 short runs"):
        reduce("", BY_ID["log.seal.fences"], seeds=2)


def test_faults_that_are_no_acts_are_refused() -> None:
    """Losses and pauses change what a schedule does not tell."""
    with pytest.raises(NotReplayable, match="pause, wipe"):
        schedule_of(SimulationPlan(events=100, logs=1))

"""Simulated runs take every action of the proved text, also those that only rare runs take.

The design promises a checked refinement between the machine and the protocol text: every simulated step, not an
argument about them. Runs of every kind are in the corpus.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.environment.director import Director
from reference_impl.kernel.faults import Rate
from reference_impl.kernel.simulator import Transition
from reference_impl.kernel.step import Address
from reference_impl.kernel.weather import Weather
from reference_impl.mutants import MUTANTS, UnknownMutant
from reference_impl.plan import EVERY_FAULT, MILLISECOND, NO_FAULTS, REPLICATIONS, TOPOLOGIES, Faults, SimulationPlan
from reference_impl.refinement import refine, without_loss
from reference_impl.refinement.follow import ACTIONS
from reference_impl.simulate import context_for, simulate
from spec.language.outcomes import Verdict

LOSSY = Faults(
    Weather(slow=0.05, drop=0.05, duplicate=0.05),
    {
        "crash": Rate(5 * MILLISECOND, 1 * MILLISECOND, 6 * MILLISECOND),
        "wipe": Rate(9 * MILLISECOND, 1 * MILLISECOND, 4 * MILLISECOND),
        "drain": Rate(11 * MILLISECOND, 1 * MILLISECOND, 4 * MILLISECOND),
        "reactivate": Rate(5 * MILLISECOND),
        "duel": Rate(9 * MILLISECOND),
        "misjudge": Rate(9 * MILLISECOND, 2 * MILLISECOND, 6 * MILLISECOND),
    },
    corrupt=0.02,
)
"""Disks are lost all the time, and several recoveries run at once."""


OUT_OF_SIGHT = {"go_down", "come_back"}
"""A node that is merely down takes no steps: the text need not know."""

OF_EXTRAS = {"drop"}
"""The action that only happens where copysets have extras."""

OF_STREAMS = {"assign_in_stream"}
"""The action that only happens where clients write streams."""

OF_LOSSES = {"learn", "lose", "vanish", "rebuild", "place", "mark_empty", "rejoin", "report", "report_by_majority"}
"""The actions that are about copies that are lost or moved."""


def assert_refines(plan: SimulationPlan) -> None:
    """The run is one of the text."""
    found = refine(plan)
    assert found.broken is None, found.broken.text()
    assert found.steps > found.stutters > 0


def test_a_run_without_losses_takes_every_other_action_of_the_text() -> None:
    """A refinement that never sees an action says nothing of it."""
    found = refine(without_loss(SimulationPlan(events=6000)))
    assert found.broken is None, found.broken.text()
    assert found.verdict is Verdict.HOLDS
    assert set(found.by_action) == set(ACTIONS)
    unseen = {action for action, number in found.by_action.items() if not number}
    assert unseen == OF_LOSSES | OUT_OF_SIGHT | OF_EXTRAS | OF_STREAMS
    assert min(number for number in found.by_action.values() if number) >= 10
    assert found.stutters < found.steps <= found.stutters + sum(found.by_action.values())


def streaming(seed: int, events: int, mutant: str = "") -> SimulationPlan:
    """A run in which clients write streams to sequencers that are replaced all the time."""
    plan = MUTANTS["stream_acked_when_stored"].plan(SimulationPlan(seed=seed, events=events, logs=2))
    print(f"refine({replace(plan, mutant=mutant)})")
    return replace(plan, mutant=mutant)


def test_runs_of_write_streams_refine_when_their_records_become_holes() -> None:
    """A recovery makes holes of what it reads above what it misses; the text refuses answers that come too early."""
    found = refine(streaming(10, 2000))
    assert found.broken is None, found.broken.text()
    assert found.by_action["assign_in_stream"] > 100
    broken = refine(streaming(10, 2000, "stream_acked_when_stored")).broken
    assert broken is not None
    assert broken.action == "acknowledge"


def test_without_faults_only_the_sequencer_acts() -> None:
    """No epoch ends, so nobody seals or plans, and all that is assigned is acknowledged or still under way."""
    found = refine(SimulationPlan(events=3000, faults=NO_FAULTS))
    assert found.broken is None
    assert found.by_action["seal"] == found.by_action["plan"] == 0
    assert found.by_action["assign"] >= found.by_action["acknowledge"] > 100


def test_a_run_of_which_the_text_says_nothing_is_no_pass() -> None:
    found = refine(SimulationPlan(events=1, faults=NO_FAULTS))
    assert (found.broken, found.verdict) == (None, Verdict.UNKNOWN)


def test_a_run_with_losses_takes_every_action_of_the_text() -> None:
    """Copies are rebuilt, copysets follow them, nodes are empty and serve again, and what has vanished is reported."""
    found = refine(
        SimulationPlan(seed=7, events=5000, topology=TOPOLOGIES["flat5"], replication={"node": 3}, faults=EVERY_FAULT)
    )
    assert found.broken is None, found.broken.text()
    unseen = {action for action, number in found.by_action.items() if not number}
    assert unseen <= OUT_OF_SIGHT | OF_EXTRAS | OF_STREAMS


@pytest.mark.slow
def test_a_copy_that_comes_after_its_slot_was_trimmed_refines() -> None:
    """A donor sent it before it trimmed; meanwhile a node is called empty, and nobody else has what it had."""
    plan = SimulationPlan(seed=311, events=8000, open_logs=3, clients=2, faults=EVERY_FAULT, on_the_wire=True)
    plan = replace(plan, topology=TOPOLOGIES["partly7"], replication=REPLICATIONS["partly7"])
    assert_refines(replace(plan, trims=Rate(10 * MILLISECOND)))


@pytest.mark.slow
def test_a_node_that_comes_back_empty_seals_what_it_had_purged() -> None:
    """What it lost with its disk it is told anew; a later round of the same recovery had sealed it before."""
    plan = SimulationPlan(seed=367, events=8000, faults=LOSSY, variants=("nearest", "amends"))
    plan = replace(plan, topology=TOPOLOGIES["flat3"], replication=REPLICATIONS["flat3"])
    assert_refines(replace(plan, delivery=("single_copy",)))


@pytest.mark.slow
def test_a_recovery_that_comes_too_late_plans_from_what_it_read() -> None:
    """The epoch is clean by a later one, and a record that the earlier one read has vanished since."""
    assert_refines(SimulationPlan(seed=4, events=13_500, logs=9))


def test_an_unknown_mutant_is_a_named_error() -> None:
    with pytest.raises(UnknownMutant):
        refine(without_loss(SimulationPlan(mutant="no such thing")))


def test_observing_changes_nothing() -> None:
    """The observer sees each step with what was before, and the run is the same to the byte."""
    plan = SimulationPlan(events=500)
    seen: list[Transition] = []
    director = Director(plan, context_for(plan))
    director.world.simulator.observer = seen.append
    assert [event for event, _ in zip(director.run(), range(500), strict=False)] == list(simulate(plan))
    last: dict[Address, object] = {}
    for taken in seen:
        if taken.to in last and taken.to[0] == "epochs":
            assert taken.before == last[taken.to]
        last[taken.to] = taken.after
    assert {taken.to[0] for taken in seen} >= {"sequencer", "storage", "recovery", "client", "epochs"}

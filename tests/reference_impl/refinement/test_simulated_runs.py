"""Every step of a simulated machine is a step of the proved text or a stutter.

The design promises a checked refinement between the machine and the protocol text: every simulated step, not an
argument about them. Every plan is followed: with disks and copies that are lost, and donors that rebuild them.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.environment.director import Director
from reference_impl.kernel.faults import Rate
from reference_impl.kernel.simulator import Taken
from reference_impl.kernel.step import Address
from reference_impl.kernel.weather import Weather
from reference_impl.log.machine import VARIANTS
from reference_impl.mutants import MUTANTS, UnknownMutant
from reference_impl.plan import EVERY_FAULT, MILLISECOND, NO_FAULTS, REPLICATIONS, TOPOLOGIES, Faults, SimulationPlan
from reference_impl.refinement import refine, without_loss
from reference_impl.refinement.follow import ACTIONS
from reference_impl.simulate import machine_for, simulate
from spec.language.outcomes import Verdict

HEAVY = Faults(
    Weather(slow=0.1, drop=0.1, duplicate=0.1),
    {
        "crash": Rate(2 * MILLISECOND, 1 * MILLISECOND, 6 * MILLISECOND),
        "pause": Rate(5 * MILLISECOND, 2 * MILLISECOND, 8 * MILLISECOND),
        "reactivate": Rate(2 * MILLISECOND),
    },
    corrupt=0.0,
)
"""Everything of which the text speaks goes wrong all the time."""

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


def plan_for(topology: str, seed: int, events: int) -> SimulationPlan:
    """A run on one of the clusters, with crashes, pauses and new sequencers."""
    print(f"refine(without_loss(SimulationPlan(seed={seed}, events={events}))) on {topology}")
    cluster, replication = TOPOLOGIES[topology], REPLICATIONS[topology]
    return without_loss(SimulationPlan(seed=seed, events=events, topology=cluster, replication=replication))


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


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_runs_with_faults_refine(topology: str) -> None:
    """Three to nine nodes, flat, in uneven racks and in regions; crashes, pauses and new sequencers."""
    assert_refines(plan_for(topology, 0, 1500))


@pytest.mark.parametrize("topology", ["flat3", "racks8"])
def test_runs_in_a_storm_refine(topology: str) -> None:
    """A tenth of all messages lost, a tenth repeated, a tenth late; recoveries overtake each other."""
    assert_refines(replace(plan_for(topology, 1, 1500), faults=HEAVY))


@pytest.mark.parametrize("topology", ["flat3", "racks6"])
def test_runs_of_every_variant_refine(topology: str) -> None:
    """What variants do besides is no step of the text, and forbids nothing that the text wants."""
    assert_refines(replace(plan_for(topology, 3, 2000), faults=HEAVY, variants=VARIANTS))


def streaming(seed: int, events: int, mutant: str = "") -> SimulationPlan:
    """A run in which clients write streams to sequencers that are replaced all the time."""
    plan = MUTANTS["stream_acked_when_stored"].plan(SimulationPlan(seed=seed, events=events, logs=2))
    print(f"refine({replace(plan, mutant=mutant)})")
    return replace(plan, mutant=mutant)


def test_runs_of_write_streams_refine_when_their_records_become_holes() -> None:
    """A recovery makes holes of what it reads above what it misses; the text refuses answers that come too early."""
    found = refine(streaming(5, 2000))
    assert found.broken is None, found.broken.text()
    assert found.by_action["assign_in_stream"] > 100
    broken = refine(streaming(5, 2000, "stream_acked_when_stored")).broken
    assert broken is not None
    assert broken.action == "acknowledge"


@pytest.mark.parametrize("topology", ["flat3", "racks6"])
def test_runs_of_write_streams_in_a_storm_refine(topology: str) -> None:
    """A later recovery keeps what another one made a hole of, of which it has not heard."""
    plan = replace(plan_for(topology, 0, 2500), faults=HEAVY, variants=("write_streams",), open_logs=2)
    found = refine(plan)
    assert found.broken is None, found.broken.text()
    assert min(found.by_action["assign_in_stream"], found.by_action["plan"]) > 10


def with_extras(topology: str, seed: int, events: int) -> SimulationPlan:
    """A run whose copysets have a member more than copies, with nodes that are often lost or drained."""
    plan = MUTANTS["extra_taken_for_donor"].plan(SimulationPlan(events=events, delivery=("single_copy", "local")))
    plan = replace(plan, mutant="", seed=seed, topology=TOPOLOGIES[topology], replication=REPLICATIONS[topology])
    print(f"refine({plan})")
    return plan


@pytest.mark.parametrize("topology", ["flat5", "racks6"])
def test_runs_with_extras_refine(topology: str) -> None:
    """Copies that nobody needs are deleted, however late; those on which rebuilding counts stay."""
    found = refine(with_extras(topology, 0, 2500))
    assert found.broken is None, found.broken.text()
    assert found.delivery.broken is None, found.delivery.broken.text()
    assert min(found.by_action["drop"], found.by_action["rebuild"]) > 20


@pytest.mark.slow
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_long_runs_with_extras_refine(topology: str) -> None:
    """On every cluster; and with two extras in a storm, where deletes come late."""
    plans = with_extras(topology, 1, 3000), replace(with_extras(topology, 2, 1500), extras=2, faults=HEAVY)
    for found in map(refine, plans):
        assert (found.broken, found.delivery.broken) == (None, None)
        assert found.by_action["drop"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("topology", ["flat3", "racks6", "racks8", "regions9", "shards8"])
def test_long_runs_refine(topology: str) -> None:
    plan = plan_for(topology, 10, 6000)
    assert_refines(plan)
    assert_refines(replace(plan, faults=HEAVY))


def test_without_faults_only_the_sequencer_acts() -> None:
    """No epoch ends, so nobody seals or plans, and all that is assigned is acknowledged or still under way."""
    found = refine(SimulationPlan(events=3000, faults=NO_FAULTS))
    assert found.broken is None
    assert found.by_action["seal"] == found.by_action["plan"] == 0
    assert found.by_action["assign"] >= found.by_action["acknowledge"] > 100


def test_a_run_of_which_the_text_says_nothing_is_no_pass() -> None:
    found = refine(SimulationPlan(events=1, faults=NO_FAULTS))
    assert (found.broken, found.verdict) == (None, Verdict.UNKNOWN)


@pytest.mark.parametrize("topology", ["flat5", "racks6"])
def test_runs_in_which_disks_are_lost_refine(topology: str) -> None:
    """Recoveries decide again without what is lost, donors rebuild it, and readers learn where they need not wait."""
    plan = losing(
        replace(SimulationPlan(events=2500), topology=TOPOLOGIES[topology], replication=REPLICATIONS[topology])
    )
    found = refine(plan)
    assert found.broken is None, found.broken.text()
    assert min(found.by_action[action] for action in ("lose", "learn", "plan", "deliver", "deny")) > 0


def test_a_run_with_losses_takes_every_action_of_the_text() -> None:
    """Copies are rebuilt, copysets follow them, nodes are empty and serve again, and what has vanished is reported."""
    found = refine(
        SimulationPlan(seed=4, events=5000, topology=TOPOLOGIES["flat5"], replication={"node": 3}, faults=EVERY_FAULT)
    )
    assert found.broken is None, found.broken.text()
    unseen = {action for action, number in found.by_action.items() if not number}
    assert unseen <= OUT_OF_SIGHT | OF_EXTRAS | OF_STREAMS


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("topology", ["flat5", "racks6"])
def test_runs_with_every_fault_refine(topology: str, seed: int) -> None:
    """Whatever goes wrong."""
    plan = SimulationPlan(seed=seed, events=3000, faults=EVERY_FAULT)
    assert_refines(replace(plan, topology=TOPOLOGIES[topology], replication=REPLICATIONS[topology]))


@pytest.mark.parametrize(("topology", "seed"), [("racks4", 1), ("flat5", 1)])
def test_runs_with_trims_refine(topology: str, seed: int) -> None:
    """What is trimmed is not moved when a disk is lost; above a bridge that is trimmed a reader reports losses."""
    plan = SimulationPlan(seed=seed, events=4000, faults=EVERY_FAULT, trims=Rate(8 * MILLISECOND))
    assert_refines(replace(plan, topology=TOPOLOGIES[topology], replication=REPLICATIONS[topology]))


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


@pytest.mark.parametrize("delivery", ["single_copy", "local"])
def test_runs_with_single_copy_delivery_refine(delivery: str) -> None:
    """Whoever sends a record, it is one that the text delivers; what others are to send is no denial."""
    assert_refines(losing(SimulationPlan(events=2000, delivery=(delivery,))))


def test_a_run_with_every_fault_refines() -> None:
    """Partitions, slow nodes, stragglers, duels, wrong checksums, read-only shards, statuses that are wrong."""
    found = refine(losing(SimulationPlan(events=2000, faults=EVERY_FAULT)))
    assert found.broken is None, found.broken.text()
    assert found.by_action["plan"] > 0


def losing(plan: SimulationPlan) -> SimulationPlan:
    """The plan with disks that are lost, and without nodes that leave, for one node at a time is out."""
    rates = {what: rate for what, rate in plan.faults.rates.items() if what != "drain"}
    rates["wipe"] = Rate(10 * MILLISECOND, MILLISECOND, 3 * MILLISECOND)
    plan = replace(plan, faults=replace(plan.faults, rates=rates))
    print(f"refine({plan})")
    return plan


def test_a_run_in_which_nodes_are_to_leave_refines() -> None:
    """They take no more stores, are read as before, and are switched off when all that they hold lies elsewhere."""
    rates = {**SimulationPlan().faults.rates, "drain": Rate(5 * MILLISECOND)}
    plan = SimulationPlan(events=2000)
    assert_refines(replace(plan, faults=replace(plan.faults, rates=rates)))


def test_an_unknown_mutant_is_a_named_error() -> None:
    with pytest.raises(UnknownMutant):
        refine(without_loss(SimulationPlan(mutant="no such thing")))


def test_observing_changes_nothing() -> None:
    """The observer sees each step with what was before, and the run is the same to the byte."""
    plan = SimulationPlan(events=500)
    seen: list[Taken] = []
    director = Director(plan, machine_for(plan))
    director.world.simulator.observer = seen.append
    assert [event for event, _ in zip(director.run(), range(500), strict=False)] == list(simulate(plan))
    last: dict[Address, object] = {}
    for taken in seen:
        if taken.to in last and taken.to[0] == "epochs":
            assert taken.before == last[taken.to]
        last[taken.to] = taken.after
    assert {taken.to[0] for taken in seen} >= {"sequencer", "storage", "recovery", "client", "epochs"}

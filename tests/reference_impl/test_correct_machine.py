"""The correct machine breaks no rule of the specification, leaves none undecided, and gives each something to judge.

The design asks for a simulated run on which every rule holds with instances; a rule without one is never a pass.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import Weather
from reference_impl.log.machine import (
    COMPRESSED,
    DELIVERIES,
    GREYLIST,
    NEAREST,
    REGIONS,
    VARIANTS,
)
from reference_impl.mutants import MUTANTS, mutant_named
from reference_impl.mutants.lacks import DAMAGE
from reference_impl.plan import (
    EVERY_FAULT,
    MILLISECOND,
    NO_FAULTS,
    REPLICATIONS,
    TOPOLOGIES,
    BadPlan,
    Faults,
    SimulationPlan,
)
from reference_impl.simulate import simulate
from spec.events import BRIDGE, DATALOSS, HOLE, Rebuilt, Ship
from spec.language.fold import Fold
from spec.log.topology import Topology
from spec.registry import RULES
from tests.support.replayed import refusal_of
from tests.support.simulated import (
    OF_GREYLISTS,
    OF_STAGES,
    OF_TRIMS,
    OF_VARIANTS,
    judged,
    unknown,
    violated,
    without_instances,
)

ON_THE_WIRE = [rule.id for rule in RULES if rule.id.startswith("log.deliver.")]
"""Rules on what goes over the wire, which is recorded only where a plan asks for it."""

RARE = {"log.recovery.hole_is_benign", "log.read.hole_is_plugged"}
"""Holes need an append that is lost below one that is kept, so short runs may have none."""

REBUILDING = {rule.id for rule in RULES if rule.promise == "rebuilding"}
"""The usual faults wipe or drain a node every fifty milliseconds or so, so short runs may rebuild nothing."""

RACK: Final = {0, 1, 2}
"""The nodes of the rack beside which readers are, in racks6."""

USUAL: Final = ("flat3", "flat5", "racks6", "racks8", "regions9")
"""Clusters of single-shard nodes; ``environment.test_faulty_runs`` has all others too."""

CLUSTERS: Final[dict[str, tuple[Topology, Mapping[str, int]]]] = {
    **{name: (TOPOLOGIES[name], REPLICATIONS[name]) for name in (*USUAL, "scopes12")},
    "one copy": (Topology.flat(4), {"node": 1}),
    "all copies": (Topology.flat(3), {"node": 3}),
}
"""Three to twelve nodes, replicated across one to three scopes."""

HEAVY: Final = Faults(
    Weather(slow=0.05, drop=0.05, duplicate=0.05),
    {
        "crash": Rate(2 * MILLISECOND, 1 * MILLISECOND, 6 * MILLISECOND),
        "pause": Rate(5 * MILLISECOND, 2 * MILLISECOND, 8 * MILLISECOND),
        "reactivate": Rate(2 * MILLISECOND),
        "wipe": Rate(30 * MILLISECOND, 3 * MILLISECOND, 6 * MILLISECOND),
        "drain": Rate(40 * MILLISECOND),
    },
    corrupt=0.5,
)
"""Everything fails all the time."""

STORM: Final = Faults(Weather(slow=0.2, drop=0.2, duplicate=0.2))
"""The usual faults on a network that hardly works."""


def plan_for(topology: str, seed: int, events: int) -> SimulationPlan:
    """A run with all faults on one of the clusters."""
    cluster, replication = CLUSTERS[topology]
    plan = SimulationPlan(seed=seed, events=events, topology=cluster, replication=replication)
    print(f"SimulationPlan(seed={seed}, events={events}) on {topology}")
    return plan


def copy_of(event: dict[str, Any]) -> tuple[int, ...]:
    """Which node has what."""
    return tuple(event.get(name, 0) for name in ("log", "epoch", "esn", "node"))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("topology", USUAL)
def test_every_rule_holds_with_faults(topology: str, seed: int) -> None:
    """Three to nine nodes: flat, in uneven racks, in regions."""
    judgement = judged(plan_for(topology, seed, 12_000))
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    assert set(without_instances(judgement)) <= RARE.union(REBUILDING, ON_THE_WIRE, OF_VARIANTS)


def test_every_rule_has_instances_in_a_default_run() -> None:
    """What people see first must judge everything, rebuilding too; with the wire recorded, that as well."""
    everything = SimulationPlan(events=60_000, on_the_wire=True, variants=VARIANTS, trims=Rate(2 * MILLISECOND))
    seldom = {*OF_GREYLISTS, "log.sequencing.draining_ends"}  # where sequencers often get another epoch at once
    for plan, unheard in ((SimulationPlan(), {*ON_THE_WIRE, *OF_VARIANTS}), (everything, seldom)):
        judgement = judged(plan)
        assert (violated(judgement), unknown(judgement)) == ({}, {})
        assert set(without_instances(judgement)) == unheard


def test_every_rule_on_stages_has_instances_where_nodes_are_lost() -> None:
    """Extras are deleted, and what lay on nodes that are lost is rebuilt from those who have it."""
    judgement = judged(replace(MUTANTS["extra_taken_for_donor"].plan(SimulationPlan()), mutant=""))
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    assert OF_STAGES.isdisjoint(without_instances(judgement))


@pytest.mark.parametrize("extras", [1, 2])
@pytest.mark.parametrize("topology", ["flat3", "flat5", "racks6", "racks8"])
def test_every_rule_holds_where_copysets_have_extras(topology: str, extras: int) -> None:
    """With all faults, however records are delivered, and as far as there are nodes; and every run replays."""
    plan = replace(plan_for(topology, extras, 5000), faults=EVERY_FAULT, extras=extras, on_the_wire=True)
    plan = replace(plan, delivery=DELIVERIES, variants=("extras", "amends"))
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    refusal = refusal_of(plan, simulate(plan))
    assert refusal is None, refusal


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("topology", ["flat3", "racks8"])
@pytest.mark.parametrize("delivery", ["all_send_all", "single_copy"])
def test_every_rule_holds_where_logs_are_trimmed(topology: str, delivery: str, seed: int) -> None:
    """All the time, whatever else goes wrong: what readers were not given was trimmed, or is no acknowledged record."""
    plan = replace(plan_for(topology, seed, 8000), faults=EVERY_FAULT, delivery=(delivery,), on_the_wire=True)
    plan = replace(plan, trims=Rate(MILLISECOND))
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    assert set(OF_TRIMS).isdisjoint(without_instances(judgement))
    refusal = refusal_of(plan, simulate(plan))
    assert refusal is None, refusal


@pytest.mark.parametrize("delivery", [(name,) for name in DELIVERIES] + [DELIVERIES])
@pytest.mark.parametrize("trusts_at_once", [True, False])
def test_every_rule_holds_however_records_are_delivered(delivery: tuple[str, ...], *, trusts_at_once: bool) -> None:
    """Single copy delivery, near the reader or not, in all logs or some; nodes that are back are trusted or not.

    What readers ask of nodes, and what these send, is recorded and judged, too.
    """
    plan = SimulationPlan(seed=2, events=25_000, delivery=delivery, trusts_at_once=trusts_at_once, on_the_wire=True)
    print(plan)
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    assert set(without_instances(judgement)) <= RARE.union(REBUILDING, OF_VARIANTS)


def test_every_rule_holds_where_rebuilt_copies_are_sent() -> None:
    """Nodes send what donors gave them as they send what they stored."""
    losses = Faults(rates={name: EVERY_FAULT.rates[name] for name in ("crash", "wipe", "drain")})
    plan = replace(plan_for("flat5", 2, 6000), faults=losses, on_the_wire=True)
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    events = list(simulate(plan))
    rebuilt, sent = (
        {copy_of(event) for event in events if event["kind"] == kind} for kind in (Rebuilt.kind, Ship.kind)
    )
    assert rebuilt & sent


def test_every_rule_on_slow_nodes_has_instances() -> None:
    """In the run in which their mutants show."""
    judgement = judged(replace(mutant_named("never_forgives").plan(SimulationPlan()), mutant=""))
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    assert set(OF_GREYLISTS).isdisjoint(without_instances(judgement))


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_rule_holds_where_slow_nodes_are_passed_over(topology: str) -> None:
    """Whatever else goes wrong. The run replays."""
    plan = SimulationPlan(4, TOPOLOGIES[topology], REPLICATIONS[topology], 5000, 2, faults=EVERY_FAULT)
    plan = replace(plan, delivery=("single_copy", "local"), on_the_wire=True, variants=(GREYLIST,))
    print(plan)
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    refusal = refusal_of(plan, simulate(plan))
    assert refusal is None, refusal


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("topology", ["flat3", "flat5", "racks6"])
def test_every_rule_holds_in_many_runs_with_slow_nodes(topology: str, seed: int) -> None:
    """With every fault, and where nodes are hardly anything but slow; with the other variants, too."""
    listing = replace(mutant_named("never_forgives").plan(SimulationPlan(seed, events=8000)), mutant="")
    listing = replace(listing, topology=TOPOLOGIES[topology], replication=REPLICATIONS[topology])
    worst = replace(listing, faults=EVERY_FAULT)
    for plan in (listing, worst, replace(worst, variants=VARIANTS), replace(listing, faults=HEAVY)):
        judgement = judged(plan)
        assert (violated(judgement), unknown(judgement)) == ({}, {}), plan
        refusal = refusal_of(plan, simulate(plan))
        assert refusal is None, (plan, refusal)


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("variant", [COMPRESSED, REGIONS])
def test_every_rule_holds_where_many_copies_are_damaged(variant: str, delivery: str) -> None:
    """Readers wait for another copy, or ask for it; none is told of a loss that is none. The run replays."""
    damaged = replace(plan_for("racks6", 1, 5000), faults=DAMAGE, on_the_wire=True)
    plan = replace(damaged, variants=(variant,), delivery=(delivery,))
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    refusal = refusal_of(plan, simulate(plan))
    assert refusal is None, refusal


def test_in_the_nearest_form_the_reader_s_rack_sends_most() -> None:
    """All location scopes count; as shipped, only the region does, and here there is one."""

    def share(variants: tuple[str, ...]) -> float:
        plan = replace(plan_for("racks6", 0, 4000), faults=NO_FAULTS, delivery=("local",), on_the_wire=True)
        sent = [event["node"] for event in simulate(replace(plan, variants=variants)) if event["kind"] == Ship.kind]
        return sum(node in RACK for node in sent) / len(sent)

    assert share(()) < 0.7
    assert share((NEAREST,)) > 0.9


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("topology", CLUSTERS)
def test_every_rule_holds_in_a_storm(topology: str, seed: int) -> None:
    """A fifth of all messages lost, a fifth repeated and a fifth late: answers of an earlier life reach a node."""
    plan = replace(plan_for(topology, seed, 8000), faults=STORM)
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})


@pytest.mark.parametrize("variants", [*((name,) for name in VARIANTS), VARIANTS])
@pytest.mark.parametrize("topology", ["flat3", "racks6"])
def test_every_rule_holds_in_every_variant(topology: str, variants: tuple[str, ...]) -> None:
    """Each by itself and all of them together, whatever goes wrong."""
    plan = replace(plan_for(topology, 4, 8000), faults=EVERY_FAULT, variants=variants)
    judgement = judged(plan)
    assert (violated(judgement), unknown(judgement)) == ({}, {})


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_every_rule_holds_over_many_seeds(seed: int) -> None:
    """The default plan, and every cluster under heavy faults: 680,000 events in all."""
    for plan in (
        SimulationPlan(seed=seed),
        *(replace(plan_for(name, seed, 20_000), faults=faults) for name in CLUSTERS for faults in (HEAVY, STORM)),
    ):
        judgement = judged(plan)
        assert (violated(judgement), unknown(judgement)) == ({}, {}), plan


@pytest.mark.slow
@pytest.mark.parametrize("topology", USUAL)
def test_every_rule_holds_on_long_runs(topology: str) -> None:
    """Two hundred thousand events, every rule with instances."""
    judgement = judged(plan_for(topology, 100, 200_000))
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    assert set(without_instances(judgement)) == {*ON_THE_WIRE, *OF_VARIANTS}


@pytest.mark.parametrize("topology", ["flat3", "racks6"])
def test_the_fold_agrees(topology: str) -> None:
    """The meaning of the rules itself says so, on a shorter run."""
    plan = plan_for(topology, 9, 2500)
    judgement = Fold(simulate(plan), plan.topology.parameters()).judge(RULES)
    assert (violated(judgement), unknown(judgement)) == ({}, {})


def test_a_variant_has_a_name() -> None:
    with pytest.raises(BadPlan, match="soft_seals"):
        SimulationPlan(variants=("softest",))


def test_a_run_without_faults_has_no_loss() -> None:
    """Nothing fails, so nobody gives up, no epoch ends, and every append is acknowledged at the end of its wave."""
    kinds = [event["kind"] for event in simulate(SimulationPlan(events=3000, faults=NO_FAULTS))]
    assert {4, 5, 14, 17, 18}.isdisjoint(kinds)
    assert kinds.count(1) == 2


def test_a_run_with_faults_has_all_kinds_of_gaps_and_epochs() -> None:
    """Holes, bridges and losses; several epochs; nodes that were wiped, drained and came back."""
    events = list(simulate(SimulationPlan(events=60_000, seed=1)))
    assert {event["arg"] for event in events if event["kind"] == 17} == {HOLE, BRIDGE, DATALOSS}
    tables = [event for event in events if event["kind"] == 2]
    assert any(table["nodes"] for table in tables)
    assert any(table["nodes_b"] for table in tables)
    emptied = [bool(table["nodes_c"]) for table in tables]
    assert {(False, True), (True, False)} <= set(pairwise(emptied))
    assert max(event.get("epoch", 0) for event in events) >= 5
    assert {event["kind"] for event in events} == {*range(1, 19), *range(20, 23), *range(40, 45)}


def test_logs_take_turns() -> None:
    """A long run has many logs, of which few are open at a time, so that memory does not grow with the run."""
    events = list(simulate(SimulationPlan(events=20_000, logs=25, open_logs=4)))
    last = {event["log"]: place for place, event in enumerate(events) if event.get("log") is not None}
    first = {event["log"]: place for place, event in reversed(list(enumerate(events))) if event.get("log") is not None}
    assert len(last) >= 20
    assert max(sum(first[log] <= place <= last[log] for log in last) for place in range(0, 20_000, 100)) <= 4


@pytest.mark.parametrize(
    ("topology", "replication"),
    [(Topology.flat(2), {"node": 3}), (Topology.flat(5), {"rack": 2}), (Topology.flat(3), {})],
)
def test_a_plan_that_cannot_work_is_refused(topology: Topology, replication: dict[str, int]) -> None:
    """Too few nodes, no racks to spread over, no copies at all: a named error, before anything runs."""
    with pytest.raises(BadPlan):
        SimulationPlan(topology=topology, replication=replication)


@pytest.mark.parametrize("name", ["events", "open_logs", "clients"])
def test_a_plan_needs_something_to_do(name: str) -> None:
    """Zero is too little."""
    nothing: dict[str, Any] = {name: 0}
    with pytest.raises(BadPlan, match=name):
        SimulationPlan(**nothing)

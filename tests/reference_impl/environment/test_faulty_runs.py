"""Two hundred thousand steps with every fault, on every topology: no rule is broken, and every fault did something.

The issue on the log family asks for 200,000 simulated steps with faults over at least eight topologies of three to
twelve nodes, replicated across one to three scopes.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice
from typing import Any, Final, NamedTuple

import pytest

from reference_impl.environment.director import Director
from reference_impl.plan import EVERY_FAULT, FAULTS, REPLICATIONS, TOPOLOGIES, SimulationPlan
from reference_impl.simulate import machine_for
from spec.language.vocabulary import SCOPES
from tests.support.simulated import judged_columns, raw_of, unknown, violated

EVENTS: Final = 20_000
STEPS: Final = 25_000


class Run(NamedTuple):
    """A run that is over."""

    plan: SimulationPlan
    events: list[dict[str, Any]]
    steps: int
    struck: Counter[str]


@cache
def run(topology: str) -> Run:
    """A run with every fault; replay it with ``quorate simulate --faults every --events 20000 --topology NAME``."""
    cluster, replication = TOPOLOGIES[topology], REPLICATIONS[topology]
    plan = SimulationPlan(events=EVENTS, topology=cluster, replication=replication, faults=EVERY_FAULT)
    director = Director(plan, machine_for(plan))
    steps = Counter[str]()
    director.world.simulator.observer = lambda taken: steps.update([taken.to[0]])
    events = list(islice(director.run(), plan.events))
    return Run(plan, events, steps.total(), director.nemesis.struck)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_no_rule_is_broken(topology: str) -> None:
    done = run(topology)
    parameters = done.plan.topology.parameters()
    judgement = judged_columns(raw_of(done.events, parameters), parameters)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    assert done.steps >= STEPS


def test_the_topologies_are_of_all_kinds() -> None:
    """Three to twelve nodes, one to three scopes, several shards on a host, missing locations."""
    assert len(TOPOLOGIES) >= 3
    assert sum(run(topology).steps for topology in TOPOLOGIES) >= 200_000
    assert {len(cluster.locations) for cluster in TOPOLOGIES.values()} >= {3, 12}
    assert {len(property_) for property_ in REPLICATIONS.values()} == {1, 2, 3}
    assert any(len(host) > 1 for cluster in TOPOLOGIES.values() for host in cluster.domains()["node"])
    racks = {bool(location.get("rack")) for location in TOPOLOGIES["partly7"].locations}
    assert racks == {True, False}
    assert {scope for property_ in REPLICATIONS.values() for scope in property_} <= set(SCOPES)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_strikes(fault: str) -> None:
    """Each does something in some run; what it does is tested one by one."""
    assert sum(run(topology).struck[fault] for topology in TOPOLOGIES) >= 2

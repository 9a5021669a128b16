"""A sequencer that asks for another epoch lets appends end first: common/EpochSequencer.h and common/Sequencer.cpp."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from reference_impl.environment.entities import SEQUENCER
from reference_impl.kernel.step import Event, Moment, step
from reference_impl.log import trace_events
from reference_impl.log.context import GRACEFUL, SOFT_SEALS
from reference_impl.log.draining import PATIENCE
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Acked, Activate, AppendRequest, EpochGiven, NextEpoch, Recover, Refused, Tick
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.log.storage_messages import Preempted, Release, Store, Stored
from reference_impl.plan import EVERY_FAULT, REPLICATIONS, TOPOLOGIES, SimulationPlan
from reference_impl.simulate import simulate
from spec.events import Draining, SoftSealed
from spec.events import Store as StoreEvent
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken
from tests.support.replayed import refusal_of
from tests.support.simulated import judged, unknown, violated

MACHINE = replace(machine_of(), variants=frozenset({GRACEFUL}))
ACTIVE = Sequencer(0, 2, Role.ACTIVE, epoch=3, nodesets={3: EVERYONE}, cleaned={})
GIVEN = EpochGiven(NOW.now_ns, 5, {3: EVERYONE, 5: EVERYONE}, {})
RECOVER = Recover(5, GIVEN.nodesets, {})


def does(sequencer: Sequencer, message: Any, now: Moment = NOW) -> tuple[Sequencer, list[Any], list[Any]]:
    """What a sequencer becomes, what it sends and what it records."""
    return taken(step(SEQUENCER, sequencer, message, now, MACHINE))


def draining() -> Sequencer:
    """A sequencer of epoch 5 whose append in epoch 3 is still under way."""
    sequencer, _, _ = does(ACTIVE, AppendRequest(0, 1, 3, 100))
    sequencer, _, _ = does(sequencer, Activate())
    return does(sequencer, GIVEN)[0]


def ending(sequencer: Sequencer) -> tuple[Sequencer, list[Any]]:
    """Every node of its copyset stores the append."""
    sent: list[Any] = []
    assert sequencer.before is not None
    for node in sorted(sequencer.before.window[1].copyset):
        sequencer, said, _ = does(sequencer, Stored(lsn_of(3, 1), 1, node))
        sent += said
    return sequencer, sent


def test_it_says_which_lsn_was_the_last() -> None:
    sequencer, _, _ = does(ACTIVE, AppendRequest(0, 1, 3, 100))
    sequencer, sent, events = does(sequencer, Activate())
    assert (sequencer.role, sent) == (Role.ASKING, [NextEpoch(2, NOW.now_ns)])
    assert (kinds_of(events), events[0]["esn"]) == ([trace_events.DRAINING], 1)


def test_without_appends_under_way_nothing_drains() -> None:
    sequencer, _, events = does(ACTIVE, Activate())
    assert (sequencer.before, events) == (None, [])
    _, sent, _ = does(sequencer, GIVEN)
    assert RECOVER in sent


def test_recovery_waits_until_they_have_ended() -> None:
    """Their writers are answered first."""
    sequencer, sent = ending(draining())
    assert [type(one) for one in sent] == [Acked, Recover]
    assert (sent[1], sequencer.before, sequencer.epoch) == (RECOVER, None, 5)


def test_new_appends_go_into_the_new_epoch() -> None:
    sequencer, (refusal,), _ = does(draining(), AppendRequest(1, 1, 3, 101))
    assert isinstance(refusal, Refused)
    _, sent, _ = does(sequencer, AppendRequest(1, 2, 5, 101))
    assert {one.lsn for one in sent} == {lsn_of(5, 1)}
    assert not any(one.is_draining for one in sent)


def test_waves_go_on_and_say_so_and_nothing_is_released() -> None:
    later = Moment(NOW.now_ns + MACHINE.timing.wave_ns, 9)
    _, sent, _ = does(draining(), Tick(3), later)
    stores = [one for one in sent if isinstance(one, Store)]
    assert stores
    assert all(one.is_draining and one.lsn == lsn_of(3, 1) for one in stores)
    assert not any(isinstance(one, Release) for one in sent)


def test_patience_ends() -> None:
    sequencer, sent = draining(), list[Any]()
    for _ in range(PATIENCE):
        assert RECOVER not in sent
        sequencer, sent, _ = does(sequencer, Tick(3))
    assert (RECOVER in sent, sequencer.before) == (True, None)


def test_only_the_seal_of_a_recovery_ends_it() -> None:
    assert step(SEQUENCER, draining(), Preempted(4, softly=True), NOW, MACHINE) is None
    sequencer, sent, _ = does(draining(), Preempted(4))
    assert (sequencer.role, sequencer.before, sent) == (Role.ACTIVE, None, [RECOVER])
    sequencer, sent, _ = does(draining(), Preempted(5))
    assert (sequencer.role, sent) == (Role.PREEMPTED, [])
    sequencer, sent = ending(sequencer)
    assert [type(one) for one in sent] == [Acked]


def at_node(event: Event) -> tuple[int, int]:
    """Which part of which log."""
    return event["log"], event["node"]


def test_nodes_store_below_their_soft_seals_only_of_who_drains() -> None:
    """Whatever goes wrong. The run replays."""
    plan = SimulationPlan(2, TOPOLOGIES["flat3"], REPLICATIONS["flat3"], 5000, faults=EVERY_FAULT)
    plan = replace(plan, variants=(GRACEFUL, SOFT_SEALS))
    judgement, events = judged(plan), list(simulate(plan))
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    refusal = refusal_of(plan, events)
    assert refusal is None, refusal
    draining, soft, below = set(), dict[tuple[int, int], int](), set()
    for event in events:
        at = event.get("log"), event.get("epoch")
        match event["kind"]:
            case Draining.kind:
                draining.add(at)
            case SoftSealed.kind:
                soft[at_node(event)] = event["epoch"]
            case StoreEvent.kind if not event["version"] and event["epoch"] <= soft.get(at_node(event), 0):
                below.add(at)
    assert below
    assert below <= draining

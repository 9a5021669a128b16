"""Purges as shipped: a node deletes what recovery kept, too, if recovery wrote nothing there.

Justified by the demand that what systems do otherwise is a named variant: the machine of events takes the purges of
both, and refuses what is one of neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from reference_impl.log import storage
from reference_impl.log.context import SHIPPED_PURGES
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.plan import REPLICATIONS, TOPOLOGIES
from reference_impl.replay import Refusal, TraceChecker, copies
from reference_impl.simulate import simulate
from tests.support.corpus import PLANS, run_of
from tests.support.replayed import machine_of, refusal_of, refusals

NAME = "purges_as_shipped"
PLAN = PLANS[NAME]


@pytest.fixture
def first(monkeypatch: pytest.MonkeyPatch) -> Refusal:
    """The first copy that goes although recovery kept it: whoever may delete only what was overruled would not."""
    with monkeypatch.context() as patched:
        patched.setattr(copies, "is_passed_by", lambda *_: False)
        refusal = refusal_of(PLAN, run_of(NAME).events)
    assert refusal is not None
    assert refusal.guard.id == "erase.has_a_cause"
    return refusal


def before(first: Refusal) -> TraceChecker:
    """The machine of events just before that."""
    machine = machine_of(PLAN)
    assert [one for event in run_of(NAME).events[: first.number - 1] if (one := machine.step(event))] == []
    return machine


def test_what_recovery_kept_goes_where_it_did_not_write(first: Refusal) -> None:
    assert before(first).refuses(first.event) is None


def test_it_stays_where_recovery_wrote(first: Refusal) -> None:
    """Of whoever else has it, so many may not delete it as hold a record together."""
    machine, event = before(first), first.event
    log = machine.logs[event["log"]]
    holders = [node for node, shard in log.shards.items() if lsn_of(event["epoch"], event["esn"]) in shard.copies]
    needed = frozenset(node for node in holders if refusing(machine, {**event, "node": node}) == "erase.has_a_cause")
    quorums = log.epochs[event["epoch"]].quorums
    assert quorums is not None
    assert quorums.can_replicate(needed)


def test_what_recovery_took_for_good_stays(first: Refusal) -> None:
    machine, event = before(first), first.event
    log, epoch = machine.logs[event["log"]], event["epoch"]
    held = [esn_of(lsn) for lsn in log.shards[event["node"]].copies if epoch_of(lsn) == epoch]
    decided = log.epochs[epoch].clean
    assert decided is not None
    assert {refusing(machine, {**event, "esn": esn}) for esn in held if esn < min(decided)} == {"erase.has_a_cause"}


def test_a_node_that_was_not_told_may_be_counted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it deletes all, as in LogDevice, and the recovery goes on without it, two of three copies are left.

    LogDevice begins the epoch again where a node to which it wrote is silent: common/EpochRecovery.cpp, onTimeout.
    """
    monkeypatch.setattr(storage, "was_heard", lambda here, cleaned: cleaned.epoch in here.cleaned)
    plan = replace(
        PLAN, seed=45, topology=TOPOLOGIES["flat5"], replication=REPLICATIONS["flat5"], variants=(SHIPPED_PURGES,)
    )
    machine = machine_of(plan)
    refusal = next(refusals(machine, simulate(plan)))
    event = refusal.event
    shards = machine.logs[event["log"]].shards.items()
    left = {node for node, shard in shards if lsn_of(event["epoch"], event["esn"]) in shard.copies} - {event["node"]}
    assert (refusal.guard.id, len(left)) == ("erase.has_a_cause", 2)


def refusing(machine: TraceChecker, event: Mapping[str, Any]) -> str | None:
    """The guard that refuses an event of a node, with the number that is the node's next."""
    recorder = f"node-{event['node']}"
    refusal = machine.refuses({**event, "recorder": recorder, "seq": machine.cluster.said[recorder][0] + 1})
    return None if refusal is None else refusal.guard.id

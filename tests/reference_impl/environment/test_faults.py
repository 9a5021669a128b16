"""Every fault does what its name says, alone on an otherwise calm cluster, and is over when its time is.

The issue on the log family names them: crash with and without durable loss, wipe, restart, slow, partition, bad
checksum, read-only shard, status change at any moment, two recoveries at once, stragglers.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any, Final

import pytest

from reference_impl.environment.director import Director
from reference_impl.environment.nemesis import Nemesis
from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import Weather
from reference_impl.log import trace_events
from reference_impl.log.copies import Copy
from reference_impl.log.disk import ChecksumChanged, CopiesLost, DiskLost, change_checksum, lose_copies, lose_disk
from reference_impl.log.lsn import lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import StartSending
from reference_impl.log.serving.requests import start_sending
from reference_impl.log.storage import mutate, obey_seal, read_digest, store
from reference_impl.log.storage_messages import Mutation, ReadDigest, Seal, Store, Stored
from reference_impl.plan import (
    EVERY_FAULT,
    FAULTS,
    MILLISECOND,
    NO_FAULTS,
    REPLICATIONS,
    TOPOLOGIES,
    BadPlan,
    Faults,
    SimulationPlan,
)
from reference_impl.simulate import context_for, directed, simulate
from spec.events import (
    BAD_CHECKSUM,
    CRASH,
    GOOD_CHECKSUM,
    HEAL,
    PARTITION,
    PAUSE,
    READ_ONLY,
    RECORD,
    RESTART,
    RESUME,
    SLOW,
    STEADY,
    WIPE,
    WRITABLE,
)
from tests.support.machines import NOW, kinds_of, machine_of, taken

BEGIN_AND_END: Final = {
    "crash": (CRASH, RESTART),
    "pause": (PAUSE, RESUME),
    "slow": (SLOW, STEADY),
    "partition": (PARTITION, HEAL),
    "one_way": (PARTITION, HEAL),
    "straggler": (PARTITION, HEAL),
    "read_only": (READ_ONLY, WRITABLE),
    "checksum": (BAD_CHECKSUM, GOOD_CHECKSUM),
}
"""What is recorded of each fault that ends."""


@cache
def alone(fault: str, topology: str = "shards8") -> list[dict[str, Any]]:
    """A run in which nothing else goes wrong, and this three times as often as where everything does."""
    rate = EVERY_FAULT.rates[fault]
    faults = Faults(NO_FAULTS.weather, {fault: rate._replace(every_ns=rate.every_ns // 3)}, corrupt=0.0)
    plan = SimulationPlan(events=12_000, topology=TOPOLOGIES[topology], replication={"node": 3}, faults=faults)
    director, events = directed(plan)
    found = list(events)
    assert director.nemesis.struck[fault] >= 3, "a fault that does not strike tests nothing"
    return found


def of_kind(events: list[dict[str, Any]], kind: int) -> list[dict[str, Any]]:
    """The events of a kind."""
    return [event for event in events if event["kind"] == kind]


@pytest.mark.parametrize("fault", BEGIN_AND_END)
def test_a_fault_begins_and_ends(fault: str) -> None:
    """Each node that is struck is well again later, but for what the end of the run cuts off."""
    begin, end = BEGIN_AND_END[fault]
    said = [(event["node"], event["arg"]) for event in of_kind(alone(fault), trace_events.FAULT)]
    assert {what for _, what in said} == {begin, end}
    open_ones: dict[int, int] = defaultdict(int)
    for node, what in said:
        open_ones[node] += 1 if what == begin else -1
        assert open_ones[node] >= 0
    assert sum(open_ones.values()) <= 4


def test_all_shards_of_a_host_crash_together() -> None:
    crashed = [event for event in of_kind(alone("crash"), trace_events.FAULT) if event["arg"] == CRASH]
    at = defaultdict(set)
    for event in crashed:
        at[event["time_ns"]].add(event["node"])
    assert all({node // 2 for node in nodes} == {min(nodes) // 2} and len(nodes) == 2 for nodes in at.values())


def test_a_read_only_node_stores_nothing() -> None:
    """It is digested as before: LogDevice, read-only shards stay in the digest and leave the mutation set."""
    events = alone("read_only")
    shut: set[int] = set()
    for event in events:
        if event["kind"] == trace_events.FAULT:
            (shut.add if event["arg"] == READ_ONLY else shut.discard)(event["node"])
        assert event["kind"] != trace_events.STORE or event["node"] not in shut


def test_a_log_that_came_after_a_node_was_lost_is_not_said_to_have_moved() -> None:
    """It has nothing there, and no donors: LogDevice, docs/Rebuilding.md, donors are those that it was stored with."""
    faults = Faults(NO_FAULTS.weather, {"wipe": Rate(3 * MILLISECOND, 6 * MILLISECOND, 12 * MILLISECOND)}, corrupt=0.0)
    plan = SimulationPlan(4, TOPOLOGIES["flat5"], {"node": 2}, events=6000, logs=60, faults=faults)
    opened: dict[int, int] = {}
    lost: dict[int, int] = {}
    moved = 0
    for place, event in enumerate(simulate(plan)):
        if event["kind"] == trace_events.EPOCH:
            opened.setdefault(event["log"], place)
        elif event["kind"] == trace_events.FAULT and event["arg"] == WIPE:
            lost[event["node"]] = place
        elif event["kind"] == trace_events.EMPTIED:
            moved += 1
            assert opened[event["log"]] < lost[event["node"]]
    assert moved >= 10


@pytest.mark.parametrize("topology", ["flat5", "racks6"])
def test_no_reader_begins_where_a_record_was_lost(topology: str) -> None:
    """It would be told of a bridge: ClientReadStream.cpp, determineGapType, does not tell of losses at the edges."""
    faults = Faults(Weather(slow=0.3, drop=0.1, duplicate=0.1), {"reactivate": Rate(3 * MILLISECOND)}, corrupt=1.0)
    where_to, copies = TOPOLOGIES[topology], REPLICATIONS[topology]
    plan = SimulationPlan(seed=3, events=6000, readers=9, topology=where_to, replication=copies, faults=faults)
    cleaned_ns: dict[int, int] = {}
    lost, begun = set[tuple[int, ...]](), set[tuple[int, ...]]()
    for event in simulate(plan):
        where = tuple(event.get(name, 0) for name in ("log", "epoch", "esn"))
        if event["kind"] == trace_events.CLEAN:
            cleaned_ns[event["log"]] = event["time_ns"]
        elif event["kind"] == trace_events.ERASE and event["time_ns"] == cleaned_ns.get(event["log"]):
            lost.add(where)
        elif event["kind"] == trace_events.READ:
            begun.add(where)
    assert min(len(lost), len(begun)) >= 10
    assert lost.isdisjoint(begun)


def test_a_straggler_comes_back_with_what_was_overruled() -> None:
    """Purging deletes copies that a recovery did not keep; in a calm run there are none."""
    assert of_kind(alone("straggler"), trace_events.ERASE)
    assert not of_kind(alone("misjudge"), trace_events.ERASE)


def test_two_recoveries_of_an_epoch_run_at_once() -> None:
    """In a duel, nodes tell two recoveries of one epoch what they hold."""
    recoveries = defaultdict(set)
    for event in of_kind(alone("duel"), trace_events.DIGEST):
        recoveries[event["log"], event["epoch"]].add(event["version"])
    assert any(len(versions) > 1 for versions in recoveries.values())


def test_a_node_that_is_up_counts_as_down() -> None:
    """Statuses change although no node fails."""
    events = alone("misjudge")
    assert not of_kind(events, trace_events.FAULT)
    tables = [bool(table["nodes"]) for table in of_kind(events, trace_events.STATUS)]
    assert True in tables
    assert False in tables[tables.index(True) :]


def test_a_reactivated_log_has_many_epochs() -> None:
    assert len(of_kind(alone("reactivate"), trace_events.EPOCH)) > len(of_kind(alone("misjudge"), trace_events.EPOCH))


def test_the_nemesis_knows_the_faults_of_plans() -> None:
    """No more and no fewer; a plan with another one is refused by name."""
    director = Director(SimulationPlan(), context_for(SimulationPlan()))
    assert tuple(Nemesis(director.world, Random(0), {}, lambda *_: None).faults) == FAULTS
    assert set(EVERY_FAULT.rates) == set(FAULTS)
    with pytest.raises(BadPlan, match="no fault is called 'flood'"):
        Faults(rates={"flood": Rate(1)})
    with pytest.raises(BadPlan, match="strikes every so many ns"):
        Faults(rates={"crash": Rate(1, 2, 1)})
    with pytest.raises(BadPlan, match="share"):
        Faults(corrupt=2.0)


# ----------------------------------------------------------------------------------------------------- single steps

COPY: Final = Copy(RECORD, 7, 0, 1, frozenset({0, 1, 2}))
FIRST, SECOND = lsn_of(1, 1), lsn_of(1, 2)


def holding(*lsns: int, damaged: int = 0) -> NodeLog:
    """Node 1 with copies, one of which may be damaged, all released."""
    here = NodeLog(0, 1, released=SECOND)
    for lsn in lsns:
        here = here._replace(copies=here.copies.with_(lsn, COPY._replace(damaged=lsn == damaged)))
    return here


class TestChecksums:
    """LogDevice, server/read_path: a copy that cannot be read is neither the record nor its absence."""

    def test_a_node_seals_but_tells_nothing(self) -> None:
        after, sent, events = taken(obey_seal(holding(FIRST, damaged=FIRST), Seal(2, 0), NOW, machine_of()))
        assert (after.seal, len(sent), kinds_of(events)) == (1, 1, [trace_events.SEAL])
        assert read_digest(after, ReadDigest(1, 2, 1, 0, 0), NOW, machine_of()) is None
        sealed, _, _ = taken(obey_seal(holding(FIRST), Seal(2, 0), NOW, machine_of()))
        _, sent, _ = taken(read_digest(sealed, ReadDigest(1, 2, 1, 0, 0), NOW, machine_of()))
        assert len(sent) == 1

    def test_a_bad_copy_can_be_stored_again(self) -> None:
        after, sent, _ = taken(
            store(holding(FIRST, damaged=FIRST), Store(FIRST, 7, 1, COPY.copyset, 0, 0), NOW, machine_of())
        )
        assert (after.copies.get(FIRST), sent) == (COPY, [Stored(FIRST, 1, 1)])

    def test_a_checksum_becomes_wrong_and_right(self) -> None:
        bad, _, _ = taken(change_checksum(holding(FIRST), ChecksumChanged(FIRST, True), NOW, machine_of()))
        assert bad == holding(FIRST, damaged=FIRST)
        assert change_checksum(bad, ChecksumChanged(FIRST, True), NOW, machine_of()) is None
        assert change_checksum(bad, ChecksumChanged(SECOND, True), NOW, machine_of()) is None
        assert taken(change_checksum(bad, ChecksumChanged(FIRST, False), NOW, machine_of()))[0] == holding(FIRST)


class TestDisks:
    """LogDevice, Read path, Authoritative Status: disks that were wiped or replaced."""

    def test_a_lost_disk_leaves_nothing(self) -> None:
        here = holding(FIRST, SECOND)._replace(seal=3)
        after, _, events = taken(lose_disk(here, DiskLost(), NOW, machine_of()))
        assert after == NodeLog(0, 1)
        assert [(event["kind"], event["esn"]) for event in events] == [(trace_events.ERASE, 1), (trace_events.ERASE, 2)]

    def test_lost_copies_are_gone(self) -> None:
        after, _, events = taken(lose_copies(holding(FIRST, SECOND), CopiesLost((FIRST, 99)), NOW, machine_of()))
        assert after == holding(SECOND)
        assert kinds_of(events) == [trace_events.ERASE]


def test_a_read_only_node_ignores_stores_and_mutations() -> None:
    machine = replace(machine_of(), read_only=frozenset({1}))
    assert store(holding(), Store(FIRST, 7, 1, COPY.copyset, 0, 0), NOW, machine) is None
    assert mutate(holding(), Mutation(1, 2, 1, 1, COPY.copyset, (), 0), NOW, machine) is None
    start = StartSending(0, 1, True, 1, FIRST, SECOND, SECOND, 1)
    assert len(taken(start_sending(holding(FIRST), start, NOW, machine))[1]) == 2

"""What each step of the machine comes to in the text: the actions of ``Recovery``, or nothing.

Source: the text's own words: the sequencer is the first writer, recoveries follow in order of their epochs.
"""

from __future__ import annotations

import pytest

from reference_impl.kernel.simulator import Taken
from reference_impl.kernel.step import Effect, Send
from reference_impl.log import addresses, notes
from reference_impl.log.copies import Copy, Outcome
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Acked, Invoke, Tick
from reference_impl.log.recovery import Recovery
from reference_impl.log.repair import epoch_machine
from reference_impl.log.repair.epoch_machine import State
from reference_impl.log.storage import NodeLog
from reference_impl.log.storage_messages import Mutation, Release, Seal, Store
from reference_impl.refinement.claims import PAYLOAD, Claim, Holding, claims_of
from reference_impl.refinement.follow import Followed, follow, value_of
from reference_impl.refinement.texts import with_nodeset
from reference_impl.refinement.worlds import Worlds
from spec.events import BRIDGE, HOLE, RECORD
from spec.language.parameters import Parameters
from spec.protocols.quorums import SmallCluster
from spec.protocols.sorts import Copyset, FMajority, Node
from tests.support.repairs import flat

PAIR = frozenset({0, 1})
HERE = NodeLog(4, 2)


def claims(role: str, message: object, before: object, after: object, *effects: Effect) -> list[Claim]:
    """What a step of an entity of log 4 on node 2 claims."""
    return list(claims_of(Taken((role, 4, 2), message, before, after, effects)))


def test_an_append_is_assigned_and_an_answer_is_acknowledged() -> None:
    """In one step, where the machine does both."""
    lsn = lsn_of(3, 7)
    told = Send(addresses.client(4, 0), Acked(1, lsn, PAIR))
    assert claims("sequencer", None, None, None, notes.append(4, lsn, 2, 99), told) == [
        Claim(3, "assign", (6, PAYLOAD), payload=99),
        Claim(3, "acknowledge", (6,)),
    ]


def test_a_copy_is_stored_for_its_writer() -> None:
    """The sequencer is writer 0; the recovery by epoch 5 is writer 2 of epoch 3."""
    copy = Copy(RECORD, 99, 0, 1, PAIR)
    message = Store(lsn_of(3, 7), 99, 1, PAIR, 0, 0)
    after = HERE._replace(copies=HERE.copies.with_(lsn_of(3, 7), copy))
    assert claims("storage", message, HERE, after) == [
        Claim(3, "store", (2, 0, 6), holdings=(Holding(0, 6, RECORD, 99),))
    ]
    assert claims("storage", message, after, after) == []


def test_a_mutation_is_several_steps() -> None:
    """Every outcome that a node did not hold yet is stored by the recovery."""
    outcomes = (Outcome(7, RECORD, 99), Outcome(8, HOLE, 0), Outcome(9, BRIDGE, 0))
    after = HERE
    for esn, becomes, digest in outcomes:
        after = after._replace(copies=after.copies.with_(lsn_of(3, esn), Copy(becomes, digest, 5, 1, PAIR)))
    assert claims("storage", Mutation(3, 5, 1, 1, PAIR, outcomes, 0), HERE, after) == [
        Claim(3, "store", (2, 2, esn - 1), holdings=(Holding(2, esn - 1, becomes, digest),))
        for esn, becomes, digest in outcomes
    ]


def test_a_seal_holds_in_every_epoch_up_to_it() -> None:
    """The recovery by epoch 4 seals up to epoch 3: it is writer 3 of epoch 1, and writer 1 of epoch 3."""
    after = HERE._replace(seal=3)
    assert claims("storage", Seal(4, 0), HERE, after) == [
        Claim(1, "seal", (2, 3)),
        Claim(2, "seal", (2, 2)),
        Claim(3, "seal", (2, 1)),
    ]
    assert claims("storage", Seal(4, 0), after, after) == []


def test_a_recovery_plans_when_it_begins_to_store() -> None:
    """Up to its last known good ESN it trusts that the sequencer's records are there."""
    nodeset = flat(3, 2)
    first = epoch_machine.machine_of(nodeset, 5)._replace(known_good=1, state=State.DIGEST, digests={0: (), 1: ()})
    before = Recovery(4, 2, 5, machines={3: first, 4: epoch_machine.machine_of(nodeset, 5)})
    outcomes = (Outcome(2, HOLE, 0), Outcome(3, RECORD, 99), Outcome(4, BRIDGE, 0))
    after = before._replace(machines={**before.machines, 3: first._replace(state=State.MUTATION)}, outcomes=outcomes)
    holdings = (
        Holding(2, 0, RECORD, None),
        Holding(2, 1, HOLE, 0),
        Holding(2, 2, RECORD, 99),
        Holding(2, 3, BRIDGE, 0),
    )
    assert claims("recovery", None, before, after) == [
        Claim(3, "plan", (2, 0, 3), heard=frozenset({0, 1}), holdings=holdings)
    ]
    assert claims("recovery", None, before, before) == []
    assert claims("recovery", Tick(5), after, after._replace(wave=2)) == []


@pytest.mark.parametrize(
    ("role", "message"), [("client", Invoke()), ("reader", None), ("epochs", None), ("storage", Release(0, {}))]
)
def test_everything_else_is_a_stutter(role: str, message: object) -> None:
    assert claims(role, message, HERE, HERE._replace(released=9)) == []


def test_payloads_are_the_slots_own_or_others() -> None:
    """What is known of a payload is whether it is the one that the sequencer took for the slot."""
    payloads = (70, 71)
    held = [
        Holding(0, 1, RECORD, 71),
        Holding(0, 1, RECORD, 70),
        Holding(0, 2, RECORD, 71),
        Holding(0, 2, RECORD, None),
        Holding(1, 0, HOLE, 0),
        Holding(1, 0, BRIDGE, 0),
    ]
    assert [value_of(one, payloads) for one in held] == [2, 3, 3, 2, 0, 1]


def test_an_epoch_has_the_nodeset_that_it_was_given_first() -> None:
    """Also where something happened to it before, as when a later epoch's recovery seals."""
    log = with_nodeset((), 2, PAIR)
    assert [text.nodeset for text in log] == [frozenset(), PAIR]
    assert with_nodeset(log, 2, frozenset({2})) == log


def test_a_given_epoch_is_a_stutter() -> None:
    """But the text knows the nodeset from then on."""
    worlds = Worlds(Parameters(3), {"node": 2})
    taken = Taken(("epochs", 4, 0), None, None, None, (notes.new_epoch(4, 1, 2, PAIR, {"node": 2}),))
    found = follow(worlds, (), taken)
    assert found == Followed(with_nodeset((), 1, PAIR), ())


@pytest.mark.parametrize(("nodes", "replication", "racks"), [(3, 2, 0), (5, 3, 0), (4, 2, 2), (6, 3, 3)])
def test_worlds_have_the_quorums_of_small_clusters(nodes: int, replication: int, racks: int) -> None:
    """Those of the worlds in which the text is explored: by the definitions that rules use."""
    cluster = SmallCluster(nodes, replication, racks)
    worlds = Worlds(cluster.parameters, cluster.property)
    everyone = frozenset(range(nodes))
    world = worlds.world(everyone, 2, 2, None)
    assert set(world.families[Copyset]) == set(cluster.copysets)
    assert (world.families[FMajority], world.sizes[Node]) == ((everyone,), nodes)
    for heard in cluster.f_majorities:
        assert worlds.is_f_majority(heard, everyone)
        assert not worlds.is_f_majority(everyone - heard, everyone) or everyone - heard in cluster.f_majorities

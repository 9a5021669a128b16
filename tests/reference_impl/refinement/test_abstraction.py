"""What each step of the machine comes to in the text: the actions of ``Epoch``, or nothing.

Source: the text's own words: the sequencer is the first writer, recoveries follow in order of their epochs.
"""

from __future__ import annotations

import pytest

from reference_impl.kernel.simulator import Transition
from reference_impl.kernel.step import Effect, Send
from reference_impl.log import addresses, trace_events
from reference_impl.log.copies import Cleaned, Copy, Outcome
from reference_impl.log.delivery.shipping import Stream
from reference_impl.log.delivery.shuffle import FIXED_SEEDS
from reference_impl.log.disk import CopiesLost
from reference_impl.log.epoch_store import EpochStore
from reference_impl.log.lsn import ESN_MAX, lsn_of
from reference_impl.log.messages import Acked, Invoke, Tick
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import Shipped
from reference_impl.log.rebuilding.messages import Hold
from reference_impl.log.recovery import Recovery
from reference_impl.log.repair import epoch_machine
from reference_impl.log.repair.epoch_machine import State
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.mutation import Becomes
from reference_impl.log.repair.mutation import Mutation as Decided
from reference_impl.log.repair.plan import Plan
from reference_impl.log.serving.sending import Sending, Serving
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage_messages import Mutation, ReadDigest, Release, Seal, Store
from reference_impl.log.stream.inputs import GapReason
from reference_impl.refinement.abstraction import (
    AbstractStep,
    ClaimedStep,
    Counted,
    Given,
    Holding,
    Missed,
    Passed,
    claims_of,
)
from reference_impl.refinement.contents import LAST_ROUND, PAYLOAD, SEQUENCER, By, Content
from reference_impl.refinement.environment_steps import reader_learns, status_steps
from reference_impl.refinement.follow import Followed, counted, finished, follow, follow_event, is_old_news
from reference_impl.refinement.texts import EMPTY, LOST, EpochText, replaced, with_nodeset
from reference_impl.refinement.worlds import Worlds
from spec.events import BRIDGE, CRASH, DATALOSS, HOLE, RECORD
from spec.language.parameters import Parameters
from spec.language.protocol.states import Row
from spec.protocols.quorums import SmallCluster
from spec.protocols.sorts import Copyset, FMajority, Node
from tests.support.repairs import flat

PAIR = frozenset({0, 1})
HERE = NodeLog(4, 2)


def claims(role: str, message: object, before: object, after: object, *effects: Effect) -> list[AbstractStep]:
    """What a step of an entity of log 4 on node 2 claims."""
    return list(claims_of(Transition((role, 4, 2), message, before, after, effects)))


def test_an_append_is_assigned_and_an_answer_is_acknowledged() -> None:
    """In one step, where the machine does both."""
    lsn = lsn_of(3, 7)
    told = Send(addresses.client(4, 0), Acked(1, lsn, PAIR))
    assert claims("sequencer", None, None, None, trace_events.append(4, lsn, 2, 99), told) == [
        ClaimedStep(3, "assign", (6, PAYLOAD), payload=99),
        ClaimedStep(3, "acknowledge", (6,)),
    ]


def test_an_append_of_a_stream_is_assigned_in_it() -> None:
    """Others in the same step are not."""
    first, second = lsn_of(3, 7), lsn_of(3, 8)
    noted = (
        trace_events.append(4, first, 2, 98),
        trace_events.append(4, second, 2, 99),
        trace_events.streamed(4, second, 0, 1),
    )
    assert claims("sequencer", None, None, None, *noted) == [
        ClaimedStep(3, "assign", (6, PAYLOAD), payload=98),
        ClaimedStep(3, "assign_in_stream", (7, PAYLOAD), payload=99),
    ]


def test_a_copy_is_stored_for_its_writer() -> None:
    """What the sequencer took has no recovery."""
    copy = Copy(RECORD, 99, 0, 1, PAIR)
    message = Store(lsn_of(3, 7), 99, 1, PAIR, 0, 0)
    after = HERE._replace(copies=HERE.copies.with_(lsn_of(3, 7), copy))
    assert claims("storage", message, HERE, after) == [
        ClaimedStep(3, "store", (2, SEQUENCER, 6), holdings=(Holding(SEQUENCER, 6, Content(RECORD, 99)),))
    ]
    assert claims("storage", message, after, after) == []


def test_a_mutation_is_several_steps() -> None:
    """Every outcome that a node did not hold yet is stored by the recovery."""
    outcomes = (Outcome(7, RECORD, 99), Outcome(8, HOLE, 0), Outcome(9, BRIDGE, 0))
    after = HERE
    for esn, becomes, digest, _ in outcomes:
        after = after._replace(copies=after.copies.with_(lsn_of(3, esn), Copy(becomes, digest, 5, 1, PAIR)))
    assert claims("storage", Mutation(3, 5, 1, 1, PAIR, outcomes, 0), HERE, after) == [
        ClaimedStep(
            3, "store", (2, By(5, 1), esn - 1), holdings=(Holding(By(5, 1), esn - 1, Content(becomes, digest)),)
        )
        for esn, becomes, digest, _ in outcomes
    ]


def test_a_seal_holds_in_every_epoch_up_to_it() -> None:
    """The recovery by epoch 4 seals up to epoch 3."""
    after = HERE._replace(seal=3)
    assert claims("storage", Seal(4, 0), HERE, after) == [
        ClaimedStep(1, "seal", (2, By(4, 1))),
        ClaimedStep(2, "seal", (2, By(4, 1))),
        ClaimedStep(3, "seal", (2, By(4, 1))),
    ]
    assert claims("storage", Seal(4, 0), after, after) == []


def test_a_seal_says_nothing_of_purged_epochs() -> None:
    """Nothing is stored in them any more."""
    before, after = HERE._replace(clean=2), HERE._replace(clean=2, seal=3)
    assert claims("storage", Release(0, {}), before, after) == [ClaimedStep(3, "seal", (2, By(4, 1)))]


def test_whoever_reads_a_digest_has_sealed_for_his_round() -> None:
    """Each round is a writer of its own, later than the one before; a node with a later seal tells nothing."""
    sealed = HERE._replace(seal=3)
    assert claims("storage", ReadDigest(1, 4, 2, 0, 0), sealed, sealed) == [ClaimedStep(1, "seal", (2, By(4, 2)))]
    assert claims("storage", ReadDigest(1, 3, 2, 0, 0), sealed, sealed) == []


def test_a_recovery_plans_when_it_begins_to_store() -> None:
    """Up to its last known good ESN it trusts that the sequencer's records are there."""
    nodeset = flat(3, 2)
    first = epoch_machine.machine_of(nodeset, 5)._replace(known_good=1, state=State.DIGEST, digests={0: (), 1: ()})
    before = Recovery(4, 2, 5, machines={3: first, 4: epoch_machine.machine_of(nodeset, 5)}, round=1)
    outcomes = (Outcome(2, HOLE, 0), Outcome(3, RECORD, 99), Outcome(4, BRIDGE, 0))
    after = before._replace(machines={**before.machines, 3: first._replace(state=State.MUTATION)}, outcomes=outcomes)
    contents = (Content(RECORD), Content(HOLE, 0), Content(RECORD, 99), Content(BRIDGE, 0))
    holdings = tuple(Holding(By(5, 1), slot, content) for slot, content in enumerate(contents))
    assert claims("recovery", None, before, after) == [
        ClaimedStep(3, "plan", (By(5, 1), 0, 3), heard=frozenset({0, 1}), holdings=holdings)
    ]
    assert claims("recovery", None, before, before) == []
    assert claims("recovery", Tick(5), after, after._replace(wave=2)) == []


def test_a_recovery_counts_what_is_replicated_already() -> None:
    """The slots that it does not have stored again, and who has told of them."""
    nodeset = flat(2, 2)
    first = epoch_machine.machine_of(nodeset, 5)._replace(state=State.DIGEST, digests={0: (), 1: ()})
    record, bridge = Decided(1, Becomes.RECORD, Held(1), amend=PAIR), Decided(2, Becomes.BRIDGE)
    plan = Plan(2, 1, is_tail_lost=False, last_esn=2, mutations=(bridge,), decided=(record, bridge))
    before = Recovery(4, 2, 5, machines={4: first}, round=1)
    outcomes = Outcome(1, RECORD, 71), Outcome(2, BRIDGE, 0)
    after = before._replace(machines={4: first._replace(state=State.MUTATION)}, outcomes=outcomes, plan=plan)
    assert claims("recovery", None, before, after)[1:] == [Counted(4, By(5, 1), ((0, PAIR),))]


def test_what_is_counted_is_stored_where_nobody_forbids_it() -> None:
    """Not where a later recovery has sealed, data is lost or the epoch is purged."""
    said, stores = Counted(1, By(5, 1), ((0, frozenset(range(4))),)), [ClaimedStep(1, "store", (0, By(5, 1), 0))]
    rows: dict[str, set[Row]] = {"sealed": {(0, 1), (1, 2)}, "status": {(2, LOST)}, "purged": {(3,)}}
    state = replaced(EpochText().state, {name: frozenset(found) for name, found in rows.items()})
    text = EpochText(state=state, writers=(By(5, 1), By(6, 1)))
    assert list(counted(text, said)) == stores


def test_an_epoch_is_declared_clean_by_the_epoch_store() -> None:
    """In whatever round its recovery is; the epoch store does not know."""
    before = EpochStore(4, PAIR, 5)
    after = before._replace(cleaned={3: Cleaned(3, 5, 1, (Outcome(2, BRIDGE, 0),))})
    assert claims("epochs", None, before, after) == [ClaimedStep(3, "declare_clean", (By(5, LAST_ROUND),))]
    assert claims("epochs", None, after, after) == []


def test_an_epoch_is_clean_by_whoever_finished_what_a_later_recovery_only_counts() -> None:
    """The later one has the same bridge, on fewer nodes: one obeyed another recovery before it had stored that."""
    bridge, counting = Content(BRIDGE, 0).value(0, ()), By(6, 1)
    proposed, stored = {(1, 0, bridge), (2, 0, bridge)}, {(0, 1, 0), (1, 1, 0), (0, 2, 0)}
    rows = {"proposed": frozenset(proposed), "stored": frozenset(stored)}
    text = EpochText(replaced(EpochText().state, rows), nodeset=PAIR, writers=(By(5, 1), counting))
    worlds, claim = (
        Worlds(SmallCluster(2, 2).parameters, {"node": 2}),
        ClaimedStep(1, "declare_clean", (By(6, LAST_ROUND),)),
    )
    assert finished(worlds, text, claim).args == (By(5, 1),)
    both = text._replace(state=replaced(text.state, {"stored": frozenset(stored | {(1, 2, 0)})}))
    assert finished(worlds, both, claim).args == (counting,)


def test_a_client_that_is_told_again_is_no_news() -> None:
    """Its copyset may have changed since then."""
    claim, text = ClaimedStep(1, "acknowledge", (0,)), EpochText()
    assert not is_old_news(text, claim)
    assert is_old_news(text._replace(state=replaced(text.state, {"acked": frozenset({(0,)})})), claim)


def test_a_node_purges_the_epochs_that_it_finds_clean() -> None:
    after = HERE._replace(clean=2)
    assert claims("storage", Release(0, {}), HERE, after) == [ClaimedStep(epoch, "purge", (2,)) for epoch in (1, 2)]


FIRST, LAST = lsn_of(3, 6), lsn_of(3, 8)


def served(shipped: Shipped, *unheard: Shipped, single_copy: bool = False) -> list[AbstractStep]:
    """What a node claims that sends something to reader 1, which has not confirmed something else."""
    sending = Sending(1, 1, 1, FIRST, LAST, LAST, Stream(2, single_copy, frozenset(), FIXED_SEEDS), unheard=unheard)
    here = HERE._replace(serving=Serving().with_stream(1, sending))
    return claims("storage", None, here, here, Send(addresses.reader(4, 1), shipped))


def test_what_a_node_sends_is_delivered_and_what_it_has_not_is_passed() -> None:
    """By what it holds, in the text of the epoch, for the reader that asks."""
    shipped = Shipped(2, 1, 1, 0, ((lsn_of(3, 7), Copy(HOLE, 0, 5, 1, PAIR)),), FIRST, LAST)
    deliver = ClaimedStep(3, "deliver", (2, SEQUENCER, 6, Content(HOLE, 0)), reader=1)
    assert served(shipped) == [deliver, Passed(3, 1, 2, range(5, 8), frozenset({6}))]
    assert served(shipped, single_copy=True) == [deliver, Passed(3, 1, 2, range(0), frozenset({6}))]


def test_a_message_that_spans_epochs_is_about_each() -> None:
    shipped = Shipped(2, 1, 1, 0, (), lsn_of(3, 6), lsn_of(4, 2))
    assert served(shipped) == [
        Passed(3, 1, 2, range(5, ESN_MAX), frozenset()),
        Passed(4, 1, 2, range(2), frozenset()),
    ]


def test_what_is_repeated_or_cannot_be_read_says_nothing_new() -> None:
    """It was claimed when it was sent first; a copy with a wrong checksum is no denial."""
    shipped = Shipped(2, 1, 1, 0, (), FIRST, LAST)
    assert served(shipped, shipped) == []
    assert served(shipped._replace(reason=GapReason.CHECKSUM_FAIL)) == []


def test_what_a_reader_gives_was_sent_and_what_it_misses_is_reported() -> None:
    found = trace_events.deliver(4, 1, lsn_of(3, 7), 99)
    bridge = trace_events.gap(4, 1, (lsn_of(3, 8), lsn_of(3, ESN_MAX)), BRIDGE, (PAIR, 0))
    lost = trace_events.gap(4, 1, (lsn_of(3, 5), lsn_of(3, 6)), DATALOSS, (PAIR, 0))
    before = trace_events.gap(4, 1, (lsn_of(4, 0), lsn_of(4, 0)), BRIDGE, (PAIR, 0))
    assert list(claims_of(Transition(("reader", 4, 1), None, None, None, (lost, found, bridge, before)))) == [
        Missed(3, 1, 4),
        Missed(3, 1, 5),
        Given(3, 6, Content(RECORD, 99)),
        Given(3, 7, Content(BRIDGE, 0)),
    ]


@pytest.mark.parametrize(("role", "message"), [("client", Invoke()), ("reader", None), ("storage", Release(0, {}))])
def test_everything_else_is_a_stutter(role: str, message: object) -> None:
    assert claims(role, message, HERE, HERE._replace(released=9)) == []


def test_a_lost_disk_is_lost_in_every_epoch() -> None:
    """Once the event log says so, and each reader and all that will begin learn it; what is down is no news."""
    log = with_nodeset(with_nodeset((), 1, PAIR, PAIR), 2, frozenset({0}), PAIR)
    table = trace_events.statuses(3, frozenset({0}), frozenset({1}), frozenset()).event
    worlds = Worlds(SmallCluster(2, 1).parameters, {"node": 1})
    assert list(status_steps(worlds, log, table)) == [
        ClaimedStep(1, "lose", (1,)),
        ClaimedStep(1, "learn", (1, LOST)),
    ]
    assert list(status_steps(worlds, log, trace_events.fault(1, CRASH).event)) == []
    found = follow_event(worlds, log, table)
    assert isinstance(found, Followed)
    assert (found.actions, list(status_steps(worlds, found.log, table))) == (("lose", "learn"), [])


def test_readers_learn_what_is_lost_each_when_it_is_told() -> None:
    """And then what has become of it by now."""
    text = EpochText(nodeset=PAIR)
    text = text._replace(state=replaced(text.state, {"status": frozenset({(0, LOST), (1, EMPTY)})}))
    text = text.with_seen(replaced(text.seen_by(7), {"known": frozenset({(0, LOST)})}), 7)
    table = Statuses(3, 3, frozenset(), PAIR, frozenset())
    assert list(reader_learns((text,), 7, table)) == [ClaimedStep(1, "learn", (1, EMPTY), reader=7)]
    assert list(reader_learns((text,), 8, Statuses())) == []


def test_a_node_that_is_empty_and_serves_again_is_placed_and_rejoins() -> None:
    """What names it is placed where it lies, wherever there is a copyset; late readers learn of it at the last."""
    worlds = Worlds(SmallCluster(2, 1).parameters, {"node": 1})
    rows: dict[str, set[tuple[int, ...]]] = {
        "acked": {(0,), (1,)},
        "named": {(0, 0), (0, 1)},
        "copy": {(0, 0, 0), (1, 0, 0), (0, 0, 1)},
    }
    text = EpochText(nodeset=PAIR)
    text = text._replace(state=replaced(text.state, {name: frozenset(found) for name, found in rows.items()}))
    emptied = trace_events.statuses(3, frozenset(), frozenset(), frozenset({0})).event
    marked = [ClaimedStep(1, "mark_empty", (0,)), ClaimedStep(1, "learn", (0, EMPTY))]
    assert list(status_steps(worlds, (text,), emptied)) == [ClaimedStep(1, "place", (0, 1)), *marked]
    empty = text._replace(state=replaced(text.state, {"status": frozenset({(0, EMPTY)})}))
    empty = empty.with_seen(empty.seen_by(7), 7)
    serves = trace_events.statuses(4, frozenset(), frozenset(), frozenset()).event
    assert list(status_steps(worlds, (empty,), serves)) == [
        ClaimedStep(1, "learn", (0, EMPTY), reader=7),
        ClaimedStep(1, "rejoin", (0,)),
    ]


def test_late_readers_keep_their_answers_where_these_are_still_true() -> None:
    """Whoever has not been told that a node is empty when that serves again goes on with what it was answered."""
    worlds = Worlds(SmallCluster(2, 1).parameters, {"node": 1})
    rows: dict[str, set[tuple[int, ...]]] = {
        "status": {(0, EMPTY)},
        "clean": {(1,)},
        "purged": {(1,)},
        "proposed": {(1, 0, 2), (1, 1, 1)},
        "copy": {(1, 1, 1)},
    }
    text = EpochText(nodeset=PAIR)
    text = text._replace(state=replaced(text.state, {name: frozenset(found) for name, found in rows.items()}))
    text = text.with_seen(replaced(text.seen_by(7), {"denied": frozenset({(1, 0), (1, 1)})}), 7)
    again = [ClaimedStep(1, "deny", one, reader=7) for one in ((0, 0), (0, 1), (1, 0))]
    serves = trace_events.statuses(4, frozenset(), frozenset(), frozenset()).event
    assert list(status_steps(worlds, (text,), serves))[2:] == again


def test_what_a_donor_brings_is_rebuilt_and_copies_that_are_gone_vanished() -> None:
    """By what the node holds then; what it held already is not news."""
    lsn, copy = lsn_of(3, 7), Copy(RECORD, 99, 0, 1, PAIR)
    after = HERE._replace(copies=HERE.copies.with_(lsn, copy))
    hold = Hold(1, 5, 0, ((lsn, copy),))
    holdings = (Holding(None, 6, Content(RECORD, 99)),)
    assert claims("storage", hold, HERE, after) == [ClaimedStep(3, "rebuild", (6, 1, 2), holdings=holdings)]
    assert claims("storage", hold, after, after) == []
    assert claims("storage", CopiesLost((lsn,)), after, HERE) == [ClaimedStep(3, "vanish", (6,))]


def test_payloads_are_the_slots_own_or_others() -> None:
    """What is known of a payload is whether it is the one that the sequencer took for the slot."""
    payloads = (70, 71)
    held = [
        (1, Content(RECORD, 71)),
        (1, Content(RECORD, 70)),
        (2, Content(RECORD, 71)),
        (2, Content(RECORD)),
        (0, Content(HOLE, 0)),
        (0, Content(BRIDGE, 0)),
    ]
    assert [content.value(slot, payloads) for slot, content in held] == [2, 3, 3, 2, 0, 1]


def test_writers_are_numbered_as_they_show_up() -> None:
    """In the order of precedence: whoever comes between others moves the later ones up, in every row."""
    text = EpochText().with_writer(By(5, 1)).with_writer(By(7, 1))
    text = text._replace(state=replaced(text.state, {"sealed": frozenset({(0, 1), (0, 2)})}))
    assert [text.number_of(by) for by in (SEQUENCER, By(5, 1), By(5, LAST_ROUND), By(7, 1))] == [0, 1, 1, 2]
    later = text.with_writer(By(5, 2)).with_writer(By(7, 1))
    assert later.writers == (By(5, 1), By(5, 2), By(7, 1))
    assert later.state["sealed"] == {(0, 1), (0, 3)}
    assert later.number_of(By(5, LAST_ROUND)) == 2


def test_readers_know_what_they_know() -> None:
    """Each has relations of its own; a new one begins with what all know."""
    text = EpochText()
    seen = replaced(text.seen_by(1), {"denied": frozenset({(0, 0)}), "read": frozenset({(0, 2)})})
    text = text.with_seen(seen, 1)
    assert text.seen_by(1) == seen
    assert (text.seen_by(2)["denied"], text.seen_by(2)["read"]) == (frozenset(), frozenset({(0, 2)}))


def test_an_epoch_has_the_nodeset_that_it_was_given_first() -> None:
    """Also where something happened to it before, as when a later epoch's recovery seals."""
    everyone = frozenset({0, 1, 2})
    log = with_nodeset((), 2, PAIR, everyone)
    assert [text.nodeset for text in log] == [frozenset(), PAIR]
    assert log[1].state["status"] == log[1].state["known"] == {(2, LOST)}, "who is not in it, has nothing of it"
    assert with_nodeset(log, 2, frozenset({2}), everyone) == log


def test_a_given_epoch_is_a_stutter() -> None:
    """But the text knows the nodeset from then on."""
    worlds = Worlds(Parameters(3), {"node": 2})
    store = EpochStore(4, PAIR)
    taken = Transition(("epochs", 4, 0), None, store, store, (trace_events.new_epoch(4, 1, 2, PAIR, {"node": 2}),))
    found = follow(worlds, (), taken)
    assert found == Followed(with_nodeset((), 1, PAIR, frozenset({0, 1, 2})), ())


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

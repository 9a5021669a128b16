"""Write streams: a client's appends are taken, acknowledged and kept in order.

LogDevice, common/WriteStreamRequest.h and common/Appender.h; recovery's rule is in common/Digest.cpp.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from reference_impl.log import trace_events
from reference_impl.log.acknowledging import stored
from reference_impl.log.appending import request
from reference_impl.log.client import Client, acked, announced, invoke, refused
from reference_impl.log.context import WRITE_STREAMS
from reference_impl.log.copies import Copy, Outcome
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Acked, Announce, AppendRequest, Invoke, Refusal, Refused, Tick
from reference_impl.log.node_log import NodeLog
from reference_impl.log.outcomes import copies_by_esn, outcomes_of
from reference_impl.log.recovery import nodeset_of
from reference_impl.log.repair.digest import digest_of
from reference_impl.log.repair.plan import Round, plan_of
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.log.storage import mutate, store
from reference_impl.log.storage_messages import Mutation, Store, Stored
from reference_impl.log.waves import tick
from reference_impl.mutants import MUTANTS
from reference_impl.plan import REPLICATIONS, TOPOLOGIES, SimulationPlan
from reference_impl.simulate import simulate
from spec.events import BRIDGE, HOLE, RECORD
from spec.log.quorum import Authority
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = replace(machine_of(), variants=frozenset({WRITE_STREAMS}), pipeline=3)
COPYSET = frozenset({0, 1, 2})
ACTIVE = Sequencer(0, 2, Role.ACTIVE, epoch=3, nodesets={3: EVERYONE})


def writing(appends: int) -> Client:
    """A client of the sequencer of epoch 3 with some appends of its stream under way."""
    session = Client(log=0, client=1, epoch=3, node=2)
    for _ in range(appends):
        session = taken(invoke(session, Invoke(), NOW, MACHINE))[0]
    return session


def asks(place: int, *, number: int = 0, resumes: bool = False, client: int = 1) -> AppendRequest:
    """A request for an append of a stream; numbers are places where nothing was lost."""
    return AppendRequest(client, number or place, 3, digest=100 * client + place, place=place, resumes=resumes)


def asked(*requests: AppendRequest) -> Sequencer:
    """The sequencer of epoch 3 after some requests, of which it takes all."""
    sequencer = ACTIVE
    for one in requests:
        sequencer = taken(request(sequencer, one, NOW, MACHINE))[0]
    return sequencer


def answers(sequencer: Sequencer, esn: int) -> tuple[Sequencer, list[int]]:
    """The sequencer once an append is stored, and the ESNs that it then acknowledges."""
    found = []
    for node in sorted(sequencer.window[esn].copyset):
        sequencer, sent, _ = taken(stored(sequencer, Stored(lsn_of(3, esn), 1, node), NOW, MACHINE))
        found += [message.lsn - lsn_of(3, 0) for message in sent if isinstance(message, Acked)]
    return sequencer, found


# ------------------------------------------------------------------------------------------------ clients


def test_two_of_three_clients_write_streams() -> None:
    assert [MACHINE.writes_stream(client) for client in range(6)] == [True, True, False] * 2


def test_a_stream_s_requests_name_their_places() -> None:
    """And the first one says that all before it was acknowledged."""
    session = Client(log=0, client=1, epoch=3, node=2)
    found = []
    for _ in range(3):
        session, (sent,), _ = taken(invoke(session, Invoke(), NOW, MACHINE))
        found.append((sent.place, sent.resumes))
    assert found == [(1, True), (2, False), (3, False)]


def test_an_answer_that_comes_too_early_is_not_taken() -> None:
    """It is given again when the client asks again."""
    session = writing(2)
    assert acked(session, Acked(2, lsn_of(3, 8), COPYSET), NOW, MACHINE) is None
    session = taken(acked(session, Acked(1, lsn_of(3, 7), COPYSET), NOW, MACHINE))[0]
    _, _, events = taken(acked(session, Acked(2, lsn_of(3, 8), COPYSET), NOW, MACHINE))
    assert kinds_of(events) == [trace_events.ACK]


def test_a_stream_is_written_again_from_the_first_that_was_not_acknowledged() -> None:
    """In order, each as another payload, before anything new."""
    session = taken(acked(writing(3), Acked(1, lsn_of(3, 7), COPYSET), NOW, MACHINE))[0]
    session, _, events = taken(announced(session, Announce(4, 0), NOW, MACHINE))
    assert kinds_of(events) == [trace_events.INDEFINITE] * 2
    assert session.lost == (2, 3)
    found, digests = [], set()
    for _ in range(3):
        session, (sent,), _ = taken(invoke(session, Invoke(), NOW, MACHINE))
        found.append((sent.place, sent.number, sent.resumes))
        digests.add(sent.digest)
    assert found == [(2, 4, True), (3, 5, False), (4, 6, False)]
    assert len(digests) == 3
    assert {one.digest for one in writing(3).under_way}.isdisjoint(digests)


def test_what_was_refused_is_written_again_first() -> None:
    """Those after it wait for it, under their old numbers."""
    session = taken(refused(writing(2), Refused(1, 3, Refusal.NO_ROOM), NOW, MACHINE))[0]
    assert acked(session, Acked(2, lsn_of(3, 8), COPYSET), NOW, MACHINE) is None
    session, (sent,), _ = taken(invoke(session, Invoke(), NOW, MACHINE))
    assert (sent.place, sent.number, sent.oldest, sent.resumes) == (1, 3, 2, True)
    assert [(one.place, one.number) for one in session.under_way] == [(1, 3), (2, 2)]


# ---------------------------------------------------------------------------------------------- sequencers


def test_a_sequencer_takes_a_stream_in_order() -> None:
    """What comes too early is not answered, also when it is the first thing that a new sequencer hears of a stream."""
    assert request(ACTIVE, asks(7), NOW, MACHINE) is None
    sequencer = asked(asks(6, resumes=True))
    assert request(sequencer, asks(8), NOW, MACHINE) is None
    sequencer, _, events = taken(request(sequencer, asks(7), NOW, MACHINE))
    assert kinds_of(events) == [trace_events.APPEND, trace_events.STREAMED]
    assert (events[1]["actor"], events[1]["arg"], events[1]["esn"]) == (1, 7, 2)
    assert sequencer.streams == {1: 7}


def test_what_was_refused_leaves_its_place_open() -> None:
    full = replace(MACHINE, sequencer_window=1)
    sequencer, (refusal,), _ = taken(request(asked(asks(1, resumes=True)), asks(2), NOW, full))
    assert refusal == Refused(2, 3, Refusal.NO_ROOM)
    again, _, _ = taken(request(sequencer, asks(2, number=3), NOW, MACHINE))
    assert again.streams == {1: 2}


def test_a_stream_is_acknowledged_in_the_order_of_esns() -> None:
    """It waits for appends of others, too; which wait for nobody."""
    plain = AppendRequest(2, 1, 3, digest=7)
    sequencer = asked(plain, asks(1, resumes=True), asks(2), plain._replace(number=2, digest=8))
    sequencer, found = answers(sequencer, 3)
    assert found == []
    sequencer, found = answers(sequencer, 4)
    assert found == [4]
    sequencer, found = answers(sequencer, 1)
    assert found == [1]
    assert answers(sequencer, 2)[1] == [2, 3]


def test_what_is_stored_and_waits_is_not_stored_again() -> None:
    """A tick acknowledges what need not wait any more."""
    sequencer = answers(asked(AppendRequest(2, 1, 3, digest=7), asks(1, resumes=True)), 2)[0]
    later = NOW._replace(now_ns=NOW.now_ns + MACHINE.timing.wave_ns)
    after, sent, _ = taken(tick(sequencer, Tick(3), later, MACHINE))
    assert {message.lsn for message in sent if isinstance(message, Store)} == {lsn_of(3, 1)}
    assert after.window[2].wave == 1


# ----------------------------------------------------------------------------------------------- recovery


def test_copies_say_that_they_belong_to_a_stream() -> None:
    """What the sequencer stores, and what a recovery stores of it."""
    sent = taken(request(ACTIVE, asks(1, resumes=True), NOW, MACHINE))[1]
    assert {message.in_stream for message in sent} == {True}
    here = taken(store(NodeLog(0, 1), Store(lsn_of(3, 1), 7, 1, COPYSET, 0, 2, in_stream=True), NOW, MACHINE))[0]
    assert here.copies.get(lsn_of(3, 1)) == Copy(RECORD, 7, 0, 1, COPYSET, in_stream=True)
    decided = Mutation(3, 5, 1, 1, COPYSET, (Outcome(1, RECORD, 7, in_stream=True),), 4)
    here = taken(mutate(NodeLog(0, 1, seal=4), decided, NOW, MACHINE))[0]
    assert here.copies.get(lsn_of(3, 1)) == Copy(RECORD, 7, 5, 1, COPYSET, in_stream=True)


def test_recovery_keeps_no_record_of_a_stream_above_what_is_missing() -> None:
    """Others it keeps; and what it keeps of a stream still belongs to it."""
    copies = [
        (lsn_of(3, esn), Copy(RECORD, esn, 0, 1, COPYSET, in_stream=in_stream))
        for esn, in_stream in ((1, True), (3, True), (4, False), (5, True))
    ]
    arrivals = [(node, esn, held) for node in COPYSET for esn, held in copies_by_esn(copies)]
    nodeset = nodeset_of(MACHINE, EVERYONE)
    plan = plan_of(digest_of(arrivals), Round(nodeset, 5, 0, COPYSET, Authority.AUTHORITATIVE_INCOMPLETE))
    assert outcomes_of(plan) == (
        Outcome(1, RECORD, 1, in_stream=True),
        Outcome(2, HOLE, 0),
        Outcome(3, HOLE, 0),
        Outcome(4, RECORD, 4),
        Outcome(5, BRIDGE, 0),
    )


# ---------------------------------------------------------------------------------------------------- runs


@pytest.mark.parametrize("topology", ["flat3", "racks6"])
def test_recoveries_drop_records_of_streams(topology: str) -> None:
    """Where sequencers are replaced all the time, and much is lost: a run without such holes would show nothing."""
    cluster, replication = TOPOLOGIES[topology], REPLICATIONS[topology]
    plan = MUTANTS["recovery_forgets_streams"].plan(SimulationPlan(0, cluster, replication, 6000))
    events = list(simulate(replace(plan, mutant="")))
    streamed = {
        (event["log"], event["epoch"], event["esn"]) for event in events if event["kind"] == trace_events.STREAMED
    }
    stored = {_lsn(event) for event in events if event["kind"] == trace_events.STORE and event["arg_b"] == RECORD}
    holes = {_lsn(event) for event in events if event["kind"] == trace_events.MUTATE and event["arg_b"] == HOLE}
    assert streamed & stored & holes


def _lsn(event: dict[str, int]) -> tuple[int, int, int]:
    return event["log"], event["epoch"], event["esn"]

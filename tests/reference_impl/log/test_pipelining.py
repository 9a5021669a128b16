"""A client with several appends under way: each is appended once, and each has its own answer.

LogDevice, common/Appender.h: appends are acknowledged as soon as they are stored, whatever became of those before.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from reference_impl.kernel.step import After
from reference_impl.log import trace_events
from reference_impl.log.acknowledging import stored
from reference_impl.log.appending import request
from reference_impl.log.client import Client, acked, announced, invoke, refused, retry
from reference_impl.log.context import PIPELINED
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import Acked, Announce, AppendRequest, Invoke, Refusal, Refused, Retry, WhoSequences
from reference_impl.log.sequencer import Role, Sequencer
from reference_impl.log.storage_messages import Stored
from reference_impl.plan import EVERY_FAULT, REPLICATIONS, TOPOLOGIES, SimulationPlan
from reference_impl.simulate import header_of, simulate
from tests.support.machines import EVERYONE, NOW, kinds_of, machine_of, taken

MACHINE = replace(machine_of(), variants=frozenset({PIPELINED}), pipeline=3)
COPYSET = frozenset({0, 1, 2})
ACTIVE = Sequencer(0, 2, Role.ACTIVE, epoch=3, nodesets={3: EVERYONE})


def full() -> Client:
    """A client of the sequencer of epoch 3 that has as many appends under way as it may."""
    session = Client(log=0, client=1, epoch=3, node=2)
    for _ in range(3):
        session = taken(invoke(session, Invoke(), NOW, MACHINE))[0]
    return session


def begins_another(stepped: tuple[Client, tuple[object, ...]] | None) -> bool:
    """The client will soon begin one more append."""
    assert stepped is not None
    return any(isinstance(effect, After) and effect.message == Invoke() for effect in stepped[1])


def asks(number: int, oldest: int) -> AppendRequest:
    """A client's request for an append."""
    return AppendRequest(1, number, 3, digest=number, oldest=oldest)


def storing(*numbers: int) -> Sequencer:
    """A sequencer that was asked for appends of one client."""
    sequencer = ACTIVE
    for number in numbers:
        sequencer = taken(request(sequencer, asks(number, 1), NOW, MACHINE))[0]
    return sequencer


def acknowledged(sequencer: Sequencer, *esns: int) -> Sequencer:
    """The sequencer once these appends are stored."""
    for esn in esns:
        for node in sorted(sequencer.window[esn].copyset):
            sequencer = taken(stored(sequencer, Stored(lsn_of(3, esn), 1, node), NOW, MACHINE))[0]
    return sequencer


# ------------------------------------------------------------------------------------------------ clients


def test_a_client_begins_appends_before_earlier_ones_have_ended() -> None:
    """One after the other, a little later, up to as many as it may have; and on when one has ended."""
    session = Client(log=0, client=1, epoch=3, node=2)
    for left in (True, True, False):
        stepped = invoke(session, Invoke(), NOW, MACHINE)
        assert begins_another(stepped) is left
        session = taken(stepped)[0]
    assert [asked.number for asked in session.under_way] == [1, 2, 3]
    assert invoke(session, Invoke(), NOW, MACHINE) is None
    stepped = acked(session, Acked(2, lsn_of(3, 7), COPYSET), NOW, MACHINE)
    assert begins_another(stepped)
    session, sent, events = taken(stepped)
    assert (sent, kinds_of(events)) == ([], [trace_events.ACK])
    assert [asked.number for asked in session.under_way] == [1, 3]
    assert not begins_another(acked(session, Acked(3, lsn_of(3, 8), COPYSET), NOW, MACHINE))


def test_a_request_says_which_appends_have_ended() -> None:
    """All before the oldest one that has no answer; which may be another one."""
    session = taken(acked(full(), Acked(1, lsn_of(3, 7), COPYSET), NOW, MACHINE))[0]
    _, sent, _ = taken(invoke(session, Invoke(), NOW, MACHINE))
    assert [(message.number, message.oldest) for message in sent] == [(4, 2)]


def test_the_oldest_append_asks_for_all() -> None:
    """Whether the sequencer is still the same is asked once, and then all requests are repeated."""
    assert taken(retry(full(), Retry(1), NOW, MACHINE))[1] == [WhoSequences(1)]
    assert taken(retry(full(), Retry(2), NOW, MACHINE))[1] == []
    _, sent, _ = taken(announced(full(), Announce(3, 2), NOW, MACHINE))
    assert [message.number for message in sent] == [1, 2, 3]


def test_a_later_sequencer_makes_all_appends_indefinite() -> None:
    stepped = announced(full(), Announce(4, 0), NOW, MACHINE)
    assert begins_another(stepped)
    session, sent, events = taken(stepped)
    assert (session.under_way, sent, kinds_of(events)) == ((), [], [trace_events.INDEFINITE] * 3)


def test_a_refusal_is_of_one_append() -> None:
    session, _, events = taken(refused(full(), Refused(2, 3, Refusal.NO_ROOM), NOW, MACHINE))
    assert kinds_of(events) == [trace_events.FAIL]
    assert [asked.number for asked in session.under_way] == [1, 3]


# ---------------------------------------------------------------------------------------------- sequencers


def test_requests_that_overtake_each_other_are_all_appended() -> None:
    """The second before the first; and neither of them twice."""
    sequencer = storing(2, 1)
    assert [appender.number for appender in sequencer.window.values()] == [2, 1]
    for number in (1, 2):
        assert request(sequencer, asks(number, 1), NOW, MACHINE) is None


def test_each_repetition_has_its_own_answer() -> None:
    sequencer = acknowledged(storing(1, 2, 3), 1, 3)
    for number in (1, 3):
        _, (answer,), _ = taken(request(sequencer, asks(number, 1), NOW, MACHINE))
        assert (answer.number, answer.lsn) == (number, lsn_of(3, number))
    assert request(sequencer, asks(2, 1), NOW, MACHINE) is None


def test_what_has_ended_is_forgotten_and_not_appended_again() -> None:
    """A request says that earlier appends have ended: nobody needs their answers, and late repetitions are nothing."""
    sequencer = acknowledged(storing(1, 2), 1, 2)
    assert set(sequencer.sessions[1].answers) == {1, 2}
    sequencer, _, _ = taken(request(sequencer, asks(3, 3), NOW, MACHINE))
    assert set(sequencer.sessions[1].answers) == {3}
    assert request(sequencer, asks(1, 1), NOW, MACHINE) is None


# ---------------------------------------------------------------------------------------------------- runs


@pytest.mark.parametrize("topology", ["flat3", "racks6"])
def test_runs_have_several_appends_of_a_client_under_way(topology: str) -> None:
    """As many as the machine allows, whatever goes wrong; so the order of its appends is not promised."""
    cluster, replication = TOPOLOGIES[topology], REPLICATIONS[topology]
    plan = SimulationPlan(1, cluster, replication, 4000, faults=EVERY_FAULT, variants=(PIPELINED,))
    under_way = Counter[tuple[int, int]]()
    most = 0
    for event in simulate(plan):
        if event["kind"] in (trace_events.INVOKE, trace_events.FAIL, trace_events.INDEFINITE, trace_events.ACK):
            under_way[event["log"], event["actor"]] += 1 if event["kind"] == trace_events.INVOKE else -1
            most = max(most, *under_way.values())
    assert most == 4
    assert "client_order" not in header_of(plan).promises
    assert "client_order" in header_of(SimulationPlan()).promises

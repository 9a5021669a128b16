"""A client's append happens once, and the client is told the truth about it: LogDevice, Write path.

Kafka, Producer configuration, enable.idempotence: repetitions carry their number, so that they are known again.
"""

from __future__ import annotations

from reference_impl.log import trace_events
from reference_impl.log.client import Client, acked, announced, invoke, refused, retry, stop
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import (
    Acked,
    Announce,
    AppendRequest,
    Invoke,
    Refusal,
    Refused,
    Retry,
    Stop,
    WhoSequences,
)
from tests.support.machines import NOW, kinds_of, machine_of, taken

MACHINE = machine_of()
NEW = Client(log=0, client=1)
KNOWS = NEW._replace(epoch=3, node=2)
COPYSET = frozenset({0, 1, 2})


def waiting() -> Client:
    """A client whose first append is under way in epoch 3."""
    return taken(invoke(KNOWS, Invoke(), NOW, MACHINE))[0]


def test_an_append_goes_to_the_sequencer() -> None:
    session, (request,), events = taken(invoke(KNOWS, Invoke(), NOW, MACHINE))
    (asked,) = session.under_way
    assert request == AppendRequest(client=1, number=1, epoch=3, digest=asked.digest)
    assert kinds_of(events) == [trace_events.INVOKE]
    assert asked.invoked == NOW.order
    assert invoke(session, Invoke(), NOW, MACHINE) is None


def test_without_a_sequencer_it_asks_first() -> None:
    session, sent, _ = taken(invoke(NEW, Invoke(), NOW, MACHINE))
    assert sent == [WhoSequences(1)]
    session, (request,), _ = taken(announced(session, Announce(3, 2), NOW, MACHINE))
    assert (request.number, request.epoch) == (1, 3)


def test_a_repetition_keeps_its_number() -> None:
    session = waiting()
    assert taken(retry(session, Retry(1), NOW, MACHINE))[1] == [WhoSequences(1)]
    again, (request,), events = taken(announced(session, Announce(3, 2), NOW, MACHINE))
    assert (request.number, request.digest) == (1, session.under_way[0].digest)
    assert (again, events) == (session, [])


def test_another_sequencer_makes_the_append_indefinite() -> None:
    """It may have happened or not: the client neither repeats it nor claims that it failed."""
    session, sent, events = taken(announced(waiting(), Announce(4, 0), NOW, MACHINE))
    assert (sent, kinds_of(events)) == ([], [trace_events.INDEFINITE])
    assert (session.under_way, session.epoch) == ((), 4)
    assert acked(session, Acked(1, lsn_of(3, 1), COPYSET), NOW, MACHINE) is None


def test_an_old_announcement_changes_nothing() -> None:
    assert announced(waiting(), Announce(2, 0), NOW, MACHINE) is None


def test_an_acknowledgement_is_recorded_once() -> None:
    """Nobody is told that the client has heard it; what it hears again is nothing."""
    answer = Acked(1, lsn_of(3, 7), COPYSET)
    session, sent, events = taken(acked(waiting(), answer, NOW, MACHINE))
    assert sent == []
    (event,) = events
    assert (event["epoch"], event["esn"], event["arg"], event["version"]) == (3, 7, 3, NOW.order)
    assert acked(session, answer, NOW, MACHINE) is None


def test_a_refusal_is_final() -> None:
    """Only the refusal of this append by this sequencer counts."""
    session = waiting()
    assert refused(session, Refused(1, 2, Refusal.NO_ROOM), NOW, MACHINE) is None
    session, _, events = taken(refused(session, Refused(1, 3, Refusal.NO_ROOM), NOW, MACHINE))
    assert kinds_of(events) == [trace_events.FAIL]
    assert session.under_way == ()
    following, (request,), _ = taken(invoke(session, Invoke(), NOW, MACHINE))
    assert request.number == 2
    assert following.under_way[0].digest != waiting().under_way[0].digest


def test_a_stopped_client_begins_nothing() -> None:
    session, _, _ = taken(stop(KNOWS, Stop(), NOW, MACHINE))
    assert invoke(session, Invoke(), NOW, MACHINE) is None

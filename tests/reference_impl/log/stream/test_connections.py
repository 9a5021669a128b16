"""Connections: starting, failing, trying again, health, permission. LogDevice, Single Copy Delivery, Known down list.

ClientReadStream.cpp, onStarted and onConnectionFailure; ClientReadStreamConnectionHealth.cpp.
"""

from __future__ import annotations

import pytest

from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.outputs import GapKind, HealthChanged
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status
from tests.support.read_streams import TRIM, Reading, e


def test_a_shard_is_asked_and_answers() -> None:
    """CONNECTING, START_SENT, READING; a second answer is no news."""
    reading = Reading().started(Connection.CONNECTING).tell(inputs.StartSent(1, "OK"))
    sender = reading.stream.senders[1]
    assert (sender.connection, sender.awaited) == (Connection.START_SENT, True)
    assert reading.answer(1, 1).stream.senders[1].connection is Connection.READING
    before = reading.stream
    assert reading.answer(1, 1, status="AGAIN").answer(2, 1).tell(inputs.StartSent(1, "FAILED")).stream == before


@pytest.mark.parametrize("status", ["AGAIN", "NOTREADY", "SYSLIMIT", "SOMETHING_NEW"])
def test_whoever_cannot_now_is_asked_later(status: str) -> None:
    """Without single copy delivery its reconnect timer runs; then it is asked from the cursor on."""
    reading = Reading().started(Connection.START_SENT).answer(1, 1, status=status)
    assert reading.stream.senders[1].reconnecting
    asked = reading.record(0, 1).fire(Timer.RECONNECT, 1).said(outputs.SendStart)
    assert [(one.shard, one.first) for one in asked] == [(1, e(2))]


@pytest.mark.parametrize("status", ["FAILED", "NOTSTORAGE", "SHUTDOWN"])
def test_whoever_cannot_at_all_is_not_asked(status: str) -> None:
    """PERSISTENT_ERROR, until its connection is closed."""
    reading = Reading().started(Connection.START_SENT).answer(1, 1, status=status)
    assert reading.stream.senders[1].connection is Connection.PERSISTENT_ERROR
    assert not reading.stream.senders[1].reconnecting
    assert reading.tell(inputs.ConnectionClosed(1, "PEER_CLOSED")).stream.senders[1].reconnecting


def test_only_failure_is_news_of_a_shard_that_sends() -> None:
    """STARTED(FAILED) tells of a shard in an error state."""
    reading = Reading().started().answer(1, 2, status="FAILED")
    assert reading.stream.senders[2].connection is Connection.PERSISTENT_ERROR


def test_start_that_cannot_be_sent() -> None:
    """The reconnect timer runs on, until START can be sent, or the shard is no more in the cluster."""
    reading = Reading().tell(inputs.StartError(0, "UNREACHABLE")).started(Connection.START_SENT)
    assert reading.stream.senders[0].reconnecting
    assert reading.fire(Timer.RECONNECT, 0).stream.senders[0].reconnecting
    assert not reading.tell(inputs.StartError(0, None)).fire(Timer.RECONNECT, 0).stream.senders[0].reconnecting
    reading.tell(inputs.ConfigurationSet(frozenset({1, 2, 3}), reading.log)).fire(Timer.STARTED, 0)
    assert reading.stream.senders[0].connection is Connection.PERSISTENT_ERROR


def test_an_older_protocol_is_spoken_after_a_rewind() -> None:
    """PROTONOSUPPORT is no failure."""
    reading = Reading().started(Connection.CONNECTING).tell(inputs.StartSent(0, "PROTONOSUPPORT"))
    assert reading.stream.rewinding
    assert not reading.stream.senders[0].reconnecting


@pytest.mark.parametrize(
    "refusal",
    [inputs.Started(1, 1, "ACCESS"), inputs.ConnectionClosed(1, "ACCESS"), inputs.StartSent(1, "ACCESS")],
)
def test_without_permission_there_is_one_gap(refusal: inputs.Input) -> None:
    """It is offered until the application takes it, and nothing else is given."""
    reading = Reading(until=e(9)).started(Connection.CONNECTING).record(0, 1)
    reading.tell(inputs.Accepting(value=False), refusal).record(0, 2).gap(2, 1, 9, GapReason.TRIM)
    assert reading.given() == [1, (GapKind.ACCESS, 2, 9)]
    reading.answer(1, 0, 1, 2, 3).tell(inputs.Accepting(value=True), inputs.ConfigurationChanged())
    assert reading.given() == []
    assert reading.fire(Timer.REDELIVERY).given() == [(GapKind.ACCESS, 2, 9)]
    assert reading.said(outputs.Disposed) == [outputs.Disposed()]


def test_a_log_that_is_not_there() -> None:
    """NOTINCONFIG at the start, or once it is removed; offered until it is taken."""
    reading = Reading(until=e(9)).tell(inputs.ConfigurationSet(frozenset(range(4)), None), inputs.Start())
    assert (reading.given(), reading.stream.disposed) == ([(GapKind.NOTINCONFIG, 1, 9)], True)
    reading = Reading(until=e(9)).started().record(0, 1)
    reading.tell(inputs.Accepting(value=False), inputs.ConfigurationSet(frozenset(range(4)), None))
    reading.tell(inputs.ConfigurationChanged(), inputs.Accepting(value=True)).fire(Timer.REDELIVERY)
    assert reading.given() == [1, *[(GapKind.NOTINCONFIG, 2, 9)] * 2]
    assert reading.stream.disposed


def test_what_is_refused_is_offered_again() -> None:
    """And nothing else meanwhile; not even a trim gap over a record that was offered."""
    reading = Reading(2, {"node": 1}).started().tell(inputs.Accepting(value=False)).record(0, 1, 2)
    assert reading.given() == [1]
    assert reading.gap(1, 1, 3, GapReason.TRIM).given() == []
    assert reading.fire(Timer.REDELIVERY).given() == [1]
    reading.tell(inputs.Accepting(value=True))
    assert reading.fire(Timer.REDELIVERY).given() == [1, (TRIM, 2, 3)]


def test_health_is_an_f_majority_of_healthy_connections() -> None:
    """A stream becomes healthy at once, and unhealthy after a grace period only."""
    reading = Reading().started()
    reading.tell(inputs.HealthSet(0, healthy=False), inputs.HealthSet(1, healthy=False))
    assert (reading.said(HealthChanged), Timer.STALL_GRACE in reading.stream.timers) == ([], True)
    assert reading.fire(Timer.STALL_GRACE).said(HealthChanged) == [HealthChanged(healthy=False)]
    reading.tell(inputs.HealthSet(2, healthy=False))
    assert (reading.said(HealthChanged), Timer.STALL_GRACE in reading.stream.timers) == ([], False)
    reading.tell(*(inputs.HealthSet(shard, healthy=True) for shard in (0, 1)))
    assert reading.said(HealthChanged) == [HealthChanged(healthy=True)]


def test_the_shard_knows_better_than_the_event_log() -> None:
    """What the event log says of a shard that sends does not count; what it sends makes it authoritative."""
    reading = Reading().started().tell(inputs.StatusesChanged({1: Status.UNDERREPLICATION}))
    assert reading.stream.senders[1].status is Status.FULLY_AUTHORITATIVE
    reading = Reading().started(Connection.START_SENT).tell(inputs.StatusesChanged({1: Status.UNDERREPLICATION}))
    assert reading.stream.senders[1].status is Status.UNDERREPLICATION
    assert reading.gap(1, 1, 1).stream.senders[1].status is Status.FULLY_AUTHORITATIVE
    reading.tell(inputs.StatusesChanged({2: Status.AUTHORITATIVE_EMPTY})).rewind()
    assert reading.stream.senders[2].status is Status.FULLY_AUTHORITATIVE


def test_a_shard_that_says_it_is_rebuilding() -> None:
    """It is believed only where the event log says so, too."""
    reading = Reading().started(Connection.START_SENT).answer(1, 1, status="REBUILDING")
    assert reading.stream.senders[1].connection.name == "START_SENT"
    reading.tell(inputs.StatusesChanged({1: Status.UNDERREPLICATION})).answer(1, 1, status="REBUILDING")
    assert reading.stream.senders[1].connection is Connection.READING
    assert reading.stream.senders[1].status is Status.UNDERREPLICATION


def test_the_end_of_a_stream() -> None:
    """Whoever may be sending is told to stop; after that nothing happens any more."""
    reading = Reading().started().tell(inputs.ConnectionSet(3, Connection.RECONNECT_PENDING), inputs.Destroyed())
    assert {one.shard for one in reading.said(outputs.SendStop)} == {0, 1, 2}
    assert reading.record(0, 1).did == []


def test_strangers_are_passed_over() -> None:
    """Whatever comes from a shard outside the read set, or about one."""
    reading = Reading().started()
    before = reading.stream
    reading.record(9, 1).gap(9, 1, 5, GapReason.TRIM).answer(1, 9, status="ACCESS").fire(Timer.RECONNECT, 9)
    reading.tell(
        inputs.StartSent(9, "FAILED"), inputs.ConnectionClosed(9, "FAILED"), inputs.HealthSet(9, healthy=False)
    )
    assert reading.tell(inputs.ConnectionSet(9, Connection.READING)).stream == before

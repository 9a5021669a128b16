"""The known down list, sentence by sentence: LogDevice, Single Copy Delivery, Failover mechanisms on clients.

Four shards, two copies of each record; ``test_single_copy_delivery`` has what the code adds to the document.
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Mode
from reference_impl.log.stream.surroundings import LogAttributes
from reference_impl.log.stream.timers import Timer
from tests.support.read_streams import BRIDGE, HOLE, TRIM, Reading, e

EVERYONE = frozenset(range(4))
HUNG_UP = inputs.ConnectionClosed(3, "PEER_CLOSED")


def scd(connection: Connection = Connection.READING, **more: Any) -> Reading:
    """A stream in single copy delivery."""
    return Reading(**{"log": LogAttributes(1, single_copy=True)} | more).started(connection)


def asked(reading: Reading) -> dict[int, outputs.SendStart]:
    """The last START that each shard was sent."""
    return {start.shard: start for start in reading.said(outputs.SendStart)}


def test_start_says_whether_one_node_sends_and_who_is_down() -> None:
    """The flag SINGLE_COPY_DELIVERY, and the list if it is set; without it there is none."""
    reading = scd().tell(HUNG_UP).rewind()
    assert {(start.single_copy, start.filtered_out) for start in asked(reading).values()} == {(True, frozenset({3}))}
    plain = Reading().tell(inputs.Start()).learn(1, 1, *EVERYONE)
    assert {(start.single_copy, start.filtered_out) for start in asked(plain).values()} == {(False, frozenset())}


def test_listed_nodes_are_sent_start_too() -> None:
    """So that they can send, and be seen to."""
    reading = scd().tell(HUNG_UP).rewind()
    assert asked(reading).keys() == EVERYONE


@pytest.mark.parametrize(
    "trouble",
    [
        [inputs.Gap(3, e(1), e(1), GapReason.CHECKSUM_FAIL)],
        [inputs.Record(3, e(1), damaged=True)],
        [HUNG_UP],
        [inputs.ConnectionSet(3, Connection.CONNECTING), inputs.StartSent(3, "UNREACHABLE")],
        [inputs.ConnectionSet(3, Connection.START_SENT), inputs.Started(3, 1, "FAILED")],
        [inputs.ConnectionSet(3, Connection.START_SENT), inputs.Started(3, 1, "AGAIN")],
        [inputs.ConnectionSet(3, Connection.START_SENT), inputs.Started(3, 1, "REBUILDING")],
    ],
)
def test_who_cannot_send_is_listed_and_the_stream_rewinds(trouble: list[inputs.Input]) -> None:
    """A bad checksum; no START, or STARTED with an error; a closed socket; and whoever says that it lost its data."""
    reading = scd().tell(*trouble)
    assert reading.stream.rewinding
    reading.said(outputs.SendStart)
    assert {start.filtered_out for start in asked(reading.rewind()).values()} == {frozenset({3})}


def test_who_does_not_answer_start_is_asked_again() -> None:
    """As shipped, a time-out of STARTED alone lists nobody: ClientReadStreamSenderState.cpp; scd-timeout does then."""
    reading = scd().tell(inputs.ConnectionSet(3, Connection.START_SENT)).fire(Timer.STARTED, 3)
    assert (set(asked(reading)), reading.stream.rewinding) == ({3}, False)
    reading.record(0, 2).record(1, 2).record(2, 2).fire(Timer.SHARDS_DOWN)
    assert {start.filtered_out for start in asked(reading.rewind()).values()} == {frozenset({3})}


def test_a_hanging_node_stops_nobody_for_ever() -> None:
    """scd-timeout: it holds its connection and sends nothing; then others send in its place."""
    reading = scd().record(0, 2).record(1, 2).record(2, 2).fire(Timer.SHARDS_DOWN)
    asked(reading.rewind())
    assert reading.record(0, 1).given() == [1]


def test_a_rewind_begins_at_the_read_pointer() -> None:
    """A START from no later than the next LSN that is delivered; what was buffered is dropped and comes again."""
    reading = scd().record(0, 1, 2).record(1, 4).tell(HUNG_UP).rewind()
    assert {start.first for start in asked(reading).values()} == {e(3)}
    assert reading.stream.records == {}
    assert reading.record(1, 3, 4).given() == [1, 2, 3, 4]


def test_the_window_slides_and_who_sent_records_is_taken_off() -> None:
    """As written: each time the window slides; a listed node that sent none stays listed."""
    reading = scd(trusts_at_once=False).tell(HUNG_UP, inputs.ConnectionClosed(2, "PEER_CLOSED")).rewind()
    asked(reading)
    reading.record(2, 1)
    assert not reading.stream.rewinding
    reading.record(0, 2, 3, 4, 5)
    assert {start.filtered_out for start in asked(reading.rewind()).values()} == {frozenset({3})}


def test_listed_and_passed_make_up_the_read_set() -> None:
    """One is listed and three have nothing: none is left who may send the next record. As soon as the last said so."""
    reading = scd().tell(HUNG_UP).rewind().record(0, 2).record(1, 3)
    assert not reading.stream.rewinding
    asked(reading.gap(2, 1, 4))
    starts = asked(reading.rewind())
    assert {(start.single_copy, start.filtered_out) for start in starts.values()} == {(False, frozenset())}
    assert starts.keys() == EVERYONE


@pytest.mark.parametrize("last", [inputs.Record(3, e(5)), inputs.Gap(3, e(1), e(4), GapReason.NO_RECORDS)])
def test_failover_needs_no_timer(last: inputs.Input) -> None:
    """The sum is looked at with every record and every gap."""
    reading = scd().record(0, 2).record(1, 2).record(2, 2)
    assert not reading.stream.rewinding
    assert reading.tell(last).stream.single_copy.planned is Mode.ALL_SEND_ALL


def test_an_epoch_bump_fails_over_first() -> None:
    """All have gone on to epoch 2 without a bridge record: no gap before all were asked to send all."""
    reading = scd().record(0, 1)
    for shard in range(4):
        reading.tell(inputs.Gap(shard, e(2), e(0, 2), GapReason.NO_RECORDS))
    assert (reading.given(), reading.stream.single_copy.planned) == ([1], Mode.ALL_SEND_ALL)
    reading.rewind()
    for shard in range(4):
        reading.tell(inputs.Gap(shard, e(2), e(0, 2), GapReason.NO_RECORDS))
    assert reading.given() == [(BRIDGE, 2, (2, 0))]


def test_gaps_that_a_single_node_proves_need_no_failover() -> None:
    """As shipped, these are delivered at once: a hole plug, a bridge record, and what is trimmed."""
    reading = scd().record(0, 1, hole=True).gap(1, 2, 3, GapReason.TRIM).record(2, 4, hole=True, bridge=True)
    assert reading.given() == [(HOLE, 1, 1), (TRIM, 2, 3), (BRIDGE, 4, (1 << 32) - 1)]
    assert not reading.stream.rewinding


def test_after_failover_every_copy_counts() -> None:
    """Drops its buffer, tells all nodes to send all that they have, and is in single copy delivery again afterwards."""
    reading = scd(capacity=2, threshold=0.0).record(0, 2).record(1, 2).record(2, 2).record(3, 2)
    assert reading.rewind().stream.records == {}
    assert not reading.stream.single_copy.active
    reading.record(1, 1).record(2, 1)
    assert (reading.given(), reading.stream.single_copy.planned) == ([1], Mode.SINGLE_COPY)
    assert reading.rewind().stream.single_copy.active

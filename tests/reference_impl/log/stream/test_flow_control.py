"""Flow control, re-ordering and de-duplication: LogDevice, Read path, How reads happen.

docs/settings.md, client-read-flow-control-threshold, and ClientReadStream.cpp, slideSenderWindows, for the numbers.
"""

from __future__ import annotations

from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import LogAttributes
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status
from tests.support.read_streams import DATALOSS, HOLE, Reading, e


def test_records_come_in_order_and_once() -> None:
    """What comes early waits, what comes again is dropped."""
    reading = Reading().started().record(0, 2, 4).record(1, 2)
    assert reading.given() == []
    assert reading.record(2, 1, 3).given() == [1, 2, 3, 4]
    assert reading.record(3, 1, 2, 3, 4).given() == []


def test_what_is_beyond_the_window_is_dropped() -> None:
    """The buffer has no room for it."""
    reading = Reading(capacity=3).started().record(0, 4)
    assert reading.stream.records == {}
    assert reading.stream.senders[0].next_lsn == 0


def test_the_first_copy_wins() -> None:
    """ClientReadStream.cpp, onDataRecord: what another shard says of the same LSN is not compared."""
    assert Reading().started().record(0, 2, hole=True).record(1, 2).record(2, 1).given() == [1, (HOLE, 2, 2)]


def test_a_shard_does_not_go_back() -> None:
    """Shards send in order: what it passed already, it only repeats after it was asked anew."""
    reading = Reading().started().gap(0, 1, 5).record(0, 3)
    assert reading.stream.records == {}
    assert reading.tell(inputs.ConnectionClosed(0, "PEER_CLOSED")).fire(Timer.RECONNECT, 0).record(0, 1).given() == [1]


def test_no_window_for_who_is_asked_anew_or_lost_its_data() -> None:
    """ClientReadStream.cpp, sendWindowMessage."""
    single = Reading(log=LogAttributes(1, single_copy=True)).started()
    single.tell(inputs.ConnectionClosed(3, "PEER_CLOSED")).record(0, 1, 2, 3, 4, 5)
    assert (single.stream.window.high, single.said(outputs.SendWindow)) == (e(15), [])
    rebuilding = Reading().started(Connection.START_SENT).answer(1, 0, 1, 2)
    rebuilding.tell(inputs.StatusesChanged({3: Status.UNDERREPLICATION})).answer(1, 3, status="REBUILDING")
    told = rebuilding.record(0, 1, 2, 3, 4, 5).said(outputs.SendWindow)
    assert {one.shard for one in told} == {0, 1, 2}


def test_the_window_slides_once_enough_is_delivered() -> None:
    """With a threshold of one half, nine LSNs more after the fifth of ten."""
    reading = Reading().started().record(0, 1, 2, 3, 4)
    assert reading.said(outputs.SendWindow) == []
    windows = reading.record(0, 5).said(outputs.SendWindow)
    assert windows == [outputs.SendWindow(shard, e(6), e(15)) for shard in range(4)]


def test_the_window_ends_where_reading_ends() -> None:
    """Nobody is told of a window beyond that; the last record ends the stream."""
    reading = Reading(until=e(3)).started()
    assert reading.stream.window.high == e(3)
    assert reading.record(0, 1, 2, 3).said(outputs.SendWindow) == []
    assert reading.said(outputs.Disposed) == [outputs.Disposed()]
    assert reading.record(0, 4).did == [outputs.Delivered(e(esn)) for esn in (1, 2, 3)]


def test_memory_pressure_halves_the_window_and_it_grows_back_one_by_one() -> None:
    """ClientReadStream.cpp, updateWindowSize: one at least, and no more than the buffer has room for."""
    reading = Reading(capacity=4).started().tell(inputs.MemoryPressure(value=True))
    assert reading.record(0, 1, 2).stream.window.high == e(4)
    assert reading.record(0, 3).stream.window.high == e(4)
    assert reading.record(0, 4).stream.window.high == e(5)
    reading.tell(inputs.MemoryPressure(value=False))
    assert [reading.record(0, esn).stream.window.size for esn in (5, 6, 7, 8, 9, 10)] == [2, 3, 3, 4, 4, 4]


def test_a_shard_that_is_still_starting_learns_of_the_window_later() -> None:
    """The window slid while its answer was under way."""
    reading = Reading(2, capacity=2, threshold=1.0).started(Connection.START_SENT).answer(1, 0)
    assert reading.record(0, 1, 2).said(outputs.SendWindow) == [outputs.SendWindow(0, e(3), e(4))]
    assert reading.answer(1, 1).said(outputs.SendWindow) == [outputs.SendWindow(1, e(3), e(4))]
    assert reading.answer(1, 1).said(outputs.SendWindow) == []


def test_gaps_may_reach_beyond_the_window() -> None:
    """A gap costs no room."""
    reading = Reading(2, {"node": 1}, capacity=3).started().gap(0, 1, 50).gap(1, 1, 40)
    assert reading.given() == [(DATALOSS, 1, 40)]
    assert reading.said(outputs.SendWindow) == [outputs.SendWindow(shard, e(41), e(43)) for shard in range(2)]

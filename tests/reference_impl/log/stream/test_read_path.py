"""The examples of LogDevice, Read path, by their numbers: the window 42 to 46, the lost LSN 52, the drained node N5."""

from __future__ import annotations

import pytest

from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import Settings
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status
from tests.support.read_streams import DATALOSS, HOLE, Reading, e

N1, N2, N3, N4, N5, N6, N7 = range(7)
NO_GRACE = Settings(grace_period=False)


def window() -> Reading:
    """A window of five slots, from LSN 42 on, over five nodes with three copies; it slides at its middle."""
    return Reading(5, {"node": 3}, start=e(42), until=e(99), capacity=5, threshold=0.5)


def test_each_node_of_the_nodeset_is_asked() -> None:
    """For records from the first LSN to the last, and for now up to the window's end: 42 to 46."""
    reading = window().tell(inputs.Start()).learn(1, 1, N1, N2, N4)
    starts = reading.said(outputs.SendStart)
    assert {start.shard for start in starts} == {N1, N2, N4}
    assert {(start.first, start.until, start.window_high) for start in starts} == {(e(42), e(99), e(46))}


def test_one_copy_of_each_is_delivered_and_the_window_slides() -> None:
    """42 to 44 arrived, three times each: one of each is delivered in order, and nodes are asked for 45 to 49."""
    reading = window().started()
    reading.record(N1, 42, 44).record(N2, 43).record(N3, 42, 43, 44).record(N4, 42, 44).record(N5, 43)
    assert reading.given() == [42, 43, 44]
    assert reading.stream.cursor == e(45)
    assert reading.said(outputs.SendWindow) == [outputs.SendWindow(node, e(45), e(49)) for node in range(5)]


def test_the_second_row_waits_for_the_first() -> None:
    """43 came first: nothing is delivered before 42; then both are, and the third row is next."""
    reading = window().started().record(N2, 43)
    assert reading.given() == []
    assert reading.record(N1, 42).given() == [42, 43]
    assert reading.stream.cursor == e(44)


def test_records_and_gaps_are_told_apart() -> None:
    """records_out and gap_out: what has a payload, and what has none."""
    reading = window().started().record(N1, 42).record(N2, 43, hole=True)
    assert [type(one) for one in reading.did] == [outputs.Delivered, outputs.GapDelivered]
    assert reading.given() == [42, (HOLE, 43, 43)]


def gap(settings: Settings) -> Reading:
    """Nothing for LSN 52 so far; N3 and N5 sent 53, and so do not have it. Three copies on five nodes."""
    reading = Reading(5, {"node": 3}, start=e(52), capacity=5, settings=settings).started()
    return reading.record(N3, 53).record(N5, 53)


@pytest.mark.parametrize("settings", [NO_GRACE, Settings()])
def test_two_of_five_stall_the_reader(settings: Settings) -> None:
    """There could still be a copy on N1, N2 and N4: three nodes."""
    assert gap(settings).given() == []
    assert gap(settings).record(N4, 52).given() == [52, 53]


def test_the_third_node_proves_the_loss() -> None:
    """N1 sent 54, so it does not have 52 either: 52 is lost, and 53 is next."""
    reading = gap(NO_GRACE).record(N1, 54)
    assert reading.given() == [(DATALOSS, 52, 52), 53, 54]
    waiting = gap(NO_GRACE).tell(inputs.Accepting(value=False)).record(N1, 54)
    waiting.tell(inputs.Accepting(value=True)).fire(Timer.REDELIVERY)
    assert waiting.stream.cursor == e(55)


def test_as_shipped_there_is_a_grace_period() -> None:
    """An f-majority is enough, but the others may be asked a little longer: gap-grace-period."""
    reading = gap(Settings()).record(N1, 54)
    assert reading.given() == []
    assert reading.fire(Timer.GRACE).given() == [(DATALOSS, 52, 52), 53, 54]


def test_a_gap_is_as_good_as_a_record() -> None:
    """N1 says that it has nothing up to 53: what counts is that it is past 52."""
    assert gap(NO_GRACE).gap(N1, 52, 53).given() == [(DATALOSS, 52, 52), 53]
    assert gap(NO_GRACE).gap(N1, 50, 51).given() == []


def test_no_answer_is_no_denial() -> None:
    """Nodes that are down have not said anything, whoever else has."""
    reading = gap(NO_GRACE).tell(inputs.ConnectionSet(N1, Connection.CONNECTING))
    assert reading.tell(inputs.StatusesChanged({N1: Status.UNAVAILABLE})).given() == []
    assert reading.tell(inputs.StatusesChanged({N1: Status.UNDERREPLICATION})).given() == []


def test_without_an_f_majority_all_who_count_are_enough() -> None:
    """N1, N2 and N4 are UNDERREPLICATION: nobody is left who could have it."""
    reading = gap(NO_GRACE)
    for node in (N1, N2, N4):
        reading.tell(inputs.ConnectionSet(node, Connection.CONNECTING))
    gone = dict.fromkeys((N1, N2, N4), Status.UNDERREPLICATION)
    assert reading.tell(inputs.StatusesChanged(gone)).given() == [(DATALOSS, 52, 52), 53]


def seven(*, drained: bool) -> Reading:
    """Seven nodes, three copies; N5 is down, or its data was copied elsewhere."""
    reading = Reading(7, {"node": 3}, start=e(52), settings=NO_GRACE).started()
    reading.tell(inputs.ConnectionSet(N5, Connection.CONNECTING))
    if drained:
        reading.tell(inputs.StatusesChanged({N5: Status.AUTHORITATIVE_EMPTY})).fire(Timer.REWIND)
        reading.answer(reading.stream.version, N1, N2, N3, N4, N6, N7)
    return reading


def test_an_empty_node_is_as_if_it_was_never_there() -> None:
    """N5 is AUTHORITATIVE_EMPTY: of six nodes, four are an f-majority; of seven it takes five."""
    lost = [(DATALOSS, 52, 52), 53]
    drained = seven(drained=True).record(N1, 53).record(N2, 53).record(N3, 53)
    assert [drained.given(), drained.record(N4, 53).given()] == [[], lost]
    down = seven(drained=False).record(N1, 53).record(N2, 53).record(N3, 53).record(N4, 53)
    assert [down.given(), down.record(N6, 53).given()] == [[], lost]

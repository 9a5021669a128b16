"""Single copy delivery: LogDevice, Single Copy Delivery, Failover mechanisms on clients.

ClientReadStreamScd.cpp and ClientReadStream.cpp, rewind, where the document is silent.
"""

from __future__ import annotations

from typing import Any

import pytest

from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Mode
from reference_impl.log.stream.surroundings import LogAttributes, Settings
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status
from tests.support.read_streams import BRIDGE, DATALOSS, Reading, e


def scd(**more: Any) -> Reading:
    """Four shards, two copies, single copy delivery."""
    return Reading(**{"log": LogAttributes(1, single_copy=True)} | more).started()


def starts(reading: Reading) -> set[tuple[int, int, bool, frozenset[int]]]:
    """What is asked of shards, without the shard: from where, by which version, and who is passed over."""
    return {(one.first, one.version, one.single_copy, one.filtered_out) for one in reading.said(outputs.SendStart)}


def test_when_nobody_is_left_all_should_send_all() -> None:
    """Everyone has passed the next record: one of them left it to another. Never a gap."""
    reading = scd().record(0, 2).record(1, 3).record(2, 2)
    assert not reading.stream.rewinding
    reading.record(3, 3)
    assert (reading.given(), reading.stream.rewinding) == ([], True)
    assert starts(reading.rewind()) == {(e(1), 2, False, frozenset())}


def test_what_was_sent_by_other_filters_is_dropped() -> None:
    """Until a shard acknowledges the version; in the first version there is nothing to acknowledge."""
    reading = scd()
    for shard in range(4):
        reading.record(shard, 2)
    reading.fire(Timer.REWIND).record(0, 1)
    assert reading.given() == []
    assert reading.answer(1, 0).record(0, 1).given() == []
    assert reading.answer(2, 0).record(0, 1).given() == [1]


def test_a_loss_is_reported_at_the_second_time() -> None:
    """T5849538 of LogDevice: the stream rewinds once more first."""
    reading = scd(log=LogAttributes(0, single_copy=True))
    for _ in range(2):
        for shard in range(4):
            reading.record(shard, 2)
        assert reading.given() == []
        if reading.stream.rewinding:
            reading.rewind()
        else:
            reading.answer(reading.stream.version, *range(4))
    assert reading.stream.version == 3
    for shard in range(4):
        reading.record(shard, 2)
    assert reading.given() == [(DATALOSS, 1, 1), 2]


def test_all_send_all_ends_with_the_window() -> None:
    """When does the client switch back to SCD mode; who cannot be reached is listed at once."""
    reading = scd(capacity=2, threshold=0.0)
    for shard in range(4):
        reading.record(shard, 2)
    reading.rewind().tell(inputs.ConnectionClosed(3, "PEER_CLOSED")).said(outputs.SendStart)
    reading.record(0, 1)
    assert (reading.given(), reading.stream.rewinding) == ([1], True)
    assert starts(reading.rewind()) == {(e(2), 3, True, frozenset({3}))}


def test_it_does_not_end_while_all_are_down() -> None:
    """There would be nobody to send."""
    reading = scd(capacity=2, threshold=0.0)
    for shard in range(4):
        reading.record(shard, 2)
    reading.rewind()
    reading.tell(*(inputs.ConnectionClosed(shard, "PEER_CLOSED") for shard in (1, 2, 3)))
    reading.tell(inputs.ConnectionSet(0, Connection.PERSISTENT_ERROR))
    assert not reading.record(0, 1).stream.rewinding


@pytest.mark.parametrize(
    "trouble",
    [
        inputs.Gap(2, e(1), e(1), GapReason.CHECKSUM_FAIL),
        inputs.ConnectionClosed(2, "PEER_CLOSED"),
        inputs.Started(2, 1, "FAILED"),
    ],
)
def test_others_stand_in_for_who_cannot_send(trouble: inputs.Input) -> None:
    """When does the client add nodes in the known down list."""
    reading = scd().tell(trouble)
    assert starts(reading.rewind()) == {(e(1), 2, True, frozenset({2}))}
    assert not reading.tell(inputs.Gap(2, e(1), e(1), GapReason.CHECKSUM_FAIL)).stream.rewinding


def test_stuck_shards_are_down_after_a_while() -> None:
    """scd-timeout: who sent nothing while the stream did not get on; not those who wait for the application."""
    reading = scd().record(0, 2).record(1, 2).fire(Timer.SHARDS_DOWN)
    assert starts(reading.rewind()) == {(e(1), 2, True, frozenset({2, 3}))}
    assert not reading.record(2, 1).fire(Timer.SHARDS_DOWN).stream.single_copy.lists.new_down & {0, 1}
    refused = scd().tell(inputs.Accepting(value=False)).record(0, 1).fire(Timer.SHARDS_DOWN)
    assert not refused.stream.rewinding


def test_all_stuck_is_all_send_all() -> None:
    """scd-all-send-all-timeout: nobody sent anything, or the list did not change since."""
    reading = scd().fire(Timer.SHARDS_DOWN)
    assert not reading.stream.rewinding
    assert starts(reading.fire(Timer.ALL_SEND_ALL).rewind()) == {(e(1), 2, False, frozenset())}
    assert not reading.fire(Timer.ALL_SEND_ALL).stream.rewinding


@pytest.mark.parametrize("at_once", [True, False])
def test_who_sends_again_is_down_no_more(at_once: bool) -> None:
    """As shipped at once; as written in the document, when the window slides."""
    reading = scd(trusts_at_once=at_once).tell(inputs.ConnectionClosed(2, "PEER_CLOSED")).rewind().record(2, 1)
    assert reading.stream.rewinding is at_once
    if not at_once:
        reading.record(0, 2, 3, 4, 5)
    assert starts(reading.rewind()) >= {(reading.stream.cursor, 3, True, frozenset())}


def test_who_may_lack_records_is_stood_in_for_only_when_it_matters() -> None:
    """promoteUnderreplicatedShardsToKnownDown: when the others have passed, too; and it is trusted again after that."""
    reading = scd().gap(0, 1, 3, GapReason.UNDER_REPLICATED).record(1, 2).record(2, 2)
    assert not reading.stream.rewinding
    assert starts(reading.record(3, 2).rewind()) == {(e(1), 2, True, frozenset({0}))}
    assert not reading.gap(0, 1, 3, GapReason.UNDER_REPLICATED).record(1, 1, 2, 3).stream.rewinding
    assert reading.record(0, 4).stream.rewinding


def test_who_left_the_region_is_trusted_even_when_late() -> None:
    """The region ended while others delivered: a record of it that nobody needs any more is enough."""
    reading = scd().gap(0, 1, 3, GapReason.UNDER_REPLICATED).record(1, 2).record(2, 2).record(3, 2).rewind()
    reading.gap(0, 1, 3, GapReason.UNDER_REPLICATED).gap(0, 4, 4).record(1, *range(1, 9))
    assert not reading.stream.rewinding
    assert reading.record(0, 6).stream.rewinding


def test_all_send_all_goes_on_while_all_may_lack_records() -> None:
    """The only shard has the region behind it, but nothing that shows that it left it."""
    reading = scd(shards=1, factors={"node": 1}).gap(0, 1, 9, GapReason.UNDER_REPLICATED).rewind()
    for version in (2, 3):
        assert reading.stream.version == version
        reading.gap(0, 1, 9, GapReason.UNDER_REPLICATED).answer(3, 0)
    assert reading.given() == [(DATALOSS, 1, 9)]
    assert not reading.stream.rewinding


def test_a_refused_trim_gap_is_no_reason_to_fail_over() -> None:
    """The application keeps the stream from getting on."""
    reading = scd().tell(inputs.Accepting(value=False))
    for shard in range(4):
        reading.gap(shard, 1, 5, GapReason.TRIM)
    assert not reading.stream.rewinding


def test_who_hung_up_has_to_acknowledge_the_filters_again() -> None:
    """It may have started anew, by other filters."""
    reading = scd().tell(inputs.ConnectionClosed(2, "PEER_CLOSED")).rewind()
    assert reading.tell(inputs.ConnectionClosed(2, "PEER_CLOSED")).record(2, 1).given() == []
    assert reading.answer(2, 2).record(2, 1).given() == [1]


def test_efficient_readers_stay_in_single_copy_delivery() -> None:
    """Even with nobody left to send."""
    reading = scd(settings=Settings(efficiency=True))
    reading.tell(*(inputs.ConnectionClosed(shard, "PEER_CLOSED") for shard in (2, 3))).rewind()
    assert not reading.record(0, 2).record(1, 2).stream.rewinding
    reading.tell(*(inputs.ConnectionClosed(shard, "PEER_CLOSED") for shard in (0, 1))).rewind()
    assert reading.stream.single_copy.active


def test_efficient_readers_report_gaps_at_once() -> None:
    """read-stream-guaranteed-delivery-efficiency: no all send all, and no waiting for who is down."""
    reading = scd(settings=Settings(efficiency=True))
    for shard in range(4):
        reading.record(shard, 2)
    assert (reading.given(), reading.stream.rewinding) == ([(DATALOSS, 1, 1), 2], False)
    reading.tell(inputs.ConnectionSet(0, Connection.CONNECTING), inputs.StatusesChanged({0: Status.UNAVAILABLE}))
    assert reading.stream.senders[0].status is Status.UNDERREPLICATION


def test_bridges_need_no_failover() -> None:
    """handleBridgeRecord: one shard is enough."""
    reading = scd().record(2, 1, hole=True, bridge=True)
    assert (reading.given(), reading.stream.rewinding) == ([(BRIDGE, 1, (1 << 32) - 1)], False)


def test_the_log_decides() -> None:
    """scd-enabled: switched off, all send all after a rewind; switched on, single copies after a rewind."""
    shards = frozenset(range(4))
    reading = scd()
    for attributes, mode in (
        (LogAttributes(1), Mode.ALL_SEND_ALL),
        (LogAttributes(1, single_copy=True, local=True), Mode.LOCAL),
    ):
        reading.tell(inputs.ConfigurationSet(shards, attributes), inputs.ConfigurationChanged()).rewind()
        assert reading.stream.single_copy.mode is mode
    assert all(one.local for one in reading.said(outputs.SendStart) if one.version == 3)


def test_who_leaves_the_cluster_leaves_the_list() -> None:
    """updateStorageShardsSet: the others hear of it by a rewind."""
    reading = scd().tell(inputs.ConnectionClosed(3, "PEER_CLOSED")).rewind()
    reading.tell(inputs.ConfigurationSet(frozenset(range(3)), reading.log), inputs.ConfigurationChanged())
    reading.said(outputs.SendStart)
    assert reading.said(outputs.SendStop) == [outputs.SendStop(3)]
    assert starts(reading.rewind()) == {(e(1), 3, True, frozenset())}

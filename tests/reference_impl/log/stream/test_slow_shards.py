"""Shards that are slow: LogDevice, Read path, SCD greylisting; ClientReadStreamScd.cpp, rewindWithOutliers."""

from __future__ import annotations

from typing import Any

from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.state import Mode
from reference_impl.log.stream.surroundings import LogAttributes, Settings
from reference_impl.log.stream.timers import Timer
from tests.support.read_streams import Reading, e

NOBODY = frozenset[int]()


def slow(*outliers: int, **more: Any) -> Reading:
    """Four shards and two copies in single copy delivery, of which some shards are slow."""
    reading = Reading(log=LogAttributes(1, single_copy=True), settings=Settings(detects_slow=True), **more).started()
    return reading.tell(inputs.OutliersChanged(frozenset(outliers)))


def passed_over(reading: Reading) -> set[tuple[int, frozenset[int]]]:
    """By which version shards are asked, and who is passed over."""
    return {(one.version, one.filtered_out) for one in reading.said(outputs.SendStart)}


def test_others_are_to_send_in_their_place() -> None:
    """After a rewind, by a new version; they are not taken to be down."""
    reading = slow(3)
    assert reading.stream.rewinding
    assert passed_over(reading.rewind()) == {(2, frozenset({3}))}
    assert reading.stream.single_copy.lists.down == NOBODY


def test_the_same_shards_again_are_no_news() -> None:
    reading = slow(3).rewind()
    assert not reading.tell(inputs.OutliersChanged(frozenset({3}))).stream.rewinding


def test_when_their_term_is_over_they_send_again() -> None:
    reading = slow(3).rewind().tell(inputs.OutliersChanged(NOBODY))
    reading.said(outputs.SendStart)
    assert passed_over(reading.rewind()) == {(3, NOBODY)}


def test_where_all_send_nobody_is_passed_over() -> None:
    """A stream that has gone over to all send all asks everyone, and listens to nobody who calls shards slow."""
    reading = slow(3).rewind()
    for shard in range(3):
        reading.record(shard, 2)
    assert reading.rewind().stream.single_copy.mode is Mode.ALL_SEND_ALL
    assert reading.stream.single_copy.lists.everyone == NOBODY
    assert not reading.tell(inputs.OutliersChanged(frozenset({2}))).stream.rewinding


def test_a_slow_shard_that_is_needed_is_asked_after_all() -> None:
    """All others have passed the record that only it has: all send all, and back with the next window."""
    reading = slow(3, capacity=2, threshold=0.0).rewind()
    for shard in range(3):
        reading.record(shard, 2)
    assert (reading.given(), reading.stream.rewinding) == ([], True)
    reading.rewind().said(outputs.SendStart)
    assert reading.record(3, 1).given() == [1]
    assert reading.rewind().stream.single_copy.mode is Mode.SINGLE_COPY


def test_a_shard_that_is_down_is_no_longer_slow() -> None:
    """Being down says more: common/client_read_stream/ClientReadStreamScd.cpp, deferredAddShardDown."""
    reading = slow(3).rewind().tell(inputs.ConnectionClosed(3, "PEER_CLOSED")).rewind()
    lists = reading.stream.single_copy.lists
    assert (lists.down, lists.slow) == (frozenset({3}), NOBODY)


def test_whoever_is_silent_is_slow_and_not_down() -> None:
    """Where slow shards are looked for: shardsDownFailoverTimerCallback."""
    for looks, listed in ((True, NOBODY), (False, frozenset({1, 2, 3}))):
        settings = Settings(detects_slow=looks)
        reading = Reading(log=LogAttributes(1, single_copy=True), settings=settings).started().record(0, 2)
        reading.fire(Timer.SHARDS_DOWN)
        assert reading.stream.single_copy.lists.new_down == listed
        assert (Timer.SHARDS_DOWN in reading.stream.timers) is not looks


def test_without_progress_all_send_all_the_same() -> None:
    """The other failover timer goes on."""
    reading = slow().fire(Timer.SHARDS_DOWN).fire(Timer.ALL_SEND_ALL)
    assert reading.stream.single_copy.planned is Mode.ALL_SEND_ALL
    assert reading.rewind().stream.cursor == e(1)

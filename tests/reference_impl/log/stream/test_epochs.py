"""Epochs: bridges, epoch metadata and read sets. LogDevice, Read path, Metadata log and Reporting gaps.

ClientReadStream.cpp, handleBridgeRecord, onEpochMetaData and handleEmptyStorageSet, where the document is silent.
"""

from __future__ import annotations

import pytest

from reference_impl.log.lsn import ESN_MAX
from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.outputs import AskMetadata, GapKind
from reference_impl.log.stream.surroundings import EPOCH_LAST, Source
from reference_impl.log.stream.timers import Timer
from tests.support.read_streams import BRIDGE, Reading, e

NOT_LAST = Source.NOT_LAST


def test_a_bridge_record_ends_its_epoch() -> None:
    """Nobody else is asked, and what lies above the bridge is dropped: hole plugs do."""
    reading = Reading().started().record(1, 3, hole=True).record(0, 1).record(0, 2, hole=True, bridge=True)
    assert reading.given() == [1, (BRIDGE, 2, ESN_MAX)]
    assert reading.stream.cursor == e(0, 2)
    assert reading.stream.records == {}


def test_an_epoch_begins_at_its_first_record() -> None:
    """After a bridge, the first record that says so, or that has the first ESN; others wait for the shards."""
    reading = Reading().started().record(0, 1, hole=True, bridge=True).record(1, 4, epoch=2)
    assert reading.given() == [(BRIDGE, 1, ESN_MAX)]
    assert reading.record(2, 3, epoch=2, epoch_begin=True).given() == [(BRIDGE, (2, 0), (2, 2)), (2, 3), (2, 4)]


def test_nothing_is_told_of_an_epoch_without_metadata() -> None:
    """The metadata of the first unknown epoch are asked for, once."""
    reading = Reading(2, {"node": 1}).tell(inputs.Start())
    assert reading.said(AskMetadata) == [AskMetadata(1)]
    reading.learn(1, 1, 0, 1, source=NOT_LAST)
    for shard in range(2):
        reading.tell(inputs.Gap(shard, e(1), e(0, 3), GapReason.NO_RECORDS))
    assert (reading.given(), reading.said(AskMetadata)) == ([], [AskMetadata(2)])
    reading.learn(2, 2, 0, 1, source=NOT_LAST)
    assert (reading.given(), reading.said(AskMetadata)) == ([], [AskMetadata(3)])
    assert reading.learn(3, 3, 0, 1, source=NOT_LAST).given() == [(BRIDGE, 1, (3, 0))]


def test_the_read_set_changes_at_the_border_of_epochs() -> None:
    """Who leaves is told to stop, who comes is asked to start, at the cursor."""
    reading = Reading().tell(inputs.Start()).learn(1, 1, 0, 1, source=NOT_LAST)
    assert {one.shard for one in reading.said(outputs.SendStart)} == {0, 1}
    reading.record(0, 1).record(0, 2, bridge=True).learn(2, 2, 1, 2, source=NOT_LAST)
    assert reading.said(outputs.SendStop) == [outputs.SendStop(0)]
    assert [(one.shard, one.first) for one in reading.said(outputs.SendStart)] == [(2, e(0, 2))]
    assert reading.record(0, 1, epoch=2).given() == [1, (BRIDGE, 2, ESN_MAX)]


@pytest.mark.parametrize(
    ("source", "until", "known"),
    [(NOT_LAST, 7, 4), (NOT_LAST, 3, 3), (NOT_LAST, 2, 2), (Source.LAST, 3, 4), (Source.LAST, 7, 7)],
)
def test_how_far_metadata_hold(source: Source, until: int, known: int) -> None:
    """Only up to what was released when they were asked for; the last ones up to there at least."""
    reading = Reading(1, {"node": 1}).tell(inputs.Start()).learn(1, 1, 0, source=NOT_LAST)
    reading.tell(inputs.Gap(0, e(1), e(5, 4), GapReason.NO_RECORDS)).learn(2, until, 0, source=source)
    assert reading.stream.known.last_epoch == known


def test_the_first_metadata_may_be_of_an_earlier_epoch() -> None:
    """Reading starts with them, and they are asked for again before the first gap."""
    reading = Reading(1, {"node": 1}, start=e(1, 5)).tell(inputs.Start()).learn(5, 5, 0, since=3)
    assert reading.stream.known.last_epoch == 4
    reading.said(AskMetadata)
    reading.tell(inputs.Gap(0, e(1, 5), e(9, 5), GapReason.NO_RECORDS))
    assert reading.said(AskMetadata) == [AskMetadata(5)]
    reading.learn(5, 5, 0, since=5)
    assert reading.given() == [(GapKind.DATALOSS, (5, 1), (5, 9))]


def test_metadata_of_a_cache_may_be_wrong_at_the_start() -> None:
    """RecordSource CACHED_SOFT: as if they were of an earlier epoch."""
    assert Reading().tell(inputs.Start()).learn(1, 1, 0, source=Source.CACHED_SOFT).stream.known.last_epoch == 0


def test_whoever_reads_the_unreleased_takes_the_last_metadata_for_ever() -> None:
    """ClientReadStream.cpp, updateLastEpochWithMetaData."""
    reading = Reading(ignore_released_status=True).tell(inputs.Start()).learn(1, 1, 0)
    assert reading.stream.known.last_epoch == EPOCH_LAST


def test_late_answers_are_passed_over() -> None:
    """An answer about an epoch that was not asked for last."""
    reading = Reading(2).tell(inputs.Start()).learn(1, 1, 0, 1, source=NOT_LAST)
    before = reading.stream
    assert reading.learn(1, 9, 0).learn(2, 9, 0).tell(inputs.EpochMetadataFailed(2, "ACCESS")).stream == before


def test_epochs_whose_shards_are_all_gone_are_passed_over() -> None:
    """If later metadata exist; the last ones are read again, until better ones come."""
    reading = Reading(2).tell(inputs.Start()).learn(1, 1, 8, 9, source=NOT_LAST)
    assert reading.given() == [(BRIDGE, 1, ESN_MAX)]
    assert reading.said(AskMetadata) == [AskMetadata(1), AskMetadata(2)]
    reading.learn(2, 2, 8)
    assert Timer.METADATA_RETRY in reading.stream.timers
    assert reading.fire(Timer.METADATA_RETRY).said(AskMetadata) == [AskMetadata(2)]
    assert reading.learn(2, 2, 0, 1).record(0, 1, epoch=2).given() == [(BRIDGE, (2, 0), (2, 0)), (2, 1)]


def test_metadata_that_cannot_be_read() -> None:
    """Without permission and without a log the stream ends; anything else is tried again."""
    failed = inputs.EpochMetadataFailed
    reading = Reading(until=e(9)).tell(inputs.Start(), failed(1, "NOTFOUND"))
    assert reading.fire(Timer.METADATA_RETRY).said(AskMetadata) == [AskMetadata(1), AskMetadata(1)]
    for status, kind in (("ACCESS", GapKind.ACCESS), ("NOTINCONFIG", GapKind.NOTINCONFIG)):
        ended = Reading(until=e(9)).tell(inputs.Start(), failed(1, status))
        assert (ended.given(), ended.stream.disposed) == ([(kind, 1, 9)], True)


def test_epoch_0_is_one_bridge() -> None:
    """No record has epoch 0; if the application refuses the gap, the stream starts later."""
    reading = Reading(start=e(3, 0)).tell(inputs.Accepting(value=False), inputs.Start())
    assert Timer.REATTEMPT_START in reading.stream.timers
    reading.tell(inputs.Accepting(value=True)).fire(Timer.REATTEMPT_START)
    assert reading.given() == [(BRIDGE, (0, 3), 0)] * 2
    assert reading.said(AskMetadata) == [AskMetadata(1)]
    assert Reading(start=e(0, 0), until=e(7, 0)).tell(inputs.Start()).stream.disposed

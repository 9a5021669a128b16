"""Gap detection: LogDevice, Read path, Gap detection algorithm, Authoritative Status, and Gaps sent by storage nodes.

ClientReadStream.cpp, checkFMajority, detectGap and determineGapType, where the document is silent.
"""

from __future__ import annotations

import pytest

from reference_impl.log.stream import inputs
from reference_impl.log.stream.deciding import heard
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import LSN_MAX, LogAttributes, Settings, ShardLocation
from reference_impl.log.stream.timers import Timer
from spec.log.quorum import Authority
from spec.log.status import Status
from tests.support.read_streams import BRIDGE, DATALOSS, HOLE, TRIM, Reading, e


def test_an_f_majority_waits_for_the_others_for_a_grace_period() -> None:
    """Three of four shards, with two copies of each record: whoever is silent holds no complete copyset."""
    reading = Reading().started().record(0, 5).record(1, 6)
    assert (reading.given(), Timer.GRACE in reading.stream.timers) == ([], False)
    assert (reading.record(2, 7).given(), Timer.GRACE in reading.stream.timers) == ([], True)
    assert reading.fire(Timer.GRACE).given() == [(DATALOSS, 1, 4), 5, 6, 7]


def test_everyone_is_not_waited_for() -> None:
    """The fourth shard makes it complete."""
    reading = Reading().started().record(0, 5).record(1, 6).record(2, 7).record(3, 5)
    assert reading.given() == [(DATALOSS, 1, 4), 5, 6, 7]
    assert Timer.GRACE not in reading.stream.timers


def test_the_late_record_ends_the_grace_period() -> None:
    """That is what it is for."""
    reading = Reading().started().record(0, 2).record(1, 2).record(2, 2)
    assert Timer.GRACE in reading.stream.timers
    assert reading.record(3, 1).given() == [1, 2]
    assert Timer.GRACE not in reading.stream.timers


def test_who_stays_silent_too_often_is_waited_for_no_more() -> None:
    """Grace counters: after more than grace-counter-limit periods, an f-majority is enough."""
    reading = Reading(settings=Settings(grace_counter_limit=1)).started()
    for lost in (1, 3):
        for shard in range(3):
            reading.record(shard, lost + 1)
        assert reading.given() == []
        assert reading.fire(Timer.GRACE).given() == [(DATALOSS, lost, lost), lost + 1]
        assert reading.stream.senders[0].grace_counter == 0
    for shard in range(3):
        reading.record(shard, 6)
    assert reading.given() == [(DATALOSS, 5, 5), 6]
    assert [sender.grace_counter for sender in reading.stream.senders.values()] == [0, 0, 0, 2]
    assert reading.gap(3, 1, 6).stream.senders[3].grace_counter == 0


@pytest.mark.parametrize(
    ("settings", "waits"), [(Settings(grace_counter_limit=-1), True), (Settings(grace_period=False), False)]
)
def test_settings_of_the_grace_period(settings: Settings, waits: bool) -> None:
    """A negative limit is none, and there may be no grace period at all."""
    reading = Reading(settings=settings).started()
    for shard in range(3):
        reading.record(shard, 2)
    assert (Timer.GRACE in reading.stream.timers) is waits


def test_whoever_requires_the_full_read_set_waits_for_ever() -> None:
    """ClientReadStream.h, requireFullReadSet: an f-majority is not enough."""
    reading = Reading(require_full_read_set=True).started()
    for shard in range(3):
        reading.record(shard, 2)
    assert reading.fire(Timer.GRACE).given() == []
    assert reading.record(3, 2).given() == [(DATALOSS, 1, 1), 2]


def test_racks_count_when_complete() -> None:
    """Read path: if you have f-majority for any one replication domain; partial racks contribute nothing."""
    places = {shard: ShardLocation(f"n{shard}", f"....r{shard // 2}") for shard in range(6)}
    reading = Reading(6, {"node": 3, "rack": 2}, places=places).started().record(0, 2).record(2, 2).record(4, 2)
    assert Timer.GRACE not in reading.stream.timers
    assert Timer.GRACE in reading.record(1, 2).record(3, 2).stream.timers


def test_a_shard_that_may_lack_records_confirms_nothing() -> None:
    """GAP_Message.h, UNDER_REPLICATED: it does not count; but once all have answered, nobody is waited for."""
    reading = Reading(3).started().gap(0, 1, 1, GapReason.UNDER_REPLICATED).record(1, 2)
    assert (reading.given(), Timer.GRACE in reading.stream.timers) == ([], False)
    assert reading.record(2, 2).given() == [(DATALOSS, 1, 1), 2]


def test_how_far_answers_with_gaps_in_them_are_trusted() -> None:
    """Complete if the others are an f-majority, not authoritative if they are none: checkFMajority."""
    reading = Reading(3).started().gap(0, 1, 1, GapReason.UNDER_REPLICATED).gap(1, 1, 1)
    assert heard(reading.stream) is Authority.NONE
    lacking = reading.stream.with_sender(2, next_lsn=e(2), under_replicated_until=e(2))
    assert heard(lacking) is Authority.NON_AUTHORITATIVE
    assert heard(reading.stream.with_sender(2, next_lsn=e(2))) is Authority.AUTHORITATIVE_COMPLETE


def test_a_region_that_may_lack_records_ends_where_it_was_said_to() -> None:
    """A gap ends with it, and the next one where the shard stands, not where others do."""
    reading = Reading(2, {"node": 1}).started().gap(0, 1, 2, GapReason.UNDER_REPLICATED).gap(0, 3, 5)
    assert reading.record(1, 1, 2).gap(1, 3, 9).given() == [1, 2, (DATALOSS, 3, 5)]
    far = Reading(2, {"node": 1}, capacity=4).started().gap(0, 1, 5, GapReason.UNDER_REPLICATED).gap(0, 6, 12)
    assert far.record(1, 1, 2, 3).gap(1, 4, 20).given() == [1, 2, 3, (DATALOSS, 4, 5), (DATALOSS, 6, 12)]


def test_a_bad_checksum_is_no_record() -> None:
    """Read path has no word for it; ClientReadStream.cpp, onDataRecord: it counts as an under-replicated region."""
    reading = Reading(2, {"node": 1}).started().record(0, 1, damaged=True)
    assert reading.given() == []
    assert reading.record(1, 1).given() == [1]
    shipping = Reading(2, {"node": 1}, ship_corrupted=True).started()
    assert shipping.record(0, 1, damaged=True).given() == [1]


def test_down_is_not_lost() -> None:
    """UNAVAILABLE: down, with its data, so readers stall on it. UNDERREPLICATION: its data is not coming back."""
    reading = Reading(2, {"node": 1}).started(Connection.CONNECTING).record(0, 3)
    assert reading.tell(inputs.StatusesChanged({1: Status.UNAVAILABLE})).given() == []
    assert reading.tell(inputs.StatusesChanged({1: Status.UNDERREPLICATION})).given() == [(DATALOSS, 1, 2), 3]


def test_nobody_left_is_a_loss() -> None:
    """determineGapType: where all shards are empty or rebuilding, even the beginning of an epoch is lost."""
    reading = Reading(2, log=LogAttributes(9)).started().gap(0, 1, 3)
    reading.tell(*(inputs.ConnectionSet(shard, Connection.CONNECTING) for shard in range(2)))
    reading.tell(inputs.StatusesChanged(dict.fromkeys(range(2), Status.UNDERREPLICATION)))
    assert reading.given() == [(DATALOSS, 1, 3)]


def test_no_gap_while_a_rewind_is_due() -> None:
    """Rebuilt copies may lie behind the other shards' backs: T16944847 of LogDevice."""
    reading = Reading(2, {"node": 1}).started(Connection.CONNECTING).record(0, 3)
    reading.tell(inputs.StatusesChanged({1: Status.AUTHORITATIVE_EMPTY}))
    assert (reading.given(), reading.stream.rewinding) == ([], True)
    reading.fire(Timer.REWIND).answer(2, 0).record(0, 2)
    assert reading.given() == [(DATALOSS, 1, 1), 2]


def test_the_beginning_of_an_epoch_may_be_a_bridge() -> None:
    """A sequencer need not begin at the first ESN, but no further than its window."""
    for window, kind in ((4, BRIDGE), (3, DATALOSS)):
        reading = Reading(1, {"node": 1}, LogAttributes(window)).started().gap(0, 1, 3)
        assert reading.given() == [(kind, 1, 3)]


def test_a_gap_into_the_next_epoch_is_a_bridge_without_grace() -> None:
    """T12057764 of LogDevice: at the border of epochs nothing is waited for, but at the start it is."""
    reading = Reading().started().record(0, 1)
    for shard in range(3):
        reading.tell(inputs.Gap(shard, e(2), e(0, 2), GapReason.NO_RECORDS))
    assert reading.given() == [1, (BRIDGE, 2, (2, 0))]


def test_nothing_is_reported_before_anything_is_known_to_be_released() -> None:
    """Empty shards prove no end of a gap, unless unreleased records are read."""
    reading = Reading(2, until=e(9)).started(Connection.CONNECTING)
    reading.tell(inputs.StatusesChanged(dict.fromkeys(range(2), Status.AUTHORITATIVE_EMPTY)))
    reading.fire(Timer.REWIND)
    assert reading.tell(inputs.ConfigurationChanged()).given() == []
    unreleased = Reading(2, until=e(9), ignore_released_status=True).started(Connection.CONNECTING)
    unreleased.tell(inputs.StatusesChanged(dict.fromkeys(range(2), Status.AUTHORITATIVE_EMPTY)))
    unreleased.fire(Timer.REWIND)
    assert unreleased.tell(inputs.ConfigurationChanged()).given() == [(DATALOSS, 1, 9)]


def test_the_trimmed_and_the_down_are_not_waited_for() -> None:
    """shouldWaitForGracePeriod: no grace period brings back what is trimmed, or a shard that is down."""
    trimmed = Reading(skip_trimmed=False).started().gap(0, 1, 3, GapReason.TRIM).record(1, 2).record(2, 2)
    assert trimmed.given() == [(TRIM, 1, 1), 2]
    down = Reading().started(Connection.CONNECTING).tell(inputs.StatusesChanged({3: Status.UNAVAILABLE}))
    assert down.record(0, 2).record(1, 2).record(2, 2).given() == [(DATALOSS, 1, 1), 2]


def test_a_gap_is_split_at_the_trim_point() -> None:
    """Even where no shard's gap ends there."""
    reading = Reading(2, {"node": 1}, skip_trimmed=False).started().gap(0, 1, 9).gap(0, 1, 4, GapReason.TRIM)
    assert reading.gap(1, 1, 9).given() == [(TRIM, 1, 4), (DATALOSS, 5, 9)]


def test_one_shard_is_believed_about_trimming() -> None:
    """ClientReadStream.cpp, canSkipPartiallyTrimmedSection; what was buffered below it is dropped."""
    reading = Reading().started().record(0, 3).gap(1, 1, 4, GapReason.TRIM)
    assert reading.given() == [(TRIM, 1, 4)]
    assert reading.stream.records == {}


def test_trimmed_parts_need_not_be_skipped() -> None:
    """Then they are gaps like others, split at the trim point."""
    reading = Reading(2, {"node": 1}, skip_trimmed=False).started().gap(0, 1, 3, GapReason.TRIM).record(1, 2)
    assert reading.given() == [(TRIM, 1, 1), 2]
    assert reading.gap(1, 3, 6).given() == [(TRIM, 3, 3)]
    assert reading.gap(0, 4, 6).given() == [(DATALOSS, 4, 6)]


def test_a_log_that_is_trimmed_for_good() -> None:
    """One gap to the end, and then the end."""
    reading = Reading().started().tell(inputs.Gap(0, e(1), LSN_MAX, GapReason.TRIM))
    assert reading.stream.disposed
    assert reading.stream.cursor == LSN_MAX + 1


def test_holes_and_filtered_records_are_gaps_of_one() -> None:
    """Read path, Reporting gaps: a hole plug says that there is nothing; a filtered record was not wanted."""
    reading = Reading().started().record(0, 1, hole=True).gap(1, 2, 3, GapReason.FILTERED_OUT)
    kinds = [(HOLE, 1, 1), *((inputs.GapReason.FILTERED_OUT, esn, esn) for esn in (2, 3))]
    assert reading.given() == kinds
    assert reading.gap(1, 1, 2, GapReason.FILTERED_OUT).given() == []


def test_whoever_wants_all_copies_waits_with_each_record() -> None:
    """ClientReadStream.h, waitForAllCopies: a record comes when a gap in its place could."""
    reading = Reading(wait_for_all_copies=True).started().record(0, 1).record(1, 1)
    assert reading.given() == []
    assert Timer.GRACE in reading.record(2, 2).stream.timers
    assert reading.record(3, 1).given() == [1]

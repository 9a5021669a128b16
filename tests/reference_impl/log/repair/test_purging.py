"""Shards that missed a recovery: LogDevice, server/storage/Purge*.cpp; common/GetEpochRecoveryMetadataRequest.cpp."""

from __future__ import annotations

import pytest

from reference_impl.log.lsn import lsn_of
from reference_impl.log.repair.metadata import Known, Metadata, Reply, gathered, metadata_of
from reference_impl.log.repair.purging import Purge, cleaned, deleted, is_purged, purge_of, ranges_to_ask
from spec.log.status import Status

OK, EMPTY, NOTREADY, UNKNOWN = Known.OK, Known.EMPTY, Known.NOTREADY, Known.UNKNOWN


@pytest.mark.parametrize(
    ("known", "recovered", "known_good", "last", "purge"),
    [
        (OK, 4, 2, 9, Purge((5, 9), writes_metadata=True)),
        (OK, 4, 6, 9, Purge((5, 9), writes_metadata=True)),
        (OK, 4, 2, 4, Purge(None, writes_metadata=True)),
        (OK, 0, 0, 0, Purge(None, writes_metadata=True)),
        (EMPTY, 0, 0, 9, Purge((1, 9))),
        (EMPTY, 0, 3, 9, Purge()),
        (EMPTY, 0, 0, 0, Purge()),
        (UNKNOWN, 0, 0, 9, Purge()),
    ],
)
def test_what_may_be_deleted(known: Known, recovered: int, known_good: int, last: int, purge: Purge) -> None:
    """All above the recovery's last known good ESN; nothing on the word of those who lost all."""
    assert purge_of(known, recovered, known_good, last) == purge


def test_the_tasks_of_a_purge() -> None:
    assert Purge((1, 2), writes_metadata=True).tasks == ("delete_records", "write_recovery_metadata", "complete")
    assert Purge().tasks == ("complete",)


def test_only_the_range_is_deleted() -> None:
    """As shipped all of it; else what recovery overruled there."""
    held = [lsn_of(1, 5), lsn_of(2, 4), lsn_of(2, 5), lsn_of(2, 9), lsn_of(2, 10), lsn_of(3, 5)]
    assert deleted(held, 2, Purge((5, 9))) == [lsn_of(2, 5), lsn_of(2, 9)]
    assert deleted(held, 2, Purge((5, 9)), {lsn_of(2, 4), lsn_of(2, 9)}.__contains__) == [lsn_of(2, 9)]
    assert deleted(held, 2, Purge()) == []


def test_which_epochs_are_purged() -> None:
    purged = [(known, held) for known in Known for held in (False, True) if is_purged(known, is_held=held)]
    assert purged == [(OK, False), (OK, True), (EMPTY, True)]


def test_epochs_that_share_a_nodeset_are_asked_for_together() -> None:
    assert ranges_to_ask(3, 20, [1, 5, 9, 30], 40, []) == [(4, 4), (5, 8), (9, 20)]
    assert ranges_to_ask(3, 20, [1, 9], 12, []) == [(4, 8), (9, 20)]
    assert ranges_to_ask(20, 20, [1, 9], 40, []) == []
    assert ranges_to_ask(3, 20, [1, 9], 40, [2, 10, 6], asks_for_empty=False) == [(6, 6), (10, 10)]


def test_the_last_clean_epoch_goes_on_though_nothing_is_purged() -> None:
    assert cleaned(6, 7) == 7
    assert cleaned(6, 6) is None
    assert cleaned(8, 6) is None


# ----------------------------------------------------------------------------------------------- metadata


def test_an_epoch_of_which_nothing_was_found_leaves_no_metadata() -> None:
    assert metadata_of(0, 0) is None
    assert metadata_of(0, 2) == Metadata(0, 2)
    assert metadata_of(3, 3) == Metadata(3, 3)


def test_one_answer_settles_an_epoch() -> None:
    """Of both kinds; and another shard's metadata is stronger than its emptiness."""
    replies = [Reply(3, {}), Reply(1, {5: EMPTY, 6: NOTREADY}), Reply(2, {5: OK, 6: OK})]
    assert gathered([5, 6], range(4), {}, replies) == {5: OK, 6: OK}
    assert gathered([5], range(4), {}, replies) == {5: EMPTY}
    assert gathered([5], range(4), {}, replies, is_single_empty_enough=False) == {5: OK}
    assert gathered([5, 6], range(4), {}, replies[:2]) is None
    assert gathered([5, 6], range(4), {}, [Reply(1, {5: OK}), Reply(2, {5: EMPTY, 6: EMPTY})]) == {5: OK, 6: EMPTY}


def test_as_many_as_hold_a_record_settle_an_epoch() -> None:
    """Where one empty answer is not enough; who does not know of every epoch does not count."""
    replies = [Reply(1, {5: EMPTY, 6: EMPTY}), Reply(2, {5: EMPTY, 6: NOTREADY}), Reply(3, {5: OK, 6: EMPTY})]

    def with_copies(copies: int, count: int) -> dict[int, Known] | None:
        return gathered(
            [5, 6],
            range(5),
            {},
            replies[:count],
            is_single_empty_enough=False,
            can_replicate=lambda shards: len(shards) >= copies,
        )

    assert with_copies(2, 2) is None
    assert with_copies(2, 3) == {5: OK, 6: EMPTY}
    assert with_copies(3, 3) is None


def test_a_shard_too_old_for_several_epochs_ends_the_request() -> None:
    """Metadata that is there holds, one empty answer does not; a single epoch it can be asked for."""
    old = Reply(0, {}, is_final=False, is_too_old=True)
    replies = [Reply(1, {5: OK, 6: EMPTY}), old, Reply(2, {7: OK})]
    assert gathered([5, 6, 7], range(4), {}, replies) == {5: OK, 6: UNKNOWN, 7: UNKNOWN}
    assert gathered([5], range(4), {}, [old]) is None
    assert gathered([5], range(4), {}, [old, Reply(1, {5: EMPTY})]) == {5: EMPTY}


def test_all_who_count_know_nothing() -> None:
    """A shard that is down is not waited for; one that is overloaded is."""
    statuses = {2: Status.UNAVAILABLE, 3: Status.AUTHORITATIVE_EMPTY}
    assert gathered([5], range(4), statuses, [Reply(0, {})]) is None
    assert gathered([5], range(4), statuses, [Reply(0, {}), Reply(1, {}, is_final=False)]) is None
    assert gathered([5], range(4), statuses, [Reply(0, {}), Reply(1, {5: NOTREADY})]) == {5: UNKNOWN}
    assert gathered([5], [2], statuses, []) == {5: UNKNOWN}

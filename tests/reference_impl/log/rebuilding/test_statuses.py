"""The status of a shard: LogDevice, common/event_log/EventLogRebuildingSet.cpp, recomputeShardAuthoritativeStatus."""

from __future__ import annotations

import pytest

from reference_impl.log.rebuilding.statuses import Shard, shard_status
from spec.log.status import Status

LEFT = frozenset({(1, 0), (2, 0)})
NONE = frozenset[tuple[int, int]]()
SHARD = Shard(1, relocates=False, recoverable=False, time_ranged=False, remaining=LEFT)

FULL, DOWN = Status.FULLY_AUTHORITATIVE, Status.UNAVAILABLE
LOST, EMPTY = Status.UNDERREPLICATION, Status.AUTHORITATIVE_EMPTY


@pytest.mark.parametrize(
    ("shard", "recoverable", "status"),
    [
        (SHARD._replace(acknowledged=True, status=EMPTY), (), FULL),
        (SHARD._replace(status=EMPTY), (), EMPTY),
        (SHARD._replace(time_ranged=True), (), FULL),
        (SHARD._replace(remaining=NONE), (), EMPTY),
        (SHARD._replace(remaining=NONE, recoverable=True), (0,), EMPTY),
        (SHARD._replace(relocates=True), (), FULL),
        (SHARD._replace(relocates=True, remaining=NONE), (), EMPTY),
        (SHARD._replace(relocates=True, remaining=NONE, left_out=frozenset({1})), (), EMPTY),
        (SHARD._replace(recoverable=True), (0,), DOWN),
        (SHARD, (), LOST),
        (SHARD._replace(remaining=NONE, left_out=frozenset({1})), (3,), LOST),
        (SHARD._replace(remaining=NONE, left_out=frozenset({1}), recoverable=True), (0,), DOWN),
        (SHARD._replace(remaining=NONE, left_out=frozenset({1})), (), EMPTY),
    ],
    ids=[
        "acknowledged",
        "empty stays empty",
        "time ranges",
        "no donor left",
        "no donor left, though it may come back",
        "being moved",
        "moved",
        "moved, but for something",
        "may come back",
        "lost",
        "something left out, which another shard may bring back",
        "something left out, which may come back",
        "something left out for good: data is lost",
    ],
)
def test_the_first_rule_that_fits(shard: Shard, recoverable: tuple[int, ...], status: Status) -> None:
    assert shard_status(shard, frozenset(recoverable)) is status

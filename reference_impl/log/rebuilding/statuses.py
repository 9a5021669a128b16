"""The status of a shard, as the event log works it out from what it knows of its rebuilding.

LogDevice, common/event_log/EventLogRebuildingSet.cpp, recomputeShardAuthoritativeStatus: the first rule that fits.
"""

from __future__ import annotations

from typing import NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.log.copies import Nodes
from reference_impl.log.rebuilding.messages import Work
from spec.log.status import Status


class Shard(NamedTuple):
    """What the event log knows of a shard that is being rebuilt.

    Attributes:
        began: the version of the event log at which the rebuilding began.
        relocates: it still has its data; otherwise its data is lost, for the time being or for good.
        recoverable: its data may come back.
        time_ranged: only records of some time ranges are missing.
        remaining: which donors have not yet re-replicated which logs.
        left_out: donors that are done but left something out, because nobody could give it to them.
        acknowledged: the shard serves again.
        status: what it was worth so far.
    """

    began: int
    relocates: bool
    recoverable: bool
    time_ranged: bool
    remaining: Work
    left_out: Nodes = frozenset()
    acknowledged: bool = False
    status: Status = Status.FULLY_AUTHORITATIVE


@decision
def shard_status(shard: Shard, recoverable: Nodes) -> Status:
    """What a shard's answers are worth, where the data of some shards may still come back.

    A shard whose donors left something out becomes empty only when nothing can come back any more: then data is lost.
    """
    if shard.acknowledged:
        return Status.FULLY_AUTHORITATIVE
    if shard.status is Status.AUTHORITATIVE_EMPTY:
        return Status.AUTHORITATIVE_EMPTY
    if shard.time_ranged:
        return Status.FULLY_AUTHORITATIVE
    if not shard.remaining and not shard.left_out:
        return Status.AUTHORITATIVE_EMPTY
    if shard.relocates:
        return Status.FULLY_AUTHORITATIVE if shard.remaining else Status.AUTHORITATIVE_EMPTY
    if not shard.remaining and not recoverable:
        return Status.AUTHORITATIVE_EMPTY
    return Status.UNAVAILABLE if shard.recoverable else Status.UNDERREPLICATION

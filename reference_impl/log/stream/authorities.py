"""How far a set of shards of the read set can be trusted: the f-majority of the epoch that is being read.

LogDevice, Read path, Gap detection algorithm and Authoritative Status; ``spec.log.quorum`` says what an f-majority is.
"""

from __future__ import annotations

from reference_impl.log.copies import Nodes
from reference_impl.log.stream.state import Stream
from spec.log.quorum import Authority
from spec.log.status import Status

_FULL = Status.FULLY_AUTHORITATIVE


def authority_of(stream: Stream, heard: Nodes) -> Authority:
    """How far these shards speak for the whole read set.

    LogDevice, common/client_read_stream/ClientReadStream.h, GapFailureDomain: the read set's shards with their
    statuses, under the replication property of the epoch.
    """
    electorate, senders = stream.electorate, stream.senders
    return electorate.authority(tuple([senders[shard].status for shard in electorate.shards]), heard)


def is_proved_as_written(stream: Stream) -> bool:
    """Enough shards that are FULLY_AUTHORITATIVE have nothing at the cursor, or all of them.

    LogDevice, Read path, Authoritative Status, by the statuses that the event log says.
    """
    said = stream.around.statuses or {}
    shards = frozenset(stream.senders)
    full = frozenset(shard for shard in shards if said.get(shard, _FULL) is _FULL)
    effective = frozenset(shard for shard in shards if said.get(shard) is not Status.AUTHORITATIVE_EMPTY)
    heard = full & stream.passed()
    return heard == full or stream.electorate.is_f_majority_as_written(heard - stream.lacking(), effective)

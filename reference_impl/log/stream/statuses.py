"""Authoritative statuses: what the event log says of shards, and what the shards say themselves.

LogDevice, Read path, Authoritative Status; common/client_read_stream/ClientReadStream.cpp, applyShardStatus.
"""

from __future__ import annotations

from reference_impl.log.stream import single_copy
from reference_impl.log.stream.health import reckoned
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status


def with_status(stream: Stream, shard: int, status: Status) -> Stream:
    """A shard's silence means something else."""
    if stream.senders[shard].status is status:
        return stream
    return reckoned(stream.with_sender(shard, status=status))


def serves(stream: Stream, shard: int) -> Stream:
    """Whoever sends has its data, whatever the event log says: that may be late.

    ClientReadStream.cpp, onDataRecord and onGap.
    """
    return stream if stream.senders[shard].status.counts else with_status(stream, shard, Status.FULLY_AUTHORITATIVE)


def apply_statuses(stream: Stream) -> Stream:
    """What the event log says of all shards is taken over."""
    for shard in stream.senders:
        stream = apply_status(stream, shard)
    return stream


def apply_status(stream: Stream, shard: int) -> Stream:
    """What the event log says of a shard is taken over, unless the shard sends: it knows better.

    In single copy delivery others stand in for a shard that is not authoritative. Where a shard's records were copied
    elsewhere, the stream rewinds, for they may have been copied behind the other shards' backs. Efficient readers do
    not wait for shards that are down.
    """
    sender, said = stream.senders[shard], stream.around.statuses
    if said is None or sender.connection is Connection.READING:
        return stream
    status = said.get(shard, Status.FULLY_AUTHORITATIVE)
    if status is Status.UNAVAILABLE and stream.around.settings.efficiency:
        status = Status.UNDERREPLICATION
    if status is sender.status:
        return stream
    stream = with_status(stream, shard, status)
    if stream.single_copy.active and status is not Status.FULLY_AUTHORITATIVE:
        stream, rewinds = single_copy.add_down(stream, shard)
        if rewinds:
            return stream
    return stream.waiting(Timer.REWIND) if status is Status.AUTHORITATIVE_EMPTY else stream

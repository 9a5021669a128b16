"""The read set: the shards of the epoch's storage set that the cluster still has.

LogDevice, Read path, How reads happen; common/client_read_stream/ClientReadStream.cpp, updateCurrentReadSet.
"""

from __future__ import annotations

from reference_impl.log.stream import failover
from reference_impl.log.stream.electorate import electorate_of
from reference_impl.log.stream.outputs import SendStop
from reference_impl.log.stream.senders import Sender
from reference_impl.log.stream.starting import send_start
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.statuses import apply_status


def update_read_set(stream: Stream) -> Stream:
    """Shards that left are told to stop, new ones are asked to start, unless a rewind asks everyone anyway."""
    metadata = stream.known.metadata
    if metadata is None:
        return stream
    wanted = metadata.shards & stream.around.shards
    gone = [shard for shard in stream.senders if shard not in wanted]
    added = sorted(wanted - stream.senders.keys())
    stream = stream.saying(*(SendStop(shard) for shard in gone))
    kept = {shard: sender for shard, sender in stream.senders.items() if shard in wanted}
    stream = stream._replace(
        senders={**kept, **{shard: Sender() for shard in added}},
        electorate=electorate_of(wanted, stream.around.places, metadata.replication),
    )
    stream = failover.follow_read_set(stream)
    for shard in added:
        stream = apply_status(stream, shard)
    if not stream.rewinding:
        for shard in added:
            stream = send_start(stream, shard)
    return stream

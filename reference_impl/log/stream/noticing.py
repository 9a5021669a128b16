"""What a stream notices of the world around it, and what is put into it from outside.

LogDevice, common/client_read_stream/ClientReadStream.cpp, applyShardStatus and overrideConnectionState.
"""

from __future__ import annotations

from typing import Any

from reference_impl.log.stream.delivery import dispose_if_done
from reference_impl.log.stream.health import reckoned, with_connection, with_health
from reference_impl.log.stream.inputs import ConnectionSet, HealthSet, StartError, StatusesChanged
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.statuses import apply_statuses


def see(stream: Stream, **changes: Any) -> Stream:
    """The world is another one."""
    return stream._replace(around=stream.around._replace(**changes))


def see_statuses(stream: Stream, message: StatusesChanged) -> Stream:
    """What the event log says is applied at once, and may prove a gap."""
    stream = apply_statuses(see(stream, statuses=message.statuses))
    return dispose_if_done(make_progress(stream))


def see_start_error(stream: Stream, message: StartError) -> Stream:
    """START can be sent to a shard, or cannot."""
    errors = {shard: error for shard, error in stream.around.start_errors.items() if shard != message.shard}
    return see(stream, start_errors=errors if message.error is None else {**errors, message.shard: message.error})


def set_connection(stream: Stream, message: ConnectionSet) -> Stream:
    """A connection is put into a state from outside; that it is lost counts at once."""
    if message.shard not in stream.senders:
        return stream
    stream = with_connection(stream, message.shard, message.state)
    return reckoned(stream, grace_expired=message.state is not Connection.READING)


def set_health(stream: Stream, message: HealthSet) -> Stream:
    """A connection is called healthy or not from outside."""
    return with_health(stream, message.shard, healthy=message.healthy) if message.shard in stream.senders else stream

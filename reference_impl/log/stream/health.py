"""Connection health: whether the shards that the stream is connected to suffice to read on.

LogDevice, common/client_read_stream/ClientReadStreamConnectionHealth.cpp.
"""

from __future__ import annotations

from reference_impl.log.stream.authorities import authority_of
from reference_impl.log.stream.outputs import HealthChanged
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer
from spec.log.quorum import Authority


def is_healthy(stream: Stream) -> bool:
    """A stream is healthy while its healthy connections are more than no f-majority."""
    return stream.health is not Authority.NONE


def reckoned(stream: Stream, *, grace_expired: bool = False) -> Stream:
    """A stream that becomes healthy says so at once; one that becomes unhealthy only after a grace period.

    ClientReadStreamConnectionHealth.cpp, recalculate.
    """
    now = _health(stream)
    if now is stream.health:
        return stream
    if now is not Authority.NONE:
        return _said(stream.not_waiting(Timer.STALL_GRACE), now)
    return _said(stream, now) if grace_expired else stream.waiting(Timer.STALL_GRACE)


def _health(stream: Stream) -> Authority:
    """An f-majority of healthy connections; none while metadata are awaited."""
    known = stream.known
    if known.metadata is None or (known.asked is not None and known.last_epoch < known.asked):
        return Authority.NONE
    return authority_of(stream, frozenset(shard for shard, sender in stream.senders.items() if sender.healthy))


def _said(stream: Stream, health: Authority) -> Stream:
    was = is_healthy(stream)
    stream = stream._replace(health=health)
    return stream if was is is_healthy(stream) else stream.saying(HealthChanged(is_healthy(stream)))


def with_connection(stream: Stream, shard: int, state: Connection) -> Stream:
    """A connection is healthy while the shard sends: ClientReadStreamSenderState.cpp, setConnectionState."""
    was, reads = stream.senders[shard].connection is Connection.READING, state is Connection.READING
    stream = stream.with_sender(shard, connection=state)
    return stream if was is reads else with_health(stream, shard, healthy=reads)


def with_health(stream: Stream, shard: int, *, healthy: bool) -> Stream:
    """A connection became healthy or unhealthy."""
    return reckoned(stream.with_sender(shard, healthy=healthy))

"""Timers that fire: each makes the stream do what it waited with.

LogDevice, common/client_read_stream/ClientReadStream.cpp, the callbacks of its timers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from reference_impl.log.stream import failover, single_copy
from reference_impl.log.stream.beginning import start
from reference_impl.log.stream.delivery import deny, dispose_if_done, remove
from reference_impl.log.stream.epochs import retry_metadata
from reference_impl.log.stream.handshake import try_again
from reference_impl.log.stream.health import reckoned
from reference_impl.log.stream.inputs import Fired, Start
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.rewinding import rewind
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.timers import Timer


def fire(stream: Stream, message: Fired) -> Stream:
    """A timer fires, and so runs no more."""
    timer = message.timer
    if timer in (Timer.RECONNECT, Timer.STARTED):
        return try_again(stream, message.shard)
    if timer in single_copy.FAILOVERS:
        return failover.tick(stream, timer)
    return TIMERS[timer](stream.not_waiting(timer))


def end_grace(stream: Stream) -> Stream:
    """Shards that stayed silent are counted, and what an f-majority lacks is a gap."""
    for shard, sender in stream.senders.items():
        if not sender.has_passed(stream.cursor):
            stream = stream.with_sender(shard, grace_counter=sender.grace_counter + 1)
    return dispose_if_done(make_progress(stream, grace_expired=True))


def redeliver(stream: Stream) -> Stream:
    """What the application refused is offered again."""
    if stream.removed:
        return remove(stream)
    if stream.denied:
        return deny(stream)
    return dispose_if_done(make_progress(stream, redelivering=True))


TIMERS: Final[Mapping[Timer, Callable[[Stream], Stream]]] = {
    Timer.GRACE: end_grace,
    Timer.REDELIVERY: redeliver,
    Timer.REATTEMPT_START: lambda stream: start(stream, Start()),
    Timer.STALL_GRACE: lambda stream: reckoned(stream, grace_expired=True),
    Timer.METADATA_RETRY: retry_metadata,
    Timer.REWIND: rewind,
}
"""What each timer of the stream does."""

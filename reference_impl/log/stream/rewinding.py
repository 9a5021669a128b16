"""Rewinding: all shards are asked anew from the cursor, by new filters.

LogDevice, Single Copy Delivery, Rewinding the stream; common/client_read_stream/ClientReadStream.cpp, rewind.
"""

from __future__ import annotations

from reference_impl.log.stream import single_copy
from reference_impl.log.stream.health import with_connection
from reference_impl.log.stream.hearing import emptied
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.starting import send_start
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.statuses import apply_status
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status


def rewind(stream: Stream) -> Stream:
    """The buffer is dropped, the filter version counted on, plans take effect, and every shard is sent START.

    What a shard sends before it acknowledges that version was filtered otherwise, and is dropped. Sending START may
    make another rewind due.
    """
    forgetful = {shard: sender.forgetful() for shard, sender in stream.senders.items()}
    stream = emptied(stream._replace(senders=forgetful, version=stream.version + 1))
    sent_by_all = not stream.single_copy.active
    stream = single_copy.apply_plans(stream)
    for shard in stream.senders:
        if sent_by_all and stream.single_copy.active and _is_down(stream, shard):
            stream, _ = single_copy.add_down(stream, shard)
        stream = apply_status(with_connection(stream, shard, Connection.CONNECTING), shard)
    stream = single_copy.apply_plans(stream).not_waiting(Timer.REWIND)
    for shard in stream.senders:
        stream = send_start(stream, shard)
    return stream


def _is_down(stream: Stream, shard: int) -> bool:
    """Coming back from all send all, where nobody was listed, who is down is listed at once."""
    sender = stream.senders[shard]
    return sender.connection.failed or sender.status is not Status.FULLY_AUTHORITATIVE or sender.distrusted

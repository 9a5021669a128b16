"""The handshake with a shard: what became of START, what STARTED says, and trying again.

LogDevice, Single Copy Delivery, Known down list; common/client_read_stream/ClientReadStream.cpp, onStartSent and
onStarted; ClientReadStreamSenderState.cpp for the timers.
"""

from __future__ import annotations

from typing import Final

from reference_impl.log.stream import single_copy
from reference_impl.log.stream.delivery import deny, dispose_if_done
from reference_impl.log.stream.health import with_connection, with_health
from reference_impl.log.stream.inputs import ConnectionClosed, Started, StartSent
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.starting import ACCESS, failed, send_start, start_failed
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.statuses import apply_status, serves
from reference_impl.log.stream.surroundings import NOTHING
from reference_impl.log.stream.window import tell_window

OK: Final = "OK"
REBUILDING: Final = "REBUILDING"
FAILED: Final = "FAILED"
GIVES_UP: Final = frozenset({FAILED, "NOTSTORAGE", "SHUTDOWN"})
"""The errors after which a shard is not asked before its connection is closed."""


def on_start_sent(stream: Stream, message: StartSent) -> Stream:
    """START went out, and the answer is awaited; or it did not."""
    sender = stream.senders.get(message.shard)
    if sender is None or sender.connection is not Connection.CONNECTING:
        return stream
    if message.status != OK:
        return start_failed(stream, message.shard, message.status)
    return with_connection(stream, message.shard, Connection.START_SENT).with_sender(message.shard, awaited=True)


def on_started(stream: Stream, message: Started) -> Stream:
    """A shard's answer to the last START counts; once it sends, only that it failed is news.

    A shard that says it is rebuilding, while the event log does not, is believed by nobody; in single copy delivery
    others send in its place.
    """
    shard, status = message.shard, message.status
    sender = stream.senders.get(shard)
    if stream.denied or sender is None or message.version != stream.version:
        return stream
    if status != FAILED and sender.connection is Connection.READING:
        return stream
    if status == REBUILDING and sender.status.counts:
        return _stood_in(stream, shard)
    stream = stream.with_sender(shard, awaited=False)
    if status == OK:
        stream = serves(stream, shard)
    if status in (OK, REBUILDING):
        return dispose_if_done(_reading(stream, message))
    if status in GIVES_UP:
        stream = with_connection(stream, shard, Connection.PERSISTENT_ERROR).with_sender(shard, reconnecting=False)
        return _followed(_stood_in(stream, shard), shard)
    if status == ACCESS:
        return deny(stream)
    return dispose_if_done(failed(stream, shard, status))


def _reading(stream: Stream, message: Started) -> Stream:
    """The shard sends by the filters of this version, and is told of a window that slid meanwhile."""
    shard = message.shard
    stream = stream.with_sender(shard, version=stream.version, reconnecting=False)
    stream = with_connection(stream, shard, Connection.READING)
    if message.status == REBUILDING:
        return _stood_in(stream, shard)
    stream = stream.knowing(released=max(stream.known.released, message.last_released))
    return tell_window(stream, shard)


def _stood_in(stream: Stream, shard: int) -> Stream:
    """In single copy delivery, others send what a shard cannot."""
    return single_copy.add_down(stream, shard)[0] if stream.single_copy.active else stream


def _followed(stream: Stream, shard: int) -> Stream:
    """What the event log says of a shard counts again, and may prove a gap."""
    return dispose_if_done(make_progress(apply_status(stream, shard)))


def on_closed(stream: Stream, message: ConnectionClosed) -> Stream:
    """A shard whose connection is closed has to acknowledge the filter version anew."""
    if message.shard not in stream.senders:
        return stream
    return failed(stream.with_sender(message.shard, version=NOTHING), message.shard, message.status)


def try_again(stream: Stream, shard: int) -> Stream:
    """A shard is asked again, unless the cluster has it no more: ClientReadStreamSenderState.cpp."""
    if shard not in stream.senders:
        return stream
    sender = stream.senders[shard]
    stream = stream.with_sender(shard, reconnecting=False, awaited=False)
    stream = with_health(stream, shard, healthy=sender.connection is Connection.READING)
    if shard not in stream.around.shards:
        return with_connection(stream, shard, Connection.PERSISTENT_ERROR)
    return _followed(send_start(stream, shard), shard)

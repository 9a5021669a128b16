"""START: asking a shard for records from the cursor on, and what follows when that fails.

LogDevice, Single Copy Delivery, Known down list; common/client_read_stream/ClientReadStream.cpp, sendStart and
onConnectionFailure.
"""

from __future__ import annotations

from typing import Final

from reference_impl.log.stream import single_copy
from reference_impl.log.stream.delivery import deny
from reference_impl.log.stream.health import with_connection
from reference_impl.log.stream.outputs import SendStart
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Mode, Stream
from reference_impl.log.stream.timers import Timer

ACCESS: Final = "ACCESS"
"""The error of whoever may not read."""

OTHER_PROTOCOL: Final = "PROTONOSUPPORT"
"""The error of a shard that speaks an older protocol."""

OTHER_CONNECTION: Final = "SSLREQUIRED"
"""The error of a shard that wants another kind of connection: no reason to call it down."""


def send_start(stream: Stream, shard: int) -> Stream:
    """A shard is asked for records from the cursor on; what it sent before no longer counts."""
    stream = stream._replace(senders={**stream.senders, shard: stream.senders[shard].forgetful()})
    stream = stream.with_sender(shard, reconnecting=False, awaited=False)
    error = stream.around.start_errors.get(shard)
    if error is not None:
        return start_failed(stream, shard, error)
    copies, window = stream.single_copy, stream.window
    start = SendStart(
        shard,
        stream.cursor,
        stream.options.until,
        window.high,
        stream.version,
        copies.active,
        copies.mode is Mode.LOCAL,
        copies.lists.everyone,
    )
    return with_connection(stream.saying(start), shard, Connection.CONNECTING).with_sender(
        shard, window_high=window.high
    )


def start_failed(stream: Stream, shard: int, error: str) -> Stream:
    """A shard that speaks an older protocol is asked again in that one, together with all others.

    LogDevice, ClientReadStream.cpp, handleStartPROTONOSUPPORT.
    """
    return stream.waiting(Timer.REWIND) if error == OTHER_PROTOCOL else failed(stream, shard, error)


def failed(stream: Stream, shard: int, error: str) -> Stream:
    """A shard that cannot be reached is known to be down after a rewind, or else tried again later.

    LogDevice, ClientReadStream.cpp, onConnectionFailure: without single copy delivery, or once it is on the list, its
    reconnect timer runs.
    """
    stream = stream.with_sender(shard, awaited=False)
    if error == ACCESS:
        return stream if stream.denied else deny(stream)
    if stream.single_copy.active and error != OTHER_CONNECTION:
        stream, rewinds = single_copy.add_down(stream, shard)
        if rewinds:
            return stream
    return with_connection(stream, shard, Connection.RECONNECT_PENDING).with_sender(shard, reconnecting=True)

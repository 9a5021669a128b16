"""Flow control: the window moves on with the reader, and shards send no further than its end.

LogDevice, Read path, How reads happen; common/client_read_stream/ClientReadStream.cpp, slideSenderWindows.
"""

from __future__ import annotations

from reference_impl.log.stream import single_copy
from reference_impl.log.stream.hearing import hear
from reference_impl.log.stream.outputs import SendWindow
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream, Window
from reference_impl.log.stream.surroundings import Options


def first_window(options: Options) -> Window:
    """The window is as large as the buffer at first."""
    return window_at(options.start, options.capacity, options)


def window_at(cursor: int, size: int, options: Options) -> Window:
    """A window of this size at the cursor; it slides once that part of it is delivered which the threshold names.

    LogDevice, docs/settings.md, client-read-flow-control-threshold: the whole part of it, from 0.
    """
    high = min(options.until, cursor + size - 1)
    return Window(size, high, cursor + int(options.threshold * (size - 1)), cursor)


def slide(stream: Stream) -> Stream | None:
    """Once enough of the window is delivered, shards are told of a later one; None where it stays.

    ClientReadStream.cpp, slideSenderWindows. The way back from all send all to single copy delivery is here: Single
    Copy Delivery, When does the client switch back to SCD mode.
    """
    window, options = stream.window, stream.options
    if stream.done or stream.cursor <= window.slides_after or options.until <= window.high:
        return None
    stream = stream._replace(window=window_at(stream.cursor, _next_size(stream), options))
    back = single_copy.may_return(stream)
    if stream.single_copy.active and not options.trusts_at_once:
        for shard in stream.senders:
            stream = single_copy.trust_again(stream, shard)
    for shard in stream.senders:
        stream = hear(tell_window(stream, shard), shard, stream.senders[shard].next_lsn)
    return single_copy.plan(stream, single_copy.wanted_mode(stream)) if back else stream


def _next_size(stream: Stream) -> int:
    """Half the room under memory pressure, else one more, up to what the buffer holds."""
    size = stream.window.size
    return max(1, size // 2) if stream.around.memory_pressure else min(stream.options.capacity, size + 1)


def tell_window(stream: Stream, shard: int) -> Stream:
    """A shard that sends is told of the window, unless it knows it or is soon asked anew.

    ClientReadStream.cpp, sendWindowMessage: nothing is expected of a shard whose data is gone.
    """
    sender, window = stream.senders[shard], stream.window
    reading = sender.connection is Connection.READING and sender.status.counts
    known = window.low_told > window.high or window.high == sender.window_high
    if stream.rewinding or not reading or known:
        return stream
    return stream.saying(SendWindow(shard, window.low_told, window.high)).with_sender(shard, window_high=window.high)

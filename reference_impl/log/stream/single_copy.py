"""Single copy delivery as the reader runs it: who is passed over, and when all should send all.

LogDevice, Single Copy Delivery, Failover mechanisms on clients; common/client_read_stream/ClientReadStreamScd.cpp.
What is decided here takes effect with the next rewind.
"""

from __future__ import annotations

from typing import Final

from reference_impl.log.delivery import filtered_out
from reference_impl.log.stream.inputs import OutliersChanged
from reference_impl.log.stream.state import Mode, Moved, SingleCopy, Stream
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status

FAILOVERS: Final = (Timer.SHARDS_DOWN, Timer.ALL_SEND_ALL)
"""The timers that run in single copy delivery only."""


def wanted_mode(stream: Stream) -> Mode:
    """The mode that the log's attributes ask for: LogDevice, docs/log_configuration.md, scd-enabled."""
    log = stream.known.log
    if log is None or not log.single_copy:
        return Mode.ALL_SEND_ALL
    return Mode.LOCAL if log.local else Mode.SINGLE_COPY


def begin(stream: Stream) -> Stream:
    """A stream begins in the mode that the log asks for."""
    begun = SingleCopy(wanted_mode(stream), ticks=dict.fromkeys(FAILOVERS, stream.cursor))
    stream = stream.not_waiting(*FAILOVERS)._replace(single_copy=begun)
    return stream.waiting(*FAILOVERS) if begun.active else stream


def plan(stream: Stream, mode: Mode) -> Stream:
    """The mode changes with the next rewind: ClientReadStreamScd.cpp, scheduleRewindToMode."""
    if mode is Mode.ALL_SEND_ALL:
        stream = stream.not_waiting(*FAILOVERS)
    return stream.with_single_copy(planned=mode).waiting(Timer.REWIND)


def add_down(stream: Stream, shard: int) -> Moved:
    """A shard that cannot send is known to be down after a rewind; says whether a rewind comes of it.

    Single Copy Delivery, When does the client add nodes in the known down list. Nothing comes of it where the shard is
    known to be down already.
    """
    lists = stream.single_copy.lists
    if shard in lists.down:
        return stream, False
    lists, news = filtered_out.add_down(lists, shard)
    return (stream.with_single_copy(lists=lists).waiting(Timer.REWIND) if news else stream), True


def trust_again(stream: Stream, shard: int) -> Stream:
    """A shard that sends records is not down: the stream rewinds without it on the list.

    Single Copy Delivery, When does the client remove nodes from the known down list; ClientReadStreamScd.cpp,
    scheduleRewindIfShardBackUp.
    """
    sender = stream.senders[shard]
    if not (sender.last_record and sender.next_lsn) or sender.distrusted:
        return stream
    lists, news = filtered_out.remove_down(stream.single_copy.lists, shard)
    return stream.with_single_copy(lists=lists).waiting(Timer.REWIND) if news else stream


def see_outliers(stream: Stream, message: OutliersChanged) -> Stream:
    """Shards that are slow are passed over after a rewind, and those that were are not; where all send, nobody is.

    LogDevice, Read path, SCD greylisting; ClientReadStreamScd.cpp, rewindWithOutliers.
    """
    if not stream.single_copy.active:
        return stream
    lists, news = filtered_out.change_slow(stream.single_copy.lists, message.outliers)
    return stream.with_single_copy(lists=lists).waiting(Timer.REWIND) if news else stream


def may_return(stream: Stream) -> bool:
    """All send all ends with the window, unless all shards are down or not to be trusted.

    Single Copy Delivery, When does the client switch back to SCD mode; ClientReadStream.cpp, slideSenderWindows.
    """
    if stream.single_copy.active or wanted_mode(stream) is Mode.ALL_SEND_ALL:
        return False
    return any(
        not sender.connection.failed and sender.status is Status.FULLY_AUTHORITATIVE and not sender.distrusted
        for sender in stream.senders.values()
    )


def apply_plans(stream: Stream) -> Stream:
    """What was decided since the last rewind takes effect; were all shards passed over, all send all instead.

    ClientReadStreamScd.cpp, applyScheduledChanges.
    """
    copies = stream.single_copy
    if copies.planned is not Mode.ALL_SEND_ALL:
        lists, changed = filtered_out.apply(copies.lists)
        stream = stream.with_single_copy(lists=lists)
        nobody_left = len(lists.down) == len(stream.senders) and not stream.around.settings.efficiency
        if changed and nobody_left:
            stream = plan(stream, Mode.ALL_SEND_ALL)
        elif changed:
            stream = stream.waiting(Timer.SHARDS_DOWN)
    planned = stream.single_copy.planned
    if planned is Mode.ALL_SEND_ALL:
        stream = stream.with_single_copy(mode=planned, lists=filtered_out.clear(stream.single_copy.lists))
    elif planned is not None:
        stream = stream.with_single_copy(mode=planned).not_waiting(Timer.GRACE).waiting(*FAILOVERS)
    return stream.with_single_copy(planned=None)

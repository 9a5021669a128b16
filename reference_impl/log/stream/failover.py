"""Failover in single copy delivery: shards that send nothing are passed over, and in the end all send all.

LogDevice, Single Copy Delivery, When does the client do failover to All Send All mode;
common/client_read_stream/ClientReadStreamScd.cpp.
"""

from __future__ import annotations

from reference_impl.log.copies import Nodes
from reference_impl.log.delivery import filtered_out
from reference_impl.log.stream.single_copy import plan
from reference_impl.log.stream.state import Mode, Stream
from reference_impl.log.stream.surroundings import NOTHING
from reference_impl.log.stream.timers import Timer


def lacking_unlisted(stream: Stream) -> Nodes:
    """The shards that may lack records at the cursor and that nobody stands in for yet."""
    return stream.lacking() - stream.single_copy.lists.everyone


def fail_over_if_stuck(stream: Stream) -> Stream:
    """When nobody is left who may send the next record, all should send all.

    Single Copy Delivery, When does the client do failover to All Send All mode; checkNeedsFailoverToAllSendAll. Not
    where a record is at hand, where a trimmed part is about to be passed over, or where gaps are delivered in single
    copy delivery; and shards that may lack records are stood in for first.
    """
    settled = stream.done or stream.single_copy.planned is Mode.ALL_SEND_ALL or stream.around.settings.efficiency
    if settled or can_deliver(stream) or can_skip_trimmed(stream):
        return stream
    out_of_play = stream.passed() | stream.single_copy.lists.everyone
    if len(out_of_play) < len(stream.senders) or lacking_unlisted(stream):
        return stream
    return plan(stream, Mode.ALL_SEND_ALL)


def can_deliver(stream: Stream) -> bool:
    """The next record is in the buffer: only the application keeps it from being delivered."""
    return stream.cursor in stream.records or stream.cursor in stream.filtered


def can_skip_trimmed(stream: Stream) -> bool:
    """Some shard says that the cursor is trimmed, and trimmed parts may be passed over."""
    trimmed = stream.known.trimmed
    return stream.options.skip_trimmed and trimmed != NOTHING and stream.cursor <= trimmed


def tick(stream: Stream, timer: Timer) -> Stream:
    """A failover timer fired: unless the stream got on since, the shards that sent nothing are to blame.

    Single Copy Delivery, Failover mechanisms on clients, scd-timeout and scd-all-send-all-timeout; FailoverTimer. Where
    slow shards are looked for, the silent ones are slow, not down: shardsDownFailoverTimerCallback.
    """
    if not stream.single_copy.active:
        return stream
    stuck = stream.cursor == stream.single_copy.ticks[timer] and not can_deliver(stream)
    stream = stream.with_single_copy(ticks={**stream.single_copy.ticks, timer: stream.cursor}).waiting(timer)
    if not stuck:
        return stream
    if timer is Timer.SHARDS_DOWN and stream.around.settings.detects_slow:
        return stream.not_waiting(timer)
    silent = frozenset(stream.senders) - stream.passed() - stream.single_copy.lists.everyone
    blamed = len(stream.single_copy.lists.down) + len(silent)
    if timer is Timer.ALL_SEND_ALL:
        return plan(stream, Mode.ALL_SEND_ALL) if not silent or blamed == len(stream.senders) else stream
    if not silent or blamed >= len(stream.senders):
        return stream
    lists = stream.single_copy.lists
    for shard in silent:
        lists, _ = filtered_out.add_down(lists, shard)
    return stream.with_single_copy(lists=lists).waiting(Timer.REWIND)


def follow_read_set(stream: Stream) -> Stream:
    """Shards that left the read set leave the lists at once; the others hear of it by a rewind.

    ClientReadStreamScd.cpp, updateStorageShardsSet.
    """
    lists, listed = stream.single_copy.lists, False
    for shard in (lists.everyone | lists.new_down | lists.new_slow) - frozenset(stream.senders):
        lists, was = filtered_out.erase(lists, shard)
        listed |= was
    stream = stream.with_single_copy(lists=lists)
    if not stream.single_copy.active or stream.single_copy.planned is Mode.ALL_SEND_ALL:
        return stream
    stream = fail_over_if_stuck(stream)
    return stream.waiting(Timer.REWIND) if listed else stream

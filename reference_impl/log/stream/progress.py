"""Progress: as long as there is a record or a gap at the cursor, it is delivered.

LogDevice, Read path, How reads happen; common/client_read_stream/ClientReadStream.cpp, findGapsAndRecords.
"""

from __future__ import annotations

from typing import Final

from reference_impl.log.lsn import ESN_MAX, epoch_of, esn_of, lsn_of
from reference_impl.log.stream import failover
from reference_impl.log.stream.asking import ask_metadata, ask_next
from reference_impl.log.stream.deciding import Decision, decide, stand_in
from reference_impl.log.stream.delivery import deliver_gap, deliver_record
from reference_impl.log.stream.detection import detect_gap
from reference_impl.log.stream.hearing import first_marker, move_to
from reference_impl.log.stream.outputs import Delivered, GapKind
from reference_impl.log.stream.state import Moved, Stream
from reference_impl.log.stream.surroundings import EPOCH_LAST, LSN_MAX, NOTHING
from reference_impl.log.stream.timers import Timer
from reference_impl.log.stream.window import slide

ESN_MIN: Final = 1
"""The first ESN of an epoch: LogDevice, include/types.h."""


def make_progress(stream: Stream, *, grace_expired: bool = False, redelivering: bool = False) -> Stream:
    """Whatever can be delivered is delivered, and the window slides along.

    Each step on stops the grace period. In single copy delivery, a stream that is stuck asks all shards to send all.
    """
    if stream.done or stream.denied or stream.known.metadata is None:
        return stream
    while not stream.done:
        stream, moved = _advance(stream, grace_expired=grace_expired, redelivering=redelivering)
        if moved:
            stream, redelivering = stream.not_waiting(Timer.GRACE), False
            continue
        slid = slide(stream)
        if slid is None:
            break
        stream = slid
    return failover.fail_over_if_stuck(stream) if stream.single_copy.active else stream


def _advance(stream: Stream, *, grace_expired: bool, redelivering: bool) -> Moved:
    """One record or gap at the cursor, unless it is beyond the window or the application just refused.

    A record that was offered once is offered again, even if it was trimmed since.
    """
    if stream.cursor > stream.window.high or Timer.REDELIVERY in stream.timers:
        return stream, False
    offered = redelivering and stream.cursor in stream.records
    if failover.can_skip_trimmed(stream) and not offered:
        return skip_trimmed(stream)
    if failover.can_deliver(stream):
        return take_run(stream) or take(stream, grace_expired=grace_expired)
    if stream.cursor in stream.markers:
        return stream._replace(markers=stream.markers - {stream.cursor}), True
    begin = epoch_begin(stream)
    return skip_to(stream, begin) if begin != NOTHING else detect_gap(stream, grace_expired=grace_expired)


def skip_trimmed(stream: Stream) -> Moved:
    """What one shard says is trimmed is passed over, once the metadata of the epoch after it are known.

    ClientReadStream.cpp, deliverFastForwardGap.
    """
    trimmed = stream.known.trimmed
    if epoch_of(min(trimmed + 1, LSN_MAX)) > stream.known.last_epoch:
        return ask_next(stream), False
    stream, taken = deliver_gap(stream, GapKind.TRIM, stream.cursor, trimmed)
    return (move_to(stream, trimmed + 1), True) if taken else (stream, False)


def take_run(stream: Stream) -> Moved | None:
    """Ordinary records that follow each other are delivered together, where the application takes them all.

    It is the same as to deliver them one by one; None where one of them, or none, is to be delivered so.
    """
    records, here = stream.records, stream.cursor
    if stream.options.wait_for_all_copies or not stream.around.accepting or here <= stream.known.trimmed:
        return None
    given: list[Delivered] = []
    while here <= stream.window.high and (record := records.get(here)) is not None and not record.hole:
        given.append(Delivered(here, record.digest))
        here += 1
    if here in stream.filtered or here - stream.cursor <= 1:
        return None
    stream = stream._replace(said=(*stream.said, *given)).not_waiting(Timer.REDELIVERY)
    return move_to(stream, here), True


def take(stream: Stream, *, grace_expired: bool) -> Moved:
    """The record at the cursor is delivered; what was filtered out is a gap of one LSN, a bridge ends the epoch."""
    if stream.options.wait_for_all_copies:
        stream, ready = _all_copies_came(stream, grace_expired=grace_expired)
        if not ready:
            return stream, False
    here = stream.cursor
    if here in stream.filtered:
        stream, taken = deliver_gap(stream, GapKind.FILTERED_OUT, here, here)
    elif stream.records[here].bridge:
        return cross_bridge(stream)
    else:
        stream, taken = deliver_record(stream, here)
    return (move_to(stream, here + 1), True) if taken else (stream, False)


def _all_copies_came(stream: Stream, *, grace_expired: bool) -> Moved:
    """Whoever wants all copies waits with each record as long as with a gap: ClientReadStream.h, waitForAllCopies."""
    decision = decide(stream, grace_expired=grace_expired)
    if decision is Decision.GRACE:
        return stream.waiting(Timer.GRACE), False
    if decision is Decision.STAND_IN:
        return stand_in(stream), False
    if decision is Decision.ISSUE and stream.epoch > stream.known.last_epoch:
        return ask_metadata(stream, stream.epoch), False
    return stream, decision is Decision.ISSUE


def cross_bridge(stream: Stream) -> Moved:
    """A bridge record ends its epoch: a gap to the epoch's end, without asking anybody else.

    LogDevice, Read path, Reporting gaps; ClientReadStream.cpp, handleBridgeRecord. Nothing is delivered of the next
    epoch before its metadata are known.
    """
    upto = min(stream.options.until, lsn_of(stream.epoch, ESN_MAX))
    stream, taken = deliver_gap(stream, GapKind.BRIDGE, stream.cursor, upto)
    if not taken:
        return stream, False
    target = min(upto + 1, LSN_MAX)
    if stream.known.last_epoch < min(epoch_of(target) - 1, EPOCH_LAST):
        stream = stream.knowing(last_epoch=epoch_of(target) - 1)
    stream = move_to(stream, target)
    if not stream.done and stream.epoch > stream.known.last_epoch:
        return ask_next(stream), False
    return stream, True


def epoch_begin(stream: Stream) -> int:
    """At the start, or right after a bridge: the first record of the epoch, if the buffer shows that it is the first.

    ClientReadStream.cpp, checkEpochBegin: it has the first ESN, or says that its epoch begins with it. NOTHING if none.
    """
    if esn_of(stream.cursor) != 0 and stream.cursor != stream.options.start:
        return NOTHING
    first = first_marker(stream)
    if first is None or stream.known.highest_record < stream.cursor or epoch_of(first) != stream.epoch:
        return NOTHING
    record = stream.records.get(first)
    if record is None and first not in stream.filtered:
        return NOTHING
    begins = esn_of(first) == ESN_MIN or (record is not None and record.epoch_begin)
    return first if begins else NOTHING


def skip_to(stream: Stream, first: int) -> Moved:
    """Up to the first record of an epoch there is nothing: a bridge gap, without asking the shards.

    ClientReadStream.cpp, handleEpochBegin.
    """
    if stream.epoch > stream.known.last_epoch:
        return ask_next(stream), False
    stream, taken = deliver_gap(stream, GapKind.BRIDGE, stream.cursor, first - 1)
    return (move_to(stream, first), True) if taken else (stream, False)

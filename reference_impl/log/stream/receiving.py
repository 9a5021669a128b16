"""Receiving records and gaps from storage shards.

LogDevice, Read path, Re-ordering, De-duplication and Gaps sent by storage nodes;
common/client_read_stream/ClientReadStream.cpp, onDataRecord and onGap.
"""

from __future__ import annotations

from reference_impl.log.stream import single_copy
from reference_impl.log.stream.delivery import dispose_if_done
from reference_impl.log.stream.hearing import after, hear, may_lack_until, release
from reference_impl.log.stream.inputs import Gap, GapReason, Record
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.statuses import serves
from reference_impl.log.stream.surroundings import LSN_MAX
from reference_impl.log.stream.window import tell_window


def sent_by_these_filters(stream: Stream, shard: int) -> bool:
    """What was sent before a shard acknowledged the filter version is dropped; the first version has no before."""
    return stream.version == 1 or stream.senders[shard].version == stream.version


def on_record(stream: Stream, record: Record) -> Stream:
    """The first copy of a record within the window is buffered, and delivered when its turn comes.

    A shard that is asked anew may repeat itself: that is passed over. A damaged record is none, but a region in which
    the shard lacks records.
    """
    shard, lsn = record.shard, record.lsn
    if shard not in stream.senders or stream.denied or lsn > stream.window.high:
        return stream
    if not sent_by_these_filters(stream, shard):
        return stream
    stream = _noted_alive(stream, shard)
    if lsn < stream.senders[shard].next_lsn:
        return stream
    if record.damaged and not stream.options.ship_corrupted:
        return on_gap(stream, Gap(shard, lsn, lsn, GapReason.CHECKSUM_FAIL))
    stream = stream.with_sender(shard, last_record=max(stream.senders[shard].last_record, lsn), grace_counter=0)
    if record.damaged or record.under_replicated:
        stream = may_lack_until(stream, shard, after(lsn))
    stream = release(stream.knowing(highest_record=max(stream.known.highest_record, lsn)), lsn)
    if lsn < stream.cursor:
        stream = hear(stream, shard, lsn + 1)
    else:
        buffered = stream._replace(records={lsn: record, **stream.records})
        stream = make_progress(hear(buffered, shard, after(lsn)))
    if stream.single_copy.active and stream.options.trusts_at_once:
        stream = single_copy.trust_again(stream, shard)
    return dispose_if_done(stream)


def on_gap(stream: Stream, gap: Gap) -> Stream:
    """A shard has nothing up to the end of the gap; where the gap begins, the shard's order has said already.

    In single copy delivery a bad checksum makes others stand in at once, for nobody else will send that record.
    """
    shard = gap.shard
    if shard not in stream.senders or stream.denied:
        return stream
    stream = stream.with_sender(shard, grace_counter=0)
    if not sent_by_these_filters(stream, shard):
        return stream
    stream = _noted_alive(stream, shard)
    if gap.reason is GapReason.TRIM:
        stream = stream.knowing(trimmed=max(stream.known.trimmed, gap.upto))
    if gap.reason is GapReason.CHECKSUM_FAIL and stream.single_copy.active:
        stream, rewinds = single_copy.add_down(stream, shard)
        if rewinds:
            return stream
    stream = release(stream, gap.upto)
    if gap.reason is GapReason.FILTERED_OUT:
        if not _can_filter(stream, gap):
            return stream
        stream = _filtered(stream, gap)
    if gap.reason in (GapReason.UNDER_REPLICATED, GapReason.CHECKSUM_FAIL):
        stream = may_lack_until(stream, shard, after(gap.upto))
    return dispose_if_done(make_progress(hear(stream, shard, after(gap.upto))))


def _noted_alive(stream: Stream, shard: int) -> Stream:
    """A shard that was thought to have lost its data sends: it is told of the window again."""
    return stream if stream.senders[shard].status.counts else tell_window(serves(stream, shard), shard)


def _can_filter(stream: Stream, gap: Gap) -> bool:
    """Filtered-out records are subject to flow control as records are, and news only once."""
    news = gap.upto >= stream.cursor and gap.upto + 1 >= stream.senders[gap.shard].next_lsn
    return news and gap.first <= gap.upto <= min(stream.window.high, LSN_MAX)


def _filtered(stream: Stream, gap: Gap) -> Stream:
    """Filtered-out records were there: they say as much as records, but are delivered as gaps of one LSN each.

    ClientReadStream.cpp, setGapStateFilteredOut.
    """
    last = max(stream.senders[gap.shard].last_record, gap.upto)
    there = frozenset(range(max(gap.first, stream.cursor), gap.upto + 1))
    stream = stream.with_sender(gap.shard, last_record=last)._replace(filtered=stream.filtered | there)
    return stream.knowing(highest_record=max(stream.known.highest_record, gap.upto))

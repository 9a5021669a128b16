"""Batches: records and a gap of one shard that arrive together.

LogDevice, server/read_path/CatchupOneStream.cpp: a shard reads and sends a batch at a time. To take its messages one by
one is what they mean; where all of them are ordinary, the same comes of taking them at once, which is faster.
"""

from __future__ import annotations

from reference_impl.log.stream.delivery import dispose_if_done
from reference_impl.log.stream.hearing import after, hear, release
from reference_impl.log.stream.inputs import Batch, GapReason, Record
from reference_impl.log.stream.progress import make_progress
from reference_impl.log.stream.receiving import on_gap, on_record, sent_by_these_filters
from reference_impl.log.stream.state import Stream


def on_batch(stream: Stream, batch: Batch) -> Stream:
    """Records are taken in their order, then the gap."""
    if is_ordinary(stream, batch):
        return at_once(stream, batch)
    for record in batch.records:
        stream = on_record(stream, record)
    return on_gap(stream, batch.gap)


def is_ordinary(stream: Stream, batch: Batch) -> bool:
    """Everyone who has a record sends it, and nothing is doubtful: neither of the shard nor of what it sends."""
    sender = stream.senders.get(batch.shard)
    return (
        sender is not None
        and not (stream.denied or stream.single_copy.active or sender.distrusted)
        and sent_by_these_filters(stream, batch.shard)
        and sender.status.counts
        and sender.under_replicated_until <= stream.cursor
        and batch.gap.reason is GapReason.NO_RECORDS
        and not any(record.damaged or record.under_replicated for record in batch.records)
    )


def at_once(stream: Stream, batch: Batch) -> Stream:
    """Buffer what is new, let the shard pass all of it, and only then deliver what can be delivered."""
    sender = stream.senders[batch.shard]
    fresh = [record for record in batch.records if sender.next_lsn <= record.lsn <= stream.window.high]
    if fresh:
        stream = _buffered(stream, fresh)
        last = fresh[-1].lsn
        sender = sender._replace(last_record=max(sender.last_record, last), grace_counter=0)
        if last > stream.known.highest_record:
            stream = stream.knowing(highest_record=last)
        stream = stream._replace(senders={**stream.senders, batch.shard: sender})
    elif sender.grace_counter:
        stream = stream.with_sender(batch.shard, grace_counter=0)
    stream = release(stream, batch.gap.upto)
    return dispose_if_done(make_progress(hear(stream, batch.shard, after(batch.gap.upto))))


def _buffered(stream: Stream, fresh: list[Record]) -> Stream:
    """The first copy of each record counts."""
    wanted = {record.lsn: record for record in fresh if record.lsn >= stream.cursor}
    return stream._replace(records=wanted | dict(stream.records)) if wanted else stream

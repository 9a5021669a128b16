"""What is known of the shards' progress: where each has passed, and where a gap may end.

LogDevice, Read path, Gap detection; common/client_read_stream/ClientReadStream.cpp, updateGapState and
unlinkRecordState. Shards send in the order of LSNs, so a shard that sent something has no record before it.
"""

from __future__ import annotations

from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import LSN_MAX, NOTHING


def after(lsn: int) -> int:
    """The LSN after this one, if there is one: ClientReadStream.cpp, onGap."""
    return min(lsn + 1, LSN_MAX)


def hear(stream: Stream, shard: int, next_lsn: int) -> Stream:
    """A shard that will send nothing before an LSN has no record from the cursor to there, and a gap may end there.

    Where it may lack records up to an earlier LSN, a gap may end at that one first. A shard that has left the region
    in which it may lack records is trusted again.
    """
    sender = stream.senders[shard]
    if next_lsn < sender.next_lsn:
        return stream
    lacks = stream.cursor < sender.under_replicated_until
    trusted = next_lsn > stream.cursor and not lacks
    if next_lsn > sender.next_lsn or (trusted and sender.distrusted):
        stream = stream.with_sender(shard, next_lsn=next_lsn, distrusted=sender.distrusted and not trusted)
    if next_lsn <= stream.cursor:
        return stream
    if next_lsn > stream.window.high:
        stream = stream.with_window(beyond=min(stream.window.beyond or next_lsn, next_lsn))
    return mark(stream, sender.under_replicated_until if lacks else next_lsn)


def mark(stream: Stream, lsn: int) -> Stream:
    """A gap may end before this LSN, if it lies in the window."""
    return stream._replace(markers=stream.markers | {lsn}) if lsn <= stream.window.high else stream


def may_lack_until(stream: Stream, shard: int, lsn: int) -> Stream:
    """A shard may lack records before this LSN: GAP_Message.h, UNDER_REPLICATED and CHECKSUM_FAIL."""
    return stream.with_sender(shard, under_replicated_until=max(stream.senders[shard].under_replicated_until, lsn))


def move_to(stream: Stream, lsn: int) -> Stream:
    """Everything before an LSN is delivered: the buffer forgets it.

    A shard that has left the region in which it may lack records is trusted again, and a gap may end where it stands.
    """
    before = stream.cursor
    stream = stream._replace(
        cursor=lsn,
        records={at: record for at, record in stream.records.items() if at >= lsn},
        filtered=frozenset(at for at in stream.filtered if at >= lsn),
        markers=frozenset(at for at in stream.markers if at >= lsn),
    )
    for shard, sender in stream.senders.items():
        if before < sender.under_replicated_until <= lsn and sender.under_replicated_until < sender.next_lsn:
            stream = stream.with_sender(shard, distrusted=False)
            if sender.has_passed(lsn):
                stream = mark(stream, sender.next_lsn)
    return stream


def first_marker(stream: Stream) -> int | None:
    """The first LSN of the buffer where something is: a record, or the end of a gap."""
    return min((*stream.records, *stream.filtered, *stream.markers), default=None)


def release(stream: Stream, lsn: int) -> Stream:
    """What a shard sends is released, unless unreleased records were asked for."""
    if stream.options.ignore_released_status or lsn <= stream.known.released:
        return stream
    return stream.knowing(released=lsn)


def emptied(stream: Stream) -> Stream:
    """The buffer without anything: all shards are asked anew from the cursor."""
    return stream._replace(records={}, filtered=frozenset(), markers=frozenset()).with_window(beyond=NOTHING)

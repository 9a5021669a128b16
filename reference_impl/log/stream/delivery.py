"""Delivery to the application, which may refuse: then the same is offered again later.

LogDevice, common/client_read_stream/ClientReadStream.cpp, deliverRecord, deliverGap and redeliver.
"""

from __future__ import annotations

from reference_impl.log.stream.outputs import Delivered, Disposed, GapDelivered, GapKind
from reference_impl.log.stream.state import Moved, Stream
from reference_impl.log.stream.timers import Timer


def deliver_record(stream: Stream, lsn: int) -> Moved:
    """The application is given a record; a hole plug is no record, but a gap of one LSN.

    LogDevice, Read path, Reporting gaps to the application.
    """
    record = stream.records[lsn]
    if record.hole:
        return deliver_gap(stream, GapKind.HOLE, lsn, lsn)
    return _offered(stream.saying(Delivered(lsn, record.digest)))


def deliver_gap(stream: Stream, kind: GapKind, first: int, upto: int) -> Moved:
    """The application is told of a gap, which ends where reading ends."""
    answered = first if kind is GapKind.BRIDGE else upto
    heard = frozenset(shard for shard, sender in stream.senders.items() if sender.has_passed(answered))
    return _offered(stream.saying(GapDelivered(kind, first, min(upto, stream.options.until), heard)))


def _offered(stream: Stream) -> Moved:
    taken = stream.around.accepting
    return (stream.not_waiting(Timer.REDELIVERY) if taken else stream.waiting(Timer.REDELIVERY)), taken


def dispose(stream: Stream) -> Stream:
    """The stream has nothing more to do."""
    return stream if stream.disposed else stream._replace(disposed=True).saying(Disposed())


def dispose_if_done(stream: Stream) -> Stream:
    """When everything is delivered, the stream ends: ClientReadStream.h, disposeIfDone."""
    return dispose(stream) if stream.done else stream


def deny(stream: Stream) -> Stream:
    """Without permission there is nothing but one gap to the end, and then the end.

    LogDevice, common/client_read_stream/ClientReadStream.cpp, deliverAccessGapAndDispose.
    """
    return _last_gap(stream._replace(denied=True), GapKind.ACCESS)


def remove(stream: Stream) -> Stream:
    """A log that is not in the configuration has nothing but one gap to the end, and then the end.

    LogDevice, common/client_read_stream/ClientReadStream.cpp, deliverNoConfigGapAndDispose.
    """
    return _last_gap(stream._replace(removed=True), GapKind.NOTINCONFIG)


def _last_gap(stream: Stream, kind: GapKind) -> Stream:
    stream, taken = deliver_gap(stream, kind, stream.cursor, stream.options.until)
    return dispose(stream) if taken else stream

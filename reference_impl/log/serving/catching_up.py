"""Catching up: a node sends a stream all that it may, in the order of LSNs, in batches.

LogDevice, server/read_path/CatchupOneStream.cpp and LocalLogStoreReader.cpp: no further than the window, what is
released, and the end. A batch ends with a gap, for the node has nothing else up to there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Effect, Send
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import COMPRESSED, REGIONS, LogContext
from reference_impl.log.copies import Copy
from reference_impl.log.delivery.shipping import Stored, ships
from reference_impl.log.frames import frame_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import Shipped
from reference_impl.log.serving.sending import Sending
from reference_impl.log.stream.inputs import GapReason
from spec.events import RECORD

BATCH: Final = 16
"""Records that a node sends at a time."""


SentRange: TypeAlias = tuple[int, int, tuple[tuple[int, Copy], ...], GapReason]
"""The LSNs of which a message speaks, the first and the last, its records, and why there is nothing after them."""


# --------------------------------------------------------------------------------------------- decisions


@decision
def readable_upto(here: NodeLog) -> int:
    """Readers are answered only up to what the sequencer released: Read path, How reads happen."""
    return here.released


@decision
def first_kept(here: NodeLog) -> int:
    """Readers are sent nothing before this LSN but that it was trimmed: TRIM_Message.h."""
    return here.trimmed + 1


@decision
def sendable_upto(sending: Sending, readable: int) -> int:
    """A node sends no further than the window, what may be read, and the end: CatchupOneStream.cpp."""
    return min(sending.until, sending.high, readable)


@decision
def sends(sending: Sending, lsn: int, copy: Copy) -> bool:
    """In single copy delivery one of those who have a record sends it: Single Copy Delivery, Primary recipient."""
    if not sending.filters.single_copy:
        return True
    return ships(sending.filters, Stored(lsn, tuple(sorted(copy.copyset)), hole=copy.becomes != RECORD))


@decision
def order_sent(found: list[tuple[int, Copy]]) -> list[tuple[int, Copy]]:
    """Records are sent in the order of LSNs: Read path, How reads happen."""
    return found


@decision
def lacking(found: list[tuple[int, Copy]]) -> tuple[int, int] | None:
    """From the first to the last copy that is not there: GAP_Message.h, UNDER_REPLICATED."""
    lost = [lsn for lsn, copy in found if copy.damaged]
    return (lost[0], lost[-1]) if lost else None


# ------------------------------------------------------------------------------------------------- steps


def caught_up(here: NodeLog, stream: int, context: LogContext) -> tuple[NodeLog, list[Effect]]:
    """Send one stream everything that it may be sent now."""
    sending = here.serving.streams[stream]
    first = max(sending.next_lsn, min(context.decides(first_kept)(here), sending.until + 1))
    upto = context.decides(sendable_upto)(sending, context.decides(readable_upto)(here))
    if upto < first == sending.next_lsn:
        return here, []
    parts = list(_trimmed(sending.next_lsn, first))
    if first <= upto:
        parts += _kept(here, sending, (first, upto), context)
    effects: list[Effect] = []
    for first, last, records, reason in parts:
        node, life, connection, number = here.node, here.serving.life, sending.connection, sending.number
        frames = tuple([frame_of(copy) for _, copy in records]) if COMPRESSED in context.variants else ()
        shipped = Shipped(node, life, connection, number, records, first, last, reason, frames)
        sending = sending._replace(next_lsn=last + 1, number=number + 1, unheard=(*sending.unheard, shipped))
        if context.on_the_wire:
            allowed, who = min(sending.high, sending.until), (node, life, sending.order)
            effects += [
                trace_events.ship(here.log, stream, who, (lsn, allowed), copy)
                for lsn, copy in records
                if not copy.damaged
            ]
        effects.append(Send(addresses.reader(here.log, stream), shipped))
    return here._replace(serving=here.serving.with_stream(stream, sending)), effects


def _trimmed(first: int, kept: int) -> Iterator[SentRange]:
    """Up to the trim point there is one gap that says so, whatever the window: LogDevice, CatchupOneStream.cpp."""
    if first < kept:
        yield first, kept - 1, (), GapReason.TRIM


def _kept(here: NodeLog, sending: Sending, between: tuple[int, int], context: LogContext) -> Iterator[SentRange]:
    """The copies that this node is to send of those that it has, in batches."""
    found = context.decides(order_sent)(list(_wanted(here, sending, between, context.decides(sends))))
    if REGIONS in context.variants:
        kept = [(lsn, copy) for lsn, copy in found if not copy.damaged]
        return _around(*between, kept, context.decides(lacking)(found))
    return _batches(*between, found, unread=COMPRESSED in context.variants)


def _wanted(
    here: NodeLog, sending: Sending, between: tuple[int, int], is_sent: Callable[[Sending, int, Copy], bool]
) -> Iterator[tuple[int, Copy]]:
    """What this node is to send: it decides once for copies in a row that share a copyset: Read path, Copyset index."""
    block, sent = None, False
    for lsn, copy in here.copies.between(*between):
        like = copy.copyset, copy.becomes != RECORD
        if like != block:
            block, sent = like, is_sent(sending, lsn, copy)
        if sent:
            yield lsn, copy


def all_caught_up(here: NodeLog, context: LogContext) -> tuple[NodeLog, list[Effect]]:
    """Send every stream everything that it may be sent now."""
    effects: list[Effect] = []
    for stream in here.serving.streams:
        here, sent = caught_up(here, stream, context)
        effects += sent
    return here, effects


def _batches(first: int, upto: int, found: Sequence[tuple[int, Copy]], *, unread: bool) -> Iterator[SentRange]:
    """Batches of records; a copy that cannot be read is a gap of its own: LogDevice, common/protocol/GAP_Message.h.

    Payloads that are sent unread are damaged for the reader to see.
    """
    begin = 0
    for at, (lsn, copy) in enumerate(found):
        if copy.damaged and not (unread and copy.becomes == RECORD):
            if begin < at or first < lsn:
                yield from _readable(first, lsn - 1, found[begin:at])
            yield lsn, lsn, (), GapReason.CHECKSUM_FAIL
            begin, first = at + 1, lsn + 1
    if first <= upto:
        yield from _readable(first, upto, found[begin:])


def _around(
    first: int, upto: int, kept: Sequence[tuple[int, Copy]], region: tuple[int, int] | None
) -> Iterator[SentRange]:
    """Batches of records before, in and after the region in which this node may lack copies: CatchupOneStream.cpp."""
    low, high = region or (upto + 1, upto)
    for begin, end, reason in (
        (first, low - 1, GapReason.NO_RECORDS),
        (low, high, GapReason.UNDER_REPLICATED),
        (high + 1, upto, GapReason.NO_RECORDS),
    ):
        if begin <= end:
            yield from _readable(begin, end, [one for one in kept if begin <= one[0] <= end], reason)


def _readable(
    first: int, upto: int, found: Sequence[tuple[int, Copy]], reason: GapReason = GapReason.NO_RECORDS
) -> Iterator[SentRange]:
    for begin in range(0, max(1, len(found)), BATCH):
        records = tuple(found[begin : begin + BATCH])
        last = upto if begin + BATCH >= len(found) else records[-1][0]
        yield first, last, records, reason
        first = last + 1

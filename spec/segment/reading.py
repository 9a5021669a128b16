"""Reading: what callers are given lies where it was asked for, was stored so, comes once, and misses nothing.

Source: Synnax, Segment Distribution, 4.1 Query Patterns and 4.3 Execution Flow.
"""

from __future__ import annotations

from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.segment.events import Cancelled, Closed, Returned
from spec.segment.events.values import NEXT, PREV, is_backward, is_forward
from spec.segment.views.sessions import Call
from spec.segment.views.times import Delivery, Instant, Move, SamePiece, Scanned, Stretch, Transfer

PATTERNS = "Synnax, Segment Distribution, 4.1 Query Patterns"
FLOW = "Synnax, Segment Distribution, 4.3 Execution Flow"


@rule("segment.read.in_range", cite=PATTERNS)
def data_lies_in_the_range(delivery: Delivery) -> Bool:
    """No sample is given from outside the range of an iterator."""
    inside = (delivery.range_start <= delivery.start) & (delivery.last < delivery.range_upto)
    return known(delivery.range_start).implies(inside)


@rule("segment.read.in_window", cite=PATTERNS)
def data_lies_in_the_window(stretch: Stretch) -> Bool:
    """A move gives only samples of the span that it covers."""
    inside = (stretch.window_start <= stretch.given_first) & (stretch.given_last < stretch.window_upto)
    return (stretch.given & stretch.moved).implies(inside)


@rule("segment.window.adjacent", cite=PATTERNS)
def windows_are_adjacent(move: Move) -> Bool:
    """In one scan, a span begins where the one before it ended: none overlap, and nothing lies between them."""
    on = is_forward(move.op).implies(move.start == move.upto_before)
    back = is_backward(move.op).implies(move.upto == move.start_before)
    return (known(move.scan_before) & (move.scan_before == move.scan)).implies(on & back)


@rule("segment.move.is_inverse", cite=PATTERNS, promise="moves_inverse")
def moves_are_inverse(move: Move) -> Bool:
    """``Prev`` right after ``Next`` covers the same segment again."""
    turned = (move.op == PREV) & (move.op_before == NEXT) & (move.request == move.request_before + 1)
    return turned.implies((move.start == move.start_before) & (move.upto == move.upto_before))


@rule("segment.read.is_stored", cite="Synnax, Segment Distribution, 5 Segment Writes")
def data_is_stored(instant: Instant) -> Bool:
    """Samples that are given lie within one segment that was stored, so nobody is shown half a write."""
    return instant.given.implies(known(instant.segment_last) & (instant.given_last <= instant.segment_last))


@rule("segment.read.as_stored", cite="Synnax, Segment Distribution, 3.1 Principles: Computation and Aggregation")
def data_is_given_as_it_was_stored(piece: SamePiece) -> Bool:
    """Between the same two times, bytes that are given are those that were stored."""
    same_bytes = alike(piece.digest_least, piece.digest_most)
    return (piece.given & piece.stored).implies(alike(piece.samples_least, piece.samples_most) & same_bytes)


@rule("segment.read.once", cite=PATTERNS)
def samples_are_given_once(scanned: Scanned) -> Bool:
    """A scan gives no sample twice."""
    return known(scanned.last_before).implies(scanned.last_before < scanned.start)


@rule("segment.read.no_segment_missed", cite=PATTERNS, promise="settled")
def no_segment_is_missed(instant: Instant) -> Bool:
    """No segment begins in a stretch that a scan covered and in which it gave nothing."""
    reaches = known(instant.gap_reaches) & (instant.gap_reaches > instant.start)
    return instant.stored.implies(~reaches)


@rule("segment.read.no_sample_missed", cite=PATTERNS, promise="settled")
def no_sample_is_missed(instant: Instant) -> Bool:
    """Within a segment, no stretch that a scan covered and in which it gave nothing is as long as a period."""
    within = instant.gap & known(instant.segment_last) & (instant.start <= instant.segment_last)
    return (within & (instant.period > 0)).implies(instant.gap_upto - instant.start < instant.period)


@rule("segment.read.is_acknowledged", cite=FLOW)
def data_belongs_to_an_acknowledged_request(call: Call) -> Bool:
    """Data come only from nodes that acknowledge the request that they are for."""
    return (call.gave & call.returned & (call.failed == 0)).implies(call.givers <= call.acked)


@rule("segment.read.in_request_order", cite=FLOW)
def data_arrive_in_request_order(delivery: Delivery) -> Bool:
    """Data of one channel arrive in the order of requests."""
    return known(delivery.seq_before).implies(delivery.seq_before < delivery.seq)


@rule(
    "segment.read.nothing_dropped",
    cite=FLOW,
    promise="quiet",
    strength="deadline",
    spares=(Cancelled, Closed, Returned),
)
def nothing_is_dropped(transfer: Transfer) -> Bool:
    """What nodes send reaches the caller, however slow, unless the iterator fails or is cancelled."""
    failed = known(transfer.failed.when(transfer.failed == 1)) | known(
        transfer.closed_failed.when(transfer.closed_failed == 1)
    )
    stopped = known(transfer.cancelled_after) | failed
    return (transfer.sent & ~stopped).implies(transfer.given)

"""Writing: each segment goes to its channel's leaseholder in the order sent, and every error to the caller.

Source: Synnax, Segment Distribution, 5.2 Execution Flow and 5.3 Closing a Writer.
"""

from __future__ import annotations

from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.segment.events import Cancelled, Rejected
from spec.segment.views.sessions import Call
from spec.segment.views.times import Storing, Submission

FLOW = "Synnax, Segment Distribution, 5.2 Execution Flow"
CLOSING = "Synnax, Segment Distribution, 5.3 Closing a Writer"


@rule("segment.write.only_its_channels", cite="Synnax, Segment Distribution, 5.1 Opening a Writer")
def only_named_channels_are_written(submission: Submission) -> Bool:
    """A segment of a channel that was not named when the writer was opened is not stored."""
    return (submission.written | submission.stored).implies(known(submission.requested_at) | ~submission.stored)


@rule("segment.write.in_order_sent", cite=FLOW)
def segments_are_stored_in_order(storing: Storing) -> Bool:
    """Segments of one channel are stored in the order in which they were sent."""
    return known(storing.seq_before).implies(storing.seq_before < storing.seq)


@rule("segment.write.as_sent", cite=CLOSING)
def segments_are_stored_whole(submission: Submission) -> Bool:
    """What is stored is a whole segment as its caller sent it, even if the writer was cancelled."""
    same_bytes = alike(submission.digest_least, submission.digest_most)
    same = alike(submission.last_least, submission.last_most) & alike(submission.samples_least, submission.samples_most)
    return submission.stored.implies(submission.written & same & same_bytes)


@rule("segment.write.stored_or_rejected", cite=FLOW, spares=(Rejected,))
def what_is_stored_is_not_rejected(submission: Submission) -> Bool:
    """No node both stores and rejects a segment, unless its caller sent it twice."""
    one_or_other = (submission.stored_on & submission.rejected_on).is_empty()
    return submission.stored.implies(one_or_other | (submission.times > 1))


@rule("segment.write.errors_are_told", cite=CLOSING, promise="quiet", strength="deadline", spares=(Cancelled,))
def errors_are_told(call: Call) -> Bool:
    """The caller is told of every error, wherever it happened, unless the writer was cancelled."""
    return (call.rejected & ~known(call.cancelled_after)).implies(call.error_told)


@rule(
    "segment.write.accepted_is_stored",
    cite=CLOSING,
    promise="quiet",
    strength="deadline",
    spares=(Cancelled, Rejected),
)
def accepted_segments_are_stored(submission: Submission) -> Bool:
    """A segment of a writer that closed without an error, and was not cancelled, is stored."""
    closed = (submission.closed_failed == 0) & ~known(submission.cancelled_after)
    return (submission.written & closed).implies(submission.stored | submission.rejected)


@rule(
    "segment.write.confirmed_is_stored",
    cite="cesium/writer_stream.go: Commit",
    promise="confirms",
    variant="shipped",
    spares=(Rejected,),
)
def confirmed_segments_are_stored(call: Call) -> Bool:
    """A write that returned true is stored."""
    return (call.written & call.returned & (call.ok == 1)).implies(call.stored & ~call.rejected)


@rule("segment.write.all_or_nothing", cite=FLOW, promise="atomic_requests")
def requests_are_stored_whole(call: Call) -> Bool:
    """Of the segments of one request either all are stored or none is."""
    return call.written.implies(~(call.stored & call.rejected))

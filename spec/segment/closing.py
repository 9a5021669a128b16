"""Closing: gracefully, after all that was under way; by cancelling, at once; and nothing afterwards.

Source: Synnax, Segment Distribution, 4.5 Closing an Iterator and 5.3 Closing a Writer.
"""

from __future__ import annotations

from spec.language.handles import Bool, known, one_of
from spec.language.rule import rule
from spec.segment.events import Called, Cancelled, Closed, Given, Joined, Opened, Written
from spec.segment.events.values import CLOSE
from spec.segment.parts import are_freed
from spec.segment.views.sessions import Call, Session
from spec.segment.views.times import Submission

ITERATOR = "Synnax, Segment Distribution, 4.5 Closing an Iterator"
WRITER = "Synnax, Segment Distribution, 5.3 Closing a Writer"


@rule("segment.close.waits_for_parts", cite=ITERATOR, spares=(Joined,))
def closing_waits_for_parts(session: Session) -> Bool:
    """``Close`` returns only after every part is closed on every node that lives."""
    freed = are_freed(session.parts_opened, session.parts_closed, session.died)
    in_time = ~known(session.part_closed_at) | session.part_closed_at.not_after(session.closed_at)
    return (session.closed & session.opened).implies(freed & in_time)


@rule("segment.close.waits_for_data", cite=ITERATOR)
def closing_waits_for_data(session: Session) -> Bool:
    """``Close`` returns only after the caller was given all that was under way."""
    return (session.closed & known(session.given_at)).implies(session.given_at.not_after(session.closed_at))


@rule("segment.output.closes_once", cite=ITERATOR)
def output_closes_once(session: Session) -> Bool:
    """The output closes once."""
    return (session.outputs > 0).implies(session.outputs <= 1)


@rule("segment.output.closes_last", cite=ITERATOR)
def output_closes_last(session: Session) -> Bool:
    """Nothing is given after the output closed."""
    return (known(session.output_closed_at) & known(session.given_at)).implies(
        session.given_at.not_after(session.output_closed_at)
    )


@rule("segment.error.close_tells", cite="Synnax, Segment Distribution, 4.4 Error Handling", variant="written")
def closing_tells_of_errors(call: Call) -> Bool:
    """``Close`` returns an error if a call before it did."""
    before = known(call.closed_at_request) & (call.request < call.closed_at_request)
    return (call.returned & (call.failed == 1) & before).implies(call.closed_failed == 1)


@rule("segment.close.ends", cite=WRITER, promise="quiet", strength="deadline", spares=(Opened, Joined))
def closing_ends(session: Session) -> Bool:
    """Every ``Close`` returns, if its gateway lives and the caller takes what it is given."""
    lost = known(session.died) & known(session.gateway) & (one_of(session.gateway) <= session.died)
    return (session.close_asked & ~lost).implies(session.closed)


@rule("segment.close.was_asked", cite=WRITER, spares=(Called, Written))
def whoever_is_closed_asked_for_it(session: Session) -> Bool:
    """``Close`` returns only to a caller that called it, or closed its writer's input."""
    is_used = session.called | session.written
    return (session.closed & is_used).implies(session.close_asked | session.input_closed)


@rule("segment.close.in_order", cite=WRITER)
def writers_close_in_order(session: Session) -> Bool:
    """A writer's input closes before its parts do, these before its responses, and those before ``Close`` returns."""
    parts = session.requests_closed_at.not_after(session.part_closed_at)
    responses = session.part_closed_at.not_after(session.output_closed_at)
    last = session.output_closed_at.not_after(session.closed_at)
    return (session.closed & known(session.requests_closed_at)).implies(parts & responses & last)


@rule("segment.cancel.frees", cite=ITERATOR, promise="quiet", strength="deadline", spares=(Joined,))
def cancelling_frees(session: Session) -> Bool:
    """Cancelling frees every part on every node that lives."""
    return session.cancelled.implies(are_freed(session.parts_opened, session.parts_closed, session.died))


@rule("segment.close.nothing_after", cite=ITERATOR, spares=(Called, Closed, Cancelled, Given))
def nothing_comes_after_the_end(call: Call) -> Bool:
    """After it was closed or cancelled, no call of an iterator or writer answers true or gives data."""
    closed = known(call.closed_at_request) & (call.closed_at_request < call.request)
    cancelled = known(call.cancelled_after) & (call.cancelled_after < call.request)
    later = (call.returned | call.gave) & (~known(call.op) | (call.op < CLOSE))
    return ((closed | cancelled) & later).implies(~call.gave & (~call.returned | (call.ok == 0)))


@rule("segment.close.stores_no_more", cite=WRITER, spares=(Closed, Cancelled))
def nothing_is_stored_after_the_end(submission: Submission) -> Bool:
    """What is given to a writer after it was closed or cancelled is not stored."""
    closed = known(submission.closed_at_request) & (submission.closed_at_request < submission.request)
    cancelled = known(submission.cancelled_after) & (submission.cancelled_after < submission.request)
    return submission.stored.implies(~closed & ~cancelled)


@rule("segment.shutdown.waits", cite=ITERATOR, spares=(Closed, Cancelled))
def shutting_down_waits(session: Session) -> Bool:
    """The layer of a gateway has not shut down while an iterator or writer is open there."""
    ended = known(session.ended_at) & session.ended_at.not_after(session.shut_down_at)
    return (session.opened & known(session.shut_down_at)).implies(ended)

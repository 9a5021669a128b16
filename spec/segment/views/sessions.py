"""What became of one iterator or writer, its calls, and what nodes did for it."""

from __future__ import annotations

from spec.language.declare import View, along, any_of, count_of, max_of, min_of, set_of, union_of
from spec.segment.events import (
    Acknowledged,
    Asked,
    Called,
    Cancelled,
    Closed,
    ErrorTold,
    Executed,
    Given,
    InSession,
    LockTaken,
    Opened,
    OutputClosed,
    PartClosed,
    PartOpened,
    Refused,
    Rejected,
    Requested,
    RequestsClosed,
    Returned,
    Sent,
    Stored,
    Written,
)
from spec.segment.events.happening import NodeEvent
from spec.segment.events.values import CLOSE, DIED, ERROR, is_seek
from spec.segment.views.tables import Cancellations, Closings, Members, Sessions, ShutDowns


class Session(View, one_per=(InSession.session,)):
    """What became of one iterator or writer."""

    asked_of, died = min_of(Asked.gateway), Members.at(Members.nodes, DIED)
    asked, opened, refused = any_of(Asked), any_of(Opened), any_of(Refused)
    gateway, nodes = min_of(Opened.gateway), union_of(Opened.parts_on)
    leaseholders = set_of(Requested.leaseholder)
    parts_opened, parts_closed = set_of(PartOpened.node), set_of(PartClosed.node)
    part_opened_at, part_closed_at = min_of(PartOpened.time), max_of(PartClosed.time)
    locked_at = max_of(LockTaken.time, where=LockTaken.request == 0)

    called, close_asked = any_of(Called), any_of(Called, where=Called.op == CLOSE)
    written = any_of(Written)
    input_closed, requests_closed_at = any_of(RequestsClosed), min_of(RequestsClosed.time)
    closed, closed_at = any_of(Closed), min_of(Closed.time)
    cancelled = any_of(Cancelled)
    ended_at = min_of(Closed.time, Cancelled.time)
    outputs, output_closed_at = count_of(OutputClosed), min_of(OutputClosed.time)
    given_at = max_of(Given.time)
    shut_down_at = ShutDowns.at(ShutDowns.first_at, gateway)


class Call(View, one_per=(InSession.session, InSession.request)):
    """What became of one request to an iterator or writer; 0 is its opening."""

    session, request = InSession.session, InSession.request
    in_session = along(InSession.session)

    called, op, called_at = any_of(Called), min_of(Called.op), min_of(Called.time)
    executed = set_of(Executed.node)
    acked, acked_at = set_of(Acknowledged.node), max_of(Acknowledged.time)
    all_said_yes, some_said_yes = min_of(Acknowledged.ok), max_of(Acknowledged.ok)
    opened, opened_at = any_of(Opened), min_of(Opened.time)
    returned, returned_at = any_of(Returned), min_of(Returned.time)
    ok, failed = min_of(Returned.ok), max_of(Returned.failed)
    gave, givers = any_of(Given), set_of(Given.node)
    written, stored, rejected = any_of(Written), any_of(Stored), any_of(Rejected)
    error_told = any_of(ErrorTold)

    nodes = Sessions.at(Sessions.nodes, InSession.session)
    died = Members.at(Members.nodes, DIED)
    closed_at_request = Closings.at(Closings.request, InSession.session)
    closed_failed = Closings.at(Closings.failed, InSession.session)
    cancelled_after = Cancellations.at(Cancellations.request, InSession.session)

    called_before = in_session.previous(called)
    returned_before, returned_before_at = in_session.previous(returned), in_session.previous(returned_at)
    sought = in_session.latest(request.when(is_seek(op) & (ok == 1)))
    failed_so_far = in_session.highest(failed)
    failed_last = in_session.latest(failed.when(op != ERROR))


class NodeCall(View, one_per=(NodeEvent.session, NodeEvent.request, NodeEvent.node)):
    """What one node did for one request, in the order of requests."""

    session, node = NodeEvent.session, NodeEvent.node
    at_node = along(NodeEvent.session, NodeEvent.node)

    executed, executed_first = any_of(Executed), min_of(Executed.seq)
    sent, sent_at, acked_at = any_of(Sent), max_of(Sent.time), min_of(Acknowledged.time)
    executed_ahead = at_node.lowest(executed_first)


class Acknowledgement(View, each=(Acknowledged.session, Acknowledged.request, Acknowledged.node, Acknowledged.seq)):
    """One acknowledgement that the gateway counted."""

    request, about = Acknowledged.request, Acknowledged.about


class ScriptCall(View, one_per=(Returned.script, Returned.request)):
    """The same call of the same script, by whatever sessions ran it."""

    ok_least, ok_most = min_of(Returned.ok), max_of(Returned.ok)
    given_least, given_most = min_of(Returned.given), max_of(Returned.given)

"""Calls: one at a time, acknowledged by every node, and answered with true, with false, or with an error.

Source: Synnax, Segment Distribution, 4.3 Execution Flow and 4.4 Error Handling.
"""

from __future__ import annotations

from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.segment.events import Acknowledged, Cancelled, Joined
from spec.segment.events.values import CLOSE, ERROR, is_move, is_seek
from spec.segment.views.sessions import Acknowledgement, Call, NodeCall, ScriptCall

FLOW = "Synnax, Segment Distribution, 4.3 Execution Flow"
ERRORS = "Synnax, Segment Distribution, 4.4 Error Handling"


@rule("segment.call.all_acknowledge", cite=FLOW)
def all_nodes_acknowledge(call: Call) -> Bool:
    """A call returns without an error only after all its nodes have acknowledged that very request."""
    answered = call.called & call.returned & (call.failed == 0)
    return answered.implies((call.nodes <= call.acked) & call.acked_at.not_after(call.returned_at))


@rule("segment.ack.is_of_its_request", cite=FLOW)
def acknowledgements_are_matched(acknowledgement: Acknowledgement) -> Bool:
    """An acknowledgement counts for the request that it is about: a late one never for the next."""
    return acknowledgement.about == acknowledgement.request


@rule("segment.ack.merged_by_all", cite=FLOW, promise="answers_all", variant="written")
def answers_are_those_of_all(call: Call) -> Bool:
    """A call answers true if all acknowledgements do, and false if one does not, in whatever order they come."""
    answered = call.called & call.returned & (call.failed == 0) & (call.op < ERROR) & known(call.all_said_yes)
    return answered.implies(call.ok == call.all_said_yes)


@rule("segment.ack.merged_by_any", cite=f"{FLOW}; issue 45 of the same asks", promise="answers_any", variant="shipped")
def answers_are_those_of_any(call: Call) -> Bool:
    """A call answers true if one acknowledgement does, and false if none does, in whatever order they come."""
    answered = call.called & call.returned & (call.failed == 0) & (call.op < ERROR) & known(call.some_said_yes)
    return answered.implies(call.ok == call.some_said_yes)


@rule(
    "segment.ack.after_data",
    cite="cesium/iterator_stream.go: a node sends the data of a request, and then its acknowledgement",
    promise="data_before_answers",
    variant="shipped",
)
def data_comes_before_acknowledgements(call: NodeCall) -> Bool:
    """A node sends the data of a request before the gateway counts its acknowledgement."""
    return (call.sent & known(call.acked_at)).implies(call.sent_at.not_after(call.acked_at))


@rule("segment.call.reaches_every_node", cite=FLOW)
def calls_reach_every_node(call: Call) -> Bool:
    """Every node of an iterator executes each request that is answered without an error."""
    return (call.called & call.returned & (call.failed == 0)).implies(call.nodes <= call.executed)


@rule("segment.call.executed_in_order", cite=FLOW)
def nodes_execute_in_order(call: NodeCall) -> Bool:
    """A node executes the requests of an iterator in the order in which they were made."""
    return call.executed.implies(call.executed_first <= call.executed_ahead)


@rule("segment.call.one_at_a_time", cite=FLOW)
def one_call_at_a_time(call: Call) -> Bool:
    """A call is made only after the one before it has returned."""
    returned = call.returned_before & call.returned_before_at.not_after(call.called_at)
    return (call.called & known(call.called_before) & call.called_before).implies(returned)


@rule("segment.call.returns", cite=FLOW, promise="quiet", strength="deadline", spares=(Joined,))
def calls_return(call: Call) -> Bool:
    """Every call but ``Close`` returns, while all its nodes live and its caller takes what it is given."""
    all_live = ~known(call.died) | (call.nodes & call.died).is_empty()
    return (call.called & (call.op < CLOSE) & all_live).implies(call.returned)


@rule("segment.call.returns_when_a_node_dies", cite=ERRORS, promise="quiet", strength="deadline")
def calls_return_when_a_node_dies(call: Call) -> Bool:
    """A call returns even if one of its nodes dies: with false and an error, if that node did not acknowledge it."""
    lost = known(call.died) & ~(call.nodes & call.died).is_empty()
    missed = (call.nodes & call.died <= call.acked) | ((call.ok == 0) & (call.failed == 1))
    return (call.called & (call.op < CLOSE) & lost).implies(call.returned & missed)


@rule("segment.call.false_gives_nothing", cite=ERRORS, spares=(Acknowledged,))
def false_gives_nothing(call: Call) -> Bool:
    """A move that all nodes answer with false, without an error, found nothing: its caller is given nothing for it."""
    nowhere = ~known(call.some_said_yes.when(call.some_said_yes == 1))
    edge = call.returned & is_move(call.op) & (call.ok == 0) & (call.failed == 0)
    return (edge & nowhere).implies(~call.gave)


@rule("segment.call.true_gives_data", cite=ERRORS, promise="quiet", strength="deadline", spares=(Cancelled,))
def true_gives_data(call: Call) -> Bool:
    """A move that answers true found data in its span, and its caller is given some."""
    asked = call.returned & is_move(call.op) & (call.ok == 1) & ~known(call.cancelled_after)
    return asked.implies(call.gave | (call.failed == 1))


@rule("segment.call.seek_gives_nothing", cite="Synnax, Segment Distribution, 4.1 Query Patterns")
def seeks_give_nothing(call: Call) -> Bool:
    """A seek moves an iterator and gives no data."""
    return (call.called & is_seek(call.op)).implies(~call.gave)


@rule("segment.call.needs_a_position", cite="Synnax, Segment Distribution, 4.1 Query Patterns")
def moves_need_a_position(call: Call) -> Bool:
    """Before the first seek that answers true, moves answer false."""
    return (call.returned & is_move(call.op) & ~known(call.sought)).implies(call.ok == 0)


@rule("segment.error.is_fatal", cite=ERRORS, promise="errors_are_fatal", variant="written")
def errors_are_fatal(call: Call) -> Bool:
    """After the first error all calls answer false, and tell of an error."""
    after = call.returned & (call.op < CLOSE) & (call.failed_so_far == 1)
    return after.implies((call.ok == 0) & (call.failed == 1))


@rule("segment.error.is_told_if_there_is_one", cite=ERRORS)
def errors_are_told(call: Call) -> Bool:
    """``Error`` tells of an error if the call before it failed, and of none if it answered false at an edge."""
    return (call.returned & (call.op == ERROR) & known(call.failed_last)).implies(call.failed == call.failed_last)


@rule("segment.call.same_everywhere", cite="Synnax, Segment Distribution, 3.1 Principles: Network Awareness")
def answers_do_not_depend_on_placement(call: ScriptCall) -> Bool:
    """The same calls give the same answers and as many samples, wherever channels lie and whichever node is asked."""
    given = ~known(call.given_most) | (call.given_most <= call.given_least)
    return (call.ok_most <= call.ok_least) & given

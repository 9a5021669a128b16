"""Reading segments of channels: one iterator with parts on many nodes, its calls, what nodes send, and how it closes.

Source: Synnax, Segment Distribution, Segment Reads - Iteration. A call goes to every node that leads a channel of the
iterator; each executes it, acknowledges it, and sends what it has read, which may arrive long after the call returned.
What a node reads is not in here: `spec/segment/iterator` defines that. Nor are nodes that die, or a caller who takes no
more samples: calls end where nodes do what they can, messages arrive, and samples are taken.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.segment_iterator_steps import Call, IteratorSteps, Piece
from spec.protocols.sorts import Node


class SegmentIterator(IteratorSteps):
    """An iterator: what may happen to it, what is always true of it, and that its calls and its close end."""

    @invariant
    def executed_by_parts(self, node: Node, call: Call) -> Bool:
        """Only nodes with a part execute calls, and only calls that were made.

        Synnax, Segment Distribution, Opening an Iterator: none to other nodes.
        """
        return self.executed(node, call).implies(self.part(node) & self.called(call))

    @invariant
    def heard_is_executed(self, node: Node, call: Call) -> Bool:
        """What the gateway has heard was executed.

        Synnax, Segment Distribution, Execution Flow: an acknowledgement that the request was executed.
        """
        return self.heard(node, call).implies(self.executed(node, call))

    @invariant
    def agreed_is_executed(self, node: Node, call: Call) -> Bool:
        """What was true at a node was executed there.

        Synnax, Segment Distribution, Execution Flow.
        """
        return self.agreed(node, call).implies(self.executed(node, call))

    @invariant
    def denied_is_executed(self, node: Node, call: Call) -> Bool:
        """What was false at a node was executed there, and was not true.

        Synnax, Segment Distribution, Execution Flow: a node acknowledges a request once.
        """
        return self.denied(node, call).implies(self.executed(node, call) & ~self.agreed(node, call))

    @invariant
    def executed_is_answered(self, node: Node, call: Call) -> Bool:
        """What was executed was true or false.

        Synnax, Segment Distribution, Execution Flow: an acknowledgement that the request was executed.
        """
        return self.executed(node, call).implies(self.agreed(node, call) | self.denied(node, call))

    @invariant
    def false_at_one(self, call: Call) -> Bool:
        """A call that has returned false was false at a node.

        Synnax, Segment Distribution, Error Handling: it has reached the edge of the range.
        """
        denied = some(self.part(node) & self.denied(node, call) for node in Node)
        return (self.returned(call) & ~self.true(call)).implies(denied)

    @invariant
    def done_after_the_close(self, node: Node) -> Bool:
        """A node that has sent all that it will send has executed the close.

        Synnax, Segment Distribution, Closing an Iterator.
        """
        return self.done(node).implies(some(self.closing(call) & self.executed(node, call) for call in Call))

    @invariant
    def sent_is_agreed(self, node: Node, call: Call, piece: Piece) -> Bool:
        """What was sent was read by a call that was true at its node.

        Synnax, Segment Distribution, Execution Flow: nodes finish reading and send.
        """
        return self.sent(node, call, piece).implies(self.agreed(node, call))

    @invariant
    def given_is_sent(self, node: Node, call: Call, piece: Piece) -> Bool:
        """What the caller has was sent.

        Synnax, Segment Distribution, Execution Flow.
        """
        return self.given(node, call, piece).implies(self.sent(node, call, piece))

    @invariant
    def returned_was_made(self, call: Call) -> Bool:
        """Only calls that were made return.

        Synnax, Segment Distribution, Execution Flow.
        """
        return self.returned(call).implies(self.called(call))

    @invariant
    def closing_was_made(self, call: Call) -> Bool:
        """A close is a call that was made.

        Synnax, Segment Distribution, Closing an Iterator.
        """
        return self.closing(call).implies(self.called(call))

    @invariant
    def closes_once(self, call: Call, other: Call) -> Bool:
        """An iterator is closed by one call, and every other one has returned by then.

        Synnax, Segment Distribution, Closing an Iterator.
        """
        later = self.closing(call) & self.called(other) & (call != other)
        return later.implies(self.returned(other) & ~self.closing(other))

    @invariant
    def one_of_two_has_returned(self, call: Call, other: Call) -> Bool:
        """Of two calls that were made, one has returned.

        Synnax, Segment Distribution, Execution Flow: the next one is made when the one before has returned.
        """
        return (self.called(call) & self.called(other) & (call != other)).implies(
            self.returned(call) | self.returned(other)
        )

    @invariant
    def returned_is_heard(self, node: Node, call: Call) -> Bool:
        """The gateway has every acknowledgement of a call that has returned.

        Synnax, Segment Distribution, Execution Flow: the synchronizer has waited for all nodes.
        """
        return (self.returned(call) & self.part(node)).implies(self.heard(node, call))

    @invariant
    def true_at_all(self, node: Node, call: Call) -> Bool:
        """A call that has returned true was true at every node, unless it closes.

        Synnax, Segment Distribution, Execution Flow: the request was executed successfully.
        """
        asked = self.true(call) & ~self.closing(call) & self.part(node)
        return self.true(call).implies(self.returned(call)) & asked.implies(self.agreed(node, call))

    @invariant
    def closed_is_done(self, close: Call, node: Node) -> Bool:
        """When Close has returned, every node has sent all that it will send.

        Synnax, Segment Distribution, Closing an Iterator: the receivers detect the closures.
        """
        closed = self.closing(close) & self.returned(close)
        return (closed & self.part(node)).implies(self.done(node))

    @invariant
    def closed_is_given(self, close: Call, node: Node, call: Call, piece: Piece) -> Bool:
        """When Close has returned, the caller has all that was sent.

        Synnax, Segment Distribution, Closing an Iterator: the final segment was returned.
        """
        closed = self.closing(close) & self.returned(close)
        return (closed & self.sent(node, call, piece)).implies(self.given(node, call, piece))

    @goal
    def returns_when_all_have_acknowledged(self, node: Node, call: Call) -> Bool:
        """A call returns only after every node has executed it and the gateway has heard so.

        Synnax, Segment Distribution, Execution Flow: waits for all nodes to acknowledge before returning.
        """
        asked = self.returned(call) & self.part(node)
        return asked.implies(self.executed(node, call) & self.heard(node, call))

    @goal
    def answers_what_all_say(self, node: Node, call: Call) -> Bool:
        """A call that returned true was true at every node.

        Synnax, Segment Distribution, Execution Flow: whatever the order in which acknowledgements come.
        """
        asked = self.true(call) & ~self.closing(call) & self.part(node)
        return asked.implies(self.agreed(node, call))

    @goal
    def false_has_a_reason(self, call: Call) -> Bool:
        """A call returns false only if it was false at a node.

        Synnax, Segment Distribution, Error Handling: at the edges of the range.
        """
        denied = some(self.part(node) & self.denied(node, call) for node in Node)
        return (self.returned(call) & ~self.true(call)).implies(denied)

    @goal
    def nodes_send_until_the_close(self, node: Node) -> Bool:
        """A node stops sending only when it has executed the close.

        Synnax, Segment Distribution, Closing an Iterator: the process begins with a Close request.
        """
        return self.done(node).implies(some(self.closing(call) & self.executed(node, call) for call in Call))

    @goal
    def one_call_at_a_time(self, call: Call, other: Call) -> Bool:
        """One call at most is under way.

        Synnax, Segment Distribution, Execution Flow: the call occurs synchronously.
        """
        return (self.under_way(call) & self.under_way(other)).implies(call == other)

    @goal
    def data_of_true_calls_only(self, node: Node, call: Call, piece: Piece) -> Bool:
        """The caller is given samples only of nodes with a part, for calls that were true there.

        Synnax, Segment Distribution, Execution Flow.
        """
        return self.given(node, call, piece).implies(self.part(node) & self.called(call) & self.agreed(node, call))

    @goal
    def close_comes_last(self, close: Call, node: Node, call: Call, piece: Piece) -> Bool:
        """When Close has returned, the caller has all that was sent.

        Synnax, Segment Distribution, Closing an Iterator: the caller has received all data before moving on.
        """
        closed = self.closing(close) & self.returned(close)
        return (closed & self.sent(node, call, piece)).implies(self.given(node, call, piece))

    @goal
    def nothing_after_close(self, close: Call, call: Call) -> Bool:
        """After Close no call is under way.

        Synnax, Segment Distribution, Closing an Iterator: all components have exited.
        """
        closed = self.closing(close) & self.returned(close)
        return closed.implies(~self.under_way(call))

    @progress
    def every_call_returns(self, call: Call) -> Leads:
        """Every call returns.

        Synnax, Segment Distribution, Execution Flow: once the acknowledgements are there, the method returns.
        """
        for node in Node:
            work(self.agree, node, call, left=self.part(node) & ~self.executed(node, call))
        for node in Node:
            work(self.hear, node, call, left=self.part(node) & ~self.heard(node, call))
        work(self.say_true, call, left=every(self.part(node).implies(self.agreed(node, call)) for node in Node))
        work(self.say_false, call)
        return leads(self.called(call) & ~self.closing(call), to=self.returned(call))

    @progress
    def every_close_ends(self, close: Call) -> Leads:
        """Every Close returns.

        Synnax, Segment Distribution, Closing an Iterator: closures propagate, and Close waits for all components.
        """
        for node in Node:
            work(self.agree, node, close, left=self.part(node) & ~self.executed(node, close))
        for node in Node:
            work(self.hear, node, close, left=self.part(node) & ~self.heard(node, close))
        for node in Node:
            work(self.finish, node, left=self.part(node) & ~self.done(node))
        for node in Node:
            for call in Call:
                for piece in Piece:
                    waits = self.sent(node, call, piece) & ~self.given(node, call, piece)
                    work(self.give, node, call, piece, left=waits)
        work(self.end, close)
        return leads(self.closing(close), to=self.returned(close))


def reader(nodes: int = 2, calls: int = 2, pieces: int = 1) -> World:
    """An iterator with parts on a few nodes, and so many calls, of which one may close it."""
    return World(SegmentIterator, sizes={Node: nodes, Call: calls, Piece: pieces})

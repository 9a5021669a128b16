"""Reading segments of channels: one iterator with parts on many nodes, its calls, what nodes send, and how it closes.

Source: Synnax, Segment Distribution, Segment Reads - Iteration. A call goes to every node that leads a channel of the
iterator; each executes it, acknowledges it, and sends what it has read, which may arrive long after the call returned.
What a node reads is not in here: `spec/segment/iterator` defines that.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.sorts import Node


class Call(Sort):
    """One call of the iterator; closing it is one, too."""


class Piece(Sort):
    """Samples that travel together."""


class SegmentIterator(Protocol):
    """An iterator: its parts on nodes, calls and their acknowledgements, data on their way, and its end."""

    part: Relation[Node] = says("{0} has a part of the iterator")
    called: Relation[Call] = says("{0} was made")
    closing: Relation[Call] = says("{0} closes the iterator")
    executed: Relation[Node, Call] = says("{0} has executed {1}")
    agreed: Relation[Node, Call] = says("{1} was true at {0}")
    denied: Relation[Node, Call] = says("{1} was false at {0}")
    heard: Relation[Node, Call] = says("the gateway has {0}'s acknowledgement of {1}")
    returned: Relation[Call] = says("{0} has returned")
    true: Relation[Call] = says("{0} has returned true")
    sent: Relation[Node, Call, Piece] = says("{0} has sent {2} for {1}")
    given: Relation[Node, Call, Piece] = says("the caller has {0}'s {2} for {1}")
    done: Relation[Node] = says("{0} has sent all that it will send")

    @define
    def over(self) -> Bool:
        """The iterator was asked to close.

        Synnax, Segment Distribution, Closing an Iterator: the emitter emits a Close request.
        """
        return some(self.closing(call) for call in Call)

    @define
    def under_way(self, call: Call) -> Bool:
        """{call} was made and has not returned.

        Synnax, Segment Distribution, Execution Flow: the synchronizer waits for all nodes.
        """
        return self.called(call) & ~self.returned(call)

    @define
    def all_heard(self, call: Call) -> Bool:
        """Every node of the iterator has acknowledged {call}.

        Synnax, Segment Distribution, Execution Flow: it waits for all nodes to acknowledge the request.
        """
        return every(self.part(node).implies(self.heard(node, call)) for node in Node)

    @action
    def open(self, node: Node) -> None:
        """A node opens its part, before the iterator is given to its caller.

        Synnax, Segment Distribution, Opening an Iterator: a transport to each remote node, a local iterator there.
        """
        require(none(self.called(call) for call in Call))
        self.part.add(node)

    @action
    def make(self, call: Call) -> None:
        """The caller makes a call, once the one before has returned.

        Synnax, Segment Distribution, Execution Flow: the caller is then free to make more method calls.
        """
        require(~self.over(), none(self.under_way(other) for other in Call))
        self.called.add(call)

    @action
    def close(self, call: Call) -> None:
        """The caller closes the iterator, once the call before has returned.

        Synnax, Segment Distribution, Closing an Iterator: a Close request to all nodes.
        """
        require(~self.called(call), ~self.over())
        require(none(self.under_way(other) for other in Call))
        self.called.add(call)
        self.closing.add(call)

    @action
    def agree(self, node: Node, call: Call) -> None:
        """A node executes a call, and it was true there.

        Synnax, Segment Distribution, Execution Flow: the request is executed on the node's data store.
        """
        require(self.part(node), self.under_way(call), ~self.executed(node, call))
        self.executed.add(node, call)
        self.agreed.add(node, call)

    @action
    def deny(self, node: Node, call: Call) -> None:
        """A node executes a call, and it was false there.

        Synnax, Segment Distribution, Error Handling: the edge of the range was reached.
        """
        require(self.part(node), self.under_way(call), ~self.executed(node, call))
        self.executed.add(node, call)
        self.denied.add(node, call)

    @action
    def hear(self, node: Node, call: Call) -> None:
        """The gateway gets a node's acknowledgement of a call.

        Synnax, Segment Distribution, Execution Flow: receivers forward acknowledgements to the synchronizer.
        """
        require(self.executed(node, call))
        self.heard.add(node, call)

    @action
    def send(self, node: Node, call: Call, piece: Piece) -> None:
        """A node sends samples that a call has read, before or after it acknowledges the call.

        Synnax, Segment Distribution, Execution Flow: nodes finish reading and send segments over the network.
        """
        require(self.agreed(node, call), ~self.done(node))
        self.sent.add(node, call, piece)

    @action
    def give(self, node: Node, call: Call, piece: Piece) -> None:
        """Samples reach the caller.

        Synnax, Segment Distribution, Execution Flow: the gateway returns the segments to the client.
        """
        require(self.sent(node, call, piece))
        self.given.add(node, call, piece)

    @action
    def say_true(self, call: Call) -> None:
        """A call that is no close returns true: every node has acknowledged it, and it was true at each.

        Synnax, Segment Distribution, Execution Flow: the synchronizer receives the acknowledgements and returns true.
        """
        require(self.under_way(call), self.all_heard(call), ~self.closing(call))
        require(every(self.part(node).implies(self.agreed(node, call)) for node in Node))
        self.returned.add(call)
        self.true.add(call)

    @action
    def say_false(self, call: Call) -> None:
        """A call that is no close returns false: every node has acknowledged it, and it was false at one.

        Synnax, Segment Distribution, Error Handling: false at the edges of the range.
        """
        require(self.all_heard(call), ~self.closing(call))
        require(some(self.part(node) & self.denied(node, call) for node in Node))
        self.returned.add(call)

    @action
    def finish(self, node: Node) -> None:
        """A node that has executed the close has sent its last segment, and closes its transport.

        Synnax, Segment Distribution, Closing an Iterator: once all nodes return their last segment.
        """
        require(some(self.closing(call) & self.executed(node, call) for call in Call))
        self.done.add(node)

    @action
    def end(self, call: Call) -> None:
        """Close returns: every node has acknowledged it and is done, and the caller has all that was sent.

        Synnax, Segment Distribution, Closing an Iterator: the final segment was returned; Close waits for all.
        """
        require(self.closing(call), self.all_heard(call))
        require(every(self.part(node).implies(self.done(node)) for node in Node))
        require(
            every(
                self.sent(node, other, piece).implies(self.given(node, other, piece))
                for node in Node
                for other in Call
                for piece in Piece
            )
        )
        self.returned.add(call)
        self.true.add(call)

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


def reader(nodes: int = 2, calls: int = 2, pieces: int = 1) -> World:
    """An iterator with parts on a few nodes, and so many calls, of which one may close it."""
    return World(SegmentIterator, sizes={Node: nodes, Call: calls, Piece: pieces})

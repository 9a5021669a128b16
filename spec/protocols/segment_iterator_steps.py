"""What may happen to an iterator over segments: its state, its words and its actions.

Source: Synnax, Segment Distribution, Segment Reads - Iteration. What is always true of it, and what comes in the end,
says ``segment_iterator``.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.sorts import Node


class Call(Sort):
    """One call of the iterator; closing it is one, too."""


class Piece(Sort):
    """Samples that travel together."""


class IteratorSteps(Protocol):
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

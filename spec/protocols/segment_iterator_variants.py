"""Iterators over segments that go wrong, each one clause away from the right one."""

from __future__ import annotations

from spec.language.protocol import action, require, some
from spec.protocols.segment_iterator import SegmentIterator
from spec.protocols.segment_iterator_steps import Call, Piece
from spec.protocols.sorts import Node


class LastAcknowledgementCounts(SegmentIterator):
    """The gateway answers what some node said, such as the one that it heard last."""

    @action
    def say_true(self, call: Call) -> None:
        """A call returns true: every node has acknowledged it, and it was true at one.

        Synnax, core/pkg/distribution/framer/iterator/synchronizer.go: the last acknowledgement is forwarded.
        """
        require(self.under_way(call), self.all_heard(call), ~self.closing(call))
        require(some(self.part(node) & self.agreed(node, call) for node in Node))
        self.returned.add(call)
        self.true.add(call)


class CallsOverlap(SegmentIterator):
    """A call is made while the one before is under way."""

    @action
    def make(self, call: Call) -> None:
        """The caller makes a call.

        Synnax, Segment Distribution, Execution Flow: it must wait until the one before has returned.
        """
        require(~self.over())
        self.called.add(call)


class CloseForgetsData(SegmentIterator):
    """Close returns while samples are still on their way."""

    @action
    def end(self, call: Call) -> None:
        """Close returns: every node has acknowledged it.

        Synnax, Segment Distribution, Closing an Iterator: it must wait for the final segment.
        """
        require(self.closing(call), self.all_heard(call))
        self.returned.add(call)
        self.true.add(call)


class SendsAfterItsEnd(SegmentIterator):
    """A node goes on sending when it has closed its transport."""

    @action
    def send(self, node: Node, call: Call, piece: Piece) -> None:
        """A node sends samples that a call has read.

        Synnax, Segment Distribution, Closing an Iterator: the last segment comes before the transport closes.
        """
        require(self.agreed(node, call))
        self.sent.add(node, call, piece)


class CallerStopsTaking(SegmentIterator):
    """The caller takes no more samples once it closes, and a node cannot end what it sends."""

    @action
    def give(self, node: Node, call: Call, piece: Piece) -> None:
        """Samples reach the caller, until it closes the iterator.

        Synnax, issue 13: an iterator hangs because it cannot send when the caller has left.
        """
        require(self.sent(node, call, piece), ~self.over())
        self.given.add(node, call, piece)


class TransportClosesFirst(SegmentIterator):
    """A node that has closed its transport is no longer heard, though its acknowledgement is still under way."""

    @action
    def hear(self, node: Node, call: Call) -> None:
        """The gateway gets a node's acknowledgement of a call, as long as the node's transport is open.

        Synnax, Segment Distribution, Closing an Iterator: all nodes acknowledge the closure before transports close.
        """
        require(self.executed(node, call), ~self.done(node))
        self.heard.add(node, call)

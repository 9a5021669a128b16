"""Iterators over segments that go wrong, each one clause away from the right one."""

from __future__ import annotations

from spec.language.protocol import action, require, some
from spec.protocols.segment_iterator import Call, Piece, SegmentIterator
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

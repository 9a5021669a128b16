"""Leaseholders that let writers into each other's way, each one clause away from the right one."""

from __future__ import annotations

from spec.language.protocol import Bool, Relation, action, define, none, require, says
from spec.protocols.leaseholder import Channel, Leaseholder, Segment, SegmentWriter
from spec.protocols.sorts import Node


class StaleWritersStore(Leaseholder):
    """The leaseholder stores what comes from any writer that ever held the lock, so also what was long under way."""

    held: Relation[Channel, SegmentWriter] = says("{1} has held the write lock of {0}")

    @define
    def may_store(self, node: Node, writer: SegmentWriter, channel: Channel) -> Bool:
        """{node} stores what {writer} sends for {channel}.

        Synnax, Segment Distribution, Opening a Writer: no other caller can write while the writer is open.
        """
        return self.leads(channel, node) & self.held(channel, writer)

    @action
    def acquire(self, writer: SegmentWriter, gateway: Node, channel: Channel) -> None:
        """A writer takes the free lock of a channel, and the leaseholder remembers it for good.

        Synnax, Segment Distribution, Opening a Writer: the lock is for the time while the writer is open.
        """
        require(self.knows(gateway, channel), ~self.lock.defined(channel))
        require(~self.ended(writer))
        require(none(self.sent(writer, other, segment) for other in Channel for segment in Segment))
        self.lock.add(channel, writer)
        self.held.add(channel, writer)


class GatewaysStore(Leaseholder):
    """A gateway that knows of a channel stores its segments itself."""

    @define
    def may_store(self, node: Node, writer: SegmentWriter, channel: Channel) -> Bool:
        """{node} stores what {writer} sends for {channel}.

        Synnax, Segment Distribution, Channels: the leaseholder is the only node that can write new channel data.
        """
        return self.knows(node, channel) & self.lock(channel, writer)


class CloseDoesNotWait(Leaseholder):
    """A writer is closed while segments are still under way."""

    @action
    def close(self, writer: SegmentWriter) -> None:
        """A writer that was asked to is closed and gives up its locks.

        Synnax, Segment Distribution, Closing a Writer: it waits for the writer to return all errors.
        """
        require(self.asked(writer), ~self.ended(writer))
        self.closed.add(writer)
        for channel in Channel:
            self.lock.remove(channel, writer)


class SamplesOverlap(Leaseholder):
    """The leaseholder does not look whether a channel has samples where a segment lies."""

    @action
    def store(self, node: Node, writer: SegmentWriter, channel: Channel, segment: Segment) -> None:
        """The leaseholder stores a segment of the writer that holds the lock.

        Synnax, Segment Distribution, Channels: segments partition a channel's data.
        """
        require(self.sent(writer, channel, segment), self.may_store(node, writer, channel))
        self.stored.add(node, writer, channel, segment)
        for instant in segment:
            self.sampled.add(channel, instant)


class OverlapsAreNotAnswered(Leaseholder):
    """A segment where the channel has a sample already is dropped without an answer."""

    @action
    def refuse(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> None:
        """A segment of a channel that its writer did not lock is answered with an error.

        Synnax, Segment Distribution, Segment Writes, Execution Flow: any errors encountered must be sent back.
        """
        require(self.sent(writer, channel, segment), ~self.settled(writer, channel, segment))
        require(none(self.may_store(node, writer, channel) for node in Node))
        self.refused.add(writer, channel, segment)

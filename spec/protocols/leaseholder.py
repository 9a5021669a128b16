"""Writing segments of channels: every channel has one leaseholder, and one writer at a time holds its write lock.

Source: Synnax, Segment Distribution, Channels and Segment Writes. A caller may give its writer any segment; segments
travel to the leaseholder at their own pace, and may arrive when their writer is long closed or cancelled. A caller who
closes its writer first closes its input: then nothing more is sent, and the writer closes once all is answered. Leases
never move and channels are not deleted. The lock is that of the document, held by one writer until it ends; the engine
of today lets several writers open a channel, and decides by control authority whose samples count.
"""

from __future__ import annotations

from itertools import combinations

from spec.language.protocol import *
from spec.protocols.sorts import Node


class Channel(Sort):
    """Samples from one source, such as a sensor."""


class SegmentWriter(Sort):
    """A long-running write that a caller opens through some gateway, for one or more channels."""


class Instant(Sort):
    """A time at which a channel may have a sample."""


class Segment(Family[Instant]):
    """Samples of one channel, by the instants that they lie at."""


class Leaseholder(Protocol):
    """Channels and their leaseholders, what nodes know of them, and writers that lock, send, close or are cancelled."""

    leads: Partial[Channel, Node] = says("{1} is the leaseholder of {0}")
    knows: Relation[Node, Channel] = says("{0} knows of {1}")
    lock: Partial[Channel, SegmentWriter] = says("{1} holds the write lock of {0}")
    asked: Relation[SegmentWriter] = says("{0} was asked to close")
    closed: Relation[SegmentWriter] = says("{0} was closed")
    cancelled: Relation[SegmentWriter] = says("{0} was cancelled")
    sent: Relation[SegmentWriter, Channel, Segment] = says("{0} was given {2} of {1}")
    stored: Relation[Node, SegmentWriter, Channel, Segment] = says("{0} stores {1}'s {3} of {2}")
    sampled: Relation[Channel, Instant] = says("{0} has a sample at {1}")
    refused: Relation[SegmentWriter, Channel, Segment] = says("{0} has answered that {2} of {1} is refused")

    @define
    def ended(self, writer: SegmentWriter) -> Bool:
        """{writer} was closed or cancelled.

        Synnax, Segment Distribution, Closing a Writer: it can be closed in two ways.
        """
        return self.closed(writer) | self.cancelled(writer)

    @define
    def takes(self, writer: SegmentWriter) -> Bool:
        """{writer} takes segments.

        Synnax, Segment Distribution, Closing a Writer: its input is open until it is closed or cancelled.
        """
        return ~self.asked(writer) & ~self.ended(writer)

    @define
    def may_store(self, node: Node, writer: SegmentWriter, channel: Channel) -> Bool:
        """{node} stores what {writer} sends for {channel}.

        Synnax, Segment Distribution, Channels: the leaseholder is the only node that can write new data; Opening a
        Writer: no other caller can write to the same channel while the writer is open.
        """
        return self.leads(channel, node) & self.lock(channel, writer)

    @define
    def overlaps(self, channel: Channel, segment: Segment) -> Bool:
        """{channel} has a sample at an instant of {segment}.

        Synnax, Segment Distribution, Channels: a segment is a sub range of a channel's time-ordered data.
        """
        return some(self.sampled(channel, instant) for instant in segment)

    @define
    def settled(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """{writer}'s {segment} of {channel} is stored or refused.

        Synnax, Segment Distribution, Closing a Writer: it waits for the writer to return all errors.
        """
        kept = some(self.stored(node, writer, channel, segment) for node in Node)
        return kept | self.refused(writer, channel, segment)

    @action
    def create(self, node: Node, channel: Channel) -> None:
        """A channel is created with its leaseholder, which is part of its key.

        Synnax, Segment Distribution, Keys: the key holds the leaseholder's id and cannot be changed.
        """
        require(~self.leads.defined(channel))
        self.leads.add(channel, node)
        self.knows.add(node, channel)

    @action
    def gossip(self, source: Node, node: Node, channel: Channel) -> None:
        """A node learns of a channel from another node.

        Synnax, Segment Distribution, Aspen: an eventually consistent store propagates the channels in the cluster.
        """
        require(self.knows(source, channel))
        self.knows.add(node, channel)

    @action
    def acquire(self, writer: SegmentWriter, gateway: Node, channel: Channel) -> None:
        """A writer that was not given anything yet takes the free lock of a channel that its gateway knows of.

        Synnax, Segment Distribution, Opening a Writer: the keys are validated, then a write lock is acquired on each
        channel, and only then local and remote writers are opened.
        """
        require(self.knows(gateway, channel), ~self.lock.defined(channel))
        require(~self.ended(writer))
        require(none(self.sent(writer, other, segment) for other in Channel for segment in Segment))
        self.lock.add(channel, writer)

    @action
    def send(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> None:
        """A caller gives a writer a segment, be it of a channel that the writer locked or not.

        Synnax, Segment Distribution, Segment Writes, Execution Flow: through the writer's input channel.
        """
        require(self.takes(writer))
        self.sent.add(writer, channel, segment)

    @action
    def store(self, node: Node, writer: SegmentWriter, channel: Channel, segment: Segment) -> None:
        """The leaseholder stores a segment of the writer that holds the lock, where the channel has no samples yet.

        Synnax, Segment Distribution, Segment Writes, Execution Flow: it is routed to the leaseholder's local writer.
        """
        require(self.sent(writer, channel, segment))
        require(self.may_store(node, writer, channel), ~self.overlaps(channel, segment))
        self.stored.add(node, writer, channel, segment)
        for instant in segment:
            self.sampled.add(channel, instant)

    @action
    def refuse(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> None:
        """A segment that no node may store is answered with an error.

        Synnax, Segment Distribution, Segment Writes, Execution Flow: errors are sent back to the writer.
        """
        require(self.sent(writer, channel, segment), ~self.settled(writer, channel, segment))
        require(none(self.may_store(node, writer, channel) for node in Node) | self.overlaps(channel, segment))
        self.refused.add(writer, channel, segment)

    @action
    def ask_to_close(self, writer: SegmentWriter) -> None:
        """A caller closes the input of its writer: it gives it nothing more, and waits.

        Synnax, Segment Distribution, Closing a Writer: the caller closes the input channel, then calls Close.
        """
        self.asked.add(writer)

    @action
    def close(self, writer: SegmentWriter) -> None:
        """A writer is closed at its caller's wish, and gives up its locks, once all it was given is stored or refused.

        Synnax, Segment Distribution, Closing a Writer: after returning all errors, the local writers shut down.
        """
        require(self.asked(writer), ~self.ended(writer))
        require(
            every(
                self.sent(writer, channel, segment).implies(self.settled(writer, channel, segment))
                for channel in Channel
                for segment in Segment
            )
        )
        self.closed.add(writer)
        for channel in Channel:
            self.lock.remove(channel, writer)

    @action
    def cancel(self, writer: SegmentWriter) -> None:
        """A writer is cancelled at once and gives up its locks; what it sent may still be under way.

        Synnax, Segment Distribution, Closing a Writer: cancelling aborts operations and frees all resources.
        """
        require(~self.ended(writer))
        self.cancelled.add(writer)
        for channel in Channel:
            self.lock.remove(channel, writer)

    @invariant
    def locked_channels_exist(self, channel: Channel, writer: SegmentWriter) -> Bool:
        """A lock is held by a writer that has not ended, on a channel that has a leaseholder.

        Synnax, Segment Distribution, Opening a Writer: the lock is held while the writer is open.
        """
        return self.lock(channel, writer).implies(~self.ended(writer) & self.leads.defined(channel))

    @invariant
    def known_channels_have_a_leaseholder(self, node: Node, channel: Channel) -> Bool:
        """A node knows only of channels that have a leaseholder.

        Synnax, Segment Distribution, Keys: the leaseholder is part of the key.
        """
        return self.knows(node, channel).implies(self.leads.defined(channel))

    @invariant
    def stored_at_the_leaseholder(self, node: Node, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """A segment is stored by its channel's leaseholder, was sent, and was not refused.

        Synnax, Segment Distribution, Channels: the only node that can write new channel data to disk.
        """
        stored = self.stored(node, writer, channel, segment)
        return stored.implies(
            self.leads(channel, node) & self.sent(writer, channel, segment) & ~self.refused(writer, channel, segment)
        )

    @invariant
    def stored_samples_are_there(
        self, node: Node, writer: SegmentWriter, channel: Channel, segment: Segment, instant: Instant
    ) -> Bool:
        """A channel has a sample at every instant of a stored segment.

        Synnax, Segment Distribution, Vocabulary: a segment is a partitioned region of a channel's data.
        """
        stored = self.stored(node, writer, channel, segment)
        return (stored & segment.has(instant)).implies(self.sampled(channel, instant))

    @invariant
    def stored_segments_are_apart(
        self, channel: Channel, segment: Segment, writer: SegmentWriter, later: Segment, other: SegmentWriter
    ) -> Bool:
        """No instant of a channel lies in two stored segments.

        Synnax, Segment Distribution, Channels: segments partition a channel's data.
        """
        both = some(self.stored(node, writer, channel, segment) for node in Node) & some(
            self.stored(node, other, channel, later) for node in Node
        )
        shared = some(later.has(instant) for instant in segment)
        return (both & shared).implies((writer == other) & (segment == later))

    @invariant
    def refusals_have_a_reason(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """Only what a writer was given is refused, and only for a reason that remains.

        Synnax, Segment Distribution, Segment Writes, Execution Flow: any errors encountered are sent back.
        """
        reason = ~self.lock(channel, writer) | self.overlaps(channel, segment)
        return self.refused(writer, channel, segment).implies(self.sent(writer, channel, segment) & reason)

    @invariant
    def ends_once(self, writer: SegmentWriter) -> Bool:
        """A writer is not both closed and cancelled.

        Synnax, Segment Distribution, Closing a Writer: in one of two ways.
        """
        return ~(self.closed(writer) & self.cancelled(writer))

    @invariant
    def closed_was_asked(self, writer: SegmentWriter) -> Bool:
        """A writer is closed only at its caller's wish.

        Synnax, Segment Distribution, Closing a Writer: closing the input triggers all other closures.
        """
        return self.closed(writer).implies(self.asked(writer))

    @invariant
    def closed_is_settled(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """All that a closed writer was given is stored or refused.

        Synnax, Segment Distribution, Closing a Writer: all errors are returned before its output closes.
        """
        asked = self.closed(writer) & self.sent(writer, channel, segment)
        return asked.implies(self.settled(writer, channel, segment))

    @goal
    def leaseholder_alone_stores(self, node: Node, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """Only the leaseholder of a channel has segments of it, wherever they were given in.

        Synnax, Segment Distribution, Channels: the only node that can write new channel data to disk.
        """
        return self.stored(node, writer, channel, segment).implies(self.leads(channel, node))

    @goal
    def one_writer_at_a_time(
        self, node: Node, writer: SegmentWriter, other: Node, rival: SegmentWriter, channel: Channel
    ) -> Bool:
        """At any time one node at most stores segments of a channel, and of one writer at most.

        Synnax, Segment Distribution, Channels: only one client can write to a channel at a time.
        """
        both = self.may_store(node, writer, channel) & self.may_store(other, rival, channel)
        return both.implies((writer == rival) & (node == other))

    @goal
    def stale_writers_are_refused(self, node: Node, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """Nothing that is still under way from a closed or cancelled writer is stored.

        Synnax, Segment Distribution, Opening a Writer: no other caller writes while the writer is open.
        """
        late = self.ended(writer) & self.sent(writer, channel, segment)
        return late.implies(~self.may_store(node, writer, channel))

    @goal
    def segments_do_not_overlap(
        self, node: Node, other: Node, channel: Channel, one: Segment, two: Segment, instant: Instant
    ) -> Bool:
        """A channel has one sample at an instant at most, in one segment on one node.

        Synnax, Segment Distribution, Channels: a channel's values are time-ordered, and segments partition them.
        """
        first = some(self.stored(node, writer, channel, one) for writer in SegmentWriter) & one.has(instant)
        second = some(self.stored(other, writer, channel, two) for writer in SegmentWriter) & two.has(instant)
        return (first & second).implies((one == two) & (node == other))

    @goal
    def closed_without_error_is_stored(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """What a closed writer was given is at the leaseholder, or its caller was told of an error, and not both.

        Synnax, Segment Distribution, Closing a Writer: the response channel closes after all errors were returned.
        """
        kept = some(self.leads(channel, node) & self.stored(node, writer, channel, segment) for node in Node)
        refused = self.refused(writer, channel, segment)
        asked = self.closed(writer) & self.sent(writer, channel, segment)
        return asked.implies((kept | refused) & ~(kept & refused))

    @goal
    def nothing_is_refused_without_reason(self, writer: SegmentWriter, channel: Channel, segment: Segment) -> Bool:
        """A segment is refused only if its writer does not hold the lock, or the channel has a sample in its place.

        Synnax, Segment Distribution, Segment Writes, Execution Flow.
        """
        reason = ~self.lock(channel, writer) | self.overlaps(channel, segment)
        return self.refused(writer, channel, segment).implies(reason)

    @goal
    def every_gateway_finds_the_leaseholder(self, gateway: Node, channel: Channel, node: Node, other: Node) -> Bool:
        """Whatever node knows of a channel finds its data at the same, one node.

        Synnax, Segment Distribution, Aspen: the layer serves segment data for any channel from any node.
        """
        one = (self.leads(channel, node) & self.leads(channel, other)).implies(node == other)
        return self.knows(gateway, channel).implies(self.leads.defined(channel) & one)

    @progress
    def every_close_ends(self, writer: SegmentWriter) -> Leads:
        """A writer that was asked to close is closed, unless it is cancelled.

        Synnax, Segment Distribution, Closing a Writer: a waterfall of closures reaches the local writers and returns.
        """
        for channel in Channel:
            for segment in Segment:
                for node in Node:
                    free = self.may_store(node, writer, channel) & ~self.overlaps(channel, segment)
                    waits = self.sent(writer, channel, segment) & ~self.settled(writer, channel, segment)
                    work(self.store, node, writer, channel, segment, left=waits & free)
        for channel in Channel:
            for segment in Segment:
                waits = self.sent(writer, channel, segment) & ~self.settled(writer, channel, segment)
                work(self.refuse, writer, channel, segment, left=waits)
        work(self.close, writer)
        return leads(self.asked(writer), to=self.ended(writer))


def callers(nodes: int = 2, channels: int = 1, writers: int = 2, instants: int = 2) -> World:
    """So many writers on a few nodes; a segment is any run of successive instants."""
    runs = [frozenset(range(first, last)) for first, last in combinations(range(instants + 1), 2)]
    sizes = {Node: nodes, Channel: channels, SegmentWriter: writers, Instant: instants}
    return World(Leaseholder, sizes=sizes, families={Segment: runs})

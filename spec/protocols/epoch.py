"""One epoch from its first record to its last reader: recovery, purging, loss, rebuilding, statuses and reads.

Source: LogDevice, Recovery after the failure of a sequencer; Read path, Gap detection and Authoritative Status;
ClientReadStream.cpp. Recovery, storage and reader act at any time and in any order. A reader follows the running epoch
as far as all is acknowledged; what lies beyond it reads once the epoch is clean, from nodes that have purged it.
Answers that are under way when the reader starts over are dropped with their stream.
"""

from __future__ import annotations

from dataclasses import replace

from spec.language.protocol import *
from spec.protocols.epoch_losses import EpochLosses
from spec.protocols.parts import Status, StatusReader
from spec.protocols.recovery import cluster
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer


class Epoch(EpochLosses, StatusReader):
    """One epoch, its sequencer, its recoveries, its disks and a reader."""

    read: Relation[Slot, Value] = says("the reader was given {1} at {0}")
    reported: Relation[Slot] = says("the reader has reported {0} as lost")

    @define
    def serves(self, node: Node, slot: Slot) -> Bool:
        """{node} may send {slot} to readers.

        LogDevice, Read path, How reads happen: nodes deliver records up to the last known good pointer, and of older
        epochs after they have purged them.
        """
        return self.purged(node) | every(self.acked(lower) for lower in slot.upto())

    @define
    def copyset_lost(self, slot: Slot) -> Bool:
        """All nodes of some copyset that {slot} names lost their data.

        LogDevice, Read path, Authoritative Status: the data on an underreplicated node is not coming back.
        """
        return some(
            every(self.named(node, slot) & self.status(node, Status.underreplicated) for node in copies)
            for copies in Copyset
        )

    @action
    def deliver(self, node: Node, writer: Writer, slot: Slot, value: Value) -> None:
        """A node sends what it has of a slot that it serves: a record, or a hole or bridge, which are benign gaps.

        LogDevice, Read path, How reads happen: the first copy that arrives is delivered.
        """
        require(self.serves(node, slot))
        require(self.copy(node, writer, slot), self.proposed(writer, slot, value))
        self.read.add(slot, value)

    @action
    def deny(self, node: Node, slot: Slot) -> None:
        """A fully authoritative node that has purged and has nothing at a released slot tells the reader so.

        LogDevice, Read path, Gaps sent by storage nodes: a record or gap with a higher sequence number.
        """
        require(self.authoritative(node), self.purged(node), self.released(slot))
        require(none(self.copy(node, writer, slot) for writer in Writer))
        self.denied.add(node, slot)

    @action
    def report(self, slot: Slot) -> None:
        """The reader reports a slot as lost when every node that can still have a record said it has nothing.

        LogDevice, Read path, Authoritative Status, second rule for a data loss gap.
        """
        require(self.released(slot))
        require(every(self.excused(node, slot) for node in Node))
        self.reported.add(slot)

    @action
    def report_by_majority(self, slot: Slot, heard: FMajority) -> None:
        """The reader reports a slot as lost when an f-majority said it has nothing, or is empty.

        LogDevice, Read path, Authoritative Status, first rule for a data loss gap; a goal says when it applies.
        """
        require(self.released(slot))
        require(every(self.answered(node, slot) for node in heard))
        self.reported.add(slot)

    @action
    def rejoin(self, node: Node) -> None:
        """A node that is empty, as the reader knows, serves again with nothing, and knows what is clean.

        LogDevice, docs/Rebuilding.md: a shard that was rebuilt acknowledges it, and counts from then on.
        """
        require(self.known(node, Status.empty))
        self.status.remove(node, Status.empty)
        self.known.remove(node, Status.empty)
        self.purged.add(node, when=self.settled_for_good())

    @invariant
    def denied_was_purged(self, node: Node, slot: Slot) -> Bool:
        """Nodes deny what they have purged, and only what was released.

        LogDevice, Read path, How reads happen: storage nodes only speak of what was released.
        """
        return self.denied(node, slot).implies(self.purged(node) & self.released(slot))

    @invariant
    def read_was_settled(self, slot: Slot, value: Value) -> Bool:
        """The reader was given what some writer proposed, for a slot acknowledged, or of the clean epoch.

        LogDevice, Read path, How reads happen: storage nodes only deliver records that were released.
        """
        return self.read(slot, value).implies(
            some(
                self.proposed(writer, slot, value) & (self.acked(slot) | some(self.clean(old) for old in writer.upto()))
                for writer in Writer
            )
        )

    @define
    def awaits(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """The reader waits for {node}, which has or had {writer}'s {slot}.

        LogDevice, Read path, Gap detection algorithm: there could still be a copy on the nodes that did not answer.
        """
        return ~self.answered(node, slot) & (self.copy(node, writer, slot) | self.gone(node))

    @invariant
    def some_copyset_is_waited_for(self, writer: Writer, slot: Slot) -> Bool:
        """The reader waits for every node of some copyset of a released slot, which has or had copies, or all vanished.

        LogDevice, Read path, Gap detection algorithm: there could still be a copy on the nodes that did not answer.
        """
        waited = some(every(self.awaits(node, writer, slot) for node in copies) for copies in Copyset)
        return (self.clean(writer) & self.proposed.defined(writer, slot)).implies(waited | self.vanished(slot))

    @invariant
    def stored_is_waited_for(self, writer: Writer, slot: Slot) -> Bool:
        """The reader waits for all that stored a record of the clean epoch, or for nodes on which rebuilding counts.

        LogDevice, Read path, Gap detection algorithm: there could still be a copy on the nodes that did not answer.
        """
        stored = every(self.stored(node, Writer.first, slot).implies(self.awaits(node, writer, slot)) for node in Node)
        placed = some(
            every(self.relied(node, slot) & self.awaits(node, writer, slot) for node in copies) for copies in Copyset
        )
        settled = self.clean(writer) & self.agrees(Writer.first, writer, slot)
        return settled.implies(stored | placed | self.vanished(slot))

    @invariant
    def holder_has_not_denied(self, node: Node, slot: Slot) -> Bool:
        """A node that has the outcome, and not from rebuilding, has not answered.

        LogDevice, Read path, Gaps sent by storage nodes: to a clean epoch only rebuilding writes.
        """
        return (self.holds(node, slot) & ~self.relied(node, slot)).implies(~self.answered(node, slot))

    @invariant
    def some_holder_is_waited_for(self, slot: Slot, holder: Node) -> Bool:
        """While rebuilding counts on a node that has the outcome, the reader waits for one that has or had it.

        LogDevice, Read path, Authoritative Status, second rule for a data loss gap.
        """
        waited = some(
            self.relied(node, slot) & ~self.excused(node, slot) & (self.holds(node, slot) | self.gone(node))
            for node in Node
        )
        return (self.holds(holder, slot) & self.relied(holder, slot)).implies(waited | self.vanished(slot))

    @invariant
    def reported_is_lost(self, slot: Slot) -> Bool:
        """A reported slot was released, and its whole copyset lost its data and nobody has it, or all copies vanished.

        LogDevice, Read path, Gap detection: a record that is irretrievably lost.
        """
        nothing = every(self.gone(node) | (self.purged(node) & ~self.holds(node, slot)) for node in Node)
        return self.reported(slot).implies(
            self.released(slot) & ((nothing & self.copyset_lost(slot)) | self.vanished(slot))
        )

    @goal
    def read_is_the_outcome(self, slot: Slot, value: Value, writer: Writer) -> Bool:
        """What the reader was given, of the running epoch too, is what the clean epoch has there.

        LogDevice, Recovery, Log recovery: the content of the epoch must stay immutable until being trimmed.
        """
        return (self.read(slot, value) & self.clean(writer)).implies(self.proposed(writer, slot, value))

    @goal
    def acked_is_read_as_written(self, slot: Slot, value: Value) -> Bool:
        """Where a record was acknowledged the reader is given that record, never a hole or a bridge.

        LogDevice, Read path, Gap detection: benign gaps are slots of which no append was acknowledged.
        """
        return (self.acked(slot) & self.read(slot, value)).implies(self.proposed(Writer.first, slot, value))

    @goal
    def reads_repeat(self, slot: Slot, value: Value, other: Value) -> Bool:
        """Whoever reads a slot twice is given the same.

        LogDevice, Recovery, Sequencer activation: repeatable read consistency, a record or a benign gap for ever.
        """
        return (self.read(slot, value) & self.read(slot, other)).implies(value == other)

    @goal
    def majority_never_denies(self, writer: Writer, slot: Slot, heard: FMajority) -> Bool:
        """In every f-majority a node that has or had a slot of the clean epoch does not deny it, unless all vanished.

        LogDevice, Read path, Authoritative Status, first rule for a data loss gap: in a clean epoch it never applies to
        what losses and rebuilding left there.
        """
        waited = some(self.awaits(node, writer, slot) for node in heard)
        return (self.clean(writer) & self.proposed.defined(writer, slot)).implies(waited | self.vanished(slot))

    @goal
    def no_copy_is_passed_over(self, slot: Slot, node: Node, writer: Writer) -> Bool:
        """A slot is reported as lost only when no disk has anything of it, or after all its copies vanished.

        LogDevice, Read path, Gap detection: correctly report a record as irretrievably lost.
        """
        return self.reported(slot).implies(~self.copy(node, writer, slot) | self.vanished(slot))

    @goal
    def fewer_losses_lose_nothing(self, slot: Slot) -> Bool:
        """A slot is reported as lost only after all nodes of its copyset lost their data, or all its copies vanished.

        LogDevice, Read path, All Send All: as long as no more than R-1 nodes are unavailable, reads go on.
        """
        return self.reported(slot).implies(self.copyset_lost(slot) | self.vanished(slot))

    @goal
    def only_the_clean_epoch_has_losses(self, slot: Slot) -> Bool:
        """What is reported as lost lies in the clean epoch, not above its bridge.

        LogDevice, Recovery, Bridge record: readers go on to the next epoch without looking for more.
        """
        return self.reported(slot).implies(self.released(slot))


def life(
    nodes: int = 2, replication: int = 2, slots: int = 1, recoveries: int = 1, payloads: int = 1, racks: int = 0
) -> World:
    """A small cluster in which the sequencer may fill so many slots; there is one more, for a bridge."""
    small = cluster(nodes, replication, slots, recoveries, payloads, racks)
    return replace(small, protocol=Epoch, sizes={**small.sizes, Status: len(Status.constants)})

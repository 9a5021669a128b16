"""Recovery of one epoch: the sequencer's appends, then any number of recoveries, possibly at the same time.

Source: LogDevice, Recovery after the failure of a sequencer; common/EpochRecovery.h and common/Digest.h for precedence.
A writer of the epoch is known by its precedence: the sequencer comes first, every recovery is later than all before it.
What one writer proposes for a slot never changes, so a node need only remember *whose* proposal it holds. A recovery
plans all slots at once, from the digests of one f-majority; what has not been stored may be lost with a message.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.parts import Quorums
from spec.protocols.quorums import SmallCluster
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer


class Recovery(Quorums):
    """One epoch, its sequencer and its recoveries."""

    proposed: Partial[Writer, Slot, Value] = says("{0} proposed {2} at {1}")
    stored: Relation[Node, Writer, Slot] = says("{0} stores {1}'s {2}")
    sealed: Relation[Node, Writer] = says("{0} is sealed by {1}")
    acked: Relation[Slot] = says("{0} is acknowledged")

    @define
    def left(self, node: Node, writer: Writer) -> Bool:
        """{node} obeys a seal later than {writer}.

        LogDevice, Recovery, Recovery example: it tells the storage nodes to reject records with smaller epochs.
        """
        return some(self.sealed(node, later) for later in writer.after())

    @define
    def kept(self, writer: Writer, slot: Slot) -> Bool:
        """{writer}'s {slot} is fully replicated.

        LogDevice, Recovery, Log recovery: satisfying the replication property of the epoch.
        """
        return some(every(self.stored(node, writer, slot) for node in copies) for copies in Copyset)

    @define
    def digest(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} reads {old}'s {slot} from {node} of {heard}.

        LogDevice, Recovery, Recovery example: it collects what the storage nodes have of the epoch.
        """
        return heard.has(node) & (old < writer) & self.stored(node, old, slot)

    @define
    def unseen(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{heard} shows {writer} nothing at {slot}.

        LogDevice, common/Digest.h: an ESN without an entry.
        """
        return none(self.digest(node, old, slot, heard, writer) for node in Node for old in Writer)

    @define
    def wins(self, value: Value, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{value} has the highest precedence that {writer} reads at {slot} from {heard}.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        return some(
            self.digest(node, old, slot, heard, writer)
            & self.proposed(old, slot, value)
            & every(self.digest(n, w, slot, heard, writer).implies(w <= old) for n in Node for w in Writer)
            for node in Node
            for old in Writer
        )

    @define
    def ends(self, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} finds in {heard} a bridge at {slot}, or nothing from {slot} on.

        LogDevice, Recovery, Bridge record: its sequence number represents the consensus about where the epoch ends.
        """
        nothing = every(self.unseen(higher, heard, writer) for higher in slot.onward())
        return self.wins(Value.bridge, slot, heard, writer) | nothing

    @define
    def planned(self, writer: Writer) -> Bool:
        """{writer} has planned.

        LogDevice, Recovery, Bridge record: it is stored at the end of a recovered epoch.
        """
        return some(self.proposed(writer, slot, Value.bridge) for slot in Slot)

    @define
    def agrees(self, old: Writer, writer: Writer, slot: Slot) -> Bool:
        """{old} proposed what {writer} proposed at {slot}.

        LogDevice, common/Digest.h: copies of one ESN whose contents are the same are no conflict.
        """
        return some(self.proposed(old, slot, value) & self.proposed(writer, slot, value) for value in Value)

    @define
    def settled(self, writer: Writer, slot: Slot) -> Bool:
        """What {writer} proposed at {slot} is fully replicated, by itself or by an earlier writer.

        LogDevice, Recovery, Log recovery: what is known to be replicated is not replicated again, such as the records
        up to the last known good one.
        """
        return some(self.agrees(old, writer, slot) & self.kept(old, slot) for old in writer.upto())

    @define
    def finished(self, writer: Writer) -> Bool:
        """{writer} has a bridge, and everything up to it is fully replicated.

        LogDevice, Recovery, Log recovery: it replicates the outcome to the correct number of nodes.
        """
        return some(
            self.proposed(writer, end, Value.bridge) & every(self.settled(writer, slot) for slot in end.upto())
            for end in Slot
        )

    @action
    def assign(self, slot: Slot, value: Value) -> None:
        """The sequencer takes a payload for its next slot; the last slot is left for a bridge.

        LogDevice, Write path, Sequencing: records get the next sequence number of the epoch.
        """
        require((value != Value.hole) & (value != Value.bridge))
        require(~self.proposed.defined(Writer.first, slot))
        require(every(self.proposed.defined(Writer.first, lower) for lower in slot.before()))
        require(some(slot < higher for higher in Slot))
        self.proposed.add(Writer.first, slot, value)

    @action
    def store(self, node: Node, writer: Writer, slot: Slot) -> None:
        """A node stores what a writer proposed, unless a later seal forbids it.

        LogDevice, common/STORE_Message.cpp: a store below a seal is refused; the recovery that sealed may store.
        """
        require(self.proposed.defined(writer, slot))
        require(~self.left(node, writer))
        self.stored.add(node, writer, slot)

    @action
    def acknowledge(self, slot: Slot) -> None:
        """The sequencer tells the client that its record is safe.

        LogDevice, common/Appender.h: a writer is answered once its record's copies are stored.
        """
        require(self.kept(Writer.first, slot))
        self.acked.add(slot)

    @action
    def seal(self, node: Node, writer: Writer) -> None:
        """A node promises a recovery to store nothing for earlier writers.

        LogDevice, common/SealStorageTask.cpp: a seal succeeds unless a strictly higher one is there.
        """
        require(writer != Writer.first)
        require(~self.left(node, writer))
        self.sealed.add(node, writer)

    @action
    def plan(self, writer: Writer, heard: FMajority, end: Slot) -> None:
        """A recovery reads the digests of an f-majority and proposes every slot up to its bridge.

        LogDevice, common/EpochRecovery.cpp: digests are complete before mutation; Digest.h: precedence and bridges.
        """
        require(writer != Writer.first)
        require(~self.planned(writer))
        require(every(self.sealed(node, writer) for node in heard))
        require(self.ends(end, heard, writer))
        require(none(self.ends(slot, heard, writer) for slot in end.before()))
        assume(
            every(
                self.unseen(slot, heard, writer) | some(self.wins(value, slot, heard, writer) for value in Value)
                for slot in end.before()
            )
        )
        self.proposed.add(writer, end, Value.bridge)
        for slot in end.before():
            self.proposed.add(writer, slot, Value.hole, when=self.unseen(slot, heard, writer))
            for value in Value:
                self.proposed.add(writer, slot, value, when=self.wins(value, slot, heard, writer))

    @define
    def blocked(self, writer: Writer, slot: Slot, value: Value) -> Bool:
        """{writer} can no longer get {value} fully replicated at {slot}.

        Lamport, Fast Paxos, Choosable values: some member of every quorum has left without voting for it.
        """
        return every(
            some(
                self.left(node, writer) & ~(self.stored(node, writer, slot) & self.proposed(writer, slot, value))
                for node in copies
            )
            for copies in Copyset
        )

    @invariant
    def stored_was_proposed(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """A node stores only what was proposed.

        LogDevice, common/Appender.h: a store carries the payload to which the sequencer gave the LSN.
        """
        return self.stored(node, writer, slot).implies(self.proposed.defined(writer, slot))

    @invariant
    def sequencer_writes_payloads(self, slot: Slot, value: Value) -> Bool:
        """The sequencer writes neither holes nor bridges.

        LogDevice, Recovery, Bridge record: it is stored by the log recovery procedure.
        """
        return self.proposed(Writer.first, slot, value).implies((value != Value.hole) & (value != Value.bridge))

    @invariant
    def one_bridge(self, writer: Writer, end: Slot, other: Slot) -> Bool:
        """A writer proposes at most one bridge.

        LogDevice, Recovery, Bridge record: one at the end of a recovered epoch.
        """
        return (self.proposed(writer, end, Value.bridge) & self.proposed(writer, other, Value.bridge)).implies(
            end == other
        )

    @invariant
    def no_gap_below_a_bridge(self, writer: Writer, end: Slot, slot: Slot) -> Bool:
        """Whoever proposes a bridge proposes something for every slot below it.

        LogDevice, common/EpochRecovery.cpp: every ESN up to the end of the epoch is mutated.
        """
        reached = self.proposed(writer, end, Value.bridge) & (slot < end)
        return reached.implies(self.proposed.defined(writer, slot))

    @invariant
    def proposals_need_a_plan(self, writer: Writer, slot: Slot, value: Value) -> Bool:
        """A recovery that proposed anything has planned, and proposed nothing above its bridge.

        LogDevice, common/EpochRecovery.cpp: mutation begins when the digest is final.
        """
        return (self.proposed(writer, slot, value) & (writer != Writer.first)).implies(
            some(self.proposed(writer, end, Value.bridge) & (slot <= end) for end in Slot)
        )

    @invariant
    def acked_was_kept(self, slot: Slot) -> Bool:
        """An acknowledged record was fully replicated, and its copies stay.

        LogDevice, Recovery, Log recovery: records that were acknowledged must be durably stored.
        """
        return self.acked(slot).implies(self.kept(Writer.first, slot))

    @invariant
    def choice_is_safe(self, old: Writer, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """A later writer proposes another value only if the older value can no longer be fully replicated.

        Lamport, Paxos made simple, condition P2c, for each slot.
        """
        differs = (old < writer) & self.proposed(writer, slot, other) & (value != other)
        return differs.implies(self.blocked(old, slot, value))

    @invariant
    def nothing_beyond_a_bridge(self, writer: Writer, end: Slot, slot: Slot, value: Value) -> Bool:
        """At a bridge and above it the sequencer can no longer get anything fully replicated.

        LogDevice, Recovery, Bridge record: the consensus about where the epoch ends.
        """
        beyond = self.proposed(writer, end, Value.bridge) & (end <= slot)
        return beyond.implies(self.blocked(Writer.first, slot, value))

    @goal
    def acked_is_never_beyond(self, writer: Writer, end: Slot, slot: Slot) -> Bool:
        """An acknowledged record lies below every bridge.

        LogDevice, Recovery, Bridge record: readers take what lies at the bridge and above it for the end of the epoch.
        """
        return (self.acked(slot) & self.proposed(writer, end, Value.bridge)).implies(slot < end)

    @goal
    def acked_survives(self, writer: Writer, slot: Slot, value: Value) -> Bool:
        """Every recovery that has planned proposes every acknowledged record.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always proposed.
        """
        acked = self.acked(slot) & self.proposed(Writer.first, slot, value)
        return (acked & self.planned(writer)).implies(self.proposed(writer, slot, value))

    @goal
    def kept_is_chosen(self, old: Writer, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """What was fully replicated once is what every later writer proposes there.

        LogDevice, Recovery, Log recovery: a consistent and immutable state on storage nodes.
        """
        chosen = self.kept(old, slot) & self.proposed(old, slot, value)
        return (chosen & (old < writer) & self.proposed(writer, slot, other)).implies(value == other)

    @goal
    def finished_bridge_is_final(self, old: Writer, writer: Writer, end: Slot, other: Slot) -> Bool:
        """After a finished recovery every later one ends at the same slot.

        LogDevice, Recovery, Log recovery: the content of the epoch must stay immutable until being trimmed.
        """
        ended = self.finished(old) & self.proposed(old, end, Value.bridge)
        return (ended & (old < writer) & self.proposed(writer, other, Value.bridge)).implies(end == other)

    @goal
    def finished_is_final(self, old: Writer, writer: Writer, slot: Slot, value: Value) -> Bool:
        """After a finished recovery every later plan is the same plan.

        LogDevice, Recovery, Log recovery: immutable, even if there are log recovery attempts by other sequencers.
        """
        both = self.finished(old) & self.planned(writer) & (old < writer)
        kept = self.proposed(old, slot, value).implies(self.proposed(writer, slot, value))
        new = self.proposed(writer, slot, value).implies(self.proposed(old, slot, value))
        return both.implies(kept & new)


def cluster(
    nodes: int = 3, replication: int = 2, slots: int = 1, recoveries: int = 1, payloads: int = 1, racks: int = 0
) -> World:
    """A small cluster in which the sequencer may fill so many slots; there is one more, for a bridge."""
    small = SmallCluster(nodes, replication, racks)
    return World(
        Recovery,
        sizes={Node: nodes, Writer: recoveries + 1, Slot: slots + 1, Value: 2 + payloads},
        families={Copyset: small.copysets, FMajority: small.f_majorities},
    )

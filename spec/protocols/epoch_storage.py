"""An epoch on disks: what nodes have, what recovery makes of it, and what they purge once it is clean.

Source: LogDevice, Recovery after the failure of a sequencer, and Read path, Authoritative Status; server/storage/
PurgeUncleanEpochs.cpp, docs/Rebuilding.md. What a node ever stored stays a vote. What lies on its disk is another
matter: it can be lost, purged and rebuilt, and a recovery reads only that.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.parts import Nodes, Status
from spec.protocols.sorts import FMajority, Node, Slot, Value, Writer
from spec.protocols.streams import Streams


class EpochStorage(Streams, Nodes):
    """One epoch from its first record until its copies are purged."""

    copy: Relation[Node, Writer, Slot] = says("{0} has {1}'s {2} on its disk")
    clean: Relation[Writer] = says("the epoch is clean by {0}")
    purged: Relation[Node] = says("{0} has purged the epoch")
    named: Relation[Node, Slot] = says("the copyset of {1} names {0}")

    @define
    def settled_for_good(self) -> Bool:
        """The epoch is clean.

        LogDevice, Recovery, Log recovery: the last clean epoch is kept in the epoch store.
        """
        return some(self.clean(writer) for writer in Writer)

    @define
    def moves(self, slot: Slot) -> Bool:
        """{slot} was acknowledged and the epoch is not clean: copies may be rebuilt.

        LogDevice, docs/Rebuilding.md: rebuilding waits for what it rebuilds to be released.
        """
        return self.acked(slot) & ~self.settled_for_good()

    @define
    def spoilt(self, node: Node) -> Bool:
        """{node} has lost a slot of the clean epoch whose copyset names it.

        LogDevice, Read path, Copyset: it is in the header of each record, and in an index beside the records.
        """
        return some(
            self.named(node, slot) & self.clean(writer) & ~self.copy(node, writer, slot)
            for slot in Slot
            for writer in Writer
        )

    @define
    def superseded(self, writer: Writer) -> Bool:
        """{writer} comes before the recovery by which the epoch is clean.

        LogDevice, common/EpochRecovery.h: the outcome of an earlier attempt has a lower precedence.
        """
        return some(self.clean(later) for later in writer.after())

    @define
    def follows(self, writer: Writer) -> Bool:
        """{writer} comes after the recovery by which the epoch is clean.

        LogDevice, common/LogRecoveryRequest.cpp: it has read the last clean epoch before it was advanced.
        """
        return some(self.clean(old) for old in writer.before())

    @define
    def holds(self, node: Node, slot: Slot) -> Bool:
        """{node} has the outcome of the clean epoch at {slot}.

        LogDevice, Recovery, Log recovery: the outcome is the same for all attempts from the first that finished.
        """
        return some(self.copy(node, writer, slot) & some(self.clean(old) for old in writer.upto()) for writer in Writer)

    @define
    def released(self, slot: Slot) -> Bool:
        """{slot} lies in the clean epoch, not above its bridge.

        LogDevice, Recovery, Log recovery: after it the new sequencer releases the records of the epoch to readers.
        """
        return some(self.clean(writer) & self.proposed.defined(writer, slot) for writer in Writer)

    @define
    def reads(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{node} of {heard} tells {writer} of {old}'s {slot}.

        LogDevice, Recovery, Recovery example: it collects what the storage nodes have of the epoch. A recovery that
        comes before the clean one has read what was purged before it was purged.
        """
        there = self.copy(node, old, slot) | (self.superseded(writer) & self.stored(node, old, slot))
        return heard.has(node) & (old < writer) & there

    @define
    def tells_all(self, heard: FMajority, writer: Writer) -> Bool:
        """No node of {heard} is known to have lost data, or had lost what its copysets name before {writer} read it.

        LogDevice, common/EpochRecovery.cpp: digests are read again where the status of a node changes.
        """
        there = every(~self.status(node, Status.underreplicated) for node in heard)
        return there & (self.superseded(writer) | every(~self.spoilt(node) for node in heard))

    @define
    def heard_out(self, heard: FMajority, writer: Writer) -> Bool:
        """{heard} has sealed for {writer} and tells all, before {writer} has planned and before the epoch was clean.

        LogDevice, common/EpochRecovery.cpp: digests are complete before mutation.
        """
        yet = ~self.planned(writer) & ~self.follows(writer)
        return super().heard_out(heard, writer) & self.tells_all(heard, writer) & yet

    @define
    def voted(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """{node} has stored what {writer} proposed at {slot}, for whomever.

        LogDevice, common/Digest.h: copies of one ESN whose contents are the same are no conflict.
        """
        return some(self.stored(node, old, slot) & self.agrees(old, writer, slot) for old in Writer)

    @define
    def has_the_same(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """{node} has on its disk what {writer} proposed at {slot}, from whomever.

        LogDevice, common/Digest.h: copies of one ESN whose contents are the same are no conflict.
        """
        return some(self.copy(node, old, slot) & self.agrees(old, writer, slot) for old in Writer)

    @action
    def store(self, node: Node, writer: Writer, slot: Slot) -> None:
        """A node that is up and has not purged stores what a writer proposed, unless a later seal forbids it.

        LogDevice, common/STORE_Message.cpp: a store below a seal is refused; docs/Rebuilding.md: to a clean epoch only
        rebuilding writes. Who stores late what is settled there counts, too.
        """
        super().store(node, writer, slot)
        require(self.authoritative(node))
        require(~self.purged(node))
        self.copy.add(node, writer, slot)
        self.named.add(node, slot, when=self.moves(slot) & (writer == Writer.first))
        for clean in Writer:
            same = self.clean(clean) & self.agrees(writer, clean, slot)
            self.copy.add(node, clean, slot, when=same)
            self.named.add(node, slot, when=same)

    @action
    def acknowledge(self, slot: Slot) -> None:
        """The sequencer tells the client that its record is safe; from now on its copyset counts.

        LogDevice, common/Appender.h: a writer is answered once its record's copies are stored.
        """
        super().acknowledge(slot)
        for node in Node:
            there = self.copy(node, Writer.first, slot) | self.status(node, Status.underreplicated)
            stored = self.stored(node, Writer.first, slot) & ~self.settled_for_good()
            self.named.add(node, slot, when=stored & there)

    @action
    def plan(self, writer: Writer, heard: FMajority, end: Slot) -> None:
        """A recovery proposes every slot up to its bridge, from digests of nodes none of which lost data since.

        LogDevice, common/EpochRecovery.cpp: digests are complete before mutation, and are read again where the status
        of a node changes; Digest.h: precedence and bridges. An empty node counts as one that has nothing; who cannot
        read one of its copies tells nothing.
        """
        require(every(~self.status(node, Status.underreplicated) for node in heard))
        require(self.superseded(writer) | every(~self.spoilt(node) for node in heard))
        super().plan(writer, heard, end)

    @action
    def declare_clean(self, writer: Writer) -> None:
        """A finished recovery declares the epoch clean, if no other has; whoever stored the same counts as a holder.

        LogDevice, common/LogRecoveryRequest.cpp: the last clean epoch is advanced in the epoch store, once.
        """
        require(self.finished(writer))
        require(none(self.clean(other) for other in Writer))
        self.clean.add(writer)
        for node in Node:
            for slot in Slot:
                lost = self.voted(node, writer, slot) & self.status(node, Status.underreplicated)
                self.named.add(node, slot, when=self.has_the_same(node, writer, slot) | lost)
                self.copy.add(node, writer, slot, when=self.has_the_same(node, writer, slot))

    @action
    def purge(self, node: Node) -> None:
        """A node removes what differs from the clean epoch; what is the same is from now on the outcome's.

        LogDevice, server/storage/PurgeSingleEpoch.cpp: it removes all of it from nodes that missed the recovery, for
        others have it.
        """
        require(some(self.clean(writer) for writer in Writer))
        self.purged.add(node)
        for writer in Writer:
            for slot in Slot:
                self.copy.remove(node, writer, slot, when=self.superseded(writer))
                same = self.clean(writer) & self.has_the_same(node, writer, slot)
                self.copy.add(node, writer, slot, when=same)

    @invariant
    def stored_was_proposed(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """A node stores only what was proposed, by the sequencer or by a recovery that has planned.

        LogDevice, common/EpochRecovery.cpp: mutation begins when the digest is final.
        """
        planned = (writer == Writer.first) | self.planned(writer)
        return self.stored(node, writer, slot).implies(self.proposed.defined(writer, slot) & planned)

    @invariant
    def copy_was_proposed(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """What lies on a disk was proposed.

        LogDevice, common/Appender.h: a store carries the payload to which the sequencer gave the LSN.
        """
        return self.copy(node, writer, slot).implies(self.proposed.defined(writer, slot))

    @invariant
    def stored_is_there(self, node: Node, old: Writer, slot: Slot, writer: Writer) -> Bool:
        """What a node stored is on its disk, or lost, or was acknowledged and moved, or whoever still plans knows it.

        LogDevice, docs/Rebuilding.md: rebuilding waits for what it rebuilds to be released; PurgeUncleanEpochs.cpp:
        what a recovery may still have to read is not purged.
        """
        there = self.copy(node, old, slot) | self.status(node, Status.underreplicated) | self.moves(slot)
        planned = self.superseded(writer) | self.follows(writer) | self.planned(writer)
        return self.stored(node, old, slot).implies(there | (self.settled_for_good() & planned))

    @invariant
    def gone_has_nothing(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """A node whose data is gone has no copy.

        LogDevice, Read path, Authoritative Status: the data on that node is not coming back.
        """
        return self.gone(node).implies(~self.copy(node, writer, slot))

    @invariant
    def one_is_clean(self, writer: Writer, other: Writer) -> Bool:
        """The epoch becomes clean by one recovery.

        LogDevice, common/EpochRecovery.cpp: whoever comes second finds the last clean epoch advanced.
        """
        return (self.clean(writer) & self.clean(other)).implies(writer == other)

    @invariant
    def clean_is_planned(self, writer: Writer) -> Bool:
        """The recovery by which the epoch is clean has a bridge.

        LogDevice, common/EpochRecovery.cpp: mutation, cleaning, then the last clean epoch.
        """
        return self.clean(writer).implies(self.planned(writer))

    @invariant
    def later_is_the_same(self, clean: Writer, writer: Writer, slot: Slot, value: Value) -> Bool:
        """After the epoch is clean, later recoveries propose nothing but what is there.

        LogDevice, Recovery, Log recovery: immutable, even if there are log recovery attempts by other sequencers.
        """
        later = self.clean(clean) & (clean < writer) & self.proposed(writer, slot, value)
        return later.implies(self.proposed(clean, slot, value))

    @invariant
    def purged_is_clean(self, node: Node) -> Bool:
        """Nodes purge clean epochs only.

        LogDevice, server/storage/PurgeUncleanEpochs.cpp: a release or a clean message of a later epoch starts it.
        """
        return self.purged(node).implies(some(self.clean(writer) for writer in Writer))

    @invariant
    def purged_has_nothing_older(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """A node that has purged has nothing older than the outcome.

        LogDevice, server/storage/PurgeSingleEpoch.cpp: whatever the recovery decided of is deleted.
        """
        return (self.purged(node) & self.superseded(writer)).implies(~self.copy(node, writer, slot))

    @lemma
    def end_is_doomed(self, writer: Writer, heard: FMajority, end: Slot, slot: Slot) -> Bool:
        """From where a recovery ends the epoch the sequencer can no longer get anything acknowledged.

        LogDevice, Recovery, Bridge record: the consensus about where the epoch ends.
        """
        ready = every(self.sealed(node, writer) for node in heard) & (writer != Writer.first)
        ranked = every(self.ranked(one, heard, writer) for one in Slot)
        yet = ~self.planned(writer) & ~self.follows(writer) & self.tells_all(heard, writer)
        return (ready & ranked & yet & self.ends(end, heard, writer) & (end <= slot)).implies(self.doomed(slot))

    @goal
    def purged_has_the_outcome(self, node: Node, writer: Writer, slot: Slot, clean: Writer) -> Bool:
        """What is left on a node that has purged is what the clean epoch has there.

        LogDevice, server/storage/PurgeSingleEpoch.cpp: so that readers may take any copy.
        """
        left = self.purged(node) & self.copy(node, writer, slot) & self.clean(clean)
        same = some(self.proposed(writer, slot, value) & self.proposed(clean, slot, value) for value in Value)
        return left.implies(same)

    @goal
    def acked_is_never_purged(self, slot: Slot, writer: Writer, value: Value) -> Bool:
        """The clean epoch has every acknowledged record, below its bridge.

        LogDevice, Recovery, Log recovery: records that were acknowledged must be durably stored.
        """
        acked = self.acked(slot) & self.proposed(Writer.first, slot, value)
        return (acked & self.clean(writer)).implies(self.proposed(writer, slot, value))

"""An epoch on disks that fail: recovery makes it clean, nodes purge what is older, lost copies are rebuilt.

Source: LogDevice, Recovery after the failure of a sequencer, and Read path, Authoritative Status; server/storage/
PurgeUncleanEpochs.cpp, docs/Rebuilding.md. What a node ever stored stays a vote. What lies on its disk is another
matter: it can be lost, purged and rebuilt, and a recovery reads only that.
"""

from __future__ import annotations

from spec.language.protocol import (
    Bool,
    Relation,
    action,
    define,
    every,
    goal,
    invariant,
    none,
    require,
    says,
    some,
)
from spec.protocols.parts import Nodes, Status
from spec.protocols.recovery import Recovery
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer


class EpochStorage(Recovery, Nodes):
    """One epoch from its first record until its copies are purged, lost and rebuilt."""

    copy: Relation[Node, Writer, Slot] = says("{0} has {1}'s {2} on its disk")
    clean: Relation[Writer] = says("the epoch is clean by {0}")
    purged: Relation[Node] = says("{0} has purged the epoch")
    named: Relation[Node, Slot] = says("the copyset of {1} names {0}")

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
    def digest(self, node: Node, old: Writer, slot: Slot, heard: FMajority, writer: Writer) -> Bool:
        """{writer} reads {old}'s {slot} from {node} of {heard}.

        LogDevice, Recovery, Recovery example: it collects what the storage nodes have of the epoch. A recovery that
        comes before the clean one has read what was purged before it was purged.
        """
        there = self.copy(node, old, slot) | (self.superseded(writer) & self.stored(node, old, slot))
        return heard.has(node) & (old < writer) & there

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
        rebuilding writes.
        """
        super().store(node, writer, slot)
        require(self.authoritative(node))
        require(~self.purged(node))
        self.copy.add(node, writer, slot)

    @action
    def plan(self, writer: Writer, heard: FMajority, end: Slot) -> None:
        """A recovery proposes every slot up to its bridge, from digests of nodes none of which lost its data since.

        LogDevice, common/EpochRecovery.cpp: digests are complete before mutation, and are read again where the status
        of a node changes; Digest.h: precedence and bridges.
        """
        require(every(~self.gone(node) for node in heard))
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
                self.named.add(node, slot, when=self.voted(node, writer, slot))
                self.copy.add(node, writer, slot, when=self.has_the_same(node, writer, slot))

    @action
    def purge(self, node: Node) -> None:
        """A node removes what differs from the clean epoch; what is the same is from now on the outcome's.

        LogDevice, server/storage/PurgeSingleEpoch.cpp: nodes that missed a recovery delete what they have instead.
        """
        require(some(self.clean(writer) for writer in Writer))
        self.purged.add(node)
        for writer in Writer:
            for slot in Slot:
                self.copy.remove(node, writer, slot, when=self.superseded(writer))
                same = self.clean(writer) & self.has_the_same(node, writer, slot)
                self.copy.add(node, writer, slot, when=same)

    @action
    def lose(self, node: Node) -> None:
        """A node loses its data and is marked unrecoverable.

        LogDevice, Read path, Authoritative Status: the data on an underreplicated node is not coming back.
        """
        require(~self.gone(node))
        self.status.put(node, Status.underreplicated)
        for writer in Writer:
            for slot in Slot:
                self.copy.remove(node, writer, slot)

    @action
    def rebuild(self, slot: Slot, source: Node, onto: Copyset) -> None:
        """The outcome is copied from a node that has it onto a new copyset, which replaces the old one.

        LogDevice, Read path, Copyset: it may be mutated by the rebuilding process; docs/Rebuilding.md: clean data only.
        """
        require(self.holds(source, slot))
        require(every(self.authoritative(node) for node in onto))
        for node in Node:
            self.named.remove(node, slot)
        for node in onto:
            self.named.add(node, slot)
            for writer in Writer:
                self.copy.add(node, writer, slot, when=self.clean(writer))

    @action
    def mark_empty(self, node: Node) -> None:
        """After the epoch is clean, a node is marked empty when no copyset names it any more.

        LogDevice, Read path, Authoritative Status: it is removed from the copyset and the new location is added.
        """
        require(some(self.clean(writer) for writer in Writer))
        require(none(self.named(node, slot) for slot in Slot))
        self.status.put(node, Status.empty)
        for writer in Writer:
            for slot in Slot:
                self.copy.remove(node, writer, slot)

    @invariant
    def stored_was_proposed(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """A node stores only what was proposed, by the sequencer or by a recovery that has planned.

        LogDevice, common/EpochRecovery.cpp: mutation begins when the digest is final.
        """
        planned = (writer == Writer.first) | self.planned(writer)
        return self.stored(node, writer, slot).implies(self.proposed.defined(writer, slot) & planned)

    @invariant
    def choice_is_safe(self, old: Writer, writer: Writer, slot: Slot, value: Value, other: Value) -> Bool:
        """A later writer proposes another value only if the older one cannot win, or the epoch was clean before it.

        Lamport, Paxos made simple, condition P2c, for each slot; who follows the clean epoch proposes what is there.
        """
        differs = (old < writer) & self.proposed(writer, slot, other) & (value != other)
        return (differs & ~self.follows(writer)).implies(self.blocked(old, slot, value))

    @invariant
    def copy_was_proposed(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """What lies on a disk was proposed.

        LogDevice, common/Appender.h: a store carries the payload to which the sequencer gave the LSN.
        """
        return self.copy(node, writer, slot).implies(self.proposed.defined(writer, slot))

    @invariant
    def stored_is_there(self, node: Node, old: Writer, slot: Slot, writer: Writer) -> Bool:
        """What an intact node stored is on its disk, or was purged as older than an outcome that has been planned.

        LogDevice, server/storage/PurgeUncleanEpochs.cpp: what a recovery may still have to read is not purged.
        """
        purged = self.purged(node) & self.superseded(old)
        planned = self.superseded(writer) | self.follows(writer) | self.planned(writer)
        stored = self.stored(node, old, slot) & ~self.gone(node)
        return stored.implies(self.copy(node, old, slot) | (purged & planned))

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
    def majority_has_the_outcome(self, heard: FMajority, writer: Writer, slot: Slot) -> Bool:
        """Of the clean epoch every f-majority of nodes that have their data has every slot, purged or not.

        LogDevice, common/Digest.h: what purging removes, later recoveries would not prefer.
        """
        outcome = self.clean(writer) & self.proposed.defined(writer, slot)
        intact = every(~self.gone(node) for node in heard)
        return (outcome & intact).implies(some(self.copy(node, writer, slot) for node in heard))

    @invariant
    def purged_is_clean(self, node: Node) -> Bool:
        """Nodes purge clean epochs only.

        LogDevice, server/storage/PurgeUncleanEpochs.cpp: a release or a clean message of a later epoch starts it.
        """
        return self.purged(node).implies(some(self.clean(writer) for writer in Writer))

    @invariant
    def purged_has_nothing_older(self, node: Node, writer: Writer, slot: Slot) -> Bool:
        """A node that has purged has nothing older than the outcome.

        LogDevice, server/storage/PurgeSingleEpoch.cpp: all is deleted that the recovery has not put there.
        """
        return (self.purged(node) & self.superseded(writer)).implies(~self.copy(node, writer, slot))

    @invariant
    def empty_is_clean(self, node: Node) -> Bool:
        """No node counts as empty before the epoch is clean.

        LogDevice, docs/Rebuilding.md: rebuilding waits for what it rebuilds to be released.
        """
        return self.status(node, Status.empty).implies(some(self.clean(writer) for writer in Writer))

    @invariant
    def named_is_clean(self, node: Node, slot: Slot) -> Bool:
        """Copysets count from when the epoch is clean.

        LogDevice, docs/Rebuilding.md: rebuilding waits for what it rebuilds to be released.
        """
        return self.named(node, slot).implies(some(self.clean(writer) for writer in Writer))

    @invariant
    def released_has_a_copyset(self, writer: Writer, slot: Slot) -> Bool:
        """The nodes that a released slot names are a copyset or more.

        LogDevice, Read path, Copyset: it is in the header of each record.
        """
        placed = some(every(self.named(node, slot) for node in copies) for copies in Copyset)
        return (self.clean(writer) & self.proposed.defined(writer, slot)).implies(placed)

    @invariant
    def named_has_it_or_lost_it(self, node: Node, slot: Slot, writer: Writer) -> Bool:
        """A node that the copyset names has the outcome, or is known to the cluster as having lost it.

        LogDevice, Read path, Authoritative Status: rebuilding updates the copysets of all that was on an empty node.
        """
        kept = self.copy(node, writer, slot) | self.status(node, Status.underreplicated)
        return (self.named(node, slot) & self.clean(writer)).implies(kept & ~self.status(node, Status.empty))

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

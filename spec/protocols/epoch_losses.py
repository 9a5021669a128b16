"""An epoch on disks that fail: copies are lost, rebuilt elsewhere, and copysets follow them.

Source: LogDevice, Read path, Authoritative Status and Copyset; docs/Rebuilding.md; server/rebuilding. A slot is rebuilt
once it is settled: acknowledged, or of the clean epoch. Then a node that no copyset names any more may be called empty.
"""

from __future__ import annotations

from spec.language.protocol import Bool, Relation, action, define, every, invariant, lemma, none, require, says, some
from spec.protocols.epoch_extras import EpochExtras
from spec.protocols.parts import Status
from spec.protocols.sorts import Copyset, FMajority, Node, Slot, Value, Writer


class EpochLosses(EpochExtras):
    """One epoch from its first record until its copies are purged, lost and rebuilt."""

    vanished: Relation[Slot] = says("all copies of {0} vanished at once")

    @define
    def lends(self, node: Node, slot: Slot) -> Bool:
        """{node} has {slot} as it was settled: as the clean epoch has it, or as it was acknowledged.

        LogDevice, docs/Rebuilding.md: only what is released is rebuilt, so that it does not race recovery.
        """
        return self.holds(node, slot) | (self.moves(slot) & self.has_the_same(node, Writer.first, slot))

    @define
    def keeps(self, node: Node, slot: Slot) -> Bool:
        """{node} has {slot} as the clean epoch has it, or as the sequencer of the running one.

        LogDevice, Read path, Copyset: the nodes on which the record is stored.
        """
        outcome = every(self.clean(writer).implies(self.copy(node, writer, slot)) for writer in Writer)
        return outcome & (self.settled_for_good() | self.copy(node, Writer.first, slot))

    @define
    def hears_after(self, clean: Writer, writer: Writer, heard: FMajority) -> Bool:
        """{writer} comes after {clean}, by whom the epoch is clean, and {heard} tells it all, of each slot in order.

        LogDevice, Recovery, Log recovery: immutable, even if there are log recovery attempts by other sequencers.
        """
        ranked = every(self.ranked(slot, heard, writer) for slot in Slot)
        return self.clean(clean) & (clean < writer) & self.tells_all(heard, writer) & ranked

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
    def vanish(self, slot: Slot) -> None:
        """All copies of a slot of the clean epoch vanish at once, and nobody is told.

        LogDevice, Read path, Reporting gaps: data loss, a record that cannot be read any more.
        """
        require(self.settled_for_good())
        self.vanished.add(slot)
        for node in Node:
            for writer in Writer:
                self.copy.remove(node, writer, slot)

    @action
    def rebuild(self, slot: Slot, source: Node, node: Node) -> None:
        """A settled slot is copied from a node that has it to one that is up.

        LogDevice, docs/Rebuilding.md: donors copy what is released; what is not yet clean there, they do not touch.
        """
        require(self.lends(source, slot))
        require(self.authoritative(node))
        for writer in Writer:
            running = (writer == Writer.first) & ~self.settled_for_good()
            self.copy.add(node, writer, slot, when=self.clean(writer) | running)
        self.relied.add(source, slot)
        self.relied.add(node, slot)

    @action
    def place(self, slot: Slot, onto: Copyset) -> None:
        """A new copyset, all of which has the settled slot, replaces the old one.

        LogDevice, Read path, Copyset: it may be mutated by the rebuilding process; server/rebuilding/
        RecordRebuildingStore.cpp: all new copies are stored before any copyset names them.
        """
        require(self.acked(slot) | self.released(slot))
        require(every(self.authoritative(node) & self.keeps(node, slot) for node in onto))
        for node in Node:
            self.named.remove(node, slot)
        for node in onto:
            self.named.add(node, slot)
            self.relied.add(node, slot)

    @action
    def mark_empty(self, node: Node) -> None:
        """A node is marked empty when all that it stored is settled, and no copyset names it any more.

        LogDevice, Read path, Authoritative Status: it is removed from the copyset and the new location is added. What
        vanished nobody can rebuild.
        """
        require(every(~self.named(node, slot) | self.vanished(slot) for slot in Slot))
        stored = (self.stored(node, writer, slot).implies(self.acked(slot)) for writer in Writer for slot in Slot)
        require(self.settled_for_good() | every(stored))
        self.status.put(node, Status.empty)
        for writer in Writer:
            for slot in Slot:
                self.copy.remove(node, writer, slot)

    @invariant
    def vanished_was_clean(self, slot: Slot) -> Bool:
        """Only what was clean has vanished.

        LogDevice, Read path, Reporting gaps: before that, recovery decides what becomes of it.
        """
        return self.vanished(slot).implies(self.settled_for_good())

    @invariant
    def named_is_settled(self, node: Node, slot: Slot) -> Bool:
        """Copysets count from when a slot is acknowledged, or the epoch clean.

        LogDevice, docs/Rebuilding.md: rebuilding waits for what it rebuilds to be released.
        """
        return self.named(node, slot).implies(self.acked(slot) | self.settled_for_good())

    @invariant
    def acked_has_a_copyset(self, slot: Slot) -> Bool:
        """Until the epoch is clean, the nodes that an acknowledged slot names are a copyset or more.

        LogDevice, Read path, Copyset: it is in the header of each record.
        """
        placed = some(every(self.named(node, slot) for node in copies) for copies in Copyset)
        return self.moves(slot).implies(placed)

    @invariant
    def released_has_a_copyset(self, writer: Writer, slot: Slot) -> Bool:
        """The nodes that a released slot names are a copyset or more.

        LogDevice, Read path, Copyset: it is in the header of each record.
        """
        placed = some(every(self.named(node, slot) for node in copies) for copies in Copyset)
        return (self.clean(writer) & self.proposed.defined(writer, slot)).implies(placed)

    @invariant
    def named_has_the_record(self, node: Node, slot: Slot) -> Bool:
        """In the running epoch a node that the copyset names has the sequencer's record, or is known to have lost it.

        LogDevice, Read path, Authoritative Status: rebuilding updates the copysets of all that was on an empty node.
        """
        kept = self.copy(node, Writer.first, slot) | self.status(node, Status.underreplicated)
        named = self.named(node, slot) & ~self.settled_for_good()
        return named.implies(kept & ~self.status(node, Status.empty))

    @invariant
    def named_has_it_or_lost_it(self, node: Node, slot: Slot, writer: Writer) -> Bool:
        """A node that the copyset names has the outcome, or is known to the cluster as having lost it.

        LogDevice, Read path, Authoritative Status: rebuilding updates the copysets of all that was on an empty node.
        """
        kept = self.copy(node, writer, slot) | self.status(node, Status.underreplicated)
        named = self.named(node, slot) & self.clean(writer) & ~self.vanished(slot)
        return named.implies(kept & ~self.status(node, Status.empty))

    @invariant
    def majority_has_the_outcome(self, heard: FMajority, writer: Writer, slot: Slot) -> Bool:
        """Of the clean epoch every f-majority of nodes that lost nothing has every slot, purged or not.

        LogDevice, common/Digest.h: what purging removes, later recoveries would not prefer.
        """
        outcome = self.clean(writer) & self.proposed.defined(writer, slot)
        intact = every(~self.status(node, Status.underreplicated) & ~self.spoilt(node) for node in heard)
        return (outcome & intact).implies(some(self.copy(node, writer, slot) for node in heard))

    @invariant
    def majority_has_the_acked(self, heard: FMajority, slot: Slot) -> Bool:
        """Until the epoch is clean, every f-majority of nodes that did not lose data has every acknowledged record.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always seen.
        """
        intact = every(~self.status(node, Status.underreplicated) for node in heard)
        return (self.moves(slot) & intact).implies(some(self.copy(node, Writer.first, slot) for node in heard))

    @lemma
    def acked_is_told(self, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """Some node of every f-majority tells of an acknowledged record.

        LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always seen.
        """
        asked = (writer != Writer.first) & self.heard_out(heard, writer)
        there = some(self.copy(node, Writer.first, slot) for node in heard)
        told = self.superseded(writer) & some(self.stored(node, Writer.first, slot) for node in heard)
        return (self.acked(slot) & asked).implies(there | told)

    @lemma
    def outcome_is_shown(self, clean: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """A record of the clean epoch is shown to all that come after it.

        LogDevice, Recovery, Log recovery: immutable, even if there are log recovery attempts by other sequencers.
        """
        record = self.is_record(clean, slot)
        return (self.hears_after(clean, writer, heard) & record).implies(self.shows(slot, heard, writer))

    @lemma
    def outcome_is_not_broken(self, clean: Writer, writer: Writer, heard: FMajority, slot: Slot) -> Bool:
        """In the clean epoch nobody that comes after it finds a stream broken.

        LogDevice, common/Digest.cpp: no record of a stream is kept without those before it.
        """
        there = self.proposed.defined(clean, slot)
        return (self.hears_after(clean, writer, heard) & there).implies(~self.broken(slot, heard, writer))

    @lemma
    def outcome_is_counted(self, clean: Writer, writer: Writer, heard: FMajority, slot: Slot, value: Value) -> Bool:
        """What the clean epoch has, has the highest precedence for all that come after it.

        LogDevice, Recovery, Log recovery: immutable, even if there are log recovery attempts by other sequencers.
        """
        there = self.proposed(clean, slot, value)
        return (self.hears_after(clean, writer, heard) & there).implies(self.wins(value, slot, heard, writer))

    @lemma
    def only_the_outcome_is_counted(
        self, clean: Writer, writer: Writer, heard: FMajority, slot: Slot, value: Value, other: Value
    ) -> Bool:
        """Where the clean epoch has something, nobody that comes after it counts anything else, or nothing.

        LogDevice, common/Digest.h: of the copies of one ESN, that of the highest precedence is the target.
        """
        same = self.wins(other, slot, heard, writer).implies(value == other)
        there = self.proposed(clean, slot, value)
        return (self.hears_after(clean, writer, heard) & there).implies(same & ~self.unseen(slot, heard, writer))

    @lemma
    def outcome_ends_there(self, clean: Writer, writer: Writer, heard: FMajority, end: Slot) -> Bool:
        """All that come after the clean epoch end it where it ends.

        LogDevice, Recovery, Bridge record: its sequence number represents the consensus about where the epoch ends.
        """
        ends = self.ends(end, heard, writer) & none(self.ends(lower, heard, writer) for lower in end.before())
        return (self.hears_after(clean, writer, heard) & ends).implies(self.proposed(clean, end, Value.bridge))

    @lemma
    def outcome_is_planned(
        self, clean: Writer, writer: Writer, heard: FMajority, end: Slot, slot: Slot, value: Value
    ) -> Bool:
        """All that come after the clean epoch plan what is there.

        LogDevice, Recovery, Log recovery: immutable, even if there are log recovery attempts by other sequencers.
        """
        ends = self.ends(end, heard, writer) & none(self.ends(lower, heard, writer) for lower in end.before())
        hole = (value == Value.hole) & self.unseen(slot, heard, writer)
        below = (slot < end) & (hole | self.wins(value, slot, heard, writer))
        planned = below | ((slot == end) & (value == Value.bridge))
        return (self.hears_after(clean, writer, heard) & ends & planned).implies(self.proposed(clean, slot, value))

"""Reading while nodes fail, lose their disks and are rebuilt: when a reader may report a record as lost.

Source: LogDevice, Read path, Gap detection and Authoritative Status; ClientReadStream.cpp. A record is acknowledged
before the release pointer passes its slot, or never: recovery sees to that. Answers that are under way when the reader
starts over are dropped with their stream, so an answer is here once the reader has it.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.parts import Quorums, Status, StatusReader
from spec.protocols.quorums import SmallCluster
from spec.protocols.sorts import Copyset, FMajority, Node, Rack, Slot


class Reads(StatusReader, Quorums):
    """Records are stored, lost and rebuilt; a reader learns statuses, and reports the slots that it must give up."""

    copy: Relation[Node, Slot] = says("{0} has a copy of {1}")
    named: Relation[Node, Slot] = says("the copyset of {1} names {0}")
    acked: Relation[Slot] = says("{0} is acknowledged")
    released: Relation[Slot] = says("{0} is released")
    reported: Relation[Slot] = says("the reader has reported {0} as lost")

    @action
    def store(self, node: Node, slot: Slot) -> None:
        """A fully authoritative node stores a copy of a record, until its slot is released.

        LogDevice, Read path, Copyset: the nodes on which the copies of a record are stored.
        """
        require(self.authoritative(node), ~self.released(slot))
        self.copy.add(node, slot)

    @action
    def acknowledge(self, slot: Slot, copies: Copyset) -> None:
        """A record is acknowledged once every node of its copyset has a copy, and its slot is not released yet.

        LogDevice, Read path, Copyset: it is written with the record; common/Appender.h: answered once stored.
        """
        require(~self.acked(slot), ~self.released(slot))
        require(every(self.copy(node, slot) & self.authoritative(node) for node in copies))
        self.acked.add(slot)
        for node in copies:
            self.named.add(node, slot)

    @action
    def release(self, slot: Slot) -> None:
        """The release pointer passes a slot, be there an acknowledged record or none.

        LogDevice, Read path, How reads happen: nodes only deliver records up to the last known good pointer.
        """
        self.released.add(slot)

    @action
    def lose(self, node: Node) -> None:
        """A node loses its data and is marked unrecoverable.

        LogDevice, Read path, Authoritative Status: the data on an underreplicated node is not coming back.
        """
        require(~self.gone(node))
        self.status.put(node, Status.underreplicated)
        for slot in Slot:
            self.copy.remove(node, slot)

    @action
    def rebuild(self, slot: Slot, source: Node, onto: Copyset) -> None:
        """A record is copied from a node that has it onto a new copyset, which replaces the old one.

        LogDevice, Read path, Copyset: the copyset may be mutated by the rebuilding process.
        """
        require(self.acked(slot), self.copy(source, slot))
        require(every(self.authoritative(node) for node in onto))
        for node in Node:
            self.named.remove(node, slot)
        for node in onto:
            self.named.add(node, slot)
            self.copy.add(node, slot)

    @action
    def mark_empty(self, node: Node) -> None:
        """A node is marked empty when no copyset names it any more.

        LogDevice, Read path, Authoritative Status: it is removed from the copyset and the new location is added.
        """
        require(none(self.named(node, slot) for slot in Slot))
        self.status.put(node, Status.empty)
        for slot in Slot:
            self.copy.remove(node, slot)

    @action
    def deny(self, node: Node, slot: Slot) -> None:
        """A fully authoritative node that has nothing at a released slot tells the reader so.

        LogDevice, Read path, Gaps sent by storage nodes: a record or gap with a higher sequence number.
        """
        require(self.authoritative(node), self.released(slot), ~self.copy(node, slot))
        self.denied.add(node, slot)

    @action
    def report_by_majority(self, slot: Slot, heard: FMajority) -> None:
        """The reader reports a slot as lost when an f-majority of the effective nodeset said they have nothing.

        LogDevice, Read path, Authoritative Status, first rule for a data loss gap.
        """
        require(self.released(slot))
        require(every(self.answered(node, slot) for node in heard))
        self.reported.add(slot)

    @action
    def report_by_all(self, slot: Slot) -> None:
        """The reader reports a slot as lost when every node that can still have a record said it has nothing.

        LogDevice, Read path, Authoritative Status, second rule for a data loss gap.
        """
        require(self.released(slot))
        require(every(self.excused(node, slot) for node in Node))
        self.reported.add(slot)

    @invariant
    def gone_has_nothing(self, node: Node, slot: Slot) -> Bool:
        """A node whose data is gone has no copy.

        LogDevice, Read path, Authoritative Status: the data on that node is not coming back.
        """
        return self.gone(node).implies(~self.copy(node, slot))

    @invariant
    def acked_has_a_copyset(self, slot: Slot) -> Bool:
        """The nodes that an acknowledged record names are one copyset.

        LogDevice, Read path, Copyset: it is in the header of each record.
        """
        return self.acked(slot).implies(
            some(
                every(self.named(node, slot) for node in copies)
                & every(self.named(node, slot).implies(copies.has(node)) for node in Node)
                for copies in Copyset
            )
        )

    @invariant
    def named_is_acked(self, node: Node, slot: Slot) -> Bool:
        """Only an acknowledged record has a copyset here.

        LogDevice, Read path, Copyset: it is final when the record is written.
        """
        return self.named(node, slot).implies(self.acked(slot))

    @invariant
    def named_has_it_or_lost_it(self, node: Node, slot: Slot) -> Bool:
        """A node that the copyset names has the record, or is known to the cluster as having lost it.

        LogDevice, Read path, Authoritative Status: rebuilding updates the copysets of all that was on an empty node.
        """
        kept = self.copy(node, slot) | self.status(node, Status.underreplicated)
        return self.named(node, slot).implies(kept & ~self.status(node, Status.empty))

    @invariant
    def denied_was_released(self, node: Node, slot: Slot) -> Bool:
        """Nodes answer for released slots only.

        LogDevice, Read path, How reads happen: storage nodes only deliver records that were released.
        """
        return self.denied(node, slot).implies(self.released(slot))

    @invariant
    def some_copyset_is_waited_for(self, slot: Slot) -> Bool:
        """The reader waits for every node of some copyset of an acknowledged record, each of which had a copy.

        LogDevice, Read path, Gap detection algorithm: there could still be a copy on the nodes that did not answer.
        """
        return self.acked(slot).implies(
            some(
                every(~self.answered(node, slot) & (self.copy(node, slot) | self.gone(node)) for node in copies)
                for copies in Copyset
            )
        )

    @invariant
    def some_holder_is_waited_for(self, slot: Slot, holder: Node) -> Bool:
        """While a node has an acknowledged record, the reader waits for some node that has or had it.

        LogDevice, Read path, Authoritative Status, second rule for a data loss gap.
        """
        waited = some(~self.excused(node, slot) & (self.copy(node, slot) | self.gone(node)) for node in Node)
        return (self.acked(slot) & self.copy(holder, slot)).implies(waited)

    @invariant
    def reported_is_lost(self, slot: Slot) -> Bool:
        """A reported slot was released; if its record was acknowledged, all copies and a whole copyset are lost.

        LogDevice, Read path, Gap detection: a record that is irretrievably lost.
        """
        copyset_lost = some(every(self.gone(node) for node in copies) for copies in Copyset)
        lost = copyset_lost & none(self.copy(node, slot) for node in Node)
        return self.reported(slot).implies(self.released(slot) & self.acked(slot).implies(lost))

    @goal
    def no_copy_is_passed_over(self, slot: Slot, node: Node) -> Bool:
        """An acknowledged record is reported as lost only when no node has a copy of it.

        LogDevice, Read path, Gap detection: correctly report a record as irretrievably lost.
        """
        return (self.acked(slot) & self.reported(slot)).implies(~self.copy(node, slot))

    @goal
    def majority_never_loses(self, slot: Slot, heard: FMajority) -> Bool:
        """No f-majority ever denies an acknowledged record, however many copies are lost.

        LogDevice, Read path, Gap detection algorithm: the complement of the f-majority cannot contain a copyset.
        """
        return self.acked(slot).implies(some(~self.answered(node, slot) for node in heard))

    @goal
    def fewer_losses_lose_nothing(self, slot: Slot) -> Bool:
        """An acknowledged record is reported as lost only after all nodes of some copyset lost their data.

        LogDevice, Read path, All Send All: as long as no more than R-1 nodes are unavailable, reads go on.
        """
        lost = some(every(self.gone(node) for node in copies) for copies in Copyset)
        return (self.acked(slot) & self.reported(slot)).implies(lost)


def read_path(nodes: int = 3, replication: int = 2, slots: int = 1, racks: int = 0) -> World:
    """A small cluster and the slots that one reader asks for."""
    small = SmallCluster(nodes, replication, racks)
    return World(
        Reads,
        sizes={Node: nodes, Slot: slots, Status: len(Status.constants)},
        families={Copyset: small.copysets, FMajority: small.f_majorities, Rack: small.rack_sets},
    )

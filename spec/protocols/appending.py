"""Appending with extra recipients: the stages that a record goes through until readers may ask for one copy of it.

Source: LogDevice, Single Copy Delivery, Appender stages. A wave sends a record to as many nodes as it needs and to some
extras, in one order; the first ones are to keep it. LogDevice has dropped extras since: a wave is sent to just enough
nodes, all of which must store it. That is this text in a world without extras, where the stages fall together. Nodes go
down and come back with what they have; copies of older waves count as copies, but carry another order.
"""

from __future__ import annotations

from itertools import combinations

from spec.language.protocol import *
from spec.protocols.quorums import SmallCluster
from spec.protocols.sorts import Copyset, Node, Slot


class Candidate(Family[Node]):
    """Enough nodes to keep a record, and the extras."""


class Appending(Protocol):
    """The appender of each record, from its first wave until its extra copies are deleted."""

    wave: Partial[Slot, Candidate] = says("the newest wave of {0} is sent to {1}")
    to_stay: Partial[Slot, Copyset] = says("{0} is to stay on {1}")
    leader: Partial[Slot, Node] = says("{1} is the first recipient of {0}")
    copy: Relation[Node, Slot] = says("{0} has a copy of {1}")
    current: Relation[Node, Slot] = says("{0} has {1}'s newest wave")
    acked: Relation[Slot] = says("{0} is acknowledged")
    released: Relation[Slot] = says("{0} is released")
    done: Relation[Slot] = says("the appender of {0} is done")
    down: Relation[Node] = says("{0} is down")

    @define
    def replicated(self, slot: Slot) -> Bool:
        """The newest wave of {slot} is fully replicated.

        LogDevice, Single Copy Delivery, Replication stage: any R recipients replied that they stored their copy.
        """
        return some(every(self.current(node, slot) for node in copies) for copies in Copyset)

    @define
    def ready(self, slot: Slot) -> Bool:
        """{slot} is replicated, and its first recipient has it.

        LogDevice, Single Copy Delivery, Sync-leader stage: who must have their copy before the record can be released.
        """
        led = some(self.leader(slot, node) & self.current(node, slot) for node in Node)
        return self.replicated(slot) & led

    @define
    def may_try_again(self, slot: Slot) -> Bool:
        """{slot} is not released, its appender is not done, and a recipient of its newest wave is down.

        LogDevice, Single Copy Delivery, Appender stages: it will always prioritize write availability.
        """
        waits = some(self.wave(slot, sent) & some(self.down(node) for node in sent) for sent in Candidate)
        return ~self.released(slot) & ~self.done(slot) & waits

    @action
    def begin_wave(self, slot: Slot, sent: Candidate, first: Copyset, leader: Node) -> None:
        """The appender sends its record to nodes that are up, for the first time or because a recipient is down.

        LogDevice, common/Appender.h: on a time-out a new wave goes to a new copyset.
        """
        require(~self.wave.defined(slot) | self.may_try_again(slot))
        require(every(~self.down(node) for node in sent))
        require(every(sent.has(node) for node in first), first.has(leader))
        self.wave.put(slot, sent)
        self.to_stay.put(slot, first)
        self.leader.put(slot, leader)
        for node in Node:
            self.current.remove(node, slot)

    @action
    def store(self, node: Node, slot: Slot) -> None:
        """A recipient of the newest wave that is up stores its copy.

        LogDevice, Single Copy Delivery, Appender stages: recipients reply that they successfully stored their copy.
        """
        require(~self.down(node))
        require(some(self.wave(slot, sent) & sent.has(node) for sent in Candidate))
        self.copy.add(node, slot)
        self.current.add(node, slot)

    @action
    def acknowledge(self, slot: Slot) -> None:
        """The writer is answered once the wave is fully replicated, whoever has the copies.

        LogDevice, Single Copy Delivery, Replication stage: sufficient to reply with an APPENDED message.
        """
        require(self.replicated(slot))
        self.acked.add(slot)

    @action
    def release(self, slot: Slot) -> None:
        """The record is released once it was acknowledged and the first recipient has it, too.

        LogDevice, Single Copy Delivery, Sync-leader stage: it is now possible for readers to start reading.
        """
        require(self.acked(slot), self.ready(slot))
        self.released.add(slot)

    @action
    def finish(self, slot: Slot) -> None:
        """The appender is done when all nodes on which its record is to stay have it.

        LogDevice, Single Copy Delivery, Leader redundancy stage: before it completes its state machine.
        """
        require(self.released(slot))
        require(
            some(self.to_stay(slot, first) & every(self.current(node, slot) for node in first) for first in Copyset)
        )
        self.done.add(slot)

    @action
    def drop_extra(self, node: Node, slot: Slot, others: Copyset) -> None:
        """A copy on which nothing depends is deleted: enough other nodes have one, and it was not to stay.

        LogDevice, Single Copy Delivery, Sync-leader stage: as a result, a DELETE will be sent.
        """
        require(~others.has(node))
        require(every(self.copy(other, slot) for other in others))
        require(none(self.to_stay(slot, first) & first.has(node) for first in Copyset))
        self.copy.remove(node, slot)
        self.current.remove(node, slot)

    @action
    def fail(self, node: Node) -> None:
        """A node goes down, with what it has.

        LogDevice, Single Copy Delivery, Leader redundancy stage: if N3 is down, N2 will take over.
        """
        self.down.add(node)

    @action
    def come_back(self, node: Node) -> None:
        """A node is up again.

        LogDevice, Single Copy Delivery, Known down list: the mechanism that detects that a node is back up.
        """
        self.down.remove(node)

    @invariant
    def current_is_a_copy(self, node: Node, slot: Slot) -> Bool:
        """Who has the newest wave has a copy.

        LogDevice, common/Appender.h: a reply says that the copy is stored.
        """
        return self.current(node, slot).implies(self.copy(node, slot))

    @invariant
    def first_is_to_stay(self, slot: Slot, first: Copyset, leader: Node) -> Bool:
        """The first recipient is one of those on which the record is to stay.

        LogDevice, Single Copy Delivery, Leader redundancy stage: the left-most recipients, of which it is the first.
        """
        return (self.to_stay(slot, first) & self.leader(slot, leader)).implies(first.has(leader))

    @invariant
    def recipients_alone_have_it(self, node: Node, slot: Slot, sent: Candidate) -> Bool:
        """Who has the newest wave is one of its recipients.

        LogDevice, Read path, Copyset: it is written with the record and names the nodes that may have it.
        """
        return (self.current(node, slot) & self.wave(slot, sent)).implies(sent.has(node))

    @invariant
    def what_stays_was_sent(self, node: Node, slot: Slot, first: Copyset, sent: Candidate) -> Bool:
        """Nodes on which a record is to stay are recipients of its newest wave.

        LogDevice, Single Copy Delivery, Leader redundancy stage: the left-most recipients.
        """
        return (self.to_stay(slot, first) & self.wave(slot, sent) & first.has(node)).implies(sent.has(node))

    @invariant
    def acked_is_replicated(self, slot: Slot) -> Bool:
        """An acknowledged record has enough copies, whatever is deleted.

        LogDevice, Single Copy Delivery, Appender stages: the X nodes that will not end up storing the record.
        """
        return self.acked(slot).implies(some(every(self.copy(node, slot) for node in copies) for copies in Copyset))

    @invariant
    def released_was_ready(self, slot: Slot) -> Bool:
        """A released record was acknowledged, and its first recipient has it.

        LogDevice, Single Copy Delivery, Sync-leader stage: must have their copy before the record can be released.
        """
        led = some(self.leader(slot, node) & self.copy(node, slot) for node in Node)
        return self.released(slot).implies(self.acked(slot) & self.wave.defined(slot) & led)

    @invariant
    def waves_have_an_order(self, slot: Slot) -> Bool:
        """What was sent, and nothing else, has a first recipient; it has nodes on which it is to stay.

        LogDevice, Single Copy Delivery, Appender stages: a copyset is a list, of which the first are the leaders.
        """
        sent = self.wave.defined(slot)
        ordered = self.leader.defined(slot) & self.to_stay.defined(slot)
        return self.leader.defined(slot).implies(sent) & sent.implies(ordered)

    @invariant
    def done_is_where_it_stays(self, slot: Slot, first: Copyset, node: Node) -> Bool:
        """When the appender is done, its record was released, and is wherever it is to stay.

        LogDevice, Single Copy Delivery, Leader redundancy stage: before it completes its state machine.
        """
        stays = (self.to_stay(slot, first) & first.has(node)).implies(self.copy(node, slot))
        return self.done(slot).implies(self.released(slot) & stays)

    @goal
    def released_is_replicated(self, slot: Slot) -> Bool:
        """A released record has enough copies.

        LogDevice, Single Copy Delivery, Replication stage: any R recipients in the copyset.
        """
        return self.released(slot).implies(some(every(self.copy(node, slot) for node in copies) for copies in Copyset))

    @goal
    def first_recipient_has_it(self, slot: Slot, node: Node) -> Bool:
        """The first recipient of a released record has it, so that in single copy mode some node sends it.

        LogDevice, Single Copy Delivery, Appender stages: the first node indices must store a copy for sure.
        """
        return (self.released(slot) & self.leader(slot, node)).implies(self.copy(node, slot))

    @goal
    def others_can_take_over(self, slot: Slot) -> Bool:
        """When the appender is done, enough nodes have the record, all of them first in the order and none an extra.

        LogDevice, Single Copy Delivery, Leader redundancy stage: if the first is down, the second will take over.
        """
        return self.done(slot).implies(
            some(self.to_stay(slot, first) & every(self.copy(node, slot) for node in first) for first in Copyset)
        )

    @goal
    def nothing_waits_for_the_dead(self, slot: Slot, sent: Candidate) -> Bool:
        """A record that was sent is released, or can be, or all its recipients are up, or it may be sent to others.

        LogDevice, Single Copy Delivery, Appender stages: it will always prioritize write availability over this.
        """
        waits = self.wave(slot, sent) & ~self.released(slot) & some(self.down(node) for node in sent)
        return waits.implies((self.acked(slot) & self.ready(slot)) | self.may_try_again(slot))


def appender(nodes: int = 4, replication: int = 2, extras: int = 1, slots: int = 1) -> World:
    """A small cluster; each wave goes to ``extras`` nodes more than a record needs."""
    sent = [frozenset(some) for some in combinations(range(nodes), min(nodes, replication + extras))]
    return World(
        Appending,
        sizes={Node: nodes, Slot: slots},
        families={Copyset: SmallCluster(nodes, replication).copysets, Candidate: sent},
    )

"""Single copy delivery: which of the nodes that have a record sends it, and when a reader may conclude that none has.

Source: LogDevice, Single Copy Delivery; Read path, Single copy delivery. All records here share one copyset, as sticky
copysets let them, so that its nodes stand in one order. Nodes outside of it have no copy, so of an f-majority only its
members in the copyset matter. A reader may list a node, take it off the list, or ask all nodes to send at any moment:
time-outs, closed sockets, bad checksums and slow nodes are all reasons. Its list and mode reach each node with a START;
what answers an older START is dropped, as ClientReadStream does by its filter version.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.quorums import SmallCluster
from spec.protocols.sorts import Slot


class Recipient(Order):
    """A node of the copyset, by its place in the order into which the reader's seed shuffles it."""


class Copies(Family[Recipient]):
    """Enough recipients to keep a record."""


class Heard(Family[Recipient]):
    """The recipients of an f-majority."""


class Mode(Sort):
    """Who is to send, if it is not one node for each record: in all send all mode, everyone."""

    everyone = constant()


class Delivery(Protocol):
    """One read stream, the nodes of one copyset, and the list of nodes that the reader takes to be down."""

    copy: Relation[Recipient, Slot] = says("{0} has a copy of {1}")
    released: Relation[Slot] = says("{0} is released")
    down: Relation[Recipient] = says("{0} is down")
    listed: Relation[Recipient] = says("{0} is on the known down list")
    mode: Partial[Mode] = says("the reader asks {0} to send")
    current: Relation[Recipient] = says("{0} has the newest START")
    sends: Relation[Recipient] = says("{0} sends what it has, in answer to its last START")
    sent: Relation[Recipient, Slot] = says("{0} has sent {1} since the newest START")
    passed: Relation[Recipient, Slot] = says("{0} has gone past {1} without sending it since the newest START")
    delivered: Relation[Slot] = says("{0} was delivered")
    reported: Relation[Slot] = says("a gap was reported at {0}")

    @axiom
    def quorums_meet(self, heard: Heard, copies: Copies) -> Bool:
        """Every f-majority meets every set of nodes that can keep a record.

        LogDevice, Read path, Gap detection algorithm: a set of nodes that intersects every possible copyset.
        """
        return some(copies.has(recipient) for recipient in heard)

    @define
    def kept(self, slot: Slot) -> Bool:
        """{slot} has a fully replicated record.

        LogDevice, Read path, Copyset: the nodes on which the copies of a record are stored.
        """
        return some(every(self.copy(recipient, slot) for recipient in copies) for copies in Copies)

    @define
    def due(self, recipient: Recipient) -> Bool:
        """{recipient} is due to send what it has.

        LogDevice, Single Copy Delivery, Known down list: the first that is not listed, and each before it, for a node
        that sees itself in the list acts as if it was not there. In all send all mode every node sends.
        """
        return self.mode(Mode.everyone) | every(self.listed(other) for other in recipient.before())

    @define
    def primary(self, recipient: Recipient) -> Bool:
        """{recipient} is the primary recipient.

        LogDevice, Single Copy Delivery, Primary recipient: the first recipient that is not in the known down list.
        """
        return ~self.listed(recipient) & every(self.listed(other) for other in recipient.before())

    @define
    def live(self, recipient: Recipient, slot: Slot) -> Bool:
        """{recipient} is up and has {slot}.

        LogDevice, Single Copy Delivery, When does the client add nodes: a node cannot send what it is supposed to.
        """
        return self.copy(recipient, slot) & ~self.down(recipient)

    def rewind(self) -> None:
        """Drop what came since the last START, for another one is sent; an update that several actions share."""
        for recipient in Recipient:
            self.current.remove(recipient)
            for slot in Slot:
                self.sent.remove(recipient, slot)
                self.passed.remove(recipient, slot)

    @action
    def store(self, recipient: Recipient, slot: Slot) -> None:
        """A node stores a copy of a record that is not released yet; not every node of the copyset need get one.

        LogDevice, Single Copy Delivery, Replication stage: some nodes of the copyset do not actually store the record.
        """
        require(~self.released(slot))
        self.copy.add(recipient, slot)

    @action
    def release(self, slot: Slot) -> None:
        """The release pointer passes a slot, whether it has a record or not.

        LogDevice, Read path, How reads happen: nodes only deliver records up to the last known good pointer.
        """
        self.released.add(slot)

    @action
    def fail(self, recipient: Recipient) -> None:
        """A node goes down, and its stream with it.

        LogDevice, Single Copy Delivery, When does the client add nodes: the socket of a storage node was closed.
        """
        self.down.add(recipient)
        self.current.remove(recipient)

    @action
    def come_back(self, recipient: Recipient) -> None:
        """A node is up again.

        LogDevice, Single Copy Delivery, Known down list: the mechanism that detects that a node is back up.
        """
        self.down.remove(recipient)

    @action
    def start_reading(self, recipient: Recipient) -> None:
        """A node that is up gets the newest START, and reads from its list and mode whether to send what it has.

        LogDevice, Single Copy Delivery, Known down list: listed nodes get it too.
        """
        require(~self.down(recipient))
        self.current.add(recipient)
        self.sends.add(recipient, when=self.due(recipient))
        self.sends.remove(recipient, when=~self.due(recipient))

    @action
    def send(self, recipient: Recipient, slot: Slot) -> None:
        """A node that is to send its copies sends one, and the reader delivers it unless it reported a gap there.

        LogDevice, Single Copy Delivery, Primary recipient; Read path, How reads happen: duplicates are dropped.
        """
        require(self.current(recipient), self.released(slot))
        require(self.copy(recipient, slot), self.sends(recipient))
        self.sent.add(recipient, slot)
        self.delivered.add(slot, when=~self.reported(slot))

    @action
    def go_past(self, recipient: Recipient, slot: Slot) -> None:
        """A node that has no copy of a slot, or is not to send it, sends a record or gap above it.

        LogDevice, Read path, Gaps sent by storage nodes: it does not have records for a range of sequence numbers.
        """
        require(self.current(recipient), self.released(slot))
        require(~(self.copy(recipient, slot) & self.sends(recipient)))
        self.passed.add(recipient, slot)

    @action
    def list_as_down(self, recipient: Recipient) -> None:
        """The reader puts a node on the known down list and rewinds.

        LogDevice, Single Copy Delivery, When does the client add nodes: whenever it takes one to be unable to send.
        """
        self.listed.add(recipient)
        self.rewind()

    @action
    def take_off_the_list(self, recipient: Recipient) -> None:
        """The reader takes a node off the known down list and rewinds.

        LogDevice, Single Copy Delivery, When does the client remove nodes: when they have been sending records.
        """
        self.listed.remove(recipient)
        self.rewind()

    @action
    def ask_all(self) -> None:
        """The reader rewinds to all send all mode.

        LogDevice, Single Copy Delivery, When does the client do failover: none outside the list can send, or time-out.
        """
        self.mode.put(Mode.everyone)
        self.rewind()

    @action
    def ask_one(self) -> None:
        """The reader rewinds to single copy delivery.

        LogDevice, Single Copy Delivery, When does the client switch back: the next time the window slides.
        """
        self.mode.remove(Mode.everyone)
        self.rewind()

    @action
    def report(self, slot: Slot, heard: Heard) -> None:
        """In all send all mode the reader reports a gap where an f-majority went past, and it delivered nothing.

        LogDevice, Single Copy Delivery, When does the client do failover: never a gap while in single copy mode.
        """
        require(self.mode(Mode.everyone), ~self.delivered(slot))
        require(every(self.passed(recipient, slot) for recipient in heard))
        self.reported.add(slot)

    @invariant
    def newest_start_is_obeyed(self, recipient: Recipient) -> Bool:
        """A node that has the newest START is up, and sends exactly if the reader means it to.

        LogDevice, ClientReadStream: messages of nodes that have not acknowledged the filter version are dropped.
        """
        obeys = self.sends(recipient).implies(self.due(recipient)) & self.due(recipient).implies(self.sends(recipient))
        return self.current(recipient).implies(~self.down(recipient) & obeys)

    @invariant
    def sent_was_due(self, recipient: Recipient, slot: Slot) -> Bool:
        """What was sent since the newest START was there, and due.

        LogDevice, Single Copy Delivery, Rewinding the stream.
        """
        return self.sent(recipient, slot).implies(
            self.due(recipient) & self.copy(recipient, slot) & self.released(slot)
        )

    @invariant
    def passed_was_not_due(self, recipient: Recipient, slot: Slot) -> Bool:
        """A node goes past a slot only if it has no copy or is not to send it.

        LogDevice, Single Copy Delivery, Primary recipient: nodes skip the records that another node sends.
        """
        skipped = self.released(slot) & ~(self.copy(recipient, slot) & self.due(recipient))
        return self.passed(recipient, slot).implies(skipped)

    @invariant
    def given_once(self, slot: Slot) -> Bool:
        """A slot is given as a record or as a gap, not as both; what is given was released, and a gap is no record.

        LogDevice, ClientReadStream, deliverRecord and deliverGap: records and gaps partition what is read.
        """
        record = self.delivered(slot).implies(some(self.copy(recipient, slot) for recipient in Recipient))
        gap = self.reported(slot).implies(self.released(slot) & ~self.kept(slot) & ~self.delivered(slot))
        return record & gap

    @goal
    def one_sends(self, one: Recipient, other: Recipient, slot: Slot) -> Bool:
        """In single copy mode at most one node outside the known down list sends a record, the primary recipient.

        LogDevice, Single Copy Delivery, Primary recipient: each record will be sent by only one storage node.
        """
        both = self.sent(one, slot) & self.sent(other, slot) & ~self.listed(one) & ~self.listed(other)
        return (both & ~self.mode(Mode.everyone)).implies((one == other) & self.primary(one))

    @goal
    def primary_sends(self, recipient: Recipient) -> Bool:
        """The primary recipient sends what it has, once it has the newest START.

        LogDevice, Single Copy Delivery, Known down list: unless every node is listed, one is the first that is not.
        """
        return (self.primary(recipient) & self.current(recipient)).implies(self.sends(recipient))

    @goal
    def listing_the_failed_is_enough(self, slot: Slot, holder: Recipient) -> Bool:
        """Once every node that is down or lacks a record is listed, the first of the others sends it.

        LogDevice, Read path, All Send All: as long as no more than R-1 nodes are unavailable, reads go on.
        """
        rest_is_listed = every(self.live(other, slot) | self.listed(other) for other in Recipient)
        first = self.live(holder, slot) & none(self.live(other, slot) for other in holder.before())
        return (first & rest_is_listed & self.current(holder)).implies(self.sends(holder))

    @goal
    def failover_is_needed(self, slot: Slot, recipient: Recipient) -> Bool:
        """In single copy mode, when every node is listed or went past a slot, no node outside the list is to send it.

        LogDevice, Single Copy Delivery, When does the client do failover: the sum is equal to the read set size.
        """
        stuck = every(self.listed(one) | self.passed(one, slot) for one in Recipient)
        will_send = ~self.listed(recipient) & self.copy(recipient, slot) & self.due(recipient)
        return (stuck & ~self.mode(Mode.everyone)).implies(~will_send)

    @goal
    def no_record_is_passed_over(self, slot: Slot) -> Bool:
        """No gap is reported where a fully replicated record is.

        LogDevice, Single Copy Delivery, When does the client do failover: for each data loss, all send all comes first.
        """
        return self.reported(slot).implies(~self.kept(slot))

    @goal
    def record_or_gap(self, slot: Slot) -> Bool:
        """A reader is never given both a record and a gap at one slot.

        LogDevice, Read path, How reads happen: records and gaps come in order.
        """
        return ~(self.delivered(slot) & self.reported(slot))


def read_stream(recipients: int = 3, replication: int = 2, slots: int = 1) -> World:
    """One copyset of so many nodes, of which ``replication`` must have a copy for a record to be kept."""
    small = SmallCluster(recipients, replication)
    return World(
        Delivery,
        sizes={Recipient: recipients, Slot: slots, Mode: len(Mode.constants)},
        families={Copies: small.copysets, Heard: small.f_majorities},
    )

"""Delivery with less left open: when nodes leave the known down list, as document and code have it; and as it runs."""

from __future__ import annotations

from spec.language.protocol import Bool, Relation, action, define, every, goal, invariant, none, require, says, some
from spec.protocols.delivery import Delivery, Mode, Recipient
from spec.protocols.sorts import Slot


class OffTheListAtTheSlide(Delivery):
    """As the document has it: nodes that have been sending are looked at when the window slides."""

    @action
    def take_off_the_list(self, recipient: Recipient) -> None:
        """When the window is read to its end, a listed node that has sent a record is taken off the list.

        LogDevice, Single Copy Delivery, When does the client remove nodes: each time it slides the window.
        """
        require(some(self.sent(recipient, slot) for slot in Slot))
        require(every(self.delivered(slot) | self.reported(slot) for slot in Slot))
        super().take_off_the_list(recipient)


class OffTheListAtTheFirstRecord(Delivery):
    """As the code has it: a listed node is taken off the list as soon as a record of it is accepted."""

    @action
    def take_off_the_list(self, recipient: Recipient) -> None:
        """A listed node that has sent a record is taken off the list.

        LogDevice, ClientReadStreamScd.cpp: a record that is accepted from a node in the list schedules a rewind.
        """
        require(some(self.sent(recipient, slot) for slot in Slot))
        super().take_off_the_list(recipient)


class InTransit(Delivery):
    """As systems run it: messages are under way, readers buffer, extras send, copies are late, lost or rewritten."""

    loose: Relation[Recipient, Slot] = says("{0} may have a copy of {1}")
    along: Relation[Recipient] = says("{0} sends along, taking itself for an extra")

    @define
    def may_have(self, recipient: Recipient, slot: Slot) -> Bool:
        """{recipient} has a copy of {slot}, or may have one.

        LogDevice, Single Copy Delivery, Replication stage: some nodes of the copyset do not actually store the record.
        """
        return self.copy(recipient, slot) | self.loose(recipient, slot)

    @define
    def due(self, recipient: Recipient) -> Bool:
        """{recipient} is due to send what it has.

        LogDevice, Single Copy Delivery, Known down list; LocalLogStore.cpp: an extra sends, too.
        """
        first = every(self.listed(other) for other in recipient.before())
        return self.mode(Mode.everyone) | first | self.along(recipient)

    def rewind(self) -> None:
        """Drop what came since the last START; who is an extra depends on the list that comes with the next one."""
        super().rewind()
        for recipient in Recipient:
            self.along.remove(recipient)

    @action
    def send_along(self, recipient: Recipient) -> None:
        """A node that will get the newest START sends what it has, whoever else does: it may be an extra.

        LogDevice, server/locallogstore/LocalLogStore.cpp: the last members of a copyset larger than the replication
        factor may not have the record, and so they send it if they do.
        """
        require(~self.current(recipient))
        require(none(self.passed(recipient, slot) & self.copy(recipient, slot) for slot in Slot))
        self.along.add(recipient)

    @action
    def store_late(self, recipient: Recipient, slot: Slot) -> None:
        """A node stores a copy of a record that is released: what was asked of it before may or may not find it.

        LogDevice, Single Copy Delivery, Appender stages: a wave that is given up may still be stored.
        """
        require(self.released(slot))
        self.loose.add(recipient, slot)

    @action
    def lose(self, recipient: Recipient, slot: Slot) -> None:
        """A node's copy is lost, unreadable or rewritten; it may be under way to the reader.

        LogDevice, Single Copy Delivery, When does the client add nodes: a wrong checksum is a reason.
        """
        require(self.copy(recipient, slot))
        self.copy.remove(recipient, slot)
        self.loose.add(recipient, slot)

    @action
    def send(self, recipient: Recipient, slot: Slot) -> None:
        """The reader gets a copy of a node that is to send its copies.

        LogDevice, Single Copy Delivery, Primary recipient.
        """
        require(self.current(recipient), self.released(slot))
        require(self.may_have(recipient, slot), self.sends(recipient))
        self.sent.add(recipient, slot)

    @action
    def deliver(self, slot: Slot) -> None:
        """The reader delivers what was sent since the newest START, unless it reported a gap there.

        LogDevice, Read path, Re-ordering: a record waits in the buffer until its turn comes.
        """
        require(some(self.sent(recipient, slot) for recipient in Recipient), ~self.reported(slot))
        self.delivered.add(slot)

    @action
    def do_without(self, recipient: Recipient, slot: Slot) -> None:
        """The reader knows of a node that it lost what it had, and does not wait for it.

        LogDevice, Read path, Authoritative Status: the answers of such nodes are not needed.
        """
        require(self.released(slot), ~self.copy(recipient, slot))
        self.passed.add(recipient, slot)

    @invariant
    def sent_was_due(self, recipient: Recipient, slot: Slot) -> Bool:
        """What was sent since the newest START was due, and may have been there.

        LogDevice, Single Copy Delivery, Rewinding the stream.
        """
        there = self.due(recipient) & self.may_have(recipient, slot) & self.released(slot)
        return self.sent(recipient, slot).implies(there)

    @invariant
    def given_once(self, slot: Slot) -> Bool:
        """A slot is given as a record or as a gap, not as both; what is given was released, and a gap is no record.

        LogDevice, ClientReadStream, deliverRecord and deliverGap: records and gaps partition what is read.
        """
        record = self.delivered(slot).implies(some(self.may_have(recipient, slot) for recipient in Recipient))
        gap = self.reported(slot).implies(self.released(slot) & ~self.kept(slot) & ~self.delivered(slot))
        return record & gap

    @goal
    def one_sends(self, one: Recipient, other: Recipient, slot: Slot) -> Bool:
        """In single copy mode at most one node outside the known down list sends a record, not counting extras.

        LogDevice, Single Copy Delivery, Primary recipient: each record will be sent by only one storage node.
        """
        both = self.sent(one, slot) & self.sent(other, slot) & ~self.listed(one) & ~self.listed(other)
        single = ~self.mode(Mode.everyone) & ~self.along(one) & ~self.along(other)
        return (both & single).implies((one == other) & self.primary(one))

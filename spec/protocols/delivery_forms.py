"""Delivery with less left open: when nodes leave the known down list, as document and code have it; and as it runs."""

from __future__ import annotations

from spec.language.protocol import Bool, Relation, action, define, every, invariant, require, says, some
from spec.protocols.delivery import Delivery, Recipient
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
    """As systems run it: messages are under way, readers buffer, and copies come late, are lost or are rewritten."""

    loose: Relation[Recipient, Slot] = says("{0} may have a copy of {1}")

    @define
    def may_have(self, recipient: Recipient, slot: Slot) -> Bool:
        """{recipient} has a copy of {slot}, or may have one.

        LogDevice, Single Copy Delivery, Replication stage: some nodes of the copyset do not actually store the record.
        """
        return self.copy(recipient, slot) | self.loose(recipient, slot)

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

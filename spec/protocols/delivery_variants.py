"""Read streams that miss records, each one clause away from the right one."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, every, require
from spec.protocols.delivery import Delivery, Heard, Mode, Recipient
from spec.protocols.sorts import Slot


class GapsInSingleCopyMode(Delivery):
    """The reader takes a node that goes past a slot to have nothing there, although it may leave it to another node."""

    @action
    def report(self, slot: Slot, heard: Heard) -> None:
        """In either mode the reader reports a gap where an f-majority went past, and it delivered nothing.

        LogDevice, Single Copy Delivery, When does the client do failover: for each data loss, all send all comes first.
        """
        require(~self.delivered(slot))
        require(every(self.passed(recipient, slot) for recipient in heard))
        self.reported.add(slot)


class NoRewindToAllSendAll(Delivery):
    """The reader keeps what nodes told it in single copy mode when it asks all nodes to send."""

    @action
    def ask_all(self) -> None:
        """The reader goes on in all send all mode.

        LogDevice, Single Copy Delivery, Rewinding the stream: the reader rewinds when it switches modes.
        """
        self.mode.put(Mode.everyone)


class AnswersOfOldStartsCount(Delivery):
    """The reader does not look which START a node answers."""

    @action
    def go_past(self, recipient: Recipient, slot: Slot) -> None:
        """A node that has no copy of a slot, or is not to send it by any START, sends a record or gap above it.

        LogDevice, ClientReadStream: the filter version is not checked while it is 1.
        """
        require(self.released(slot))
        require(~(self.copy(recipient, slot) & self.sends(recipient)))
        self.passed.add(recipient, slot)


class ListedNodesAreSilent(Delivery):
    """A node that sees itself in the known down list does not send."""

    @define
    def due(self, recipient: Recipient) -> Bool:
        """{recipient} is due to send what it has, also as the primary recipient.

        LogDevice, Single Copy Delivery, Known down list: a node that sees itself in it acts as if it was not there.
        """
        return self.mode(Mode.everyone) | self.primary(recipient)


class ListIsIgnored(Delivery):
    """The first node of the copyset is the only one to send, listed or not."""

    @define
    def due(self, recipient: Recipient) -> Bool:
        """{recipient} is due to send what it has, also as the first of the copyset.

        LogDevice, Single Copy Delivery, Primary recipient: so it is only while nothing is listed.
        """
        return self.mode(Mode.everyone) | (recipient == Recipient.first)

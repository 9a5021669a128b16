"""When a reader takes a node off its known down list: the text leaves it open, document and code each say when."""

from __future__ import annotations

from spec.language.protocol import action, every, require, some
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

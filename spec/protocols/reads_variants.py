"""Readers that report records as lost although they are not, each one clause away from the right one."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, every, require, some
from spec.protocols.parts import Status
from spec.protocols.reads import Reads
from spec.protocols.sorts import FMajority, Node, Rack, Slot


class NoRewindOnEmpty(Reads):
    """The reader keeps its answers when it learns that a node is empty: rebuilt copies lie behind them."""

    @define
    def starts_over(self, news: Status) -> Bool:
        """{news} makes the reader drop all answers and ask again.

        LogDevice, ClientReadStream: a node that turns empty forces a rewind.
        """
        return news == Status.underreplicated


class NoRewindOnLoss(Reads):
    """The reader keeps its answers when it learns that a node lost its data."""

    @define
    def starts_over(self, news: Status) -> Bool:
        """{news} makes the reader drop all answers and ask again.

        LogDevice, ClientReadStream: a rewind is forced only by a node that turns empty.
        """
        return news == Status.empty


class OnlyAuthoritativeMustAnswer(Reads):
    """The second rule as the document has it: a node that is merely down need not answer."""

    @define
    def excused(self, node: Node, slot: Slot) -> Bool:
        """{node} is not known to be fully authoritative, or has denied {slot}.

        LogDevice, Read path, Authoritative Status: all nodes that are FULLY_AUTHORITATIVE said they have no record.
        """
        down = self.known(node, Status.unavailable) | self.known(node, Status.underreplicated)
        return self.answered(node, slot) | down


class EmptyMayReturn(Reads):
    """An empty node takes records again while the reader still counts it out of the nodeset."""

    @action
    def rejoin(self, node: Node) -> None:
        """An empty node becomes fully authoritative again.

        LogDevice, common/event_log/EventLogRebuildingSet.cpp: a node that acknowledged its rebuilding.
        """
        require(self.status(node, Status.empty))
        self.status.remove(node, Status.empty)


class RackIsHeardByOneAnswer(Reads):
    """A rack counts as heard after one answer: the rest of it may have the record."""

    @define
    def heard_from(self, node: Node, slot: Slot) -> Bool:
        """Some node in the rack of {node} has nothing at {slot}.

        LogDevice, Read path, Gap detection algorithm: if the client has heard from all of the nodes on 4 racks.
        """
        return some(rack.has(node) & some(self.answered(other, slot) for other in rack) for rack in Rack)

    @action
    def report_by_majority(self, slot: Slot, heard: FMajority) -> None:
        """The reader reports a slot as lost when it has heard from enough racks.

        LogDevice, Read path, Gap detection algorithm: the formula for rack replication is |num_racks|-Rrack+1.
        """
        require(self.released(slot))
        require(every(self.heard_from(node, slot) for node in heard))
        self.reported.add(slot)

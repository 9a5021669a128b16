"""What texts on LogDevice share: quorums that meet, nodes with statuses, and a reader that learns them.

Source: LogDevice, Read path, Gap detection algorithm and Authoritative Status; ClientReadStream.cpp. These are parts of
texts: each says what is the same wherever it stands, and has no goal of its own.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.sorts import Copyset, FMajority, Node, Slot


class Status(Sort):
    """UNAVAILABLE, UNDERREPLICATION and AUTHORITATIVE_EMPTY; a fully authoritative node has none of them."""

    unavailable = constant()
    underreplicated = constant()
    empty = constant()


class Quorums(Protocol):
    """Sets of nodes that meet: the one thing that is known of them."""

    @axiom
    def quorums_meet(self, heard: FMajority, copies: Copyset) -> Bool:
        """Every f-majority meets every copyset.

        LogDevice, Read path, Gap detection algorithm: a set of nodes that intersects every possible copyset.
        """
        return some(copies.has(node) for node in heard)


class Nodes(Protocol):
    """Storage nodes that go down and come back."""

    status: Partial[Node, Status] = says("{0} is {1}")

    @define
    def authoritative(self, node: Node) -> Bool:
        """{node} is fully authoritative.

        LogDevice, Read path, Authoritative Status: the normal state for a node.
        """
        return ~self.status.defined(node)

    @define
    def gone(self, node: Node) -> Bool:
        """{node} no longer has its data.

        LogDevice, Read path, Authoritative Status: marked unrecoverable, or empty because the data is elsewhere.
        """
        return self.status(node, Status.underreplicated) | self.status(node, Status.empty)

    @action
    def go_down(self, node: Node) -> None:
        """A node goes down and keeps what it has.

        LogDevice, Read path, Authoritative Status: unavailable; not marked as lost just because it goes down.
        """
        require(self.authoritative(node))
        self.status.add(node, Status.unavailable)

    @action
    def come_back(self, node: Node) -> None:
        """A node that was down returns with its data.

        LogDevice, Read path, Authoritative Status: unavailable nodes are down, not lost.
        """
        self.status.remove(node, Status.unavailable)


class StatusReader(Nodes):
    """A reader that is told what nodes do not have, and learns their statuses."""

    known: Partial[Node, Status] = says("the reader has learnt that {0} is {1}")
    denied: Relation[Node, Slot] = says("{0} has told the reader that it has no {1}")

    @define
    def answered(self, node: Node, slot: Slot) -> Bool:
        """{node} is known to be empty, or has denied {slot}.

        LogDevice, Read path, Authoritative Status: an f-majority of the effective nodeset said they have no record.
        """
        return self.known(node, Status.empty) | self.denied(node, slot)

    @define
    def excused(self, node: Node, slot: Slot) -> Bool:
        """{node} is known to be empty or to have lost its data, or has denied {slot}.

        LogDevice, common/AuthoritativeStatus.h: UNAVAILABLE nodes must answer as FULLY_AUTHORITATIVE ones do.
        """
        return self.answered(node, slot) | self.known(node, Status.underreplicated)

    @define
    def starts_over(self, news: Status) -> Bool:
        """{news} makes the reader drop all answers and ask again.

        LogDevice, ClientReadStream: a node that turns empty forces a rewind; here also one that lost its data.
        """
        return (news == Status.empty) | (news == Status.underreplicated)

    @action
    def learn(self, node: Node, news: Status) -> None:
        """The reader learns the status of a node from the event log, and starts over where that status says so.

        LogDevice, Read path, Authoritative Status: recorded in the internal event log.
        """
        require(self.status(node, news))
        self.known.put(node, news)
        for other in Node:
            for slot in Slot:
                self.denied.remove(other, slot, when=self.starts_over(news))

    @invariant
    def known_empty_is_empty(self, node: Node) -> Bool:
        """What the reader takes for empty is empty.

        LogDevice, Read path, Authoritative Status: recorded in the event log, which readers follow.
        """
        return self.known(node, Status.empty).implies(self.status(node, Status.empty))

    @invariant
    def known_lost_is_gone(self, node: Node) -> Bool:
        """What the reader takes for lost is lost, or empty by now.

        LogDevice, common/event_log/EventLogRebuildingSet.cpp: a lost node stays lost until it is empty.
        """
        return self.known(node, Status.underreplicated).implies(self.gone(node))

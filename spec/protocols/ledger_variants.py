"""Ledgers that lose acknowledged entries: the protocol as it was, and rules left out."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, every, require, some
from spec.protocols.ledger import Ledger
from spec.protocols.ledger_parts import AckQuorum, Bookie, Client, Entry


class ReadsDoNotFence(Ledger):
    """BookKeeper until 4.13: only the read of the last add confirmed fences, recovery reads do not.

    BookKeeper, issue 2614; fixed in 4.14 by 2616.
    """

    @action
    def read(self, client: Client, bookie: Bookie, entry: Entry) -> None:
        """A bookie tells a recovering client whether it has the next entry.

        BookKeeper 4.13, client/LedgerRecoveryOp.java.
        """
        require(self.covered(client), self.scheduled(bookie, entry))
        require(every(self.settled(client, lower) | self.found(client, lower) for lower in entry.before()))
        self.found.add(client, entry, when=self.has(bookie, entry))
        self.denied.add(client, bookie, entry, when=~self.has(bookie, entry))


class OneDenialIsEnough(Ledger):
    """A recovery takes an entry to be missing as soon as one bookie of its write set has none."""

    @define
    def missing(self, client: Client, entry: Entry) -> Bool:
        """{client} was denied {entry} by a bookie.

        BookKeeper, client/ReadOpBase.java: all but an ack quorum less one of its bookies must say so.
        """
        return some(self.denied(client, bookie, entry) for bookie in Bookie)


class WriterDoesNotLookAtItsClose(Ledger):
    """The writer acknowledges what was under way when it closed the ledger."""

    @action
    def acknowledge(self, entry: Entry, acks: AckQuorum) -> None:
        """The writer acknowledges an entry that an ack quorum has taken from it, in order.

        BookKeeper, client/LedgerHandle.java: adds that are pending at the close fail.
        """
        require(every(self.accepted(bookie, entry) for bookie in acks))
        require(every(self.acknowledged(lower) for lower in entry.before()))
        self.acknowledged.add(entry)

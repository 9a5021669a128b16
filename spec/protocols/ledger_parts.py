"""What the texts on BookKeeper's ledgers share: bookies that are fenced, a writer, and clients that recover.

Source: BookKeeper, client/LedgerHandle.java, LedgerRecoveryOp.java and ReadOnlyLedgerHandle.java; issue 2614. Messages
may be delayed at will: the add of an entry reaches a bookie at any time, and the bookie's answer reaches the writer at
any time. The end of a ledger is here the first entry that is not in it, one above BookKeeper's last entry id, so an
empty ledger ends at the first entry.
"""

from __future__ import annotations

from spec.language.protocol import *


class Bookie(Sort):
    """A storage server."""


class Entry(Order):
    """A place in the ledger."""


class Client(Sort):
    """A client that opens the ledger with recovery; the writer is none of them."""


class WriteSet(Family[Bookie]):
    """The bookies to which one entry is sent."""


class AckQuorum(Family[Bookie]):
    """Enough bookies of one write set to acknowledge an entry."""


class Closing(Protocol):
    """What bookies, the writer and recovering clients know, and what ends a ledger, wherever its entries lie."""

    accepted: Relation[Bookie, Entry] = says("{0} has {1} from the writer")
    restored: Relation[Bookie, Entry] = says("{0} has {1} from a recovery")
    confirmed: Relation[Bookie, Entry] = says("{0} knows from the writer that {1} is acknowledged")
    fenced: Relation[Bookie] = says("{0} is fenced")
    acknowledged: Relation[Entry] = says("the writer has acknowledged {0}")
    begun: Relation[Client] = says("{0} has put the ledger in recovery")
    told: Relation[Client, Bookie] = says("{1} has told {0} what it knows to be acknowledged")
    found: Relation[Client, Entry] = says("{0} has found {1}")
    denied: Relation[Client, Bookie, Entry] = says("{1} has told {0} that it has no {2}")
    ends: Partial[Entry] = says("the ledger is closed and ends before {0}")

    @define
    def has(self, bookie: Bookie, entry: Entry) -> Bool:
        """{bookie} has {entry}.

        BookKeeper, client/LedgerRecoveryOp.java: what is read is added again, so either copy is one.
        """
        return self.accepted(bookie, entry) | self.restored(bookie, entry)

    @define
    def settled(self, client: Client, entry: Entry) -> Bool:
        """{client} has heard that {entry} is acknowledged.

        BookKeeper, client/LedgerRecoveryOp.java: recovery starts above the highest last add confirmed that it heard.
        """
        return some(self.told(client, bookie) & self.confirmed(bookie, entry) for bookie in Bookie)

    @action
    def close(self, end: Entry) -> None:
        """The writer closes an open ledger behind the last entry that it acknowledged.

        BookKeeper, client/LedgerHandle.java: compare-and-set of OPEN metadata to CLOSED.
        """
        require(~self.ends.defined(), none(self.begun(client) for client in Client))
        require(~self.acknowledged(end), every(self.acknowledged(lower) for lower in end.before()))
        self.ends.add(end)

    @action
    def begin(self, client: Client) -> None:
        """A client puts a ledger that is not closed in recovery.

        BookKeeper, client/ReadOnlyLedgerHandle.java: compare-and-set of the metadata to IN_RECOVERY comes first.
        """
        require(~self.ends.defined())
        self.begun.add(client)

    @action
    def tell(self, client: Client, bookie: Bookie) -> None:
        """A bookie is fenced and tells a recovering client how far it knows entries to be acknowledged.

        BookKeeper, client/LedgerRecoveryOp.java: the last add confirmed is read with the fencing flag.
        """
        require(self.begun(client))
        self.told.add(client, bookie)
        self.fenced.add(bookie)

    @invariant
    def acknowledged_in_order(self, entry: Entry, lower: Entry) -> Bool:
        """Entries are acknowledged in order.

        BookKeeper, client/LedgerHandle.java: from the head of the queue of pending adds.
        """
        return (self.acknowledged(entry) & (lower < entry)).implies(self.acknowledged(lower))

    @invariant
    def confirmed_is_acknowledged(self, bookie: Bookie, entry: Entry) -> Bool:
        """What a bookie knows to be acknowledged is.

        BookKeeper, client/PendingAddOp.java: the last add confirmed was acknowledged when an add is sent.
        """
        return self.confirmed(bookie, entry).implies(self.acknowledged(entry))

    @invariant
    def confirmed_lies_before(self, bookie: Bookie, entry: Entry) -> Bool:
        """What a bookie knows to be acknowledged lies before an entry that it took from the writer.

        BookKeeper, client/LedgerHandle.java: an add that is sent is not confirmed yet.
        """
        return self.confirmed(bookie, entry).implies(some(self.accepted(bookie, higher) for higher in entry.after()))

    @invariant
    def metadata_comes_first(self, client: Client, bookie: Bookie) -> Bool:
        """A client asks bookies only after it put the ledger in recovery, and an answer comes from a fenced bookie.

        BookKeeper, client/ReadOnlyLedgerHandle.java: recovery begins when the metadata says so.
        """
        return self.told(client, bookie).implies(self.begun(client) & self.fenced(bookie))

    @invariant
    def found_was_written(self, client: Client, entry: Entry) -> Bool:
        """A client finds only what some bookie took from the writer.

        BookKeeper, client/ReadOpBase.java: one bookie that has an entry is enough.
        """
        return self.found(client, entry).implies(some(self.accepted(bookie, entry) for bookie in Bookie))

    @invariant
    def restored_was_written(self, bookie: Bookie, entry: Entry) -> Bool:
        """A recovery adds only what some bookie took from the writer.

        BookKeeper, client/LedgerRecoveryOp.java: it adds what it read.
        """
        return self.restored(bookie, entry).implies(some(self.accepted(other, entry) for other in Bookie))

    @invariant
    def denial_is_final(self, client: Client, bookie: Bookie, entry: Entry) -> Bool:
        """A bookie that denied an entry has not taken it from the writer and never will: it is fenced.

        BookKeeper, issue 2614: what a recovery read as missing must not appear afterwards.
        """
        return self.denied(client, bookie, entry).implies(self.fenced(bookie) & ~self.accepted(bookie, entry))

    @goal
    def writer_and_metadata_agree(self, end: Entry, entry: Entry) -> Bool:
        """Every entry that the writer ever acknowledges is in the closed ledger.

        BookKeeper TLA+ specification, NoDivergenceBetweenWriterAndMetaData; issue 2614.
        """
        return (self.ends(end) & self.acknowledged(entry)).implies(entry < end)

    @goal
    def nothing_is_made_up(self, bookie: Bookie, entry: Entry) -> Bool:
        """Whatever a bookie has, the writer wrote.

        BookKeeper, client/LedgerRecoveryOp.java: recovery adds again what it read.
        """
        return self.has(bookie, entry).implies(some(self.accepted(other, entry) for other in Bookie))

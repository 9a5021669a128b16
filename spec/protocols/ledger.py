"""Closing a BookKeeper ledger: one writer adds entries, while any number of clients may recover and close the ledger.

Source: BookKeeper, client/LedgerHandle.java, LedgerRecoveryOp.java and ReadOnlyLedgerHandle.java; issue 2614. Messages
may be delayed at will: the add of an entry reaches a bookie at any time, and the bookie's answer reaches the writer at
any time. The end of a ledger is here the first entry that is not in it, one above BookKeeper's last entry id, so an
empty ledger ends at the first entry. The ledger has one fragment, whose entries are striped over its ensemble; the text
``ensemble_change`` replaces bookies.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.language.protocol.world import BadWorld
from spec.protocols.ledger_parts import AckQuorum, Bookie, Client, Closing, Entry, WriteSet
from spec.protocols.ledger_quorums import ack_quorums, write_sets


class Ledger(Closing):
    """Adds, acknowledgements in order, fencing, recovery reads and adds, and the compare-and-set that closes."""

    scheduled: Relation[Bookie, Entry] = says("{0} is in the write set of {1}")

    @define
    def laid_out(self, entry: Entry) -> Bool:
        """{entry} has a write set.

        BookKeeper, client/RoundRobinDistributionSchedule.java.
        """
        return some(self.scheduled(bookie, entry) for bookie in Bookie)

    @define
    def acknowledges(self, acks: AckQuorum, entry: Entry) -> Bool:
        """{acks} is an ack quorum in the write set of {entry}.

        BookKeeper, client/RoundRobinDistributionSchedule.java, ack set.
        """
        return every(self.scheduled(bookie, entry) for bookie in acks)

    @define
    def replicated(self, entry: Entry) -> Bool:
        """{entry} is on an ack quorum.

        BookKeeper, client/LedgerRecoveryOp.java: a recovered entry counts when its ack quorum has it.
        """
        return some(
            self.acknowledges(acks, entry) & every(self.has(bookie, entry) for bookie in acks) for acks in AckQuorum
        )

    @define
    def covered(self, client: Client) -> Bool:
        """{client} has heard from a bookie of every ack quorum of the ensemble.

        BookKeeper, client/RoundRobinDistributionSchedule.java, quorum coverage.
        """
        return every(some(self.told(client, bookie) for bookie in acks) for acks in AckQuorum)

    @define
    def missing(self, client: Client, entry: Entry) -> Bool:
        """{client} was denied {entry} by a bookie of every ack quorum of it.

        BookKeeper, client/ReadOpBase.java: no entry, once all but an ack quorum less one of its bookies say so.
        """
        return every(
            self.acknowledges(acks, entry).implies(some(self.denied(client, bookie, entry) for bookie in acks))
            for acks in AckQuorum
        )

    @define
    def blocked(self, entry: Entry) -> Bool:
        """{entry} can no longer be acknowledged, unless it is.

        BookKeeper, bookie/LedgerDescriptorImpl.java: a fenced bookie takes nothing more from the writer.
        """
        return every(
            self.acknowledges(acks, entry).implies(
                some(self.fenced(bookie) & ~self.accepted(bookie, entry) for bookie in acks)
            )
            for acks in AckQuorum
        )

    @action
    def lay_out(self, entry: Entry, members: WriteSet) -> None:
        """The schedule gives an entry its write set, once.

        BookKeeper, client/RoundRobinDistributionSchedule.java: a function of the entry id alone.
        """
        require(~self.laid_out(entry))
        for bookie in members:
            self.scheduled.add(bookie, entry)

    @action
    def accept(self, bookie: Bookie, entry: Entry, bound: Entry) -> None:
        """A bookie that is not fenced stores an add of the writer, which says that all before a bound is acknowledged.

        BookKeeper, client/PendingAddOp.java: each add carries the last add confirmed of the time when it was sent,
        which lies before the entry.
        """
        require(self.scheduled(bookie, entry), ~self.fenced(bookie), bound <= entry)
        require(every(self.acknowledged(lower) for lower in bound.before()))
        self.accepted.add(bookie, entry)
        for lower in bound.before():
            self.confirmed.add(bookie, lower)

    @action
    def acknowledge(self, entry: Entry, acks: AckQuorum) -> None:
        """The writer acknowledges an entry that an ack quorum has taken from it, in order, unless it closed the ledger.

        BookKeeper, client/LedgerHandle.java, sendAddSuccessCallbacks: from the head of the queue of pending adds.
        """
        require(~self.ends.defined() | some(self.begun(client) for client in Client))
        require(every(self.accepted(bookie, entry) for bookie in acks))
        require(every(self.acknowledged(lower) for lower in entry.before()))
        self.acknowledged.add(entry)

    @action
    def read(self, client: Client, bookie: Bookie, entry: Entry) -> None:
        """A bookie is fenced and tells a recovering client whether it has the next entry.

        BookKeeper, client/LedgerRecoveryOp.java since 4.14 (issue 2614): recovery reads fence too.
        """
        require(self.covered(client), self.scheduled(bookie, entry))
        require(every(self.settled(client, lower) | self.found(client, lower) for lower in entry.before()))
        self.found.add(client, entry, when=self.has(bookie, entry))
        self.denied.add(client, bookie, entry, when=~self.has(bookie, entry))
        self.fenced.add(bookie)

    @action
    def restore(self, client: Client, bookie: Bookie, entry: Entry) -> None:
        """A recovering client adds an entry that it found again, and no fence stops it.

        BookKeeper, client/LedgerRecoveryOp.java: FLAG_RECOVERY_ADD passes fences.
        """
        require(self.found(client, entry), self.scheduled(bookie, entry))
        self.restored.add(bookie, entry)

    @action
    def finish(self, client: Client, end: Entry) -> None:
        """A recovering client closes the ledger before the first entry that is missing, when all before are replicated.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered: compare-and-set to CLOSED, unless it is closed.
        """
        require(~self.ends.defined(), self.laid_out(end), self.missing(client, end))
        require(every(self.settled(client, lower) | self.replicated(lower) for lower in end.before()))
        self.ends.add(end)

    @invariant
    def schedule_is_kept(self, client: Client, bookie: Bookie, entry: Entry) -> Bool:
        """A bookie has, and denies, only entries that the schedule gives it.

        BookKeeper, client/RoundRobinDistributionSchedule.java: each entry is sent to, and read from, its write set.
        """
        return (self.has(bookie, entry) | self.denied(client, bookie, entry)).implies(self.scheduled(bookie, entry))

    @invariant
    def acknowledged_was_accepted(self, entry: Entry) -> Bool:
        """An ack quorum has taken every acknowledged entry from the writer.

        BookKeeper, client/PendingAddOp.java: an add completes when an ack quorum has answered.
        """
        taken = some(
            self.acknowledges(acks, entry) & every(self.accepted(bookie, entry) for bookie in acks)
            for acks in AckQuorum
        )
        return self.acknowledged(entry).implies(taken)

    @invariant
    def reads_follow_the_fence(self, client: Client, bookie: Bookie, entry: Entry) -> Bool:
        """A client reads entries only after no ack quorum is silent to it.

        BookKeeper, client/LedgerRecoveryOp.java: the last add confirmed is known before entries are read.
        """
        return (self.found(client, entry) | self.denied(client, bookie, entry)).implies(self.covered(client))

    @invariant
    def reads_are_in_order(self, client: Client, bookie: Bookie, entry: Entry, lower: Entry) -> Bool:
        """A client reads an entry only after it found all before, or heard that they are acknowledged.

        BookKeeper, client/LedgerRecoveryOp.java: entries are read from the last add confirmed on.
        """
        read = self.found(client, entry) | self.denied(client, bookie, entry)
        return (read & (lower < entry)).implies(self.settled(client, lower) | self.found(client, lower))

    @invariant
    def end_is_final(self, end: Entry) -> Bool:
        """At the end of a closed ledger the writer has not acknowledged an entry, and no longer can.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered.
        """
        closed_by_the_writer = none(self.begun(client) for client in Client)
        lost = closed_by_the_writer | (self.laid_out(end) & self.blocked(end))
        whole = every(self.replicated(entry) for entry in end.before())
        return self.ends(end).implies(~self.acknowledged(end) & lost & whole)

    @goal
    def acknowledged_is_replicated(self, entry: Entry) -> Bool:
        """An ack quorum has every acknowledged entry, at any time.

        BookKeeper TLA+ specification, AllAckedEntriesAreReadable.
        """
        return self.acknowledged(entry).implies(self.replicated(entry))

    @goal
    def closed_ledger_is_whole(self, end: Entry, entry: Entry) -> Bool:
        """An ack quorum has every entry of a closed ledger.

        BookKeeper TLA+ specification, AllCommittedEntriesReachAckQuorum.
        """
        return (self.ends(end) & (entry < end)).implies(self.replicated(entry))


def ensemble(bookies: int = 3, write: int = 3, ack: int = 2, entries: int = 2, clients: int = 1) -> World:
    """A round robin schedule: a write set is ``write`` neighbours, an ack quorum any ``ack`` bookies of one.

    Raises:
        BadWorld: a write set does not fit into the ensemble, or an ack quorum into a write set.
    """
    if not bookies >= write >= ack >= 1:
        raise BadWorld(f"E >= W >= A >= 1 is asked of a ledger, and here they are {bookies}, {write} and {ack}")
    turns = write_sets([range(bookies)], write)
    return World(
        Ledger,
        sizes={Bookie: bookies, Entry: entries, Client: clients},
        families={WriteSet: turns, AckQuorum: ack_quorums(turns, ack)},
    )

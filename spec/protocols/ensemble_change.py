"""Changing the ensemble of a BookKeeper ledger: the writer replaces bookies that fail, while clients may recover it.

Source: BookKeeper, client/LedgerHandle.java, ensembleChangeLoop, and LedgerRecoveryOp.java; its TLA+ specification. The
metadata list fragments, each with its first entry and its ensemble. One that begins where the last one does replaces
it: here the older one stays, and no entry belongs to it. An ensemble may be larger than a write set, for entries are
striped: the schedule gives each entry of a fragment its write set, some bookies of the ensemble, when it is first
asked. Nothing else is known of it; round robin is one. Recoveries replace no bookies.
"""

from __future__ import annotations

from itertools import combinations

from spec.language.protocol import *
from spec.language.protocol.world import BadWorld
from spec.protocols.ledger_fragments import Ensemble, Fragment, Fragments
from spec.protocols.ledger_parts import AckQuorum, Bookie, Client, Entry, WriteSet
from spec.protocols.ledger_quorums import ack_quorums, write_sets


class EnsembleChange(Fragments):
    """Fragments, adds to their stripes, fencing of the last one, recovery reads and adds there, and closing."""

    @define
    def replicated(self, fragment: Fragment, entry: Entry) -> Bool:
        """{entry} is on an ack quorum of its write set in {fragment}.

        BookKeeper, client/LedgerRecoveryOp.java: a recovered entry counts when its ack quorum has it.
        """
        return some(
            self.acknowledges(acks, fragment, entry) & every(self.has(bookie, entry) for bookie in acks)
            for acks in AckQuorum
        )

    @define
    def covered(self, client: Client, fragment: Fragment) -> Bool:
        """{client} has heard from a bookie of every ack quorum that entries of {fragment} may have.

        BookKeeper, client/RoundRobinDistributionSchedule.java, quorum coverage: in every write set.
        """
        return every(
            self.within(acks, fragment).implies(some(self.told(client, bookie) for bookie in acks))
            for acks in AckQuorum
        )

    @define
    def passed(self, client: Client, fragment: Fragment, entry: Entry) -> Bool:
        """{client} need not read {entry}: it lies before {fragment}, or was heard to be acknowledged.

        BookKeeper, client/LedgerRecoveryOp.java, issue 2615: recovery starts in the last fragment, whatever it hears.
        """
        return ~self.reaches(fragment, entry) | self.settled(client, entry)

    @define
    def read_in(self, fragment: Fragment) -> Bool:
        """Recoveries read and add in {fragment}.

        BookKeeper, client/LedgerRecoveryOp.java: all before the last fragment is acknowledged.
        """
        return self.last(fragment)

    @define
    def missing(self, client: Client, fragment: Fragment, entry: Entry) -> Bool:
        """{client} was denied {entry} by a bookie of every ack quorum that it has in {fragment}.

        BookKeeper, client/ReadOpBase.java: no entry, once all but an ack quorum less one of its write set say so.
        """
        return every(
            self.acknowledges(acks, fragment, entry).implies(
                some(self.denied(client, bookie, entry) for bookie in acks)
            )
            for acks in AckQuorum
        )

    @define
    def blocked(self, fragment: Fragment, entry: Entry) -> Bool:
        """{fragment} can no longer acknowledge {entry}.

        BookKeeper, bookie/LedgerDescriptorImpl.java: a fenced bookie takes nothing more from the writer.
        """
        return every(
            self.acknowledges(acks, fragment, entry).implies(
                some(self.fenced(bookie) & ~self.accepted(bookie, entry) for bookie in acks)
            )
            for acks in AckQuorum
        )

    @action
    def accept(self, bookie: Bookie, fragment: Fragment, entry: Entry, bound: Entry) -> None:
        """A bookie that is not fenced stores an add of the writer, which says that all before a bound is acknowledged.

        BookKeeper, client/PendingAddOp.java: sent to the ensemble of the time, and again to who replaces a bookie; with
        the last add confirmed of the time, which lies before the entry.
        """
        require(self.scheduled(fragment, bookie, entry), ~self.fenced(bookie), bound <= entry)
        require(every(self.acknowledged(lower) for lower in bound.before()))
        self.accepted.add(bookie, entry)
        for lower in bound.before():
            self.confirmed.add(bookie, lower)

    @action
    def acknowledge(self, fragment: Fragment, entry: Entry, acks: AckQuorum) -> None:
        """The writer acknowledges an entry that an ack quorum of its ensemble has, in order, unless it closed.

        BookKeeper, client/PendingAddOp.java, unsetSuccessAndSendWriteRequest: who was replaced no longer counts.
        """
        require(~self.ends.defined() | some(self.begun(client) for client in Client))
        require(self.last(fragment), self.acknowledges(acks, fragment, entry))
        require(every(self.accepted(bookie, entry) for bookie in acks))
        require(every(self.acknowledged(lower) for lower in entry.before()))
        self.acknowledged.add(entry)

    @action
    def read(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> None:
        """A bookie is fenced and tells a recovering client whether it has the next entry, if that is not missing yet.

        BookKeeper, client/LedgerRecoveryOp.java since 4.14 (issue 2614): recovery reads fence too.
        """
        require(self.read_in(fragment), self.scheduled(fragment, bookie, entry))
        require(self.covered(client, fragment), ~self.missing(client, fragment, entry))
        require(every(self.passed(client, fragment, lower) | self.found(client, lower) for lower in entry.before()))
        self.found.add(client, entry, when=self.has(bookie, entry))
        self.denied.add(client, bookie, entry, when=~self.has(bookie, entry))
        self.fenced.add(bookie)

    @action
    def restore(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> None:
        """A recovering client adds an entry that it found again, and no fence stops it.

        BookKeeper, client/LedgerRecoveryOp.java: FLAG_RECOVERY_ADD passes fences.
        """
        require(self.found(client, entry), self.read_in(fragment), self.scheduled(fragment, bookie, entry))
        self.restored.add(bookie, entry)

    @action
    def finish(self, client: Client, fragment: Fragment, end: Entry) -> None:
        """A recovering client closes the ledger before the first entry that is missing, when all before are replicated.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered: compare-and-set to CLOSED, unless it is closed.
        """
        require(~self.ends.defined())
        require(self.read_in(fragment), self.laid_out(fragment, end))
        require(self.missing(client, fragment, end), ~self.found(client, end))
        require(
            every(self.passed(client, fragment, lower) | self.replicated(fragment, lower) for lower in end.before())
        )
        self.ends.add(end)

    @invariant
    def acknowledged_was_accepted(self, fragment: Fragment, entry: Entry) -> Bool:
        """An ack quorum of the fragment to which it belongs has taken every acknowledged entry from the writer.

        BookKeeper, client/PendingAddOp.java: an add completes when an ack quorum of its ensemble has answered.
        """
        taken = some(
            self.acknowledges(acks, fragment, entry) & every(self.accepted(bookie, entry) for bookie in acks)
            for acks in AckQuorum
        )
        return (self.acknowledged(entry) & self.holds(fragment, entry)).implies(taken)

    @invariant
    def reads_are_in_the_last_fragment(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> Bool:
        """A client reads entries of the last fragment only, from their write sets.

        BookKeeper, client/LedgerRecoveryOp.java, issue 2615: all before is acknowledged.
        """
        found, denied = self.found(client, entry), self.denied(client, bookie, entry)
        there = self.reaches(fragment, entry) & denied.implies(self.scheduled(fragment, bookie, entry))
        return (self.last(fragment) & (found | denied)).implies(there)

    @invariant
    def reads_follow_the_fence(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> Bool:
        """A client reads entries only after no ack quorum of the last fragment is silent to it.

        BookKeeper, client/LedgerRecoveryOp.java: the last add confirmed is known before entries are read.
        """
        read = self.found(client, entry) | self.denied(client, bookie, entry)
        return read.implies(self.begun(client) & self.last(fragment).implies(self.covered(client, fragment)))

    @invariant
    def reads_are_in_order(
        self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry, lower: Entry
    ) -> Bool:
        """A client reads an entry only after it found all before in the last fragment, or heard of them.

        BookKeeper, client/LedgerRecoveryOp.java: entries are read from the last add confirmed on.
        """
        read = self.found(client, entry) | self.denied(client, bookie, entry)
        before = self.last(fragment) & (lower < entry)
        return (read & before).implies(self.passed(client, fragment, lower) | self.found(client, lower))

    @invariant
    def restored_in_the_last_fragment(self, fragment: Fragment, bookie: Bookie, entry: Entry) -> Bool:
        """Only recoveries add entries again, to their write sets in the last fragment.

        BookKeeper, client/LedgerRecoveryOp.java: by the metadata that are in recovery, which the writer cannot change.
        """
        there = self.last(fragment).implies(self.scheduled(fragment, bookie, entry))
        return self.restored(bookie, entry).implies(some(self.begun(client) for client in Client) & there)

    @invariant
    def end_is_final(self, fragment: Fragment, end: Entry) -> Bool:
        """At the end of a closed ledger the writer has not acknowledged an entry, and no longer can.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered.
        """
        closed_by_the_writer = none(self.begun(client) for client in Client)
        blocked = self.laid_out(fragment, end) & self.blocked(fragment, end)
        lost = closed_by_the_writer | self.last(fragment).implies(blocked)
        return self.ends(end).implies(~self.acknowledged(end) & lost)

    @invariant
    def recovered_end_is_missing(self, fragment: Fragment, end: Entry) -> Bool:
        """At the end of a ledger that a client closed, no bookie told it that it has an entry.

        BookKeeper, client/ReadOpBase.java: an entry is there as soon as one bookie has it.
        """
        closed_by_the_writer = none(self.begun(client) for client in Client)
        nothing = some(self.missing(client, fragment, end) & ~self.found(client, end) for client in Client)
        return (self.ends(end) & self.last(fragment)).implies(closed_by_the_writer | nothing)

    @invariant
    def closed_is_replicated(self, fragment: Fragment, end: Entry, entry: Entry) -> Bool:
        """Whatever a closed ledger has, an ack quorum of its fragment has.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered.
        """
        inside = self.ends(end) & (entry < end) & self.holds(fragment, entry)
        return inside.implies(self.replicated(fragment, entry))

    @lemma
    def every_write_set_is_covered(self, client: Client, fragment: Fragment, entry: Entry, acks: AckQuorum) -> Bool:
        """Who covers a fragment has heard from a bookie of every ack quorum of its entries.

        BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet: whichever entry is read next.
        """
        covers = self.covered(client, fragment) & self.acknowledges(acks, fragment, entry)
        return covers.implies(some(self.told(client, bookie) for bookie in acks))

    @goal
    def recovery_stops_the_writer(
        self, client: Client, fragment: Fragment, bookie: Bookie, read: Entry, entry: Entry
    ) -> Bool:
        """Once a client reads entries, none that no bookie has will ever be acknowledged.

        BookKeeper, client/LedgerRecoveryOp.java: a fenced bookie of every ack quorum, whichever write set is next.
        """
        reads = self.found(client, read) | self.denied(client, bookie, read)
        nowhere = none(self.accepted(other, entry) for other in Bookie)
        return (self.last(fragment) & reads & nowhere).implies(self.blocked(fragment, entry))

    @goal
    def acknowledged_is_replicated(self, fragment: Fragment, entry: Entry) -> Bool:
        """An ack quorum of the fragment to which it belongs has every acknowledged entry, at any time.

        BookKeeper TLA+ specification, AllAckedEntriesAreReadable.
        """
        return (self.acknowledged(entry) & self.holds(fragment, entry)).implies(self.replicated(fragment, entry))

    @goal
    def closed_ledger_is_whole(self, fragment: Fragment, end: Entry, entry: Entry) -> Bool:
        """An ack quorum of its fragment has every entry of a closed ledger.

        BookKeeper TLA+ specification, AllCommittedEntriesReachAckQuorum.
        """
        inside = self.ends(end) & (entry < end) & self.holds(fragment, entry)
        return inside.implies(self.replicated(fragment, entry))


def fragments(
    bookies: int = 3,
    ensemble: int = 3,
    write: int = 2,
    ack: int = 2,
    entries: int = 2,
    fragments: int = 2,
    clients: int = 1,
) -> World:
    """Ensembles are any ``ensemble`` bookies in a round, each entry goes to any ``write`` neighbours of them.

    Raises:
        BadWorld: an ensemble does not fit among the bookies, a write set into it, or an ack quorum into that.
    """
    if not bookies >= ensemble >= write >= ack >= 1:
        sizes = f"{bookies}, {ensemble}, {write} and {ack}"
        raise BadWorld(f"bookies >= E >= W >= A >= 1 is asked of a ledger, and here they are {sizes}")
    ensembles = tuple(combinations(range(bookies), ensemble))
    turns = write_sets(ensembles, write)
    return World(
        EnsembleChange,
        sizes={Fragment: fragments, Bookie: bookies, Entry: entries, Client: clients},
        families={
            Ensemble: tuple(map(frozenset, ensembles)),
            WriteSet: turns,
            AckQuorum: ack_quorums(turns, ack),
        },
    )

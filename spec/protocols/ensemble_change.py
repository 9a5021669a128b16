"""Changing the ensemble of a BookKeeper ledger: the writer replaces bookies that fail, while clients may recover it.

Source: BookKeeper, client/LedgerHandle.java, ensembleChangeLoop, and LedgerRecoveryOp.java; its TLA+ specification. The
metadata list fragments, each with its first entry and its ensemble. One that begins where the last one does replaces
it: here the older one stays, and no entry belongs to it. As in the TLA+ specification, an entry goes to the whole
ensemble; the text ``ledger`` has stripes. Recoveries replace no bookies.
"""

from __future__ import annotations

from itertools import combinations

from spec.language.protocol import *
from spec.language.protocol.world import BadWorld
from spec.protocols.ledger_parts import AckQuorum, Bookie, Client, Closing, Entry


class Fragment(Order):
    """An ensemble that the ledger had, in the order of the metadata's versions."""


class Ensemble(Family[Bookie]):
    """The bookies to which the entries of one fragment are sent."""


class EnsembleChange(Closing):
    """Fragments, adds to their ensembles, fencing of the last one, recovery reads and adds there, and closing."""

    begins: Partial[Fragment, Entry] = says("the metadata let {0} begin at {1}")
    member: Relation[Fragment, Bookie] = says("{1} is in the ensemble of {0}")

    @define
    def last(self, fragment: Fragment) -> Bool:
        """{fragment} is the last one in the metadata.

        BookKeeper, client/LedgerHandle.java: adds go to the current ensemble.
        """
        return self.begins.defined(fragment) & none(self.begins.defined(later) for later in fragment.after())

    @define
    def reaches(self, fragment: Fragment, entry: Entry) -> Bool:
        """{fragment} begins at {entry} or before.

        BookKeeper, client/LedgerMetadataBuilder.java: a fragment is known by its first entry.
        """
        return some(self.begins(fragment, first) for first in entry.upto())

    @define
    def holds(self, fragment: Fragment, entry: Entry) -> Bool:
        """{entry} belongs to {fragment}.

        BookKeeper, client/api/LedgerMetadata.java, getEnsembleAt: the last ensemble that begins at the entry or before.
        """
        return self.reaches(fragment, entry) & none(self.reaches(later, entry) for later in fragment.after())

    @define
    def within(self, acks: AckQuorum, fragment: Fragment) -> Bool:
        """{acks} is an ack quorum of the ensemble of {fragment}.

        BookKeeper, client/RoundRobinDistributionSchedule.java, ack set.
        """
        return every(self.member(fragment, bookie) for bookie in acks)

    @define
    def replicated(self, fragment: Fragment, entry: Entry) -> Bool:
        """{entry} is on an ack quorum of {fragment}.

        BookKeeper, client/LedgerRecoveryOp.java: a recovered entry counts when its ack quorum has it.
        """
        return some(
            self.within(acks, fragment) & every(self.has(bookie, entry) for bookie in acks) for acks in AckQuorum
        )

    @define
    def covered(self, client: Client, fragment: Fragment) -> Bool:
        """{client} has heard from a bookie of every ack quorum of {fragment}.

        BookKeeper, client/RoundRobinDistributionSchedule.java, quorum coverage.
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
        """{client} was denied {entry} by a bookie of every ack quorum of {fragment}.

        BookKeeper, client/ReadOpBase.java: no entry, once all but an ack quorum less one of its bookies say so.
        """
        return every(
            self.within(acks, fragment).implies(some(self.denied(client, bookie, entry) for bookie in acks))
            for acks in AckQuorum
        )

    @define
    def blocked(self, fragment: Fragment, entry: Entry) -> Bool:
        """{fragment} can no longer acknowledge {entry}.

        BookKeeper, bookie/LedgerDescriptorImpl.java: a fenced bookie takes nothing more from the writer.
        """
        return every(
            self.within(acks, fragment).implies(
                some(self.fenced(bookie) & ~self.accepted(bookie, entry) for bookie in acks)
            )
            for acks in AckQuorum
        )

    @action
    def change(self, fragment: Fragment, first: Entry, ensemble: Ensemble) -> None:
        """The writer of an open ledger begins a fragment behind the last entry that it acknowledged.

        BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: compare-and-set of OPEN metadata, from the last add
        confirmed + 1 on; nothing is acknowledged meanwhile. The first fragment comes with the ledger.
        """
        require(~self.ends.defined(), none(self.begun(client) for client in Client))
        require(none(self.begins.defined(later) for later in fragment.onward()))
        require(~self.acknowledged(first), every(self.acknowledged(lower) for lower in first.before()))
        self.begins.add(fragment, first)
        for bookie in ensemble:
            self.member.add(fragment, bookie)

    @action
    def accept(self, bookie: Bookie, fragment: Fragment, entry: Entry, bound: Entry) -> None:
        """A bookie that is not fenced stores an add of the writer, which says that all before a bound is acknowledged.

        BookKeeper, client/PendingAddOp.java: sent to the ensemble of the time, and again to who replaces a bookie.
        """
        require(self.member(fragment, bookie), self.reaches(fragment, entry), ~self.fenced(bookie))
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
        require(
            self.last(fragment), self.within(acks, fragment), every(self.accepted(bookie, entry) for bookie in acks)
        )
        require(every(self.acknowledged(lower) for lower in entry.before()))
        self.acknowledged.add(entry)

    @action
    def read(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> None:
        """A bookie is fenced and tells a recovering client whether it has the next entry.

        BookKeeper, client/LedgerRecoveryOp.java since 4.14 (issue 2614): recovery reads fence too.
        """
        require(self.read_in(fragment), self.reaches(fragment, entry), self.member(fragment, bookie))
        require(self.begun(client), self.covered(client, fragment))
        require(every(self.passed(client, fragment, lower) | self.found(client, lower) for lower in entry.before()))
        self.found.add(client, entry, when=self.has(bookie, entry))
        self.denied.add(client, bookie, entry, when=~self.has(bookie, entry))
        self.fenced.add(bookie)

    @action
    def restore(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> None:
        """A recovering client adds an entry that it found again, and no fence stops it.

        BookKeeper, client/LedgerRecoveryOp.java: FLAG_RECOVERY_ADD passes fences.
        """
        require(self.found(client, entry), self.read_in(fragment), self.member(fragment, bookie))
        self.restored.add(bookie, entry)

    @action
    def finish(self, client: Client, fragment: Fragment, end: Entry) -> None:
        """A recovering client closes the ledger before the first entry that is missing, when all before are replicated.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered: compare-and-set to CLOSED, unless it is closed.
        """
        require(~self.ends.defined())
        require(self.read_in(fragment), self.reaches(fragment, end), self.missing(client, fragment, end))
        require(
            every(self.passed(client, fragment, lower) | self.replicated(fragment, lower) for lower in end.before())
        )
        self.ends.add(end)

    @invariant
    def fragments_begin_behind_confirmed(self, fragment: Fragment, first: Entry, lower: Entry) -> Bool:
        """All before the first entry of a fragment is acknowledged.

        BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: from the last add confirmed + 1 on.
        """
        return (self.begins(fragment, first) & (lower < first)).implies(self.acknowledged(lower))

    @invariant
    def acknowledged_was_accepted(self, fragment: Fragment, entry: Entry) -> Bool:
        """An ack quorum of the fragment to which it belongs has taken every acknowledged entry from the writer.

        BookKeeper, client/PendingAddOp.java: an add completes when an ack quorum of its ensemble has answered.
        """
        taken = some(
            self.within(acks, fragment) & every(self.accepted(bookie, entry) for bookie in acks) for acks in AckQuorum
        )
        return (self.acknowledged(entry) & self.holds(fragment, entry)).implies(taken)

    @invariant
    def ensembles_are_registered(self, fragment: Fragment, bookie: Bookie) -> Bool:
        """An ensemble is that of a fragment in the metadata.

        BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: nobody is sent an entry before the compare-and-set.
        """
        return self.member(fragment, bookie).implies(self.begins.defined(fragment))

    @invariant
    def ensembles_are_kept(self, bookie: Bookie, entry: Entry) -> Bool:
        """A bookie has only entries for which it was in the ensemble.

        BookKeeper, client/PendingAddOp.java: an entry is sent to the ensemble of a fragment that begins before it.
        """
        sent = some(self.member(fragment, bookie) & self.reaches(fragment, entry) for fragment in Fragment)
        return self.has(bookie, entry).implies(sent)

    @invariant
    def reads_are_in_the_last_fragment(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> Bool:
        """A client reads entries of the last fragment only, from its ensemble.

        BookKeeper, client/LedgerRecoveryOp.java, issue 2615: all before is acknowledged.
        """
        found, denied = self.found(client, entry), self.denied(client, bookie, entry)
        there = self.reaches(fragment, entry) & denied.implies(self.member(fragment, bookie))
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
    def end_is_final(self, fragment: Fragment, end: Entry) -> Bool:
        """At the end of a closed ledger the writer has not acknowledged an entry, and no longer can.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered.
        """
        closed_by_the_writer = none(self.begun(client) for client in Client)
        lost = closed_by_the_writer | self.last(fragment).implies(self.blocked(fragment, end))
        return self.ends(end).implies(~self.acknowledged(end) & lost)

    @invariant
    def closed_is_replicated(self, fragment: Fragment, end: Entry, entry: Entry) -> Bool:
        """Whatever a closed ledger has, an ack quorum of its fragment has.

        BookKeeper, client/ReadOnlyLedgerHandle.java, closeRecovered.
        """
        inside = self.ends(end) & (entry < end) & self.holds(fragment, entry)
        return inside.implies(self.replicated(fragment, entry))

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
    bookies: int = 3, write: int = 2, ack: int = 2, entries: int = 2, fragments: int = 2, clients: int = 1
) -> World:
    """Ensembles are any ``write`` bookies, each of which has every entry; an ack quorum is any ``ack`` of them.

    Raises:
        BadWorld: an ensemble does not fit among the bookies, or an ack quorum into an ensemble.
    """
    if not bookies >= write >= ack >= 1:
        raise BadWorld(
            f"bookies >= E = W >= A >= 1 is asked of a ledger, and here they are {bookies}, {write} and {ack}"
        )
    ensembles, acks = (tuple(map(frozenset, combinations(range(bookies), size))) for size in (write, ack))
    return World(
        EnsembleChange,
        sizes={Fragment: fragments, Bookie: bookies, Entry: entries, Client: clients},
        families={Ensemble: ensembles, AckQuorum: acks},
    )

"""Ensemble changes that lose acknowledged entries: fragments that begin too early, stripes taken for others."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, every, none, require, some
from spec.protocols.ensemble_change import EnsembleChange
from spec.protocols.ledger_fragments import Ensemble, Fragment
from spec.protocols.ledger_parts import AckQuorum, Bookie, Client, Entry


class FirstEntryIsKept(EnsembleChange):
    """A fragment begins where the ledger does, whatever is acknowledged by then."""

    @action
    def change(self, fragment: Fragment, first: Entry, ensemble: Ensemble) -> None:
        """The writer of an open ledger replaces bookies for all entries.

        BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: only entries behind the last add confirmed may move.
        """
        require(~self.ends.defined(), none(self.begun(client) for client in Client))
        require(none(self.begins.defined(later) for later in fragment.onward()))
        require(first == Entry.first)
        self.begins.add(fragment, first)
        for bookie in ensemble:
            self.member.add(fragment, bookie)


class BeginsAtTheLastConfirmed(EnsembleChange):
    """A fragment begins at the last acknowledged entry, not behind it.

    BookKeeper TLA+ specification until 2024: the last add confirmed, where it must be that + 1.
    """

    @action
    def change(self, fragment: Fragment, first: Entry, ensemble: Ensemble) -> None:
        """The writer of an open ledger begins a fragment at the last entry that it acknowledged, if there is one.

        BookKeeper TLA+ specification until 2024.
        """
        require(~self.ends.defined(), none(self.begun(client) for client in Client))
        require(none(self.begins.defined(later) for later in fragment.onward()))
        require(self.acknowledged(first) | (first == Entry.first))
        require(none(self.acknowledged(higher) for higher in first.after()))
        self.begins.add(fragment, first)
        for bookie in ensemble:
            self.member.add(fragment, bookie)


class RecoveryReadsAnOldEnsemble(EnsembleChange):
    """A recovery reads and adds in any fragment, for example the last one of metadata that it read before."""

    @define
    def read_in(self, fragment: Fragment) -> Bool:
        """Recoveries read and add in {fragment}.

        BookKeeper, client/ReadOnlyLedgerHandle.java: recovery reads by the metadata that it put in recovery.
        """
        return self.begins.defined(fragment)


class ChangesAfterTheFence(EnsembleChange):
    """The writer replaces bookies without a compare-and-set, while its ledger is in recovery or closed."""

    @action
    def change(self, fragment: Fragment, first: Entry, ensemble: Ensemble) -> None:
        """The writer begins a fragment behind the last entry that it acknowledged.

        BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: metadata that are not OPEN must stop it.
        """
        require(none(self.begins.defined(later) for later in fragment.onward()))
        require(~self.acknowledged(first), every(self.acknowledged(lower) for lower in first.before()))
        self.begins.add(fragment, first)
        for bookie in ensemble:
            self.member.add(fragment, bookie)


class ReplacedBookiesCount(EnsembleChange):
    """The writer goes on to count answers of bookies that it has replaced."""

    @action
    def acknowledge(self, fragment: Fragment, entry: Entry, acks: AckQuorum) -> None:
        """The writer acknowledges an entry that an ack quorum of some ensemble has, in order.

        BookKeeper, client/PendingAddOp.java, unsetSuccessAndSendWriteRequest: a success of who was replaced is unset.
        """
        require(self.begins.defined(fragment))
        require(self.acknowledges(acks, fragment, entry), every(self.accepted(bookie, entry) for bookie in acks))
        require(every(self.acknowledged(lower) for lower in entry.before()))
        self.acknowledged.add(entry)


class OneWriteSetIsFenced(EnsembleChange):
    """A recovery reads as soon as it heard from enough bookies of one write set, and forgets the others."""

    @define
    def covered(self, client: Client, fragment: Fragment) -> Bool:
        """{client} has heard from a bookie of every ack quorum of some entry of {fragment}.

        BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet: each write set has to be covered.
        """
        return some(
            self.laid_out(fragment, entry)
            & every(
                self.acknowledges(acks, fragment, entry).implies(some(self.told(client, bookie) for bookie in acks))
                for acks in AckQuorum
            )
            for entry in Entry
        )


class AnyMembersAcknowledge(EnsembleChange):
    """The writer sends entries to any bookies of the ensemble, and counts an ack quorum wherever it lies."""

    @action
    def accept(self, bookie: Bookie, fragment: Fragment, entry: Entry, bound: Entry) -> None:
        """A bookie of the ensemble that is not fenced stores an add of the writer.

        BookKeeper, client/RoundRobinDistributionSchedule.java: only the write set of an entry is asked for it.
        """
        require(self.member(fragment, bookie), self.reaches(fragment, entry), ~self.fenced(bookie), bound <= entry)
        require(every(self.acknowledged(lower) for lower in bound.before()))
        self.accepted.add(bookie, entry)
        for lower in bound.before():
            self.confirmed.add(bookie, lower)

    @action
    def acknowledge(self, fragment: Fragment, entry: Entry, acks: AckQuorum) -> None:
        """The writer acknowledges an entry that so many bookies of the ensemble have, in order, unless it closed.

        BookKeeper, client/RoundRobinDistributionSchedule.java, AckSet: of the write set.
        """
        require(~self.ends.defined() | some(self.begun(client) for client in Client))
        require(
            self.last(fragment), self.within(acks, fragment), every(self.accepted(bookie, entry) for bookie in acks)
        )
        require(every(self.acknowledged(lower) for lower in entry.before()))
        self.acknowledged.add(entry)


class AnotherWriteSetIsRead(EnsembleChange):
    """A recovery asks the write set of another entry, by a schedule that is not the writer's.

    BookKeeper from 4.16 on, client/RoundRobinDistributionSchedule.java, getWriteSetBookieIndex: writers and readers may
    differ from entry 2147483647 on.
    """

    @define
    def missing(self, client: Client, fragment: Fragment, entry: Entry) -> Bool:
        """{client} was denied {entry} by a bookie of every ack quorum that some entry has in {fragment}.

        BookKeeper, client/ReadOpBase.java: all but an ack quorum less one of its own write set must say so.
        """
        return some(
            self.laid_out(fragment, other)
            & every(
                self.acknowledges(acks, fragment, other).implies(
                    some(self.denied(client, bookie, entry) for bookie in acks)
                )
                for acks in AckQuorum
            )
            for other in Entry
        )

    @action
    def read(self, client: Client, fragment: Fragment, bookie: Bookie, entry: Entry) -> None:
        """A bookie of the ensemble is fenced and tells a recovering client whether it has the next entry.

        BookKeeper, client/ReadOpBase.java: the bookies of the write set are asked.
        """
        require(self.read_in(fragment), self.member(fragment, bookie), self.reaches(fragment, entry))
        require(self.covered(client, fragment), ~self.missing(client, fragment, entry))
        require(every(self.passed(client, fragment, lower) | self.found(client, lower) for lower in entry.before()))
        self.found.add(client, entry, when=self.has(bookie, entry))
        self.denied.add(client, bookie, entry, when=~self.has(bookie, entry))
        self.fenced.add(bookie)

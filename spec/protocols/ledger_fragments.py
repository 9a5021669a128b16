"""What a ledger's metadata say: its fragments, their ensembles, and the bookies to which each entry goes.

Source: BookKeeper, client/LedgerHandle.java, ensembleChangeLoop, and client/RoundRobinDistributionSchedule.java. What
these mean for adds and recoveries, the text ``ensemble_change`` says.
"""

from __future__ import annotations

from spec.language.protocol import *
from spec.protocols.ledger_parts import AckQuorum, Bookie, Client, Closing, Entry, WriteSet


class Fragment(Order):
    """An ensemble that the ledger had, in the order of the metadata's versions."""


class Ensemble(Family[Bookie]):
    """The bookies among which the entries of one fragment are striped."""


class Fragments(Closing):
    """The writer's changes of the ensemble, and the stripes of each."""

    begins: Partial[Fragment, Entry] = says("the metadata let {0} begin at {1}")
    member: Relation[Fragment, Bookie] = says("{1} is in the ensemble of {0}")
    scheduled: Relation[Fragment, Bookie, Entry] = says("{1} is in the write set of {2} in {0}")

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
    def laid_out(self, fragment: Fragment, entry: Entry) -> Bool:
        """{entry} has a write set in {fragment}.

        BookKeeper, client/RoundRobinDistributionSchedule.java.
        """
        return some(self.scheduled(fragment, bookie, entry) for bookie in Bookie)

    @define
    def within(self, acks: AckQuorum, fragment: Fragment) -> Bool:
        """{acks} may be an ack quorum of entries of {fragment}.

        BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet: of any write set of the ensemble.
        """
        return every(self.member(fragment, bookie) for bookie in acks)

    @define
    def acknowledges(self, acks: AckQuorum, fragment: Fragment, entry: Entry) -> Bool:
        """{acks} is an ack quorum in the write set of {entry} in {fragment}.

        BookKeeper, client/RoundRobinDistributionSchedule.java, ack set.
        """
        return every(self.scheduled(fragment, bookie, entry) for bookie in acks)

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
    def lay_out(self, fragment: Fragment, entry: Entry, members: WriteSet) -> None:
        """The schedule gives an entry of a fragment its write set among the bookies of the ensemble, once.

        BookKeeper, client/RoundRobinDistributionSchedule.java: a function of the entry id alone.
        """
        require(self.reaches(fragment, entry), ~self.laid_out(fragment, entry))
        require(every(self.member(fragment, bookie) for bookie in members))
        for bookie in members:
            self.scheduled.add(fragment, bookie, entry)

    @invariant
    def fragments_begin_behind_confirmed(self, fragment: Fragment, first: Entry, lower: Entry) -> Bool:
        """All before the first entry of a fragment is acknowledged.

        BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: from the last add confirmed + 1 on.
        """
        return (self.begins(fragment, first) & (lower < first)).implies(self.acknowledged(lower))

    @invariant
    def ensembles_are_registered(self, fragment: Fragment, bookie: Bookie) -> Bool:
        """An ensemble is that of a fragment in the metadata.

        BookKeeper, client/LedgerHandle.java, ensembleChangeLoop: nobody is sent an entry before the compare-and-set.
        """
        return self.member(fragment, bookie).implies(self.begins.defined(fragment))

    @invariant
    def stripes_lie_in_ensembles(self, fragment: Fragment, bookie: Bookie, entry: Entry) -> Bool:
        """Write quorums lie in the ensemble of their fragment, which begins at their entry or before.

        BookKeeper, client/RoundRobinDistributionSchedule.java, getWriteSet: indexes of the ensemble.
        """
        there = self.member(fragment, bookie) & self.reaches(fragment, entry)
        return self.scheduled(fragment, bookie, entry).implies(there)

    @invariant
    def schedule_is_kept(self, bookie: Bookie, entry: Entry) -> Bool:
        """A bookie has only entries that the schedule of some fragment gives it.

        BookKeeper, client/PendingAddOp.java: each entry is sent to its write set.
        """
        return self.has(bookie, entry).implies(some(self.scheduled(fragment, bookie, entry) for fragment in Fragment))

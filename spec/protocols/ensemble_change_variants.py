"""Ensemble changes that lose acknowledged entries: fragments that begin too early, compare-and-sets left out."""

from __future__ import annotations

from spec.language.protocol import Bool, action, define, every, none, require
from spec.protocols.ensemble_change import Ensemble, EnsembleChange, Fragment
from spec.protocols.ledger_parts import AckQuorum, Client, Entry


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
        require(self.within(acks, fragment), every(self.accepted(bookie, entry) for bookie in acks))
        require(every(self.acknowledged(lower) for lower in entry.before()))
        self.acknowledged.add(entry)

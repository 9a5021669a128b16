"""Two-phase commit: no log, but the protocol on which explorers are compared.

Source: Gray and Lamport, Consensus on Transaction Commit. The coordinator needs no place of its own in the state: it
has heard from some managers, and it has decided or not.
"""

from __future__ import annotations

from spec.language.protocol import *


class Manager(Sort):
    """A resource manager."""


class Phase(Sort):
    """Where a manager is; no phase means that it still works.  The coordinator uses the last two."""

    prepared = constant()
    committed = constant()
    aborted = constant()


class TwoPhase(Protocol):
    """Managers that agree on a transaction, and their coordinator."""

    phase: Partial[Manager, Phase] = says("{0} is in phase {1}")
    offered: Relation[Manager] = says("{0} has sent that it is prepared")
    heard: Relation[Manager] = says("the coordinator has heard from {0}")
    decision: Partial[Phase] = says("the coordinator has decided {0}")

    @action
    def prepare(self, manager: Manager) -> None:
        """A manager is prepared and says so.

        Gray and Lamport, Consensus on Transaction Commit: RMPrepare.
        """
        require(~self.phase.defined(manager))
        self.phase.put(manager, Phase.prepared)
        self.offered.add(manager)

    @action
    def give_up(self, manager: Manager) -> None:
        """A manager aborts by itself.

        Gray and Lamport, Consensus on Transaction Commit: RMChooseToAbort.
        """
        require(~self.phase.defined(manager))
        self.phase.put(manager, Phase.aborted)

    @action
    def hear(self, manager: Manager) -> None:
        """The coordinator hears that a manager is prepared.

        Gray and Lamport, Consensus on Transaction Commit: TMRcvPrepared.
        """
        require(~self.decision.defined(), self.offered(manager))
        self.heard.add(manager)

    @action
    def commit(self) -> None:
        """The coordinator decides to commit once it has heard from all managers.

        Gray and Lamport, Consensus on Transaction Commit: TMCommit.
        """
        require(~self.decision.defined(), every(self.heard(manager) for manager in Manager))
        self.decision.put(Phase.committed)

    @action
    def abort(self) -> None:
        """The coordinator decides to abort.

        Gray and Lamport, Consensus on Transaction Commit: TMAbort.
        """
        require(~self.decision.defined())
        self.decision.put(Phase.aborted)

    @action
    def obey(self, manager: Manager, decision: Phase) -> None:
        """A manager does what the coordinator has decided.

        Gray and Lamport, Consensus on Transaction Commit: RMRcvCommitMsg and RMRcvAbortMsg.
        """
        require(self.decision(decision))
        self.phase.put(manager, decision)

    @invariant
    def commit_only_if_all_offered(self, manager: Manager) -> Bool:
        """A commit is decided only when all were heard.

        Gray and Lamport, Consensus on Transaction Commit: TMCommit.
        """
        return self.decision(Phase.committed).implies(self.heard(manager))

    @invariant
    def heard_was_offered(self, manager: Manager) -> Bool:
        """Who was heard has sent.

        Gray and Lamport, Consensus on Transaction Commit: TMRcvPrepared.
        """
        return self.heard(manager).implies(self.offered(manager))

    @invariant
    def committed_was_decided(self, manager: Manager) -> Bool:
        """Who has committed was told so.

        Gray and Lamport, Consensus on Transaction Commit: RMRcvCommitMsg.
        """
        return self.phase(manager, Phase.committed).implies(self.decision(Phase.committed))

    @invariant
    def who_offered_has_left_work(self, manager: Manager) -> Bool:
        """Who has sent that it is prepared no longer works.

        Gray and Lamport, Consensus on Transaction Commit: RMPrepare.
        """
        return self.offered(manager).implies(self.phase.defined(manager))

    @invariant
    def who_offered_aborts_only_on_order(self, manager: Manager) -> Bool:
        """Who has sent that it is prepared aborts only if told so.

        Gray and Lamport, Consensus on Transaction Commit: RMRcvAbortMsg.
        """
        return (self.offered(manager) & self.phase(manager, Phase.aborted)).implies(self.decision(Phase.aborted))

    @goal
    def all_agree(self, one: Manager, other: Manager) -> Bool:
        """No manager commits while another aborts.

        Gray and Lamport, Consensus on Transaction Commit: TCConsistent.
        """
        return ~(self.phase(one, Phase.committed) & self.phase(other, Phase.aborted))


def transaction(managers: int = 4) -> World:
    """So many resource managers."""
    return World(TwoPhase, sizes={Manager: managers, Phase: 3})

"""Recovery: the new sequencer repairs the tails of earlier epochs.

It seals the nodes of all of them at once, and recovers one after the other, oldest first, as the machine of
``reference_impl.log.repair.epoch_machine`` says for each. What it asks of nodes and of the epoch store follows from
where that machine is: see ``recovery_requests``. Its steps stand in ``recovering``.
LogDevice, Recovery, Log recovery; common/LogRecoveryRequest.cpp, common/EpochRecovery.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Cleaned, Nodes, Outcome
from reference_impl.log.repair.epoch_machine import EpochRecovery, NodeState, State
from reference_impl.log.repair.held import Held
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import Plan
from reference_impl.log.statuses import Statuses


class Phase(Enum):
    """What a recovery is doing with the oldest epoch that is not clean."""

    IDLE = "nothing"
    DIGESTING = "sealing nodes and reading what they hold"
    MUTATING = "storing what was decided"
    CLEANING = "telling nodes what was decided"
    ADVANCING = "telling the epoch store"


PHASES: Final = {
    State.SEAL_OR_INACTIVE: Phase.DIGESTING,
    State.DIGEST: Phase.DIGESTING,
    State.MUTATION: Phase.MUTATING,
    State.CLEAN: Phase.CLEANING,
    State.ADVANCE_LCE: Phase.ADVANCING,
}


class Recovery(NamedTuple):
    """A recovery.

    Attributes:
        epoch: the epoch of the sequencer that recovers; it seals all epochs before its own.
        machines: the recovery of each epoch that is not clean, in the order in which they are recovered.
        statuses: the table that the machines were told of.
        plan: what was decided for the first epoch; None before.
        outcomes: the same, for every ESN up to the bridge.
        is_kept: it is replicated, so that no later recovery can decide otherwise.
        round: how often that was decided, under the one seal of this recovery.
        wave: which attempt at storing it; counted on in later rounds, whose copies so overrule earlier ones.
        copyset: where it is being stored, in this wave.
        stored: who has stored each ESN, in this round.
        ticks: how long the recovery has waited since it decided.
        finished: what another recovery made of the first epoch, if that is known.
    """

    log: int
    node: int
    epoch: int = 0
    nodesets: Mapping[int, Nodes] = {}
    machines: Mapping[int, EpochRecovery] = {}
    statuses: Statuses = Statuses()
    plan: Plan | None = None
    outcomes: tuple[Outcome, ...] = ()
    is_kept: bool = False
    round: int = 0
    wave: int = 0
    copyset: Nodes = frozenset()
    stored: Mapping[int, Nodes] = {}
    ticks: int = 0
    finished: Cleaned | None = None

    @property
    def pending(self) -> tuple[int, ...]:
        """The epochs that are not clean, in the order in which they are recovered."""
        return tuple(self.machines)

    @property
    def first(self) -> EpochRecovery:
        """The machine of the first pending epoch."""
        return self.machines[next(iter(self.machines))]

    @property
    def phase(self) -> Phase:
        """What is being done with the first pending epoch."""
        return PHASES[self.first.state] if self.machines else Phase.IDLE

    @property
    def digests(self) -> Mapping[int, tuple[tuple[int, Held], ...]]:
        """What nodes told of the first pending epoch: ESNs with copies, by node."""
        return self.first.digests

    @property
    def known_good(self) -> int:
        """The last known good ESN of the first pending epoch, as far as the nodes that are sealed know."""
        return self.first.known_good

    @property
    def cleaned(self) -> Cleaned:
        """What the recovery of the first pending epoch comes to."""
        return self.finished or Cleaned(self.pending[0], self.epoch, self.known_good, self.outcomes)

    def silent(self) -> Nodes:
        """The nodes that have not answered what they were asked to store or to clean."""
        if self.first.state is State.CLEAN:
            return frozenset(node for node, at in self.first.nodes.items() if at is NodeState.CLEANING)
        waiting = self.first.pending
        return Nodes().union(*(self.copyset - self.stored.get(esn, Nodes()) for esn in waiting))


# --------------------------------------------------------------------------------------------- decisions


@decision
def recovers(epoch: int, other: int) -> bool:
    """The sequencer of an epoch recovers those before its own: Recovery, Sequencer activation."""
    return other < epoch


@decision
def recovery_order(epochs: Sequence[int]) -> tuple[int, ...]:
    """Epochs are recovered strictly oldest first: common/LogRecoveryRequest.cpp."""
    return tuple(sorted(epochs))


@decision
def nodeset_of(context: LogContext, nodes: Nodes) -> Nodeset:
    """What sets of nodes prove of an epoch is what the specification says: common/FailureDomainNodeSet.h."""
    return Nodeset(nodes, context.quorums.layout)


@decision
def is_replicated(context: LogContext, stored: Nodes, required: Nodes) -> bool:
    """The outcome is replicated to the correct number of nodes, and whoever held something else has it too.

    LogDevice, Recovery, Log recovery; common/Mutator.cpp.
    """
    return required <= stored and context.quorums.can_replicate(stored)

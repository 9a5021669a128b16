"""Recovery: the new sequencer repairs the tails of earlier epochs, oldest first.

Seal and read an f-majority that can also hold copies; decide a record, a hole or the bridge for every ESN above the
last known good one; store that until it is replicated; tell the epoch store; then let the sequencer release.
LogDevice, Recovery, Log recovery; common/LogRecoveryRequest.cpp, common/EpochRecovery.cpp.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, notes
from reference_impl.log.copies import Cleaned, Nodes, Outcome
from reference_impl.log.machine import Machine
from reference_impl.log.messages import CleanSet, Recover, Recovered, SetClean, Tick
from reference_impl.log.outcomes import decide
from reference_impl.log.storage_messages import Digested, Mutation, MutationStored, Preempted, Seal

PATIENCE: Final = 2
"""Ticks after which a recovery looks for another copyset."""


class Phase(Enum):
    """What a recovery is doing with the oldest epoch that is not clean."""

    IDLE = "nothing"
    DIGESTING = "sealing nodes and reading what they hold"
    MUTATING = "storing what was decided"
    CLEANING = "telling the epoch store"


class Recovery(NamedTuple):
    """A recovery.

    Attributes:
        epoch: the epoch of the sequencer that recovers.
        pending: the epochs that are not clean, in the order in which they are recovered.
        since: the version of the status table of which the digests are.
        digests: what nodes told of the first pending epoch.
        known_good: its last known good ESN, as far as those nodes know.
        outcomes: what was decided for it.
        round: how often it was decided, under the one seal of this recovery.
        wave: which attempt at storing that; counted on in later rounds, whose copies so overrule earlier ones.
        decided_at: the first wave that stores what was decided last.
        copyset: where it is being stored, in this wave.
        stored: who holds all of it.
    """

    log: int
    node: int
    phase: Phase = Phase.IDLE
    epoch: int = 0
    nodesets: Mapping[int, Nodes] = {}
    pending: tuple[int, ...] = ()
    since: int = 0
    digests: Mapping[int, Digested] = {}
    known_good: int = 0
    outcomes: tuple[Outcome, ...] = ()
    round: int = 0
    wave: int = 0
    decided_at: int = 1
    copyset: Nodes = frozenset()
    stored: Nodes = frozenset()
    ticks: int = 0


# --------------------------------------------------------------------------------------------- decisions


def recovery_order(epochs: Sequence[int]) -> tuple[int, ...]:
    """Epochs are recovered strictly oldest first: common/LogRecoveryRequest.cpp."""
    return tuple(sorted(epochs))


def digest_suffices(machine: Machine, heard: Nodes, nodeset: Nodes) -> bool:
    """No copyset can hide from the nodes that were heard, and they can hold one: common/EpochRecovery.cpp."""
    quorums, statuses = machine.quorums, machine.statuses
    authoritative = heard - statuses.gone
    return quorums.can_replicate(authoritative) and quorums.is_f_majority(authoritative, nodeset, statuses)


def is_replicated(machine: Machine, stored: Nodes) -> bool:
    """The outcome is replicated to the correct number of nodes: Recovery, Log recovery."""
    return machine.quorums.can_replicate(stored)


# ------------------------------------------------------------------------------------------------- steps


def begin(recovery: Recovery, message: Recover, moment: Moment, machine: Machine) -> Stepped[Recovery]:
    """Recover every earlier epoch that is not clean; a recovery begins once."""
    if message.epoch <= recovery.epoch:
        return None
    pending = [epoch for epoch in message.nodesets if epoch < message.epoch and epoch not in message.cleaned]
    recovery = Recovery(
        recovery.log,
        recovery.node,
        epoch=message.epoch,
        nodesets=message.nodesets,
        pending=machine.decisions.recovery_order(pending),
    )
    timer = After(machine.timing.recovery_ns, Tick(message.epoch))
    recovery, effects = _next_epoch(recovery, machine, message.cleaned)
    return recovery, (timer, *effects)


def _next_epoch(
    recovery: Recovery, machine: Machine, cleaned: Mapping[int, Cleaned]
) -> tuple[Recovery, tuple[Effect, ...]]:
    """Seal the nodes of the first pending epoch; when none is left, tell the sequencer."""
    if not recovery.pending:
        done = Send(addresses.sequencer(recovery.log, recovery.node), Recovered(recovery.epoch, cleaned))
        return recovery._replace(phase=Phase.IDLE), (done,)
    recovery = Recovery(
        recovery.log,
        recovery.node,
        Phase.DIGESTING,
        recovery.epoch,
        recovery.nodesets,
        recovery.pending,
        machine.statuses.since,
    )
    return recovery, _ask(recovery)


def _ask(recovery: Recovery) -> tuple[Effect, ...]:
    """Whatever the recovery is waiting for, ask those for it who have not answered."""
    log, epoch = recovery.log, recovery.pending[0]
    match recovery.phase:
        case Phase.DIGESTING:
            silent = sorted(recovery.nodesets[epoch].difference(recovery.digests))
            seal = Seal(epoch, recovery.epoch, recovery.node)
            return tuple(Send(addresses.storage(log, node), seal) for node in silent)
        case Phase.MUTATING:
            silent = sorted(recovery.copyset - recovery.stored)
            mutation = Mutation(
                epoch,
                recovery.epoch,
                recovery.round,
                recovery.wave,
                recovery.copyset,
                recovery.outcomes,
                recovery.node,
            )
            return tuple(Send(addresses.storage(log, node), mutation) for node in silent)
        case _:
            cleaned = Cleaned(epoch, recovery.epoch, recovery.known_good, recovery.outcomes)
            return (Send(addresses.epoch_store(log), SetClean(cleaned, recovery.node)),)


def digested(recovery: Recovery, message: Digested, moment: Moment, machine: Machine) -> Stepped[Recovery]:
    """One more node is sealed and heard; decide as soon as they suffice.

    When copies were lost or moved, what was heard before no longer counts.
    """
    if recovery.phase is not Phase.DIGESTING or not _is_about(recovery, message):
        return None
    since = machine.statuses.since
    if message.since != since:
        return None
    before = recovery.digests if recovery.since == since else {}
    recovery = recovery._replace(since=since, digests={**before, message.node: message})
    heard = frozenset(recovery.digests)
    if not machine.decisions.digest_suffices(machine, heard, recovery.nodesets[message.epoch]):
        return recovery, ()
    good, outcomes = decide(recovery.digests.values(), machine)
    recovery = recovery._replace(
        phase=Phase.MUTATING,
        known_good=good,
        outcomes=outcomes,
        round=recovery.round + 1,
        decided_at=recovery.wave + 1,
        stored=frozenset(),
    )
    return _next_wave(recovery, machine, frozenset())


def _next_wave(recovery: Recovery, machine: Machine, avoid: Nodes) -> tuple[Recovery, tuple[Effect, ...]]:
    """Store what was decided on a copyset of nodes that were heard; if too few of those are left, hear again."""
    heard = frozenset(recovery.digests) - machine.statuses.gone
    epoch, wave = recovery.pending[0], recovery.wave + 1
    chosen = machine.quorums.choose(heard, avoid, recovery.log, recovery.epoch, epoch, wave)
    if chosen is None:
        recovery = recovery._replace(phase=Phase.DIGESTING, since=machine.statuses.since, digests={})
    else:
        recovery = recovery._replace(wave=wave, copyset=chosen, ticks=0)
    return recovery, _ask(recovery)


def mutated(recovery: Recovery, message: MutationStored, moment: Moment, machine: Machine) -> Stepped[Recovery]:
    """One more node holds what was decided; once it is replicated, no later recovery can decide otherwise."""
    if recovery.phase is not Phase.MUTATING or not _is_about(recovery, message) or message.wave < recovery.decided_at:
        return None
    recovery = recovery._replace(stored=recovery.stored | {message.node})
    if not machine.decisions.is_replicated(machine, recovery.stored - machine.statuses.gone):
        return recovery, ()
    recovery = recovery._replace(phase=Phase.CLEANING)
    decided = tuple(notes.mutate(recovery.log, message.epoch, outcome, recovery.epoch) for outcome in recovery.outcomes)
    return recovery, (*decided, *_ask(recovery))


def _is_about(recovery: Recovery, message: Digested | MutationStored) -> bool:
    return message.recovery == recovery.epoch and recovery.pending[:1] == (message.epoch,)


def clean_set(recovery: Recovery, message: CleanSet, moment: Moment, machine: Machine) -> Stepped[Recovery]:
    """The epoch store knows that the epoch is clean; go on with the next one."""
    if recovery.phase is not Phase.CLEANING or recovery.pending[0] not in message.cleaned:
        return None
    pending = tuple(epoch for epoch in recovery.pending if epoch not in message.cleaned)
    return _next_epoch(recovery._replace(pending=pending), machine, message.cleaned)


def preempted(recovery: Recovery, message: Preempted, moment: Moment, machine: Machine) -> Stepped[Recovery]:
    """A node promised a later recovery to refuse this one; the sequencer learns of it too."""
    if recovery.phase is Phase.IDLE or message.seal < recovery.epoch:
        return None
    return recovery._replace(phase=Phase.IDLE), (Send(addresses.sequencer(recovery.log, recovery.node), message),)


def tick(recovery: Recovery, message: Tick, moment: Moment, machine: Machine) -> Stepped[Recovery]:
    """Ask again whoever is silent; after a while, store on other nodes."""
    if recovery.phase is Phase.IDLE or message.epoch != recovery.epoch:
        return None
    timer = After(machine.timing.recovery_ns, Tick(recovery.epoch))
    recovery = recovery._replace(ticks=recovery.ticks + 1)
    if recovery.phase is Phase.DIGESTING and recovery.since != machine.statuses.since:
        recovery = recovery._replace(since=machine.statuses.since, digests={})
    if recovery.phase is Phase.MUTATING and recovery.ticks >= PATIENCE:
        recovery, effects = _next_wave(recovery, machine, recovery.copyset - recovery.stored)
        return recovery, (timer, *effects)
    return recovery, (timer, *_ask(recovery))


HANDLERS: Final[Handlers] = {
    Recover: begin,
    Digested: digested,
    MutationStored: mutated,
    CleanSet: clean_set,
    Preempted: preempted,
    Tick: tick,
}

"""Recovering: the steps of a recovery, each of which moves the machine of an epoch and asks for what is new.

LogDevice, common/LogRecoveryRequest.cpp, common/EpochRecovery.cpp, common/Mutator.cpp.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import METADATA_LOG, LogContext
from reference_impl.log.copies import Cleaned, Nodes
from reference_impl.log.messages import CleanSet, GraceOver, Recover, Recovered, Tick
from reference_impl.log.outcomes import copies_by_esn, needed, outcomes_of
from reference_impl.log.recovery import Phase, Recovery, is_replicated, nodeset_of, recovers, recovery_order
from reference_impl.log.recovery_requests import digesting, digests, mutations, of_phase, requests, sealing, seals
from reference_impl.log.repair import epoch_machine as epochs
from reference_impl.log.repair.epoch_machine import EpochRecovery, NodeState, State
from reference_impl.log.repair.plan import Plan, plan_of
from reference_impl.log.statuses import Statuses
from reference_impl.log.storage_messages import AlreadyClean, CleanedHere, Digested, MutationStored, Preempted, Sealed
from spec.log.status import Status

PATIENCE: Final = 3
"""Ticks after which a recovery stores elsewhere, and does without nodes that are silent."""

RESTART: Final = 7 * PATIENCE
"""Ticks after which it reads digests anew, if nothing else helped."""


# ------------------------------------------------------------------------------------------------- steps


def begin(recovery: Recovery, message: Recover, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """Recover every earlier epoch that is not clean; a recovery begins once."""
    if message.epoch <= recovery.epoch:
        return None
    is_mine = partial(context.decides(recovers), message.epoch)
    pending = [epoch for epoch in message.nodesets if is_mine(epoch) and epoch not in message.cleaned]
    recovery = Recovery(recovery.log, recovery.node, message.epoch, message.nodesets)
    recovery = recovery._replace(
        machines={epoch: _machine_of(recovery, epoch, context) for epoch in context.decides(recovery_order)(pending)},
        statuses=context.statuses,
    )
    if not pending:
        return recovery, (_done(recovery, message.cleaned, context),)
    timer = After(context.timing.recovery_ns, Tick(message.epoch))
    recovery, effects = _settled(recovery, _with_first(recovery, epochs.activate(recovery.first)), context)
    return recovery, (timer, *effects, *requests(recovery))


def _machine_of(recovery: Recovery, epoch: int, context: LogContext) -> EpochRecovery:
    nodeset = context.decides(nodeset_of)(context, recovery.nodesets[epoch])
    one = epochs.machine_of(nodeset, recovery.epoch)._replace(decide=context.decides(plan_of))
    return _told_statuses(one, context.statuses)


def _done(recovery: Recovery, cleaned: Mapping[int, Cleaned], context: LogContext) -> Effect:
    """The sequencer may release, once its metadata can be read if there is a metadata log."""
    then = addresses.describer if METADATA_LOG in context.variants else addresses.sequencer
    return Send(then(recovery.log, recovery.node), Recovered(recovery.epoch, cleaned))


def sealed(recovery: Recovery, message: Sealed, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """One more node takes no appends of any earlier epoch; once enough do, they are to tell what they hold.

    If more is good than was known, what depends on that is said again: from where nodes are read, and to what a
    decided epoch comes.
    """
    if not recovery.machines or message.recovery != recovery.epoch or message.node in context.statuses.gone:
        return None
    good = dict(message.known_good)
    machines = {
        epoch: epochs.on_sealed(one, message.node, good.get(epoch, 0)) if message.node in one.nodes else one
        for epoch, one in recovery.machines.items()
    }
    after = recovery._replace(machines=machines)
    is_more = after.first.known_good > recovery.first.known_good
    match after.phase:
        case Phase.DIGESTING:
            news = digests(after, digesting(after) if is_more else _read_now(recovery, after))
        case Phase.CLEANING | Phase.ADVANCING if is_more and after.finished is None:
            news = of_phase(after)
        case _:
            news = iter(())
    return _stepped(recovery, after, context, news)


def _read_now(before: Recovery, after: Recovery) -> list[int]:
    """The nodes that are to tell what they hold, and were not before."""
    return [node for node in digesting(after) if node not in digesting(before)]


def digested(recovery: Recovery, message: Digested, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """One more node is heard: decide when all who count are, or a while after those who were heard suffice.

    What a node said before copies were lost or moved does not count. Who is not what it was is sealed and read anew.
    """
    if not _is_about(recovery, message) or message.round != recovery.round + 1:
        return None
    if message.since != context.statuses.since or message.node in context.statuses.gone:
        return None
    after = _with_statuses(recovery, context)
    copies = copies_by_esn(message.copies)
    first = epochs.on_digested(after.first, message.node, copies, is_writable=message.is_writable)
    after = _with_first(after, first)
    return _stepped(recovery, after, context, digests(after, _read_now(recovery, after)))


def grace_over(recovery: Recovery, message: GraceOver, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """Those who have not answered by now are not waited for."""
    if (message.recovery, (message.epoch,)) != (recovery.epoch, recovery.pending[:1]):
        return None
    if not recovery.first.in_grace:
        return None
    return _stepped(recovery, _with_first(recovery, epochs.on_grace_expired(recovery.first)), context)


def mutated(recovery: Recovery, message: MutationStored, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """One more node holds what was decided; once it is replicated, no later recovery can decide otherwise.

    Whoever is silent is sent what is left of it.
    """
    if recovery.phase is not Phase.MUTATING or not _is_about(recovery, message) or message.round != recovery.round:
        return None
    first, stored, plan = recovery.first, dict(recovery.stored), recovery.first.plan
    required = {esn: nodes for esn, (_, nodes) in needed(plan).items()} if plan else {}
    mutable = first.at_least(NodeState.MUTATABLE)
    for esn in message.esns:
        stored[esn] = stored.get(esn, Nodes()) | {message.node}
        here = stored[esn] - context.statuses.gone
        if context.decides(is_replicated)(context, here, required.get(esn, Nodes()) & mutable):
            first = epochs.on_mutated(first, esn)
    after = _with_first(recovery._replace(stored=stored), first)
    left = mutations(after) if first.pending < recovery.first.pending else ()
    return _stepped(recovery, after, context, left)


def already_clean(recovery: Recovery, message: AlreadyClean, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """Another recovery has finished the epoch, with the same outcome: all that is left is the epoch store."""
    if recovery.phase is not Phase.MUTATING or not _is_about(recovery, message):
        return None
    first = recovery.first._replace(state=State.ADVANCE_LCE, pending=frozenset())
    return _stepped(recovery, _with_first(recovery._replace(finished=message.cleaned), first), context)


def cleaned_here(recovery: Recovery, message: CleanedHere, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """One more node of the mutation set knows what the epoch came to."""
    if recovery.phase is not Phase.CLEANING or not _is_about(recovery, message) or message.round != recovery.round:
        return None
    return _stepped(recovery, _with_first(recovery, epochs.on_cleaned(recovery.first, message.node)), context)


def clean_set(recovery: Recovery, message: CleanSet, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """The epoch store knows that the epoch is clean; go on with the next one."""
    if recovery.phase is not Phase.ADVANCING or recovery.pending[0] not in message.cleaned:
        return None
    machines = {epoch: one for epoch, one in recovery.machines.items() if epoch not in message.cleaned}
    after = Recovery(recovery.log, recovery.node, recovery.epoch, recovery.nodesets, machines, recovery.statuses)
    if not machines:
        return after, (_done(after, message.cleaned, context),)
    return _stepped(recovery, _with_first(after, epochs.activate(after.first)), context)


def preempted(recovery: Recovery, message: Preempted, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """A node promised a later recovery to refuse this one; the sequencer learns of it too."""
    if not recovery.machines or message.seal < recovery.epoch:
        return None
    return recovery._replace(machines={}), (Send(addresses.sequencer(recovery.log, recovery.node), message),)


def tick(recovery: Recovery, message: Tick, moment: Moment, context: LogContext) -> Stepped[Recovery]:
    """Ask again whoever is silent; after a while do without them, and after a longer one begin the epoch again."""
    if not recovery.machines or message.epoch != recovery.epoch:
        return None
    timer = After(context.timing.recovery_ns, Tick(recovery.epoch))
    after = _with_statuses(recovery, context)
    after = after._replace(ticks=after.ticks + 1)
    if after.phase in (Phase.MUTATING, Phase.CLEANING) and after.ticks % PATIENCE == 0:
        after = _impatient(after, context)
    after, effects = _settled(recovery, after, context)
    return after, (timer, *effects, *requests(after))


HANDLERS: Final[Handlers] = {
    Recover: begin,
    Sealed: sealed,
    Digested: digested,
    GraceOver: grace_over,
    MutationStored: mutated,
    AlreadyClean: already_clean,
    CleanedHere: cleaned_here,
    CleanSet: clean_set,
    Preempted: preempted,
    Tick: tick,
}


# ----------------------------------------------------------------------------------------------- passages


def _is_about(recovery: Recovery, message: Digested | MutationStored | AlreadyClean | CleanedHere) -> bool:
    return message.recovery == recovery.epoch and recovery.pending[:1] == (message.epoch,)


def _with_first(recovery: Recovery, first: EpochRecovery) -> Recovery:
    return recovery._replace(machines={**recovery.machines, recovery.pending[0]: first})


def _stepped(before: Recovery, after: Recovery, context: LogContext, news: Iterable[Effect] = ()) -> Stepped[Recovery]:
    """Draw the consequences of what the first machine has become, and seal anew who is not what it was.

    What a step asks for, it asks for while the phase is the same; a new one asks for all that it takes.
    """
    after, effects = _settled(before, after, context)
    lost = seals(after, sealing(after) - sealing(before))
    is_same = (before.pending[:1], before.phase) == (after.pending[:1], after.phase)
    return after, (*effects, *lost, *(news if is_same else of_phase(after)))


def _settled(before: Recovery, after: Recovery, context: LogContext) -> tuple[Recovery, tuple[Effect, ...]]:
    """When the first machine has decided, begin to store; when that is replicated, its decisions are events."""
    effects: list[Effect] = []
    if after.first.in_grace and not context.timing.grace_ns:
        after = _with_first(after, epochs.on_grace_expired(after.first))
    elif after.first.in_grace and not (before.machines and before.first.in_grace):
        effects.append(After(context.timing.grace_ns, GraceOver(after.epoch, after.pending[0])))
    if after.first.plan is None:
        return after._replace(plan=None, outcomes=(), is_kept=False), tuple(effects)
    if after.plan is None:
        told = frozenset(after.first.digests), after.first.at_least(NodeState.MUTATABLE)
        after = _decided(after, after.first.plan, context)
        made = after.epoch, after.round
        effects.append(trace_events.plan(after.log, after.pending[0], made, told, after.statuses.version))
    if after.first.state > State.MUTATION and not after.is_kept and after.finished is None:
        after = after._replace(is_kept=True)
        effects += [
            trace_events.mutate(after.log, after.pending[0], outcome, after.epoch) for outcome in after.outcomes
        ]
    return after, tuple(effects)


def _decided(recovery: Recovery, plan: Plan, context: LogContext) -> Recovery:
    """A round has begun: whatever must be stored up to the bridge is stored in a new wave."""
    recovery = recovery._replace(
        plan=plan, outcomes=outcomes_of(plan), is_kept=False, round=recovery.round + 1, stored={}, ticks=0
    )
    first = recovery.first
    for esn in first.pending.difference(needed(plan)):
        first = epochs.on_mutated(first, esn)
    return _in_next_wave(_with_first(recovery, first), context, Nodes())


def _in_next_wave(recovery: Recovery, context: LogContext, avoid: Nodes) -> Recovery:
    """Whatever is not replicated yet is stored on all who held something else, and as many others as it takes."""
    first, wave = recovery.first, recovery.wave + 1
    mutable = first.at_least(NodeState.MUTATABLE)
    held = needed(recovery.plan) if recovery.plan else {}
    required = mutable & Nodes().union(*(held[esn][1] for esn in first.pending))
    key = recovery.log, recovery.epoch, recovery.pending[0], wave
    return recovery._replace(wave=wave, copyset=context.quorums.choose_with(required, mutable, avoid, *key))


def _impatient(recovery: Recovery, context: LogContext) -> Recovery:
    """Do without silent nodes where the others can hold copies; where they cannot, read digests anew in the end."""
    silent, first = recovery.silent(), recovery.first
    for node in sorted(silent):
        first = epochs.on_silence(first, node)
    if recovery.ticks >= RESTART:
        return _with_first(recovery, epochs.on_timeout(first))._replace(ticks=0)
    recovery = _with_first(recovery, first)
    return _in_next_wave(recovery, context, silent) if recovery.phase is Phase.MUTATING else recovery


def _with_statuses(recovery: Recovery, context: LogContext) -> Recovery:
    """The recovery as it is when its machines know the newest table."""
    if recovery.statuses == context.statuses:
        return recovery
    machines = {epoch: _told_statuses(one, context.statuses) for epoch, one in recovery.machines.items()}
    moved = context.statuses.since != recovery.statuses.since
    recovery = recovery._replace(machines=machines, statuses=context.statuses)
    return _with_first(recovery, epochs.on_moved(recovery.first)) if moved else recovery


def _told_statuses(one: EpochRecovery, statuses: Statuses) -> EpochRecovery:
    """A node that is merely down has its data, and is waited for; only what is lost or moved counts otherwise.

    LogDevice calls a node UNAVAILABLE only when its data is being rebuilt, and then waits for it no more.
    """
    for node in sorted(one.nodes):
        lost = Status.UNDERREPLICATION if node in statuses.underreplicated else Status.FULLY_AUTHORITATIVE
        one = epochs.on_status(one, node, Status.AUTHORITATIVE_EMPTY if node in statuses.empty else lost)
    return one

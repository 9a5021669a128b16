"""What one storage node holds of one log: copies, a seal, and how far it may answer readers.

LogDevice, Read path (How reads happen) and Recovery (Recovery example); common/protocol/STORE_Message.cpp,
server/storage/SealStorageTask.cpp, and server/storage for purging.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Address, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import METADATA_LOG, PURGING, SHIPPED_PURGES, SOFT_SEALS, LogContext
from reference_impl.log.copies import Cleaned, Copy, Outcome
from reference_impl.log.lsn import ESN_MAX, epoch_of, lsn_of
from reference_impl.log.messages import WhereLies
from reference_impl.log.node_log import NodeLog
from reference_impl.log.repair.metadata import Known
from reference_impl.log.repair.purging import deleted, purge_of
from reference_impl.log.serving import requests
from reference_impl.log.serving.catching_up import all_caught_up
from reference_impl.log.storage_messages import (
    AlreadyClean,
    AmendStore,
    Clean,
    CleanedHere,
    Digested,
    Mutation,
    MutationStored,
    Preempted,
    ReadDigest,
    Release,
    Seal,
    Sealed,
    Store,
    Stored,
)
from spec.events import RECORD

# --------------------------------------------------------------------------------------------- decisions


@decision
def may_store(here: NodeLog, epoch: int, is_draining: bool) -> bool:  # noqa: FBT001 - a decision has no names
    """A node refuses the copies of an epoch that is sealed, be it softly: STORE_Message::checkIfPreempted.

    Soft seals do not hinder a sequencer that drains its epoch: it lets what is under way end, and begins nothing.
    """
    return epoch > here.seal and (is_draining or epoch > here.soft)


@decision
def raised(seal: int, asked: int) -> int | None:
    """Only a seal that is not lower than the one that is there succeeds: SealStorageTask, executeImpl."""
    return asked if asked >= seal else None


@decision
def may_mutate(here: NodeLog, seal: int, made: tuple[int, int]) -> bool:
    """A node refuses a recovery that a later one has preempted, and what a recovery decided in an earlier round.

    LogDevice, STORE_Message::checkIfPreempted; ``made``: the recovery and its round.
    """
    return here.seal <= seal and made >= here.promised


@decision
def seals(recovery: int) -> int:
    """A recovery asks nodes to reject all epochs smaller than its own: Recovery, Recovery example."""
    return recovery - 1


@decision
def is_settled(here: NodeLog, epoch: int) -> bool:
    """An epoch that recovery has finished stays immutable: Recovery, Log recovery."""
    return epoch in here.cleaned


@decision
def stored_as(outcome: Outcome) -> Outcome:
    """A node stores what a recovery tells it, be it a record, a hole or the bridge: common/Mutator.cpp."""
    return outcome


@decision
def after_crash(here: NodeLog) -> NodeLog:
    """Copies and seals are on disk; what the sequencer released, and who reads, is only remembered."""
    return here._replace(released=0, known_good={}, serving=here.serving.restarted())


@decision
def awaits_outcome(here: NodeLog, epoch: int) -> bool:
    """A node shows nothing of later epochs before it has purged one: server/storage/PurgeUncleanEpochs.cpp.

    Where nobody knows what became of the epoch, LogDevice goes on as if it were clean; here the node stays silent.
    """
    return True


@decision
def is_outdated(copy: Copy, decided: Copy | None) -> bool:
    """A copy that is not what recovery decided for its LSN must never be read."""
    return decided is None or (copy.becomes, copy.digest) != (decided.becomes, decided.digest)


# ------------------------------------------------------------------------------------------------ copies


def store(here: NodeLog, message: Store, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Hold a copy of a record, unless its epoch is sealed; a repetition or an earlier wave changes nothing."""
    if here.node in context.read_only:
        return None
    epoch = epoch_of(message.lsn)
    if not context.decides(may_store)(here, epoch, message.is_draining):
        return here, (Send(addresses.sequencer(here.log, message.node), preempted(here, epoch)),)
    return held_as(
        here,
        message,
        Copy(RECORD, message.digest, 0, message.wave, message.copyset, in_stream=message.in_stream),
        context,
    )


def preempted(here: NodeLog, epoch: int) -> Preempted:
    """Whoever stores of an epoch is told up to which one it was replaced, and whether a recovery said so."""
    return Preempted(here.bar, softly=epoch > here.seal)


def held_as(here: NodeLog, message: Store | AmendStore, copy: Copy, context: LogContext) -> Stepped[NodeLog]:
    """Hold this copy, and say that the wave is stored here; what a recovery or a later wave put there stays."""
    lsn, epoch, wave = message.lsn, epoch_of(message.lsn), message.wave
    log, node, copies, known_good, soft = here.log, here.node, here.copies, here.known_good, here.soft
    if message.known_good > known_good.get(epoch, 0):
        known_good = {**known_good, epoch: message.known_good}
    reply = Send(addresses.sequencer(log, message.node), Stored(lsn, wave, node))
    old = copies.get(lsn)
    effects: tuple[Effect, ...] = (reply,)
    if old is None or not (old.recovery or old.wave > wave or old == copy):
        copies, effects = copies.with_(lsn, copy), (trace_events.store(log, lsn, node, copy), reply)
        if SOFT_SEALS in context.variants and epoch - 1 > soft:
            soft, effects = epoch - 1, (trace_events.soft_seal(log, epoch - 1, node), *effects)
    return here._replace(copies=copies, known_good=known_good, soft=soft), effects


def obey_seal(here: NodeLog, message: Seal, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Promise to take no appends of earlier epochs, and tell their last known good ESNs.

    A node that stored appends of an epoch after the recovery's keeps the promise, and says that the recovery is late.
    """
    reply = addresses.recovery(here.log, message.node)
    seal = context.decides(raised)(here.seal, context.decides(seals)(message.recovery))
    if seal is None:
        return here, (Send(reply, Preempted(here.seal)),)
    effects: list[Effect] = [] if seal == here.seal else [trace_events.seal(here.log, seal, here.node)]
    here = here._replace(seal=seal)
    if here.soft > seal:
        return here, (*effects, Send(reply, Preempted(here.soft)))
    good = tuple(sorted(here.known_good.items()))
    return here, (*effects, Send(reply, Sealed(message.recovery, here.node, good)))


def read_digest(here: NodeLog, message: ReadDigest, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Tell a recovery that has sealed this node what there is above the last known good ESN that it knows of.

    From now on nothing that it had decided in an earlier round is taken, should it come late. A node that cannot read
    one of its copies tells nothing: it can neither name the record nor deny it. Nor does one that has trimmed some.
    """
    reply, seal = addresses.recovery(here.log, message.node), context.decides(seals)(message.recovery)
    if here.seal > seal:
        return here, (Send(reply, Preempted(here.seal)),)
    promise = message.recovery, message.round
    if here.seal < seal or promise < here.promised:
        return None
    above = lsn_of(message.epoch, message.known_good + 1)
    found = tuple(here.copies.between(above, lsn_of(message.epoch, ESN_MAX)))
    if above <= here.trimmed or any(copy.damaged for _, copy in found):
        return None
    told = [trace_events.digest(here.log, lsn, here.node, copy, message.recovery) for lsn, copy in found]
    is_writable = here.node not in context.read_only
    answer = Digested(message.epoch, *promise, here.node, context.statuses.since, found, is_writable)
    return here._replace(promised=promise), (*told, Send(reply, answer))


def _sealed(here: NodeLog, seal: int) -> tuple[NodeLog, list[Effect]]:
    if seal <= here.seal:
        return here, []
    return here._replace(seal=seal), [trace_events.seal(here.log, seal, here.node)]


def mutate(here: NodeLog, message: Mutation, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Hold what a recovery decided, unless a later recovery, or a later round of this one, was promised otherwise.

    An epoch that is known to be clean stays as it is: what comes late could bring back what was lost since.
    """
    if here.node in context.read_only:
        return None
    reply = addresses.recovery(here.log, message.node)
    seal = context.decides(seals)(message.recovery)
    if not context.decides(may_mutate)(here, seal, (message.recovery, message.round)):
        return here, (Send(reply, Preempted(here.seal)),)
    if context.decides(is_settled)(here, message.epoch):
        return here, (Send(reply, AlreadyClean(here.cleaned[message.epoch], message.recovery)),)
    copies, effects = here.copies, list[Effect]()
    for outcome in message.outcomes:
        lsn = lsn_of(message.epoch, outcome.esn)
        _, becomes, digest, in_stream = context.decides(stored_as)(outcome)
        copy = Copy(becomes, digest, message.recovery, message.wave, message.copyset, in_stream=in_stream)
        old = copies.get(lsn)
        if old is None or (old.recovery, old.wave) < (copy.recovery, copy.wave):
            copies = copies.with_(lsn, copy)
            effects.append(trace_events.store(here.log, lsn, here.node, copy))
    effects.append(trace_events.obey(here.log, message.epoch, here.node, message.recovery, message.round))
    esns = tuple(outcome.esn for outcome in message.outcomes)
    effects.append(Send(reply, MutationStored(message.epoch, message.recovery, message.round, esns, here.node)))
    return here._replace(copies=copies), tuple(effects)


def clean(here: NodeLog, message: Clean, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Keep what became of an epoch, for when a later one is released.

    LogDevice, common/EpochRecovery.cpp, advanceToCleaning; server/CleanedResponseRequest.h.
    """
    told = message.cleaned
    answer = CleanedHere(told.epoch, told.recovery, message.round, here.node)
    here, effects = settled_by(here, told)
    return here, (*effects, Send(addresses.recovery(here.log, message.node), answer))


def settled_by(here: NodeLog, cleaned: Cleaned) -> tuple[NodeLog, list[Effect]]:
    """Keep what became of an epoch, if that is news."""
    if cleaned.epoch in here.cleaned:
        return here, []
    settled = trace_events.settle(here.log, cleaned.epoch, here.node, cleaned.recovery)
    return here._replace(cleaned={**here.cleaned, cleaned.epoch: cleaned}), [settled]


# ----------------------------------------------------------------------------------- release, purge


def release(here: NodeLog, message: Release, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Let readers go further, and send it; but first repair the copies of all epochs that recovery has closed.

    Where outcomes do not come with releases, a node that missed some asks where the epochs lie, and waits.
    """
    effects: list[Effect] = []
    asks: list[Effect] = []
    for epoch in range(here.clean + 1, epoch_of(message.lsn)):
        cleaned = here.cleaned.get(epoch) or message.cleaned.get(epoch)
        if cleaned is not None and not asks:
            here, purged = purge(here, cleaned, context)
            effects += purged
        elif cleaned is None and PURGING in context.variants:
            if context.decides(awaits_outcome)(here, epoch):
                asks.append(Send(_metadata_log(here, context), WhereLies(here.node, epoch)))
            elif not asks:
                here = here._replace(clean=epoch)
                effects.append(trace_events.purge(here.log, epoch, here.node, 0))
    if asks:
        return here, (*effects, *asks)
    here, sent = all_caught_up(here._replace(released=max(here.released, message.lsn)), context)
    return here, (*effects, *sent)


def _metadata_log(here: NodeLog, context: LogContext) -> Address:
    """Who knows where epochs lie: whoever reads the metadata log for this node, or else the epoch store."""
    if METADATA_LOG in context.variants:
        return addresses.finder(here.log, here.node)
    return addresses.epoch_store(here.log)


def purge(here: NodeLog, cleaned: Cleaned, context: LogContext) -> tuple[NodeLog, list[Effect]]:
    """Delete the copies of an epoch that recovery did not keep, and take no more of it: server/storage/Purge*."""
    here, effects = _sealed(here, context.decides(seals)(cleaned.recovery))
    gone = purged_copies(here, cleaned, context)
    effects += [trace_events.erase(here.log, lsn, here.node) for lsn in gone]
    here, settled = settled_by(here._replace(copies=here.copies.without(gone), clean=cleaned.epoch), cleaned)
    effects += settled
    if PURGING in context.variants:
        effects.append(trace_events.purge(here.log, cleaned.epoch, here.node, cleaned.recovery))
        left = here.copies.between(lsn_of(cleaned.epoch, cleaned.known_good + 1), lsn_of(cleaned.epoch, ESN_MAX))
        effects += [trace_events.kept(here.log, lsn, here.node, copy) for lsn, copy in left]
    return here, effects


def purged_copies(here: NodeLog, cleaned: Cleaned, context: LogContext) -> list[int]:
    """The LSNs of the copies that go: what recovery overruled, or, as shipped, all if it did not hear of them."""
    held = dict(here.copies.between(lsn_of(cleaned.epoch, 0), lsn_of(cleaned.epoch, ESN_MAX)))
    decided = {
        lsn_of(cleaned.epoch, esn): Copy(becomes, digest, cleaned.recovery, 0, frozenset())
        for esn, becomes, digest, _ in cleaned.outcomes
    }

    deletes_all = SHIPPED_PURGES in context.variants and not was_heard(here, cleaned)

    def is_deleted(lsn: int) -> bool:
        is_unneeded = deletes_all and lsn > here.lent
        return is_unneeded or context.decides(is_outdated)(held[lsn], decided.get(lsn))

    purge = purge_of(Known.OK, cleaned.known_good, here.known_good.get(cleaned.epoch, 0), ESN_MAX)
    return deleted(held, cleaned.epoch, purge, is_deleted)


def was_heard(here: NodeLog, cleaned: Cleaned) -> bool:
    """A node that told a recovery what it holds may be counted on, though nobody told it that the epoch is clean.

    LogDevice tells all nodes to which its recovery wrote, or begins again: common/EpochRecovery.cpp, onTimeout.
    """
    return here.promised[0] >= cleaned.recovery


HANDLERS: Final[Handlers] = {
    Store: store,
    Seal: obey_seal,
    ReadDigest: read_digest,
    Mutation: mutate,
    Clean: clean,
    Release: release,
    **requests.HANDLERS,
}

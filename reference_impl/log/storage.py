"""What one storage node holds of one log: copies, a seal, and how far it may answer readers.

LogDevice, Read path (How reads happen) and Recovery (Recovery example); common/protocol/STORE_Message.cpp,
server/storage/SealStorageTask.cpp, and server/storage for purging.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.pages import Pages
from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, notes
from reference_impl.log.copies import Cleaned, Copy
from reference_impl.log.lsn import ESN_MAX, epoch_of, lsn_of
from reference_impl.log.machine import Machine
from reference_impl.log.serving import requests
from reference_impl.log.serving.catching_up import all_caught_up
from reference_impl.log.serving.sending import Serving
from reference_impl.log.storage_messages import (
    Digested,
    Mutation,
    MutationStored,
    Preempted,
    Release,
    Seal,
    Store,
    Stored,
)
from spec.events import RECORD


class NodeLog(NamedTuple):
    """A node's part of a log.

    Attributes:
        seal: no appends of this epoch and those before it are taken; survives a crash.
        clean: up to this epoch, copies agree with what recovery decided; survives a crash.
        copies: what the node holds, by LSN; survives a crash.
        released: readers are answered up to this LSN; forgotten in a crash.
        known_good: the last known good ESN of each epoch, as far as the node was told; forgotten in a crash.
        serving: who reads the log from this node.
    """

    log: int
    node: int
    seal: int = 0
    clean: int = 0
    copies: Pages[Copy] = Pages()
    released: int = 0
    known_good: Mapping[int, int] = {}
    serving: Serving = Serving()


# --------------------------------------------------------------------------------------------- decisions


def may_store(here: NodeLog, epoch: int) -> bool:
    """A node refuses the copies of a sealed epoch: STORE_Message::checkIfPreempted."""
    return epoch > here.seal


def seals(recovery: int) -> int:
    """A recovery asks nodes to reject all epochs smaller than its own: Recovery, Recovery example."""
    return recovery - 1


def after_crash(here: NodeLog) -> NodeLog:
    """Copies and seals are on disk; what the sequencer released, and who reads, is only remembered."""
    return here._replace(released=0, known_good={}, serving=here.serving.restarted())


def readable_upto(here: NodeLog) -> int:
    """Readers are answered only up to what the sequencer released: Read path, How reads happen."""
    return here.released


def is_outdated(copy: Copy, decided: Copy | None) -> bool:
    """A copy that is not what recovery decided for its LSN must never be read."""
    return decided is None or (copy.becomes, copy.digest) != (decided.becomes, decided.digest)


# ------------------------------------------------------------------------------------------------ copies


def store(here: NodeLog, message: Store, moment: Moment, machine: Machine) -> Stepped[NodeLog]:
    """Hold a copy of a record, unless its epoch is sealed; a repetition or an earlier wave changes nothing."""
    if here.node in machine.read_only:
        return None
    lsn, wave = message.lsn, message.wave
    epoch = epoch_of(lsn)
    writer = addresses.sequencer(here.log, message.node)
    if not machine.decisions.may_store(here, epoch):
        return here, (Send(writer, Preempted(here.seal)),)
    log, node, seal, clean, copies, released, known_good, serving = here
    if message.known_good > known_good.get(epoch, 0):
        known_good = {**known_good, epoch: message.known_good}
    reply = Send(writer, Stored(lsn, wave, node))
    old = copies.get(lsn)
    copy = Copy(RECORD, message.digest, 0, wave, message.copyset)
    if old is not None and (old.recovery or old.wave > wave or old == copy):
        return NodeLog(log, node, seal, clean, copies, released, known_good, serving), (reply,)
    after = NodeLog(log, node, seal, clean, copies.with_(lsn, copy), released, known_good, serving)
    return after, (notes.store(log, lsn, node, copy), reply)


def obey_seal(here: NodeLog, message: Seal, moment: Moment, machine: Machine) -> Stepped[NodeLog]:
    """Promise to take no appends of earlier epochs, and tell what there is above the last known good ESN.

    A node that cannot read one of its copies promises, but tells nothing: it can neither name the record nor deny it.
    """
    reply = addresses.recovery(here.log, message.node)
    if here.seal > machine.decisions.seals(message.recovery):
        return here, (Send(reply, Preempted(here.seal)),)
    here, effects = _sealed(here, machine.decisions.seals(message.recovery))
    good = here.known_good.get(message.epoch, 0)
    found = tuple(here.copies.between(lsn_of(message.epoch, good + 1), lsn_of(message.epoch, ESN_MAX)))
    if any(copy.damaged for _, copy in found):
        return here, tuple(effects)
    effects += [notes.digest(here.log, lsn, here.node, copy, message.recovery) for lsn, copy in found]
    since = machine.statuses.since
    effects.append(Send(reply, Digested(message.epoch, message.recovery, here.node, since, good, found)))
    return here, tuple(effects)


def _sealed(here: NodeLog, seal: int) -> tuple[NodeLog, list[Effect]]:
    if seal <= here.seal:
        return here, []
    return here._replace(seal=seal), [notes.seal(here.log, seal, here.node)]


def mutate(here: NodeLog, message: Mutation, moment: Moment, machine: Machine) -> Stepped[NodeLog]:
    """Hold what a recovery decided, unless a later recovery was promised otherwise."""
    if here.node in machine.read_only:
        return None
    reply = addresses.recovery(here.log, message.node)
    if here.seal > machine.decisions.seals(message.recovery):
        return here, (Send(reply, Preempted(here.seal)),)
    copies, effects = here.copies, list[Effect]()
    for outcome in message.outcomes:
        lsn = lsn_of(message.epoch, outcome.esn)
        copy = Copy(outcome.becomes, outcome.digest, message.recovery, message.wave, message.copyset)
        old = copies.get(lsn)
        if old is None or (old.recovery, old.wave) < (copy.recovery, copy.wave):
            copies = copies.with_(lsn, copy)
            effects.append(notes.store(here.log, lsn, here.node, copy))
    effects.append(Send(reply, MutationStored(message.epoch, message.recovery, message.wave, here.node)))
    return here._replace(copies=copies), tuple(effects)


# --------------------------------------------------------------------------------------------- release, purge


def release(here: NodeLog, message: Release, moment: Moment, machine: Machine) -> Stepped[NodeLog]:
    """Let readers go further, and send it; but first repair the copies of all epochs that recovery has closed."""
    effects: list[Effect] = []
    for epoch in range(here.clean + 1, epoch_of(message.lsn)):
        cleaned = message.cleaned.get(epoch)
        if cleaned is not None:
            here, purged = purge(here, cleaned, machine)
            effects += purged
    here, sent = all_caught_up(here._replace(released=max(here.released, message.lsn)), machine)
    return here, (*effects, *sent)


def purge(here: NodeLog, cleaned: Cleaned, machine: Machine) -> tuple[NodeLog, list[Effect]]:
    """Delete the copies of an epoch that recovery did not keep, and take no more of it: server/storage/Purge*."""
    here, effects = _sealed(here, machine.decisions.seals(cleaned.recovery))
    outdated = outdated_copies(here, cleaned, machine)
    effects += [notes.erase(here.log, lsn, here.node) for lsn in outdated]
    return here._replace(copies=here.copies.without(outdated), clean=cleaned.epoch), effects


def outdated_copies(here: NodeLog, cleaned: Cleaned, machine: Machine) -> list[int]:
    """The LSNs of an epoch's copies that are not what recovery decided."""
    decided = {
        lsn_of(cleaned.epoch, esn): Copy(becomes, digest, cleaned.recovery, 0, frozenset())
        for esn, becomes, digest in cleaned.outcomes
    }
    above = here.copies.between(lsn_of(cleaned.epoch, cleaned.known_good + 1), lsn_of(cleaned.epoch, ESN_MAX))
    return [lsn for lsn, copy in above if machine.decisions.is_outdated(copy, decided.get(lsn))]


def without(here: NodeLog, lsns: list[int]) -> NodeLog:
    """The node's part of a log after some of its copies were damaged."""
    return here._replace(copies=here.copies.without(lsns))


HANDLERS: Final[Handlers] = {
    Store: store,
    Seal: obey_seal,
    Mutation: mutate,
    Release: release,
    **requests.HANDLERS,
}

"""Activation: a node becomes the log's sequencer, and stops being it.

LogDevice, Recovery, Sequencer activation: it requests an epoch number from the epoch store, takes appends at once, and
releases nothing before the earlier epochs are repaired.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.context import GRACEFUL, LogContext
from reference_impl.log.draining import ended, parted
from reference_impl.log.messages import Activate, EpochGiven, NextEpoch, Recover, Recovered, Refusal, Refused, Tick
from reference_impl.log.metadata_messages import Describe
from reference_impl.log.releasing import release
from reference_impl.log.sequencer import Answer, Role, Sequencer
from reference_impl.log.storage_messages import Preempted


@decision
def when_preempted(sequencer: Sequencer, seal: int) -> Sequencer:
    """A sequencer that learns of a later one takes no more appends."""
    return sequencer._replace(role=Role.PREEMPTED)


@decision
def refused_when_preempted(sequencer: Sequencer) -> Iterable[tuple[int, Answer]]:
    """No pending append is refused: some node may hold a copy, which recovery may keep."""
    return ()


def activate(sequencer: Sequencer, message: Activate, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """Ask the epoch store for an epoch; whatever this node sequenced before is forgotten, or ends by itself."""
    log, node, now_ns = sequencer.log, sequencer.node, moment.now_ns
    before, told = parted(sequencer) if GRACEFUL in context.variants else (None, ())
    asking = Sequencer(log, node, Role.ASKING, asked_ns=now_ns, before=before)
    return asking, (*told, Send(addresses.epoch_store(log), NextEpoch(node, now_ns)))


def begin(sequencer: Sequencer, message: EpochGiven, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """Take appends in the new epoch at once, and start the recovery of earlier ones, when they have drained.

    An answer to an earlier request gives an epoch that this node may have used already, and forgotten since.
    """
    if sequencer.role is not Role.ASKING or message.asked_ns != sequencer.asked_ns:
        return None
    log, node, epoch, before = sequencer.log, sequencer.node, message.epoch, sequencer.before
    recover = Recover(epoch, message.nodesets, message.cleaned)
    waits = recover if before is not None else None
    sequencer = Sequencer(log, node, Role.ACTIVE, epoch, message.nodesets, before=before, recover=waits)
    return sequencer, (
        *_described(sequencer, message),
        *(() if waits else (Send(addresses.recovery(log, node), recover),)),
        After(context.timing.tick_ns, Tick(epoch)),
    )


def _described(sequencer: Sequencer, given: EpochGiven) -> tuple[Effect, ...]:
    """The metadata of the epoch are to be in the metadata log, if there is one."""
    if given.metadata is None:
        return ()
    describe = Describe(given.epoch, given.metadata, given.is_written)
    return (Send(addresses.describer(sequencer.log, sequencer.node), describe),)


def recovered(sequencer: Sequencer, message: Recovered, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """All earlier epochs are clean: the release pointer moves into this one."""
    if sequencer.role is not Role.ACTIVE or message.epoch != sequencer.epoch:
        return None
    return release(sequencer._replace(cleaned=message.cleaned), context, ())


def preempted(sequencer: Sequencer, message: Preempted, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """A node promised a later sequencer to refuse this one; what drains ends where a recovery has sealed."""
    before = sequencer.before
    is_news = sequencer.role is Role.ACTIVE and message.seal >= sequencer.epoch
    if before is not None and not is_news and not message.softly and message.seal >= before.epoch:
        return ended(sequencer)
    if not is_news:
        return None
    refused = context.decides(refused_when_preempted)(sequencer)
    effects = tuple(tell_refused(sequencer, client, answer) for client, answer in refused)
    return context.decides(when_preempted)(sequencer, message.seal), effects


def tell_refused(sequencer: Sequencer, client: int, answer: Answer) -> Effect:
    """Tell a client that its append did not happen and never will."""
    reason = answer.reason or Refusal.NOT_ACTIVE
    refused = Refused(answer.number, sequencer.epoch, reason)
    return Send(addresses.client(sequencer.log, client), refused)


HANDLERS: Final[Handlers] = {Activate: activate, EpochGiven: begin, Recovered: recovered, Preempted: preempted}

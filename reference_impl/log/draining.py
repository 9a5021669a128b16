"""Draining: a sequencer that asks for another epoch lets the appends under way end, before anything is recovered.

LogDevice, common/EpochSequencer.h and common/Sequencer.cpp: of an epoch that drains no more LSNs are given out, and the
recovery of earlier epochs begins once it is drained; common/protocol/STORE_Message.h, flag DRAINING. A crash lets
nothing end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.lsn import epoch_of, lsn_of
from reference_impl.log.sequencer import Role, Sequencer, Stage
from reference_impl.log.storage_messages import NotHeld, Stored

PATIENCE: Final = 4
"""Ticks after which a sequencer gives up what is still under way."""


def parted(sequencer: Sequencer) -> tuple[Sequencer | None, tuple[Effect, ...]]:
    """What a sequencer that asks for another epoch goes on with: what it has under way, and releases no more."""
    if sequencer.role is Role.ASKING:
        return sequencer.before, ()
    if sequencer.role is not Role.ACTIVE or not _is_under_way(sequencer):
        return None, ()
    before = sequencer._replace(role=Role.DRAINING, cleaned=None, ticks=0, before=None, recover=None)
    last = lsn_of(sequencer.epoch, sequencer.last_esn)
    return before, (trace_events.draining(sequencer.log, last, sequencer.node),)


def ended(sequencer: Sequencer) -> Stepped[Sequencer]:
    """What was under way has ended, or is given up: what waited for that is recovered."""
    after = sequencer._replace(before=None, recover=None)
    if sequencer.recover is None or sequencer.role is not Role.ACTIVE:
        return after, ()
    return after, (Send(addresses.recovery(sequencer.log, sequencer.node), sequencer.recover),)


def going_on(handlers: Handlers) -> Handlers:
    """The same steps, and for messages about the epoch that drains, in that epoch."""
    return {kind: _in_its_epoch(step) for kind, step in handlers.items()}


def _in_its_epoch(step: Callable[[Sequencer, Any, Moment, LogContext], Stepped[Sequencer]]) -> Any:
    def stepped(sequencer: Sequencer, message: Any, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
        before = sequencer.before
        if before is None or _epoch(message) != before.epoch:
            return step(sequencer, message, moment, context)
        did = step(before, message, moment, context)
        if did is None:
            return None
        before, effects = did
        sequencer = sequencer._replace(before=before)
        if _is_under_way(before) and before.ticks < PATIENCE:
            return sequencer, effects
        over = ended(sequencer)
        return None if over is None else (over[0], (*effects, *over[1]))

    return stepped


def _epoch(message: Any) -> int:
    epoch: int = epoch_of(message.lsn) if isinstance(message, (Stored, NotHeld)) else message.epoch
    return epoch


def _is_under_way(sequencer: Sequencer) -> bool:
    return any(appender.stage is Stage.STORING for appender in sequencer.window.values())

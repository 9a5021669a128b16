"""Waves: what a sequencer does from time to time, for appends that wait too long.

LogDevice, Read path, Copyset: the sequencer changes the copyset if a node fails to write; common/Appender.h.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.acknowledging import answered
from reference_impl.log.appending import store_to, stores
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.messages import Tick
from reference_impl.log.placing import copyset
from reference_impl.log.releasing import release
from reference_impl.log.sequencer import Appender, Role, Sequencer, Stage
from reference_impl.log.stages import counted_on
from reference_impl.log.storage_messages import NotHeld

TRUST_EVERY: Final = 4
"""Ticks after which a sequencer trusts nodes again that kept a wave waiting."""


def tick(sequencer: Sequencer, message: Tick, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """Send a new wave for appends that wait too long, and release."""
    if sequencer.role not in (Role.ACTIVE, Role.DRAINING) or message.epoch != sequencer.epoch:
        return None
    effects: list[Effect] = [After(context.timing.tick_ns, Tick(sequencer.epoch))]
    if sequencer.streams:
        sequencer, answers = answered(sequencer, sorted(sequencer.window), context)
        effects += answers
    window = dict(sequencer.window)
    suspects = sequencer.suspects if sequencer.ticks % TRUST_EVERY else Nodes()
    for esn, appender in sequencer.window.items():
        if moment.now_ns - appender.since_ns >= context.timing.wave_ns and _waits(appender, context):
            suspects |= appender.copyset - appender.stored
            window[esn] = _next_wave(sequencer, esn, appender, suspects, moment, context)
            effects += stores(sequencer, esn, window[esn], context)
    sequencer = sequencer._replace(window=window, suspects=suspects, ticks=sequencer.ticks + 1)
    return release(sequencer, context, tuple(effects))


def _waits(appender: Appender, context: LogContext) -> bool:
    """Nodes have something left to store of it: what is stored, in a stream, waits for others."""
    if appender.stage is Stage.STORING and appender.place:
        return not context.decides(counted_on)(context, appender)
    return not appender.may_be_released


def _next_wave(
    sequencer: Sequencer, esn: int, appender: Appender, suspects: Nodes, moment: Moment, context: LogContext
) -> Appender:
    """The same append with a new copyset: Read path, Copyset; common/Appender.h."""
    nodes, wave = sequencer.nodesets[sequencer.epoch] - appender.dismissed, appender.wave + 1
    avoid = suspects | context.statuses.gone
    chosen = context.decides(copyset)(context, nodes, avoid, lsn_of(sequencer.epoch, esn), wave)
    return appender._replace(wave=wave, copyset=chosen or appender.copyset, stored=frozenset(), since_ns=moment.now_ns)


def not_held(sequencer: Sequencer, message: NotHeld, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """A node has nothing to take for one of this wave, so it is sent the whole record: common/Appender.cpp."""
    esn = esn_of(message.lsn)
    appender = sequencer.window.get(esn)
    if appender is None or epoch_of(message.lsn) != sequencer.epoch or appender.wave != message.wave:
        return None
    appender = appender._replace(had=appender.had - {message.node})
    store = store_to(sequencer, message.lsn, appender, message.node, context)
    window = {**sequencer.window, esn: appender}
    return sequencer._replace(window=window), (Send(addresses.storage(sequencer.log, message.node), store),)


HANDLERS: Final[Handlers] = {Tick: tick, NotHeld: not_held}

"""Acknowledging: copies are stored, a client is answered, and the last known good ESN advances.

LogDevice, common/Appender.h; Single Copy Delivery, Appender stages.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.context import LogContext
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.messages import Acked
from reference_impl.log.sequencer import Answer, Appender, Sequencer, Stage, remembering
from reference_impl.log.stages import after_stored, counted_on, goes_on, once_acked
from reference_impl.log.storage_messages import Stored
from reference_impl.log.write_streams import may_answer


def stored(sequencer: Sequencer, message: Stored, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """A node stored a copy; answers for an older wave no longer count."""
    esn = esn_of(message.lsn)
    appender = sequencer.window.get(esn) or sequencer.late.get(esn)
    if appender is None or (epoch_of(message.lsn), message.wave) != (sequencer.epoch, appender.wave):
        return None
    if appender.stage is Stage.DONE:
        return None
    node = frozenset({message.node})
    appender = appender._replace(stored=appender.stored | node, had=appender.had | node)
    if message.node in sequencer.suspects:
        sequencer = sequencer._replace(suspects=sequencer.suspects - node)
    if esn in sequencer.late:
        appender, effects = after_stored(sequencer, message.lsn, appender, context)
        return sequencer._replace(late={**sequencer.late, esn: appender}), effects
    return answer_if_stored(sequencer, esn, appender, context)


def answer_if_stored(
    sequencer: Sequencer, esn: int, appender: Appender, context: LogContext
) -> tuple[Sequencer, tuple[Effect, ...]]:
    """Acknowledge an append as soon as its wave is stored, whatever became of appends before it.

    What is in a stream waits for them; and may have kept others waiting.
    """
    sequencer = sequencer._replace(window={**sequencer.window, esn: appender})
    return answered(sequencer, sorted(sequencer.window) if sequencer.streams else [esn], context)


def answered(sequencer: Sequencer, esns: Iterable[int], context: LogContext) -> tuple[Sequencer, tuple[Effect, ...]]:
    """Acknowledge those of some appends that are stored and need not wait for others; what is known good may grow."""
    effects: list[Effect] = []
    for esn in esns:
        appender = sequencer.window[esn]
        is_next = appender.stage is Stage.STORING and context.decides(may_answer)(sequencer, esn)
        if is_next and (nodes := context.decides(counted_on)(context, appender)):
            answer = Answer(appender.number, esn, copyset=nodes)
            sequencer = remembering(sequencer, appender.client, answer)
            effects.append(acked(sequencer, appender.client, answer))
            appender = appender._replace(stage=once_acked(context))
        appender, more = after_stored(sequencer, lsn_of(sequencer.epoch, esn), appender, context)
        sequencer = sequencer._replace(window={**sequencer.window, esn: appender})
        effects += more
    return known_good(sequencer, context), tuple(effects)


def acked(sequencer: Sequencer, client: int, answer: Answer) -> Effect:
    """Tell a client that its append is safe."""
    told = Acked(answer.number, lsn_of(sequencer.epoch, answer.esn), answer.copyset)
    return Send(addresses.client(sequencer.log, client), told)


def known_good(sequencer: Sequencer, context: LogContext) -> Sequencer:
    """The last known good ESN is that of the last append before which all are stored, whoever has heard of that."""
    good, window, late = sequencer.known_good, dict(sequencer.window), sequencer.late
    while (following := window.get(good + 1)) is not None and following.may_be_released:
        good += 1
        del window[good]
        if context.decides(goes_on)(following):
            late = {**late, good: following}
    if good == sequencer.known_good:
        return sequencer
    return sequencer._replace(window=window, known_good=good, late=late)


HANDLERS: Final[Handlers] = {Stored: stored}

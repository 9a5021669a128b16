"""Acknowledging: copies are stored, a client is answered, and the last known good ESN advances.

LogDevice, common/Appender.h; Single Copy Delivery, Appender stages.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.machine import EXTRAS, Machine
from reference_impl.log.messages import Acked
from reference_impl.log.sequencer import Answer, Appender, Sequencer, Stage, remembering
from reference_impl.log.stages import after_stored, goes_on, having, is_replicated, keepers
from reference_impl.log.storage_messages import Stored
from reference_impl.log.write_streams import may_answer


@decision
def is_stored(stored: Nodes, copyset: Nodes) -> bool:
    """A writer is answered once all copies of the current wave are stored: common/Appender.h."""
    return copyset <= stored


def stored(sequencer: Sequencer, message: Stored, moment: Moment, machine: Machine) -> Stepped[Sequencer]:
    """A node stored a copy; answers for an older wave no longer count."""
    esn, has_extras = esn_of(message.lsn), EXTRAS in machine.variants
    appender = sequencer.window.get(esn) or sequencer.late.get(esn)
    if (
        appender is None
        or epoch_of(message.lsn) != sequencer.epoch
        or appender.wave != message.wave
        or not (appender.stage is Stage.STORING or has_extras)
    ):
        return None
    node = frozenset({message.node})
    appender = appender._replace(stored=appender.stored | node, had=appender.had | node)
    if message.node in sequencer.suspects:
        sequencer = sequencer._replace(suspects=sequencer.suspects - node)
    if esn in sequencer.late:
        appender, told = after_stored(sequencer, message.lsn, appender, machine)
        return sequencer._replace(late={**sequencer.late, esn: appender}), told
    return answer_if_stored(sequencer, esn, appender, machine)


def answer_if_stored(
    sequencer: Sequencer, esn: int, appender: Appender, machine: Machine
) -> tuple[Sequencer, tuple[Effect, ...]]:
    """Acknowledge an append as soon as its wave is stored, whatever became of appends before it.

    What is in a stream waits for them; and may have kept others waiting.
    """
    sequencer = sequencer._replace(window={**sequencer.window, esn: appender})
    return answered(sequencer, sorted(sequencer.window) if sequencer.streams else [esn], machine)


def answered(sequencer: Sequencer, esns: Iterable[int], machine: Machine) -> tuple[Sequencer, tuple[Effect, ...]]:
    """Acknowledge those of some appends that are stored and need not wait for others; what is known good may grow."""
    effects: list[Effect] = []
    for esn in esns:
        appender = sequencer.window[esn]
        is_stored = appender.stage is Stage.STORING and is_complete(appender, machine)
        if is_stored and machine.decides(may_answer)(sequencer, esn):
            answer = Answer(appender.number, esn, copyset=_counted(appender, machine))
            window = {**sequencer.window, esn: appender._replace(stage=Stage.ACKED)}
            sequencer = remembering(sequencer, appender.client, answer)._replace(window=window)
            effects.append(acked(sequencer, appender.client, answer))
        sequencer, told = _gone_on(sequencer, esn, machine)
        effects += told
    return known_good(sequencer, machine), tuple(effects)


def _counted(appender: Appender, machine: Machine) -> Nodes:
    """The nodes on which an acknowledgement counts."""
    if EXTRAS in machine.variants:
        return keepers(machine.quorums, having(machine, appender))
    return appender.copyset


def _gone_on(sequencer: Sequencer, esn: int, machine: Machine) -> tuple[Sequencer, tuple[Effect, ...]]:
    """Where copysets have extras: what a copy more, or the answer, leads to."""
    if EXTRAS not in machine.variants:
        return sequencer, ()
    appender, told = after_stored(sequencer, lsn_of(sequencer.epoch, esn), sequencer.window[esn], machine)
    return sequencer._replace(window={**sequencer.window, esn: appender}), told


def is_complete(appender: Appender, machine: Machine) -> bool:
    """The current wave is stored."""
    if EXTRAS in machine.variants:
        return machine.decides(is_replicated)(machine, appender)
    return machine.decides(is_stored)(appender.stored - machine.statuses.gone, appender.copyset)


def acked(sequencer: Sequencer, client: int, answer: Answer) -> Effect:
    """Tell a client that its append is safe."""
    told = Acked(answer.number, lsn_of(sequencer.epoch, answer.esn), answer.copyset)
    return Send(addresses.client(sequencer.log, client), told)


def known_good(sequencer: Sequencer, machine: Machine) -> Sequencer:
    """The last known good ESN is that of the last append before which all are stored, whoever has heard of that."""
    good, window, late = sequencer.known_good, dict(sequencer.window), sequencer.late
    while (following := window.get(good + 1)) is not None and _is_over(following):
        good += 1
        del window[good]
        if EXTRAS in machine.variants and machine.decides(goes_on)(following):
            late = {**late, good: following}
    if good == sequencer.known_good:
        return sequencer
    return sequencer._replace(window=window, known_good=good, late=late)


def _is_over(appender: Appender) -> bool:
    return appender.stage is Stage.ACKED and appender.is_led


HANDLERS: Final[Handlers] = {Stored: stored}

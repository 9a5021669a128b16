"""Appending: an append is given an LSN, stored on a copyset, acknowledged out of order, and confirmed.

LogDevice, common/Appender.h; Read path, Copyset.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, notes
from reference_impl.log.activation import tell_refused
from reference_impl.log.blocks import ROOM, block_of
from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.machine import STICKY, Machine
from reference_impl.log.messages import Acked, Confirm, Refusal, Request
from reference_impl.log.sequencer import Answer, Appender, Role, Sequencer, Session, Stage
from reference_impl.log.storage_messages import Store, Stored


def request(sequencer: Sequencer, message: Request, moment: Moment, machine: Machine) -> Stepped[Sequencer]:
    """Give the append an LSN and store its record; or refuse it for certain; or repeat an answer."""
    if sequencer.role in (Role.IDLE, Role.ASKING) or not machine.decisions.is_for(sequencer, message):
        return None
    session = sequencer.sessions.get(message.client)
    if session is not None:
        if machine.decisions.is_repetition(session, message):
            return _answer_again(sequencer, session, message)
        sequencer = _confirmed(sequencer, session, (number for number in session.answers if number < message.oldest))
    if sequencer.role is Role.PREEMPTED:
        return _refuse(sequencer, message, Refusal.NOT_ACTIVE)
    if len(sequencer.window) >= machine.sequencer_window:
        return _refuse(sequencer, message, Refusal.NO_ROOM)
    return _append(sequencer, message, moment, machine)


def _append(sequencer: Sequencer, message: Request, moment: Moment, machine: Machine) -> Stepped[Sequencer]:
    esn = machine.decisions.next_esn(sequencer)
    lsn = lsn_of(sequencer.epoch, esn)
    nodes = sequencer.nodesets[sequencer.epoch]
    avoid = sequencer.suspects | machine.statuses.gone
    placed: tuple[Effect, ...] = ()
    if STICKY in machine.variants:
        block = block_of(machine, sequencer.block, nodes, avoid, lsn)
        chosen = None if block is None else machine.decisions.placed_in(machine, block, nodes, lsn)
        if block is not None and chosen is not None:
            sequencer = sequencer._replace(block=block)
            placed = (notes.chosen(sequencer.log, lsn, (block.first, ROOM), chosen, avoid),)
    else:
        chosen = machine.decisions.copyset(machine, nodes, avoid, lsn, 1)
    if chosen is None:
        return _refuse(sequencer, message, Refusal.NO_ROOM)
    appender = Appender(
        message.digest, message.client, message.number, 1, chosen, frozenset(), Stage.STORING, moment.now_ns
    )
    sends = stores(sequencer, esn, appender, machine)
    sequencer = _remembering(sequencer, message, Answer(message.number, esn))
    sequencer = sequencer._replace(last_esn=max(sequencer.last_esn, esn))
    sequencer, answer = _answer_if_stored(sequencer, esn, appender, moment, machine)
    return sequencer, (notes.append(sequencer.log, lsn, sequencer.node, message.digest), *placed, *sends, *answer)


def stores(sequencer: Sequencer, esn: int, appender: Appender, machine: Machine) -> list[Effect]:
    """One message to each node of the wave's copyset."""
    lsn = lsn_of(sequencer.epoch, esn)
    payload_for, members = machine.decisions.payload, appender.copyset
    return [
        Send(
            addresses.storage(sequencer.log, node),
            Store(
                lsn,
                payload_for(appender.digest, node, members),
                appender.wave,
                members,
                sequencer.known_good,
                sequencer.node,
            ),
        )
        for node in sorted(members)
    ]


def stored(sequencer: Sequencer, message: Stored, moment: Moment, machine: Machine) -> Stepped[Sequencer]:
    """A node stored a copy; answers for an older wave no longer count."""
    esn = esn_of(message.lsn)
    appender = sequencer.window.get(esn)
    if (
        appender is None
        or epoch_of(message.lsn) != sequencer.epoch
        or appender.wave != message.wave
        or appender.stage is not Stage.STORING
    ):
        return None
    appender = appender._replace(stored=appender.stored | {message.node})
    if message.node in sequencer.suspects:
        sequencer = sequencer._replace(suspects=sequencer.suspects - {message.node})
    sequencer, answer = _answer_if_stored(sequencer, esn, appender, moment, machine)
    return sequencer, tuple(answer)


def _answer_if_stored(
    sequencer: Sequencer, esn: int, appender: Appender, moment: Moment, machine: Machine
) -> tuple[Sequencer, tuple[Effect, ...]]:
    """Acknowledge an append as soon as its wave is stored, whatever became of appends before it."""
    answer: tuple[Effect, ...] = ()
    if machine.decisions.is_stored(appender.stored - machine.statuses.gone, appender.copyset):
        appender = appender._replace(stage=Stage.ACKED, since_ns=moment.now_ns)
        answer = (acked(sequencer, esn, appender),)
    return sequencer._replace(window={**sequencer.window, esn: appender}), answer


def acked(sequencer: Sequencer, esn: int, appender: Appender) -> Effect:
    """Tell a client that its append is safe."""
    answer = Acked(appender.number, lsn_of(sequencer.epoch, esn), appender.copyset)
    return Send(addresses.client(sequencer.log, appender.client), answer)


def _refuse(sequencer: Sequencer, message: Request, reason: Refusal) -> Stepped[Sequencer]:
    """Refuse an append that has no LSN, and remember that: a repetition must not be appended later."""
    answer = Answer(message.number, 0, reason)
    return _remembering(sequencer, message, answer), (tell_refused(sequencer, message.client, answer),)


def _remembering(sequencer: Sequencer, message: Request, answer: Answer) -> Sequencer:
    session = sequencer.sessions.get(message.client, Session()).with_answer(answer, message.oldest)
    return sequencer._replace(sessions={**sequencer.sessions, message.client: session})


def _answer_again(sequencer: Sequencer, session: Session, message: Request) -> Stepped[Sequencer]:
    answer = session.answers.get(message.number)
    if answer is None:
        return None
    if answer.reason is not None:
        return sequencer, (tell_refused(sequencer, message.client, answer),)
    appender = sequencer.window.get(answer.esn)
    if appender is None or appender.stage is Stage.STORING:
        return None
    return sequencer, (acked(sequencer, answer.esn, appender),)


def confirm(sequencer: Sequencer, message: Confirm, moment: Moment, machine: Machine) -> Stepped[Sequencer]:
    """A client saw its acknowledgement; the last known good ESN may advance."""
    session = sequencer.sessions.get(message.client)
    if message.epoch != sequencer.epoch or session is None or message.number not in session.answers:
        return None
    return _confirmed(sequencer, session, machine.decisions.confirmed(session, message.number)), ()


def _confirmed(sequencer: Sequencer, session: Session, numbers: Iterable[int]) -> Sequencer:
    """The client has seen that these appends are safe."""
    window = dict(sequencer.window)
    for esn in [session.answers[number].esn for number in numbers]:
        if esn in window and window[esn].stage is Stage.ACKED:
            window[esn] = window[esn]._replace(stage=Stage.CONFIRMED)
    good = sequencer.known_good
    while (following := window.get(good + 1)) is not None and following.stage is Stage.CONFIRMED:
        good += 1
        del window[good]
    return sequencer._replace(window=window, known_good=good)


HANDLERS: Final[Handlers] = {Request: request, Stored: stored, Confirm: confirm}

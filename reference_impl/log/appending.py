"""Appending: an append is given an LSN, and sent to a copyset; or refused; or its answer is repeated.

LogDevice, common/Appender.h; Read path, Copyset.
"""

# ruff: noqa: ARG001 - all decisions of one kind have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.acknowledging import acked, answer_if_stored
from reference_impl.log.activation import tell_refused
from reference_impl.log.context import AMENDS, STICKY, LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import lsn_of
from reference_impl.log.messages import AppendRequest, Refusal
from reference_impl.log.placing import ROOM, block_of, copyset, placed_in
from reference_impl.log.sequencer import Answer, Appender, Role, Sequencer, Session, Stage, remembering
from reference_impl.log.storage_messages import AmendStore, Store
from reference_impl.log.write_streams import goes_into_stream, is_next_in_stream

# --------------------------------------------------------------------------------------------- decisions


@decision
def gives_out(sequencer: Sequencer) -> bool:
    """A sequencer that drains its epoch, or was preempted, takes no appends: common/EpochSequencer.h."""
    return sequencer.role is Role.ACTIVE


@decision
def next_esn(sequencer: Sequencer) -> int:
    """ESNs of an epoch are given out one after the other: common/EpochSequencer.h."""
    return sequencer.last_esn + 1


@decision
def is_for(sequencer: Sequencer, request: AppendRequest) -> bool:
    """A request names the epoch of the sequencer that it is meant for; no other may answer it."""
    return request.epoch == sequencer.epoch


@decision
def is_repetition(session: Session, request: AppendRequest) -> bool:
    """A client numbers its appends; what has an answer, or is remembered, was seen before."""
    return request.number <= session.ended or request.number in session.answers


@decision
def payload(digest: int, node: int, copyset: Nodes) -> int:
    """Every node of a copyset is sent the same record."""
    return digest


# ------------------------------------------------------------------------------------------------- steps


def request(sequencer: Sequencer, message: AppendRequest, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    """Give the append an LSN and store its record; or refuse it for certain; or repeat an answer."""
    if sequencer.role in (Role.IDLE, Role.ASKING) or not context.decides(is_for)(sequencer, message):
        return None
    session = sequencer.sessions.get(message.client)
    if session is not None and context.decides(is_repetition)(session, message):
        return _answer_again(sequencer, session, message)
    if not context.decides(is_next_in_stream)(sequencer, message):
        return None
    if not context.decides(gives_out)(sequencer):
        return _refuse(sequencer, message, Refusal.NOT_ACTIVE)
    if len(sequencer.window) >= context.sequencer_window:
        return _refuse(sequencer, message, Refusal.NO_ROOM)
    return _append(sequencer, message, moment, context)


def _append(sequencer: Sequencer, message: AppendRequest, moment: Moment, context: LogContext) -> Stepped[Sequencer]:
    esn = context.decides(next_esn)(sequencer)
    lsn = lsn_of(sequencer.epoch, esn)
    nodes = sequencer.nodesets[sequencer.epoch]
    avoid = sequencer.suspects | context.statuses.gone
    placed: tuple[Effect, ...] = ()
    if STICKY in context.variants:
        block = block_of(context, sequencer.block, nodes, avoid, lsn)
        chosen = None if block is None else context.decides(placed_in)(context, block, nodes, lsn)
        if block is not None and chosen is not None:
            sequencer = sequencer._replace(block=block)
            placed = (trace_events.chosen(sequencer.log, lsn, (block.first, ROOM), chosen, avoid),)
    else:
        chosen = context.decides(copyset)(context, nodes, avoid, lsn, 1)
    if chosen is None:
        return _refuse(sequencer, message, Refusal.NO_ROOM)
    digest, client, number, place = message.digest, message.client, message.number, message.place
    appender = Appender(digest, client, number, 1, chosen, frozenset(), Stage.STORING, moment.now_ns, place=place)
    sends = stores(sequencer, esn, appender, context)
    sequencer = remembering(sequencer, client, Answer(number, esn), message.oldest)
    sequencer = sequencer._replace(last_esn=max(sequencer.last_esn, esn))
    if place:
        sequencer = sequencer._replace(streams={**sequencer.streams, client: place})
        placed = (trace_events.streamed(sequencer.log, lsn, client, place), *placed)
    sequencer, answer = answer_if_stored(sequencer, esn, appender, context)
    return sequencer, (
        trace_events.append(sequencer.log, lsn, sequencer.node, message.digest),
        *placed,
        *sends,
        *answer,
    )


def stores(sequencer: Sequencer, esn: int, appender: Appender, context: LogContext) -> list[Effect]:
    """One message to each node of the wave's copyset; with amends the record goes only to who does not have it."""
    lsn, amends = lsn_of(sequencer.epoch, esn), appender.had if AMENDS in context.variants else Nodes()
    members, is_draining = appender.copyset, sequencer.role is Role.DRAINING
    return [
        Send(
            addresses.storage(sequencer.log, node),
            AmendStore(lsn, appender.wave, members, sequencer.known_good, sequencer.node, is_draining)
            if node in amends
            else store_to(sequencer, lsn, appender, node, context),
        )
        for node in sorted(members)
    ]


def store_to(sequencer: Sequencer, lsn: int, appender: Appender, node: int, context: LogContext) -> Store:
    """The whole record, for one node of its copyset."""
    digest = context.decides(payload)(appender.digest, node, appender.copyset)
    in_stream = context.decides(goes_into_stream)(appender)
    said = lsn, digest, appender.wave, appender.copyset, sequencer.known_good, sequencer.node, in_stream
    return Store(*said, is_draining=sequencer.role is Role.DRAINING)


def _refuse(sequencer: Sequencer, message: AppendRequest, reason: Refusal) -> Stepped[Sequencer]:
    """Refuse an append that has no LSN, and remember that: a repetition must not be appended later."""
    answer = Answer(message.number, 0, reason)
    refused = remembering(sequencer, message.client, answer, message.oldest)
    return refused, (tell_refused(sequencer, message.client, answer),)


def _answer_again(sequencer: Sequencer, session: Session, message: AppendRequest) -> Stepped[Sequencer]:
    answer = session.answers.get(message.number)
    if answer is None:
        return None
    if answer.reason is not None:
        return sequencer, (tell_refused(sequencer, message.client, answer),)
    return (sequencer, (acked(sequencer, message.client, answer),)) if answer.copyset else None


HANDLERS: Final[Handlers] = {AppendRequest: request}

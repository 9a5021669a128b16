"""Requests of readers: START, WINDOW and STOP, as a storage node obeys them.

LogDevice, common/protocol/START_Message.cpp, WINDOW_Message.cpp and STOP_Message.cpp.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from typing import Final

from reference_impl.kernel.step import Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses
from reference_impl.log.context import EXTRAS, LogContext
from reference_impl.log.delivery.shipping import NOWHERE, Stream
from reference_impl.log.delivery.shuffle import FIXED_SEEDS
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import Began, MoveWindow, StartSending, StopSending, Unknown
from reference_impl.log.serving.catching_up import caught_up, readable_upto
from reference_impl.log.serving.sending import Sending
from reference_impl.log.stream.surroundings import NOTHING


def start_sending(here: NodeLog, message: StartSending, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Begin anew at an LSN, by new filters; what was sent before is still under way, and comes first.

    A connection that the node has forgotten cannot go on, for the reader waits for what was sent over it.
    """
    stream = message.stream
    known = here.serving.streams.get(stream)
    if known is not None and (message.connection, message.order) <= (known.connection, known.order):
        return None
    goes_on = known is not None and message.connection == known.connection
    if not goes_on and not message.opens:
        return here, (Send(addresses.reader(here.log, stream), Unknown(here.node, message.connection)),)
    number, unheard = (known.number, known.unheard) if known is not None and goes_on else (0, ())
    began = Began(
        here.node, here.serving.life, message.connection, number, message.version, context.decides(readable_upto)(here)
    )
    sending = Sending(
        message.connection,
        message.order,
        message.version,
        message.first,
        message.until,
        message.window_high,
        filters_of(here.node, message, context),
        number + 1,
        (*unheard, began),
    )
    here = here._replace(serving=here.serving.with_stream(stream, sending))
    here, effects = caught_up(here, stream, context)
    return here, (Send(addresses.reader(here.log, stream), began), *effects)


def filters_of(node: int, message: StartSending, context: LogContext) -> Stream:
    """Whose records this node is to send: Single Copy Delivery, Primary recipient and Local SCD."""
    return Stream(
        node,
        message.single_copy,
        message.filtered_out,
        FIXED_SEEDS,
        replication=context.quorums.required if EXTRAS in context.variants else 0,
        closeness=context.closeness if message.local else NOWHERE,
    )


def move_window(here: NodeLog, message: MoveWindow, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Send what the reader has not got, and as far as it allows now; a window never goes back."""
    stream, reader = message.stream, addresses.reader(here.log, message.stream)
    known = here.serving.streams.get(stream)
    if known is None or known.connection < message.connection:
        return here, (Send(reader, Unknown(here.node, message.connection)),)
    if known.connection > message.connection:
        return None
    unheard = tuple(answer for answer in known.unheard if answer.number >= message.expected)
    high = max(known.high, message.high) if message.version == known.version else known.high
    again: tuple[Effect, ...] = tuple(Send(reader, answer) for answer in unheard)
    if high == known.high and unheard == known.unheard:
        return (here, again) if again else None
    sending = known._replace(high=high, unheard=unheard)
    here = here._replace(serving=here.serving.with_stream(stream, sending))
    here, effects = caught_up(here, stream, context)
    return here, (*again, *effects)


def stop_sending(here: NodeLog, message: StopSending, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Send nothing more; what was asked before is remembered, for a late repetition of it asks for nothing."""
    known = here.serving.streams.get(message.stream)
    if known is None or known.connection > message.connection:
        return None
    stopped = known._replace(until=NOTHING, unheard=())
    return here._replace(serving=here.serving.with_stream(message.stream, stopped)), ()


HANDLERS: Final[Handlers] = {
    StartSending: start_sending,
    MoveWindow: move_window,
    StopSending: stop_sending,
}

"""Driving: a read stream is told something, and its reader does what it says, and writes that down.

LogDevice, common/client_read_stream/ClientReadStream.cpp, ClientReadStreamDependencies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.step import Effect, Moment, Send
from reference_impl.log import addresses, slow_node_detection, trace_events
from reference_impl.log.alarms import set_alarms
from reference_impl.log.connections import Link, asking
from reference_impl.log.context import METADATA_LOG, LogContext
from reference_impl.log.messages import WhichNodes
from reference_impl.log.metadata_reading import asked_anew, questions
from reference_impl.log.reader import Reader
from reference_impl.log.reading_messages import MoveWindow, StartSending, StopSending
from reference_impl.log.slow_node_detection import World
from reference_impl.log.stream import outputs
from reference_impl.log.stream.inputs import Input, StartSent
from reference_impl.log.stream.machine import step
from reference_impl.log.stream.outputs import GapKind, Output, SendStart
from reference_impl.log.stream.state import Stream
from spec import events

OK: Final = "OK"
"""The status of whatever worked."""

REASONS: Final[Mapping[GapKind, int]] = {
    GapKind.BRIDGE: events.BRIDGE,
    GapKind.HOLE: events.HOLE,
    GapKind.DATALOSS: events.DATALOSS,
    GapKind.TRIM: events.TRIM,
    GapKind.ACCESS: events.ACCESS,
    GapKind.NOTINCONFIG: events.NOT_IN_CONFIG,
    GapKind.FILTERED_OUT: events.FILTERED_OUT,
}
"""Kinds of gap, as they are recorded."""


class Told(NamedTuple):
    """One input of a stream, and what it did."""

    before: Stream
    message: Input
    after: Stream
    said: tuple[Output, ...]


class Driven(NamedTuple):
    """What came of some inputs.

    Attributes:
        effects: what the reader does and writes down.
        told: the inputs one by one, with those to which they led.
    """

    reader: Reader
    effects: tuple[Effect, ...]
    told: tuple[Told, ...]


def drive(reader: Reader, told: Iterable[Input], moment: Moment, context: LogContext) -> Driven:
    """Tell the stream one input after the other; what its reader does may be further inputs."""
    pending, effects, seen, world = deque(told), list[Effect](), list[Told](), World(moment.now_ns, context)
    while pending and reader.stream is not None:
        message = pending.popleft()
        one = Told(reader.stream, message, *context.decides(step)(reader.stream, message))
        reader, done = _done(reader._replace(stream=one.after), one, context)
        pending += [StartSent(output.shard, OK) for output in one.said if isinstance(output, SendStart)]
        if reader.watch is not None:
            watch, news = slow_node_detection.watched(reader.watch, one.before, one.after, world)
            reader = reader._replace(watch=watch)
            pending += news
        effects += done
        seen.append(one)
    if reader.watch is not None:
        watch, looks = slow_node_detection.alarm(reader.watch, world)
        reader, effects = reader._replace(watch=watch), [*effects, *looks]
    alarms, timers = set_alarms(reader.alarms, reader.stream)
    reader = reader if alarms is reader.alarms else reader._replace(alarms=alarms)
    return Driven(reader, (*effects, *timers), tuple(seen))


def _done(reader: Reader, told: Told, context: LogContext) -> tuple[Reader, list[Effect]]:
    """What a reader does for an input: what it learnt is written down first, its greylist before it asks by that."""
    effects = list(_learnt(reader, told, context))
    start = next((output for output in told.said if isinstance(output, SendStart)), None)
    listed = list(_listed(reader, start.first if start else told.after.cursor, told))
    for output in told.said:
        effects += listed if output is start else ()
        reader, done = _obeyed(reader, output, context)
        effects += done
    return reader, effects if start else [*effects, *listed]


def _listed(reader: Reader, at: int, told: Told) -> Iterable[Effect]:
    """What is recorded of the greylist."""
    if reader.watch is None:
        return ()
    return slow_node_detection.changes((reader.log, reader.number), at, reader.watch, told.before, told.after)


def _obeyed(reader: Reader, output: Output, context: LogContext) -> tuple[Reader, tuple[Effect, ...]]:
    """What a stream says is done."""
    match output:
        case SendStart():
            return _start(reader, output, context)
        case outputs.AskMetadata(epoch):
            return ask_nodes(reader, epoch, context)
        case outputs.Delivered(lsn, digest):
            return reader, (trace_events.deliver(reader.log, reader.number, lsn, digest),)
        case outputs.GapDelivered(kind, first, upto, heard):
            by = (heard, reader.told.version)
            return reader, (trace_events.gap(reader.log, reader.number, (first, upto), REASONS[kind], by),)
        case outputs.SendWindow(shard, low, high):
            moved = (move_window(reader, shard, reader.links[shard], high),) if shard in reader.links else ()
            if not context.on_the_wire:
                return reader, moved
            return reader, (
                *moved,
                trace_events.allow(reader.log, reader.number, shard, (low, high), context.reader_window),
            )
        case outputs.SendStop(shard) if shard in reader.links:
            stop = StopSending(reader.number, reader.links[shard].connection)
            return reader, (Send(addresses.storage(reader.log, shard), stop),)
        case _:
            return reader, ()


def _start(reader: Reader, start: SendStart, context: LogContext) -> tuple[Reader, tuple[Effect, ...]]:
    """Ask a node to send, over the connection that there is, or a new one."""
    link = asking(reader.links.get(start.shard, Link()))
    message = StartSending(reader.number, link.connection, link.established is False, link.order, *start[1:])
    sent = Send(addresses.storage(reader.log, start.shard), message)
    reader = reader._replace(links={**reader.links, start.shard: link})
    if not context.on_the_wire:
        return reader, (sent,)
    mode = (events.ONE_NEAR if start.local else events.ONE) if start.single_copy else events.EVERYONE
    window, filters = (start.first, start.window_high), (start.version, mode, start.filtered_out)
    return reader, (sent, trace_events.ask(reader.log, reader.number, start.shard, window, filters))


def ask_nodes(reader: Reader, epoch: int, context: LogContext) -> tuple[Reader, tuple[Effect, ...]]:
    """Ask the metadata log for an epoch, or again whoever is silent; without one, the epoch store answers for it."""
    if METADATA_LOG not in context.variants:
        return reader, (Send(addresses.epoch_store(reader.log), WhichNodes(reader.number, epoch)),)
    reading = reader.reading
    if reading.epoch != epoch or reading.is_over:
        reading = asked_anew(reading, epoch)
    back = addresses.reader(reader.log, reader.number)
    return reader._replace(reading=reading), tuple(questions(reading, reader.log, back, context))


def _learnt(reader: Reader, told: Told, context: LogContext) -> Iterator[Effect]:
    """What is recorded of metadata that a stream uses from now on, if there is a metadata log."""
    known, before = told.after.known, told.before.known.last_epoch
    if known.last_epoch == before or METADATA_LOG not in context.variants or known.metadata is None:
        return
    for epoch in range(before + 1 if before else told.after.epoch, known.last_epoch + 1):
        yield trace_events.learnt(reader.log, reader.number, epoch, known.metadata)


def move_window(reader: Reader, shard: int, link: Link, high: int) -> Effect:
    """A node may send up to this LSN, and hears what has come."""
    version = reader.stream.version if reader.stream is not None else 0
    message = MoveWindow(reader.number, link.connection, version, high, link.expected)
    return Send(addresses.storage(reader.log, shard), message)

"""Reading: what a reader hears of nodes, the metadata log, the event log and its clock, its read stream is told.

LogDevice, Read path, How reads happen.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from reference_impl.kernel.step import After, Effect, Handlers, Moment, Stepped
from reference_impl.log import slow_node_detection, trace_events
from reference_impl.log.alarms import rung
from reference_impl.log.connections import arrived, is_broken
from reference_impl.log.context import ALL_SEND_ALL, GREYLIST, LogContext
from reference_impl.log.copies import Copy
from reference_impl.log.driving import OK, Driven, ask_nodes, drive, move_window
from reference_impl.log.frames import expands
from reference_impl.log.messages import Nodeset
from reference_impl.log.metadata_messages import MetadataRead
from reference_impl.log.metadata_reading import heard as heard_of_metadata
from reference_impl.log.reader import Reader
from reference_impl.log.reading_messages import (
    Alarm,
    Answer,
    Began,
    LookAgain,
    Poll,
    Shipped,
    StartReading,
    StatusesTold,
    Unknown,
)
from reference_impl.log.slow_node_detection import Watch, World
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream import inputs
from reference_impl.log.stream.inputs import Input
from reference_impl.log.stream.machine import stream_of
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import (
    LSN_MAX,
    LogAttributes,
    Metadata,
    Options,
    Settings,
    Source,
    Surroundings,
)
from spec import events
from spec.log.status import Status

THRESHOLD: Final = 0.7
"""The part of the window after which it slides: LogDevice, docs/settings.md, client-read-flow-control-threshold."""

Heard: TypeAlias = tuple[Reader, Sequence[Input]] | None
"""The reader, and what its stream is to be told; None where a message says nothing."""


# ------------------------------------------------------------------------------------------------- what is heard


def begun(reader: Reader, message: StartReading, moment: Moment, context: LogContext) -> tuple[Reader, Sequence[Input]]:
    """Begin to read at an LSN, with what the event log says at that time."""
    delivery = context.delivery_of(reader.log)
    options = Options(
        message.lsn,
        LSN_MAX,
        context.reader_window,
        THRESHOLD,
        trusts_at_once=context.trusts_at_once,
        as_written=True,
    )
    log = LogAttributes(context.sequencer_window, delivery != ALL_SEND_ALL, delivery == "local")
    watch = Watch() if GREYLIST in context.variants and delivery != ALL_SEND_ALL else None
    settings, told = Settings(detects_slow=watch is not None), context.statuses
    around = Surroundings(context.quorums.everyone, context.places, log, settings, statuses_of(told))
    return Reader(reader.log, reader.number, stream_of(options, around), told=told, watch=watch), [inputs.Start()]


def learn_nodes(reader: Reader, message: Nodeset, moment: Moment, context: LogContext) -> Heard:
    """The metadata log tells the nodeset of one epoch."""
    if reader.stream is None or message.epoch != reader.stream.known.asked:
        return None
    metadata = Metadata(message.epoch, message.nodes, context.replication)
    return reader, [inputs.EpochMetadata(message.epoch, message.epoch, metadata, Source.NOT_LAST)]


def learn_ranges(reader: Reader, message: MetadataRead, moment: Moment, context: LogContext) -> Heard:
    """A node of the metadata log tells what it holds; once that suffices, the range of the epoch is known."""
    stepped = heard_of_metadata(reader.reading, message, context)
    if reader.stream is None or stepped is None:
        return None
    reading, found = stepped
    reader = reader._replace(reading=reading)
    if found is None:
        return reader, []
    until = reading.epoch if found.source is Source.LAST else found.until
    return reader, [inputs.EpochMetadata(reading.epoch, until, found.metadata, found.source)]


def learn_statuses(reader: Reader, message: StatusesTold, moment: Moment, context: LogContext) -> Heard:
    """The event log tells of a newer table: connections to nodes that are not there are closed, if that was not clear.

    A shard that sends is believed before the event log: so what it says of a shard counts once that sends no more.
    """
    if reader.stream is None or message.statuses.version <= reader.told.version:
        return None
    said = statuses_of(message.statuses)
    closed: list[Input] = [
        inputs.ConnectionClosed(shard, "PEER_CLOSED")
        for shard, sender in sorted(reader.stream.senders.items())
        if shard in said and not sender.connection.failed
    ]
    links = {shard: link._replace(closed=True) if shard in said else link for shard, link in reader.links.items()}
    reader = reader._replace(told=message.statuses, links=links)
    return reader, [*closed, inputs.StatusesChanged(said)]


def statuses_of(table: Statuses) -> dict[int, Status]:
    """A table, by node; nodes that it does not name are FULLY_AUTHORITATIVE."""
    return {
        **dict.fromkeys(sorted(table.unavailable), Status.UNAVAILABLE),
        **dict.fromkeys(sorted(table.underreplicated), Status.UNDERREPLICATION),
        **dict.fromkeys(sorted(table.empty), Status.AUTHORITATIVE_EMPTY),
    }


def hear(reader: Reader, message: Answer, moment: Moment, context: LogContext) -> Heard:
    """Take what a node sends, in its order."""
    link = reader.links.get(message.node)
    if link is None:
        return None
    if is_broken(link, message):
        return _hung_up(reader, message.node)
    after, taken = arrived(link, message)
    if after is link:
        return None
    reader = reader._replace(links={**reader.links, message.node: after})
    return reader, [told for answer in taken for told in told_by(answer, context)]


def told_by(answer: Answer, context: LogContext) -> Iterator[Input]:
    """What a node's message tells the stream."""
    node = answer.node
    if isinstance(answer, Began):
        yield inputs.Started(node, answer.version, OK, answer.released)
        return
    records = tuple([record_of(node, lsn, copy) for lsn, copy in answer.records])
    if answer.frames:
        records = tuple(map(partial(as_expanded, context=context), records, answer.frames))
    if answer.reason is inputs.GapReason.UNDER_REPLICATED:
        records = tuple(record._replace(under_replicated=True) for record in records)
    yield inputs.Batch(node, records, inputs.Gap(node, answer.first, answer.upto, answer.reason))


def record_of(node: int, lsn: int, copy: Copy) -> inputs.Record:
    """A copy as a node sends it: a bridge is a hole, too: LogDevice, common/protocol/RECORD_Message.h."""
    hole, bridge = copy.becomes != events.RECORD, copy.becomes == events.BRIDGE
    return inputs.Record(node, lsn, hole, bridge, digest=copy.digest)


def as_expanded(record: inputs.Record, frame: bytes, context: LogContext) -> inputs.Record:
    """A record as its frame has it; one that cannot be expanded is damaged. Plugs and bridges have no payload."""
    if record.hole:
        return record
    digest = context.decides(expands)(frame)
    return record._replace(damaged=True) if digest is None else record._replace(digest=digest)


def hang_up(reader: Reader, message: Unknown, moment: Moment, context: LogContext) -> Heard:
    """A node does not know the connection."""
    link = reader.links.get(message.node)
    if link is None or link.closed or link.connection != message.connection:
        return None
    return _hung_up(reader, message.node)


def _hung_up(reader: Reader, node: int) -> Heard:
    closed = reader.links[node]._replace(closed=True)
    reader = reader._replace(links={**reader.links, node: closed})
    return reader, [inputs.ConnectionClosed(node, "PEER_CLOSED")]


def ring(reader: Reader, message: Alarm, moment: Moment, context: LogContext) -> Heard:
    """A timer fires, unless it was stopped meanwhile."""
    alarms = rung(reader.alarms, message)
    if alarms is None:
        return None
    return reader._replace(alarms=alarms), [inputs.Fired(message.timer, message.shard)]


def look_again(reader: Reader, message: LookAgain, moment: Moment, context: LogContext) -> Heard:
    """Nodes may have been slow for long enough, or for too long."""
    if reader.stream is None or reader.watch is None or message.number != reader.watch.looks:
        return None
    rewinding = reader.stream.rewinding
    watch, news = slow_node_detection.looked_again(reader.watch, World(moment.now_ns, context), rewinding=rewinding)
    return reader._replace(watch=watch), news


HEARD: Final[Mapping[type, Callable[[Reader, Any, Moment, LogContext], Heard]]] = {
    StartReading: begun,
    Nodeset: learn_nodes,
    MetadataRead: learn_ranges,
    StatusesTold: learn_statuses,
    Began: hear,
    Shipped: hear,
    Unknown: hang_up,
    Alarm: ring,
    LookAgain: look_again,
}
"""What each message tells the stream."""


# ------------------------------------------------------------------------------------------------- steps


def take(reader: Reader, message: Any, moment: Moment, context: LogContext) -> Stepped[Reader]:
    """Tell the stream what a message says, and do what it does."""
    driven = driven_by(reader, message, moment, context)
    return (driven.reader, driven.effects) if driven else None


def driven_by(reader: Reader, message: Any, moment: Moment, context: LogContext) -> Driven | None:
    """What comes of a message, input by input; None where it says nothing."""
    hears = HEARD.get(type(message))
    heard = hears and hears(reader, message, moment, context)
    return drive(*heard, moment, context) if heard else None


def start(reader: Reader, message: StartReading, moment: Moment, context: LogContext) -> Stepped[Reader]:
    """Begin to read, and say again from time to time what may have been lost."""
    reader, effects, _ = drive(*begun(reader, message, moment, context), moment, context)
    timer = After(context.timing.poll_ns, Poll())
    return reader, (trace_events.read(reader.log, reader.number, message.lsn), *effects, timer)


def poll(reader: Reader, message: Poll, moment: Moment, context: LogContext) -> Stepped[Reader]:
    """Say again what may have been lost: how far nodes may send, what came of them, which metadata are wanted."""
    stream = reader.stream
    if stream is None:
        return None
    effects: list[Effect] = [After(context.timing.poll_ns, Poll())]
    known = stream.known
    if known.asked is not None and known.asked > known.last_epoch:
        reader, asked = ask_nodes(reader, known.asked, context)
        effects += asked
    for shard, sender in stream.senders.items():
        link = reader.links.get(shard)
        if sender.connection is Connection.READING and link is not None and link.established:
            effects.append(move_window(reader, shard, link, sender.window_high))
    return reader, tuple(effects)


HANDLERS: Final[Handlers] = {**dict.fromkeys(HEARD, take), StartReading: start, Poll: poll}

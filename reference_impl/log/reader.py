"""A reader: one read stream through a log, joined with storage nodes, the metadata log, the event log and a clock.

LogDevice, Read path, How reads happen. What is done with what is heard, ``stream`` says; here is how it is heard.
"""

# ruff: noqa: ARG001 - all steps have one signature

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final, NamedTuple

from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, notes, watching
from reference_impl.log.alarms import Alarms, rung, set_alarms
from reference_impl.log.connections import Link, arrived, asking, is_broken
from reference_impl.log.copies import Copy
from reference_impl.log.frames import expands
from reference_impl.log.machine import ALL_SEND_ALL, GREYLIST, METADATA_LOG, Machine
from reference_impl.log.messages import Nodeset, WhichNodes
from reference_impl.log.metadata_messages import MetadataRead
from reference_impl.log.metadata_reading import Reading, asked_anew, questions
from reference_impl.log.metadata_reading import heard as heard_of_metadata
from reference_impl.log.reading_messages import (
    Alarm,
    Answer,
    Began,
    LookAgain,
    MoveWindow,
    Poll,
    Shipped,
    StartReading,
    StartSending,
    StatusesTold,
    StopSending,
    Unknown,
)
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream import inputs, outputs
from reference_impl.log.stream.inputs import Input
from reference_impl.log.stream.machine import step, stream_of
from reference_impl.log.stream.outputs import GapKind, Output
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import (
    LSN_MAX,
    LogAttributes,
    Metadata,
    Options,
    Settings,
    Source,
    Surroundings,
)
from reference_impl.log.watching import Watch, World
from spec import events
from spec.log.status import Status

OK: Final = "OK"
"""The status of whatever worked."""

THRESHOLD: Final = 0.7
"""The part of the window after which it slides: LogDevice, docs/settings.md, client-read-flow-control-threshold."""

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


class Reader(NamedTuple):
    """A reader.

    Attributes:
        number: the number of its read stream.
        stream: the read stream; None before it began.
        links: its connections to nodes.
        alarms: the timers that it has set.
        told: the newest table of statuses that it was told of.
        watch: its greylist; None where it has none.
        reading: what it asks the metadata log, if there is one.
    """

    log: int
    number: int
    stream: Stream | None = None
    links: Mapping[int, Link] = {}
    alarms: Alarms = Alarms()
    told: Statuses = Statuses()
    watch: Watch | None = None
    reading: Reading = Reading()

    @property
    def next_lsn(self) -> int:
        """Everything before it was delivered or reported; 0 before the start."""
        return self.stream.cursor if self.stream is not None else 0


# ------------------------------------------------------------------------------------------------- steps


def start(reader: Reader, message: StartReading, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """Begin to read at an LSN, with what the event log says at that time."""
    delivery = machine.delivery_of(reader.log)
    options = Options(
        message.lsn,
        LSN_MAX,
        machine.reader_window,
        THRESHOLD,
        trusts_at_once=machine.trusts_at_once,
        as_written=True,
    )
    log = LogAttributes(machine.sequencer_window, delivery != ALL_SEND_ALL, delivery == "local")
    watch = Watch() if GREYLIST in machine.variants and delivery != ALL_SEND_ALL else None
    settings, told = Settings(detects_slow=watch is not None), machine.statuses
    around = Surroundings(machine.quorums.everyone, machine.places, log, settings, statuses_of(told))
    reader = Reader(reader.log, reader.number, stream_of(options, around), told=told, watch=watch)
    reader, effects = drive(reader, [inputs.Start()], moment, machine)
    timer = After(machine.timing.poll_ns, Poll())
    return reader, (notes.read(reader.log, reader.number, message.lsn), *effects, timer)


def learn_nodes(reader: Reader, message: Nodeset, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """The metadata log tells the nodeset of one epoch."""
    if reader.stream is None or message.epoch != reader.stream.known.asked:
        return None
    metadata = Metadata(message.epoch, message.nodes, machine.replication)
    told = inputs.EpochMetadata(message.epoch, message.epoch, metadata, Source.NOT_LAST)
    return drive(reader, [told], moment, machine)


def learn_ranges(reader: Reader, message: MetadataRead, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """A node of the metadata log tells what it holds; once that suffices, the range of the epoch is known."""
    stepped = heard_of_metadata(reader.reading, message, machine)
    if reader.stream is None or stepped is None:
        return None
    reading, found = stepped
    reader = reader._replace(reading=reading)
    if found is None:
        return reader, ()
    until = reading.epoch if found.source is Source.LAST else found.until
    return drive(reader, [inputs.EpochMetadata(reading.epoch, until, found.metadata, found.source)], moment, machine)


def learn_statuses(reader: Reader, message: StatusesTold, moment: Moment, machine: Machine) -> Stepped[Reader]:
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
    return drive(reader, [*closed, inputs.StatusesChanged(said)], moment, machine)


def statuses_of(table: Statuses) -> dict[int, Status]:
    """A table, by node; nodes that it does not name are FULLY_AUTHORITATIVE."""
    return {
        **dict.fromkeys(sorted(table.unavailable), Status.UNAVAILABLE),
        **dict.fromkeys(sorted(table.underreplicated), Status.UNDERREPLICATION),
        **dict.fromkeys(sorted(table.empty), Status.AUTHORITATIVE_EMPTY),
    }


def hear(reader: Reader, message: Answer, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """Take what a node sends, in its order."""
    link = reader.links.get(message.node)
    if link is None:
        return None
    if is_broken(link, message):
        return _hang_up(reader, message.node, moment, machine)
    after, taken = arrived(link, message)
    if after is link:
        return None
    reader = reader._replace(links={**reader.links, message.node: after})
    told = [one for answer in taken for one in told_by(answer, machine)]
    return drive(reader, told, moment, machine) if taken else (reader, ())


def told_by(answer: Answer, machine: Machine) -> Iterator[Input]:
    """What a node's message tells the stream."""
    node = answer.node
    if isinstance(answer, Began):
        yield inputs.Started(node, answer.version, OK, answer.released)
        return
    records = tuple([record_of(node, lsn, copy) for lsn, copy in answer.records])
    if answer.frames:
        records = tuple(map(partial(as_expanded, machine=machine), records, answer.frames))
    if answer.reason is inputs.GapReason.UNDER_REPLICATED:
        records = tuple(record._replace(under_replicated=True) for record in records)
    yield inputs.Batch(node, records, inputs.Gap(node, answer.first, answer.upto, answer.reason))


def record_of(node: int, lsn: int, copy: Copy) -> inputs.Record:
    """A copy as a node sends it: a bridge is a hole, too: LogDevice, common/protocol/RECORD_Message.h."""
    hole, bridge = copy.becomes != events.RECORD, copy.becomes == events.BRIDGE
    return inputs.Record(node, lsn, hole, bridge, digest=copy.digest)


def as_expanded(record: inputs.Record, frame: bytes, machine: Machine) -> inputs.Record:
    """A record as its frame has it; one that cannot be expanded is damaged. Plugs and bridges have no payload."""
    if record.hole:
        return record
    digest = machine.decides(expands)(frame)
    return record._replace(damaged=True) if digest is None else record._replace(digest=digest)


def hang_up(reader: Reader, message: Unknown, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """A node does not know the connection."""
    link = reader.links.get(message.node)
    if link is None or link.closed or link.connection != message.connection:
        return None
    return _hang_up(reader, message.node, moment, machine)


def _hang_up(reader: Reader, node: int, moment: Moment, machine: Machine) -> Stepped[Reader]:
    closed = reader.links[node]._replace(closed=True)
    reader = reader._replace(links={**reader.links, node: closed})
    return drive(reader, [inputs.ConnectionClosed(node, "PEER_CLOSED")], moment, machine)


def ring(reader: Reader, message: Alarm, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """A timer fires, unless it was stopped meanwhile."""
    alarms = rung(reader.alarms, message)
    if alarms is None:
        return None
    return drive(reader._replace(alarms=alarms), [inputs.Fired(message.timer, message.shard)], moment, machine)


def look_again(reader: Reader, message: LookAgain, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """Nodes may have been slow for long enough, or for too long."""
    if reader.stream is None or reader.watch is None or message.number != reader.watch.looks:
        return None
    rewinding = reader.stream.rewinding
    watch, news = watching.looked_again(reader.watch, World(moment.now_ns, machine), rewinding=rewinding)
    return drive(reader._replace(watch=watch), news, moment, machine)


def poll(reader: Reader, message: Poll, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """Say again what may have been lost: how far nodes may send, what came of them, which metadata are wanted."""
    stream = reader.stream
    if stream is None:
        return None
    effects: list[Effect] = [After(machine.timing.poll_ns, Poll())]
    known = stream.known
    if known.asked is not None and known.asked > known.last_epoch:
        reader, asked = _ask_nodes(reader, known.asked, machine)
        effects += asked
    for shard, sender in stream.senders.items():
        link = reader.links.get(shard)
        if sender.connection is Connection.READING and link is not None and link.established:
            effects.append(_move_window(reader, shard, link, sender.window_high))
    return reader, tuple(effects)


# ------------------------------------------------------------------------------------- what the stream does


def drive(reader: Reader, told: Iterable[Input], moment: Moment, machine: Machine) -> tuple[Reader, tuple[Effect, ...]]:
    """Tell the stream, and do what it does."""
    pending, effects = deque(told), list[Effect]()
    while pending and reader.stream is not None:
        before = reader.stream
        stream, done = machine.decides(step)(before, pending.popleft())
        effects += _learnt(reader, stream, machine)
        reader, listed = reader._replace(stream=stream), False
        for output in done:
            if isinstance(output, outputs.SendStart):
                effects += () if listed else _listed(reader, output.first, before)
                listed = True
                reader = _with_start_sent(reader, output, effects)
                effects += _asked(reader, output, machine)
                pending.append(inputs.StartSent(output.shard, OK))
            elif isinstance(output, outputs.AskMetadata):
                reader, asked = _ask_nodes(reader, output.epoch, machine)
                effects += asked
            else:
                effects += _obeyed(reader, output)
                effects += _allowed(reader, output, machine)
        if reader.watch is not None:
            effects += () if listed else _listed(reader, stream.cursor, before)
            watch, news = watching.watched(reader.watch, before, stream, World(moment.now_ns, machine))
            reader = reader._replace(watch=watch)
            pending += news
    if reader.watch is not None:
        watch, looks = watching.alarm(reader.watch, World(moment.now_ns, machine))
        reader, effects = reader._replace(watch=watch), [*effects, *looks]
    alarms, timers = set_alarms(reader.alarms, reader.stream)
    return (reader if alarms is reader.alarms else reader._replace(alarms=alarms)), (*effects, *timers)


def _listed(reader: Reader, at: int, before: Stream) -> Iterable[Effect]:
    """What is recorded of the greylist, before nodes are asked by it."""
    if reader.watch is None or reader.stream is None:
        return ()
    return watching.changes((reader.log, reader.number), at, reader.watch, before, reader.stream)


def _with_start_sent(reader: Reader, start: outputs.SendStart, effects: list[Effect]) -> Reader:
    link = asking(reader.links.get(start.shard, Link()))
    message = StartSending(reader.number, link.connection, link.established is False, link.order, *start[1:])
    effects.append(Send(addresses.storage(reader.log, start.shard), message))
    return reader._replace(links={**reader.links, start.shard: link})


def _asked(reader: Reader, start: outputs.SendStart, machine: Machine) -> tuple[Effect, ...]:
    """What is recorded of a START, if that is."""
    if not machine.on_the_wire:
        return ()
    mode = (events.ONE_NEAR if start.local else events.ONE) if start.single_copy else events.EVERYONE
    filters = (start.version, mode, start.filtered_out)
    return (notes.ask(reader.log, reader.number, start.shard, (start.first, start.window_high), filters),)


def _allowed(reader: Reader, output: Output, machine: Machine) -> tuple[Effect, ...]:
    """What is recorded of a WINDOW, if that is."""
    if not machine.on_the_wire or not isinstance(output, outputs.SendWindow):
        return ()
    between = (output.low, output.high)
    return (notes.allow(reader.log, reader.number, output.shard, between, machine.reader_window),)


def _obeyed(reader: Reader, output: Output) -> Iterator[Effect]:
    """What is to be done, besides START."""
    match output:
        case outputs.Delivered(lsn, digest):
            yield notes.deliver(reader.log, reader.number, lsn, digest)
        case outputs.GapDelivered(kind, first, upto, heard):
            by = (heard, reader.told.version)
            yield notes.gap(reader.log, reader.number, (first, upto), REASONS[kind], by)
        case outputs.SendWindow(shard, _, high) if shard in reader.links:
            yield _move_window(reader, shard, reader.links[shard], high)
        case outputs.SendStop(shard) if shard in reader.links:
            stop = StopSending(reader.number, reader.links[shard].connection)
            yield Send(addresses.storage(reader.log, shard), stop)
        case _:
            pass


def _ask_nodes(reader: Reader, epoch: int, machine: Machine) -> tuple[Reader, tuple[Effect, ...]]:
    """Ask the metadata log for an epoch, or again whoever is silent; without one, the epoch store answers for it."""
    if METADATA_LOG not in machine.variants:
        return reader, (Send(addresses.epoch_store(reader.log), WhichNodes(reader.number, epoch)),)
    reading = reader.reading
    if reading.epoch != epoch or reading.is_over:
        reading = asked_anew(reading, epoch)
    back = addresses.reader(reader.log, reader.number)
    return reader._replace(reading=reading), tuple(questions(reading, reader.log, back, machine))


def _learnt(reader: Reader, after: Stream, machine: Machine) -> Iterator[Effect]:
    """What is recorded of metadata that a stream goes by from now on, if there is a metadata log."""
    known, before = after.known, reader.stream.known.last_epoch if reader.stream is not None else 0
    if known.last_epoch == before or METADATA_LOG not in machine.variants or known.metadata is None:
        return
    for epoch in range(before + 1 if before else after.epoch, known.last_epoch + 1):
        yield notes.learnt(reader.log, reader.number, epoch, known.metadata)


def _move_window(reader: Reader, shard: int, link: Link, high: int) -> Effect:
    version = reader.stream.version if reader.stream is not None else 0
    message = MoveWindow(reader.number, link.connection, version, high, link.expected)
    return Send(addresses.storage(reader.log, shard), message)


HANDLERS: Final[Handlers] = {
    StartReading: start,
    Nodeset: learn_nodes,
    MetadataRead: learn_ranges,
    StatusesTold: learn_statuses,
    Began: hear,
    Shipped: hear,
    Unknown: hang_up,
    Alarm: ring,
    LookAgain: look_again,
    Poll: poll,
}

"""A reader: one stream through a log, fed by all nodes at once, that accounts for every LSN.

LogDevice, Read path (How reads happen, Gap detection; All Send All); common/client_read_stream/ClientReadStream.cpp.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, notes
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.lsn import ESN_MAX, epoch_of, lsn_of
from reference_impl.log.machine import Machine
from reference_impl.log.messages import Nodeset, WhichNodes
from reference_impl.log.storage_messages import Entries, Poll, ReadFrom, StartReading
from spec.events import BRIDGE, DATALOSS, HOLE, RECORD


class Reader(NamedTuple):
    """A read stream.

    Attributes:
        next_lsn: everything before it was delivered or reported; 0 before the start.
        nodes: the nodeset of its epoch; empty until the metadata log says it.
        cursors: up to which LSN each node has answered.
        buffer: what was received and not given yet, by LSN, in the order in which it came.
        since: the version of the status table of which the cursors are.
    """

    log: int
    stream: int
    next_lsn: int = 0
    nodes: Nodes = frozenset()
    cursors: Mapping[int, int] = {}
    buffer: Mapping[int, Copy] = {}
    since: int = 0


class Step(NamedTuple):
    """What the reader gives next: a record, or a gap of some kind from one LSN to another.

    Attributes:
        reason: RECORD, HOLE, BRIDGE, DATALOSS or another kind of gap; None: the LSNs are passed over in silence.
    """

    first: int
    upto: int
    reason: int | None
    digest: int = 0


# --------------------------------------------------------------------------------------------- decisions


def wants(reader: Reader, lsn: int) -> bool:
    """Copies of what was given already are dropped: Read path, De-duplication."""
    return lsn >= reader.next_lsn


def next_step(reader: Reader, machine: Machine) -> Step | None:
    """The record, hole or bridge at the next LSN; or a loss up to the next one received, if that is proved."""
    lsn = reader.next_lsn
    found = reader.buffer.get(lsn)
    if found is not None:
        return step_of(lsn, found)
    if not reader.buffer:
        return None
    upto = min(reader.buffer) - 1
    proved = machine.quorums.loss_is_proved(responders(reader, upto), reader.nodes, machine.statuses)
    return Step(lsn, upto, DATALOSS) if proved else None


def step_of(lsn: int, found: Copy) -> Step:
    """What a reader gives for a copy: a bridge ends its epoch: Read path, Reporting gaps."""
    if found.becomes == RECORD:
        return Step(lsn, lsn, RECORD, found.digest)
    if found.becomes == HOLE:
        return Step(lsn, lsn, HOLE)
    return Step(lsn, lsn_of(epoch_of(lsn), ESN_MAX), BRIDGE)


def responders(reader: Reader, upto: int) -> Nodes:
    """The nodes that have answered for everything up to an LSN."""
    return frozenset(node for node, cursor in reader.cursors.items() if cursor >= upto)


# ------------------------------------------------------------------------------------------------- steps


def start(reader: Reader, message: StartReading, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """Begin to read at an LSN."""
    reader = Reader(reader.log, reader.stream, message.lsn)
    timer = After(machine.timing.poll_ns, Poll())
    return reader, (notes.read(reader.log, reader.stream, message.lsn), _ask_nodes(reader), timer)


def _ask_nodes(reader: Reader) -> Effect:
    return Send(addresses.epoch_store(reader.log), WhichNodes(reader.stream, epoch_of(reader.next_lsn)))


def learn_nodes(reader: Reader, message: Nodeset, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """The metadata log told the nodeset of the epoch: ask all its nodes."""
    if reader.nodes or message.epoch != epoch_of(reader.next_lsn):
        return None
    reader = reader._replace(nodes=message.nodes)
    return reader, _ask_records(reader, machine)


def _ask_records(reader: Reader, machine: Machine) -> tuple[Effect, ...]:
    """Ask every node that has not answered for the whole window: Read path, Flow control."""
    first = reader.next_lsn
    upto = min(first + machine.reader_window - 1, lsn_of(epoch_of(first), ESN_MAX))
    log, stream, cursors = reader.log, reader.stream, reader.cursors
    return tuple(
        Send(addresses.storage(log, node), ReadFrom(stream, max(first, cursors.get(node, 0) + 1), upto))
        for node in sorted(reader.nodes)
        if cursors.get(node, 0) < upto
    )


def poll(reader: Reader, message: Poll, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """Ask again for what is missing."""
    timer = After(machine.timing.poll_ns, Poll())
    reader = _forget_what_moved(reader, machine)
    return reader, (timer, *(_ask_records(reader, machine) if reader.nodes else (_ask_nodes(reader),)))


def _forget_what_moved(reader: Reader, machine: Machine) -> Reader:
    """After copies were lost or moved, what nodes said before no longer proves anything."""
    since = machine.statuses.since
    return reader if reader.since == since else reader._replace(since=since, cursors={})


def receive(reader: Reader, message: Entries, moment: Moment, machine: Machine) -> Stepped[Reader]:
    """Take a node's answer, if it goes on where its last one ended, and give whatever can be given now."""
    reader = _forget_what_moved(reader, machine)
    cursor = reader.cursors.get(message.node, 0)
    if message.since != reader.since or message.first > max(reader.next_lsn, cursor + 1) or message.upto <= cursor:
        return None
    wants_lsn = machine.decisions.wants
    fresh = {lsn: copy for lsn, copy in message.entries if wants_lsn(reader, lsn)}
    reader = reader._replace(cursors={**reader.cursors, message.node: message.upto}, buffer={**reader.buffer, **fresh})
    return _give(reader, machine)


def _give(reader: Reader, machine: Machine) -> Stepped[Reader]:
    effects: list[Effect] = []
    before = reader.next_lsn
    while (step := machine.decisions.next_step(reader, machine)) is not None:
        effects += _noted(reader, step, machine)
        rest = {lsn: copy for lsn, copy in reader.buffer.items() if not step.first <= lsn <= step.upto}
        reader = reader._replace(next_lsn=max(reader.next_lsn, step.upto + 1), buffer=rest)
        if epoch_of(reader.next_lsn) != epoch_of(before):
            return _next_epoch(reader, effects)
    if reader.next_lsn - before >= machine.reader_window // 2:
        effects += _ask_records(reader, machine)
    return reader, tuple(effects)


def _next_epoch(reader: Reader, effects: list[Effect]) -> Stepped[Reader]:
    """After a bridge, go on at the first ESN of the next epoch, which may have other nodes."""
    first = lsn_of(epoch_of(reader.next_lsn), 1)
    reader = Reader(reader.log, reader.stream, first, since=reader.since)
    return reader, (*effects, _ask_nodes(reader))


def _noted(reader: Reader, step: Step, machine: Machine) -> tuple[Effect, ...]:
    if step.reason is None:
        return ()
    if step.reason == RECORD:
        return (notes.deliver(reader.log, reader.stream, step.first, step.digest),)
    answered = step.first if step.reason == BRIDGE else step.upto
    heard = (responders(reader, answered), machine.statuses.version)
    return (notes.gap(reader.log, reader.stream, (step.first, step.upto), step.reason, heard),)


HANDLERS: Final[Handlers] = {
    StartReading: start,
    Nodeset: learn_nodes,
    Poll: poll,
    Entries: receive,
}

"""Describing: the metadata of a new epoch are written to the metadata log, and read there before it is released.

LogDevice, common/SequencerMetaDataLogManager writes them as soon as the sequencer is active; common/LogRecoveryRequest,
readSequencerMetaData, ends a recovery only once they can be read, because readers rely on that.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.step import After, Effect, Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Nodes
from reference_impl.log.messages import Recovered
from reference_impl.log.metadata_messages import (
    Describe,
    KeepMetadata,
    MetadataKept,
    MetadataRead,
    ReadAgain,
    ReadMetadata,
    SetWritten,
    WriteAgain,
    WrittenSet,
)
from reference_impl.log.stream.surroundings import Metadata


class Describer(NamedTuple):
    """What a node does for the metadata of the epoch that it sequences.

    Attributes:
        metadata: where the epoch's records lie; None before the first epoch.
        is_written: the epoch store knows that they are in the metadata log.
        stored: the nodes that confirmed to hold them.
        recovered: the recovery of all earlier epochs is over; None before.
        holders: the nodes that have shown them since.
        is_readable: that sufficed.
    """

    log: int
    node: int
    epoch: int = 0
    metadata: Metadata | None = None
    is_written: bool = False
    stored: Nodes = frozenset()
    recovered: Recovered | None = None
    holders: Nodes = frozenset()
    is_readable: bool = False


# --------------------------------------------------------------------------------------------- decisions


@decision
def is_readable(context: LogContext, holders: Nodes) -> bool:
    """Metadata are in the metadata log once they are replicated: no f-majority can miss them then."""
    return context.quorums.can_replicate(holders)


@decision
def awaits_metadata(epoch: int) -> bool:
    """No epoch is released before its metadata can be read: LogRecoveryRequest.cpp, readSequencerMetaData."""
    return True


# ------------------------------------------------------------------------------------------------ writing


def describe(here: Describer, message: Describe, moment: Moment, context: LogContext) -> Stepped[Describer]:
    """Write the metadata of a new epoch, unless an earlier sequencer has."""
    if message.epoch <= here.epoch:
        return None
    here = Describer(here.log, here.node, *message)
    return here, tuple(_writing(here, context))


def _writing(here: Describer, context: LogContext) -> Iterator[Effect]:
    """Ask nodes for copies until they are replicated, then the epoch store to know it; and again after a while."""
    if here.is_written or here.metadata is None:
        return
    if context.quorums.can_replicate(here.stored):
        yield _set_written(here, here.metadata)
    else:
        for node in sorted(context.quorums.everyone - here.stored):
            yield Send(addresses.metadata_node(here.log, node), KeepMetadata(here.metadata, here.node))
    yield After(context.timing.recovery_ns, WriteAgain(here.epoch))


def _set_written(here: Describer, metadata: Metadata) -> Effect:
    return Send(addresses.epoch_store(here.log), SetWritten(metadata.since, here.node))


def write_again(here: Describer, message: WriteAgain, moment: Moment, context: LogContext) -> Stepped[Describer]:
    """Ask again whoever is silent."""
    return (here, tuple(_writing(here, context))) if message.epoch == here.epoch else None


def kept(here: Describer, message: MetadataKept, moment: Moment, context: LogContext) -> Stepped[Describer]:
    """One more node holds the metadata; once they are replicated, the epoch store is told at once."""
    if here.metadata is None or here.is_written or message.since != here.metadata.since:
        return None
    stored, replicated = here.stored | {message.node}, context.quorums.can_replicate
    is_news = replicated(stored) and not replicated(here.stored)
    return here._replace(stored=stored), ((_set_written(here, here.metadata),) if is_news else ())


def written(here: Describer, message: WrittenSet, moment: Moment, context: LogContext) -> Stepped[Describer]:
    """The epoch store knows: later epochs may have other metadata."""
    if here.metadata is None or message.since != here.metadata.since:
        return None
    return here._replace(is_written=True), ()


# ---------------------------------------------------------------------------------------------- reading back


def recovered(here: Describer, message: Recovered, moment: Moment, context: LogContext) -> Stepped[Describer]:
    """The earlier epochs are clean: only the metadata are wanting."""
    if message.epoch != here.epoch or here.recovered is not None:
        return None
    here = here._replace(recovered=message)
    at_once = () if context.decides(awaits_metadata)(here.epoch) else (_done(here, message),)
    return here, (*at_once, *_reading(here, context))


def _reading(here: Describer, context: LogContext) -> Iterator[Effect]:
    """Ask all nodes that have not shown the metadata; and again after a while."""
    back = addresses.describer(here.log, here.node)
    for node in sorted(context.quorums.everyone - here.holders):
        yield Send(addresses.metadata_node(here.log, node), ReadMetadata(back, here.epoch))
    yield After(context.timing.recovery_ns, ReadAgain(here.epoch))


def read_again(here: Describer, message: ReadAgain, moment: Moment, context: LogContext) -> Stepped[Describer]:
    """Ask again until the metadata can be read."""
    if message.epoch != here.epoch or here.is_readable:
        return None
    return here, tuple(_reading(here, context))


def shown(here: Describer, message: MetadataRead, moment: Moment, context: LogContext) -> Stepped[Describer]:
    """One more node shows what it holds; once the metadata can be read, the recovery is over."""
    metadata, over = here.metadata, here.recovered
    if here.is_readable or message.ticket != here.epoch or over is None:
        return None
    if metadata is None or metadata not in message.records:
        return None
    here = here._replace(holders=here.holders | {message.node})
    if not context.decides(is_readable)(context, here.holders):
        return here, ()
    described = trace_events.described(here.log, here.epoch, here.node, metadata, here.holders)
    return here._replace(is_readable=True), (described, _done(here, over))


def _done(here: Describer, message: Recovered) -> Effect:
    return Send(addresses.sequencer(here.log, here.node), message)


HANDLERS: Final[Handlers] = {
    Describe: describe,
    WriteAgain: write_again,
    MetadataKept: kept,
    WrittenSet: written,
    Recovered: recovered,
    ReadAgain: read_again,
    MetadataRead: shown,
}

"""Reading: what nodes send to readers, and what readers give, whatever the messages are in which they do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.deliveries import Packet
from reference_impl.kernel.step import Effect, Moment, Note, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Copy
from reference_impl.log.lsn import ESN_MAX, epoch_of, esn_of, lsn_of
from reference_impl.log.node_log import NodeLog
from reference_impl.log.reading_messages import Shipped, StartSending
from reference_impl.log.serving.requests import start_sending
from reference_impl.log.serving.sending import Serving
from reference_impl.log.stream.inputs import GapReason
from spec.events import BRIDGE, DATALOSS, HOLE, RECORD, Gap
from spec.language.events import column

REASON: Final = column(Gap.reason)


class Answer(NamedTuple):
    """What a node tells a reader of one epoch.

    Attributes:
        slots: of which it speaks, where it says that it has nothing else there; else none.
        copies: what it has, by slot.
    """

    epoch: int
    reader: int
    slots: range
    copies: Mapping[int, Copy]


class Out(NamedTuple):
    """What a reader gives: a record, a hole, a bridge or a loss, from one LSN to another."""

    first: int
    upto: int
    becomes: int
    digest: int = 0


def asked(log: int, nodes: int, epoch: int, slots: int) -> Iterator[Packet]:
    """What asks each node for so many slots of an epoch, as a reader does."""
    for node in range(nodes):
        first, until = lsn_of(epoch, 1), lsn_of(epoch, slots)
        yield addresses.storage(log, node), StartSending(epoch, 1, True, 1, first, until, until, 1)


def answered(here: NodeLog, message: StartSending, moment: Moment, context: LogContext) -> Stepped[NodeLog]:
    """Answer a reader and forget it, so that it can ask at any time and again."""
    stepped = start_sending(here, message, moment, context)
    return None if stepped is None else (here, stepped[1])


def sent(before: Serving, after: Serving, effects: tuple[Effect, ...]) -> Iterator[Answer]:
    """What a node's step sends to readers for the first time; what they lack is repeated as it was."""
    for effect in effects:
        match effect:
            case Send((_, _, reader), Shipped(reason=GapReason.NO_RECORDS | GapReason.UNDER_REPLICATED) as shipped):
                known = before.streams.get(reader)
                if known is None or shipped not in known.unheard:
                    stream = after.streams.get(reader)
                    silent = shipped.reason is not GapReason.NO_RECORDS
                    yield from _by_epoch(reader, shipped, silent or (stream is not None and stream.filters.single_copy))
            case _:
                pass


def _by_epoch(reader: int, shipped: Shipped, silent: bool) -> Iterator[Answer]:  # noqa: FBT001 - one of two modes
    """In single copy delivery a node leaves out what others are to send; in a region it knows not what it lacks."""
    first, upto = shipped.first, shipped.upto
    for epoch in range(epoch_of(first), epoch_of(upto) + 1):
        copies = {esn_of(lsn) - 1: copy for lsn, copy in shipped.records if epoch_of(lsn) == epoch}
        begin = esn_of(first) if epoch == epoch_of(first) else 1
        end = esn_of(upto) if epoch == epoch_of(upto) else ESN_MAX
        yield Answer(epoch, reader, range(0) if silent else range(begin - 1, end), copies)


def given(effects: tuple[Effect, ...]) -> Iterator[Out]:
    """What a reader gives in a step, in order; other gaps than these are no word of the text.

    A gap before an epoch's first record says nothing of its slots.
    """
    for effect in effects:
        if not isinstance(effect, Note):
            continue
        match effect.event:
            case {"kind": trace_events.DELIVER, "epoch": epoch, "esn": esn, "digest": digest}:
                yield Out(lsn_of(epoch, esn), lsn_of(epoch, esn), RECORD, digest)
            case {
                "kind": trace_events.GAP,
                "epoch": epoch,
                "esn": esn,
                "upto_epoch": end,
                "upto_esn": upto,
                **said,
            }:
                if (kind := said[REASON]) in (HOLE, BRIDGE, DATALOSS) and esn:
                    yield Out(lsn_of(epoch, esn), lsn_of(end, upto), kind)
            case _:
                pass

"""Claims: what a step of a reader comes to in the words of the text of delivery, input by input of its stream.

A message counts when the reader takes it, for only then does anything follow from it: what is under way the text leaves
open. What is no claim changes nothing that the text speaks of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from reference_impl.kernel.simulator import Transition
from reference_impl.log.context import LogContext
from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.driving import Told
from reference_impl.log.reader import Reader
from reference_impl.log.reading import driven_by
from reference_impl.log.reading_messages import Shipped
from reference_impl.log.stream import inputs
from reference_impl.log.stream.outputs import Delivered, GapDelivered, GapKind, Output, SendStart
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import NOTHING


class Asked(NamedTuple):
    """The reader sends a node START."""

    version: int
    everyone: bool
    listed: Nodes


class Answers(NamedTuple):
    """A node has taken the newest START."""

    node: int


class Leaves(NamedTuple):
    """The connection to a node is closed."""

    node: int


class Hears(NamedTuple):
    """A node tells what it has from one LSN to another: these copies, and nothing else that it is to send."""

    node: int
    first: int
    upto: int
    copies: Mapping[int, Copy]


class Gives(NamedTuple):
    """The reader delivers a record."""

    lsn: int


class Reports(NamedTuple):
    """The reader reports a loss, knowing that some nodes have lost what they had."""

    first: int
    upto: int
    lost: Nodes


DeliveryStep: TypeAlias = Asked | Answers | Leaves | Hears | Gives | Reports


def told_in(taken: Transition, context: LogContext) -> tuple[Told, ...]:
    """What a stream was told in a step of its reader, which is taken once more."""
    driven = driven_by(taken.before, taken.message, taken.moment, context)
    return driven.told if driven else ()


def claims_of(taken: Transition, context: LogContext) -> Iterator[DeliveryStep]:
    """The claims of a reader's step, in order."""
    copies = _copies_in(taken)
    for told in told_in(taken, context):
        yield from _heard(told, copies)
        for output in told.said:
            yield from _done(output, taken.after)


def _copies_in(taken: Transition) -> dict[int, Copy]:
    """The copies in the message that came, and in those that had to wait for it."""
    node = getattr(taken.message, "node", None)
    link = taken.before.links.get(node)
    answers = [taken.message, *(link.early.values() if link is not None else ())]
    return {lsn: copy for one in answers if isinstance(one, Shipped) for lsn, copy in one.records}


def _heard(told: Told, copies: Mapping[int, Copy]) -> Iterator[DeliveryStep]:
    match told.message:
        case inputs.Started(shard=node) if _begins(told, node):
            yield Answers(node)
        case inputs.ConnectionClosed(shard=node):
            yield Leaves(node)
        case inputs.Batch(shard=node, records=records, gap=gap) if _counts(told, node):
            first = told.before.senders[node].next_lsn
            yield Hears(node, first, gap.upto, {record.lsn: copies[record.lsn] for record in records})
        case _:
            pass


def _begins(told: Told, node: int) -> bool:
    """The reader takes a node to send by the newest filters from now on."""
    before, now = told.before.senders.get(node), told.after.senders.get(node)
    if before is None or now is None or now.connection is not Connection.READING:
        return False
    return before.connection is not Connection.READING or before.version != now.version


def _counts(told: Told, node: int) -> bool:
    """The reader does not drop what a node sends, but acts on it, if only to rewind."""
    before, now = told.before.senders.get(node), told.after.senders.get(node)
    if before is None:
        return False
    return told.after.version != told.before.version or (now is not None and now.next_lsn > before.next_lsn)


def _done(output: Output, after: Reader) -> Iterator[DeliveryStep]:
    match output:
        case SendStart(version=version, single_copy=single, filtered_out=listed):
            yield Asked(version, not single, listed)
        case Delivered(lsn=lsn):
            yield Gives(lsn)
        case GapDelivered(kind=GapKind.DATALOSS, first=first, upto=upto):
            yield Reports(first, upto, after.told.underreplicated | after.told.empty)
        case _:
            pass


def cursor_of(taken: Transition) -> int:
    """Everything before it the reader has given."""
    stream = taken.after.stream
    return NOTHING if stream is None else stream.cursor

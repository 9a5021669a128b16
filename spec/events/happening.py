"""What all events share: when they were seen, and of which log, LSN, node, payload or reader they speak."""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import and_, or_
from typing import Final

from spec.events.positions import LSN
from spec.events.universes import LOGS, NODES, PAYLOADS, READERS
from spec.events.values import FAULTS
from spec.language.events import AnyEvent, Told, member, number, small
from spec.language.handles import Bool, Factors, Int, known
from spec.language.orders import Order
from spec.language.scopes import SCOPES

BEGUN: Final = Told(("invoke",))
"""What tells which append an event is about."""

BEGAN: Final = Told(("invoke",), settled=("invoke",))
"""What tells when the append began."""

KNOWN: Final = Told(("invoke", "ack"), raised=("ack",), settled=("invoke",))
"""What tells what a client knew when an append of its own began."""


def begins_before(invoker: Int, invoked: Int, seq: Int) -> Bool:
    """What a recorder says of an append begins before what it says next; of another recorder's append, books say it."""
    return known(invoker) | (invoked < seq)


def is_property(replication: Factors) -> Bool:
    """A replication property is not empty, and asks for no more copies across a wider scope than across a narrower one.

    LogDevice, common/ReplicationProperty.h.
    """
    copies = [replication.at(scope) for scope in SCOPES]
    some = reduce(or_, (factor > 0 for factor in copies))
    pairs = ((narrow < 1) | (wide <= narrow) for narrow, wide in combinations(copies, 2))
    return reduce(and_, pairs, some)


class Event(AnyEvent):
    """Anything recorded, in its recorder's own order and at its recorder's clock."""

    sorted_by = Order("log", LSN)

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)


class InLog(Event):
    """Anything about one log."""

    log = number("log", "the log's number in the header's list of logs", of=LOGS)


class Named(InLog):
    """Anything that names a payload by its hash."""

    digest = number("digest", "hash of the payload, 64 bits with sign", of=PAYLOADS, optional=True)


class Seen(Named):
    """Anything that names a payload and that a client sees or says; which append it is about, the bookkeeping says.

    An append is named by where it began: by a recorder and by that recorder's order.
    """

    invoker = small(
        "invoker", "the recorder that saw the append begin, by its place in the header", optional=True, told=BEGUN
    )
    invoked = number("version", "that recorder's own order of the append's invocation", optional=True, told=BEGUN)


class Positioned(InLog):
    """Anything about one LSN or one epoch of a log."""

    epoch = number("epoch", "the epoch of the LSN")
    esn = number("esn", "the sequence number within the epoch; 0 is the epoch itself")
    lsn = number("lsn", "epoch and ESN in one number", computed=True)


class Shown(Positioned, Seen):
    """Anything that shows a client what is at an LSN."""

    invoked_at = number("invoked_at_ns", "when the append began, by its recorder's clock", optional=True, told=BEGAN)
    after = number(
        "after", "the greatest LSN that its client knew of when it began; -1 if none", optional=True, told=KNOWN, of=LSN
    )
    perhaps_after = number(
        "perhaps_after", "the same, if clocks are right as they stand", optional=True, told=KNOWN, of=LSN
    )
    begun_before = small(
        "arg_b",
        "1 if the append began before this was seen, 0 if after, or never; 2 or 3 if others may be meant by an answer",
        optional=True,
        told=BEGAN,
    )


class AtNode(Positioned):
    """Anything that one storage node did or said about an LSN or an epoch."""

    node = member("node", "the storage node", NODES)


class Written(Positioned, Named):
    """Anything on the write side that names the payload of an LSN."""


class ByReader(Positioned):
    """Anything that one reader of a log was given or said."""

    reader = small("actor", "the read stream", of=READERS)


class Fault(Event, kind=18, word="fault"):
    """A fault at a node."""

    node = member("node", "the node", NODES)
    what = small("arg", "which fault", words=FAULTS)


class Scattered(Event, kind=47, word="scattered"):
    """Several recorders saw what a node did, and nobody knows in which order: what books add, and nobody tells."""

    node = member("node", "the node", NODES)


class ScatteredReader(InLog, kind=48, word="scattered_reader"):
    """Several recorders saw what a reader asked and was told, in which order nobody knows: what books add."""

    reader = small("actor", "the read stream", of=READERS)

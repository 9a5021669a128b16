"""What all events share: when they were seen, and of which log, LSN, node, payload or reader they speak."""

from __future__ import annotations

from spec.language.events import AnyEvent, number


class Event(AnyEvent):
    """Anything recorded, in its recorder's own order and at its recorder's clock."""

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)


class InLog(Event):
    """Anything about one log."""

    log = number("log", "the log's number in the header's list of logs")


class Named(InLog):
    """Anything that names a payload by its hash."""

    digest = number("digest", "hash of the payload, 64 bits with sign", optional=True)


class Seen(Named):
    """Anything that names a payload and that a client sees or says."""


class Positioned(InLog):
    """Anything about one LSN or one epoch of a log."""

    epoch = number("epoch", "the epoch of the LSN")
    esn = number("esn", "the sequence number within the epoch; 0 is the epoch itself")
    lsn = number("lsn", "epoch and ESN in one number", computed=True)


class AtNode(Positioned):
    """Anything that one storage node did or said about an LSN or an epoch."""

    node = number("node", "the storage node")


class Written(Positioned, Named):
    """Anything on the write side that names the payload of an LSN."""


class ByReader(Positioned):
    """Anything that one reader of a log was given or said."""

    reader = number("actor", "the read stream")


class Fault(Event, kind=18, word="fault"):
    """Something befell a node. Context for explanations; no rule depends on it."""

    node = number("node", "the node")
    what = number("arg", "which fault")

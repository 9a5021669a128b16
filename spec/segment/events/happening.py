"""What all events share: when they were seen, and of which session, request, channel and stretch of time they speak."""

from __future__ import annotations

from spec.language.events import AnyEvent, demand, member, number, small
from spec.language.handles import Bool
from spec.segment.events.universes import CHANNELS, NODES, SESSIONS
from spec.segment.orders import BY_CALL


class Event(AnyEvent):
    """Anything recorded, in its recorder's own order and at its recorder's clock."""

    sorted_by = BY_CALL

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)


class InSession(Event):
    """Anything about one iterator or one writer, and about one request to it."""

    session = number("session", "the iterator or writer", of=SESSIONS, least=0)
    request = number("request", "which request to it, counted from 1; 0 is its opening", least=0)


class OfChannel(Event):
    """Anything about one channel."""

    channel = number(
        "channel", "the channel's key: its leaseholder and, in the low bits, a counter", of=CHANNELS, least=0
    )


class OnChannel(InSession, OfChannel):
    """Anything that concerns an iterator or writer and one of its channels."""


class AtTime(OfChannel):
    """Anything about what a channel has at a time and from there on."""

    start = number("start_ns", "the time of the first sample, or where a stretch begins, in nanoseconds")


class Piece(AtTime):
    """Samples of one channel that lie together: as far as its period says, with no room for more between them."""

    last = number("last_ns", "the time of the last sample, in nanoseconds")
    samples = number("samples", "how many samples it has", least=1)
    digest = number("digest", "hash of the samples' bytes, 64 bits with sign", optional=True)

    @demand
    def runs_forward(self) -> Bool:
        """``last_ns`` is not before ``start_ns``."""
        return self.start <= self.last


class NodeEvent(InSession):
    """Anything that one node does for an iterator or a writer."""

    node = member("node", "the node", NODES)


class Answer(InSession):
    """Anything that answers with yes or no, and with an error or without."""

    ok = small("ok", "1 for true, 0 for false", among=(0, 1))
    failed = small("failed", "1 if there was an error so far, else 0", among=(0, 1))

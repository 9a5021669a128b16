"""Writers: who may write, what was sent, what became of it, and what the caller was told."""

from __future__ import annotations

from spec.language.events import number, small
from spec.segment.events.happening import AtTime, InSession, NodeEvent, OnChannel, Piece
from spec.segment.events.values import FREE, MAX_AUTHORITY


class Control(OnChannel):
    """Anything about who may write a channel, in the turns that its leaseholder counts."""

    turn = number("turn", "the leaseholder's count of what happened to the channel's lock", least=1)
    holder = number("holder", "the writer that holds it from here on; -1 for nobody", least=FREE)
    held_with = small("held_with", "that writer's authority; -1 for nobody", among=(FREE, MAX_AUTHORITY))


class LockTaken(Control, kind=30, word="lock_taken"):
    """A writer took the lock of a channel, or came with the authority that it has there."""

    authority = small("authority", "its authority, from 0 to 255", among=(0, MAX_AUTHORITY))


class LockReleased(Control, kind=31, word="lock_released"):
    """A writer gave up its lock of a channel, or its wish for it."""


class LockRefused(Control, kind=32, word="lock_refused"):
    """A writer was not given the lock of a channel."""


class Submitted(OnChannel, AtTime):
    """Anything about one segment that a writer was given."""


class Written(Submitted, Piece, kind=33, word="written"):
    """The caller gave a segment to a writer."""


class Stored(NodeEvent, Submitted, Piece, kind=34, word="stored"):
    """A node stored a segment."""

    density = small("density", "bytes of one sample", least=1)
    turn = number("turn", "the last turn of the channel's lock when it was stored", optional=True, least=0)


class Rejected(NodeEvent, Submitted, kind=35, word="rejected"):
    """A node, or the gateway, did not store a segment: an error."""


class ErrorTold(InSession, kind=36, word="error_told"):
    """The caller was told of an error, by a response about this request."""


class RequestsClosed(InSession, kind=37, word="requests_closed"):
    """The caller closed the writer's input."""

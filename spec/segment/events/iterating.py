"""Calls of an iterator: what is asked, what nodes acknowledge and send, and what the caller is given."""

from __future__ import annotations

from spec.language.events import demand, number, small
from spec.language.handles import Bool
from spec.segment.events.happening import Answer, AtTime, InSession, NodeEvent, OnChannel, Piece
from spec.segment.events.values import OPERATIONS


class Called(InSession, kind=20, word="called"):
    """The caller made a request."""

    op = small("op", "which operation: see the numbers below", words=OPERATIONS)


class Executed(NodeEvent, kind=21, word="executed"):
    """A node executed the request on its store, in the order in which it did."""


class Acknowledged(NodeEvent, kind=22, word="acknowledged"):
    """The gateway counted a node's acknowledgement for the request."""

    about = number("about", "the request that the node acknowledged", least=0)
    ok = small("ok", "1 for true, 0 for false", among=(0, 1))


class Returned(Answer, kind=23, word="returned"):
    """The call returned to its caller."""

    script = number("script", "which script it belongs to, where several sessions run the same", optional=True)
    given = number("given", "how many samples were given for it", optional=True, least=0)


class Window(OnChannel, AtTime, kind=24, word="window"):
    """The times that a move covered in one channel: from its start up to, but without, its end."""

    upto = number("upto_ns", "where it ends, in nanoseconds")
    op = small("op", "the operation that moved", words=OPERATIONS)
    scan = number("scan", "which scan it belongs to: moves in one direction without a seek between them", least=0)

    @demand
    def runs_forward(self) -> Bool:
        """``upto_ns`` is not before ``start_ns``."""
        return self.start <= self.upto


class Carried(NodeEvent, OnChannel, Piece):
    """Data of one node for one request, on its way to the caller."""


class Sent(Carried, kind=25, word="sent"):
    """A node sent data for the request."""


class Given(Carried, kind=26, word="given"):
    """The caller was given data for the request, which came from this node."""

    scan = number("scan", "which scan it belongs to", least=0)


class Gap(OnChannel, AtTime, kind=27, word="gap"):
    """A stretch that a scan covered and in which the caller was given nothing, from end to end of what surrounds it.

    It begins just after the sample before it, or where the scan begins; it ends at the sample after it, or where the
    scan ends.
    """

    upto = number("upto_ns", "where it ends: this time is no longer in it")
    scan = number("scan", "which scan it belongs to", least=0)

    @demand
    def runs_forward(self) -> Bool:
        """``upto_ns`` is not before ``start_ns``."""
        return self.start <= self.upto

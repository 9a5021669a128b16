"""How iterators and writers are opened, and how they end."""

from __future__ import annotations

from spec.language.events import member, members, number, small
from spec.segment.events.happening import InSession, NodeEvent, OnChannel
from spec.segment.events.universes import NODES
from spec.segment.events.values import REFUSALS


class Asked(InSession, kind=10, word="open_asked"):
    """A caller asked a gateway for an iterator or a writer."""

    gateway = member("gateway", "the node that was asked", NODES)


class Requested(OnChannel, kind=11, word="channel_requested"):
    """One of the channels that it was asked for, and the node that the gateway takes for its leaseholder."""

    leaseholder = member("leaseholder", "the leaseholder, as the gateway resolved it", NODES)


class Opened(InSession, kind=12, word="opened"):
    """The gateway gave the iterator or writer to its caller."""

    gateway = member("gateway", "the gateway", NODES)
    parts_on = members("nodes", "the nodes that have a part in it: the gateway if it has a local one", NODES)
    start = number("start_ns", "where an iterator's range begins, in nanoseconds", optional=True)
    upto = number("upto_ns", "where its range ends: this time is no longer in it", optional=True)


class Refused(InSession, kind=13, word="open_refused"):
    """The gateway refused to open it."""

    reason = small("reason", "1 unknown channel, 2 locked, 3 a node failed", words=REFUSALS)


class PartOpened(NodeEvent, kind=14, word="part_opened"):
    """A node opened its part: a local iterator or writer, its streams and what serves them."""


class PartClosed(NodeEvent, kind=15, word="part_closed"):
    """A node closed its part, and freed all that it took."""


class OutputClosed(InSession, kind=16, word="output_closed"):
    """The output closed through which the caller is given data, or responses: nothing comes any more."""


class Closed(InSession, kind=17, word="closed"):
    """``Close`` returned to the caller."""

    failed = small("failed", "1 if it returned an error, else 0", among=(0, 1))


class Cancelled(InSession, kind=18, word="cancelled"):
    """The caller's context was cancelled; the request is the last that was made."""

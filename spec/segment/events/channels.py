"""Channels, what nodes know of them, and the nodes themselves."""

from __future__ import annotations

from spec.language.events import member, number, small
from spec.segment.events.happening import AtTime, Event, OfChannel
from spec.segment.events.universes import NODES
from spec.segment.events.values import MEMBERSHIP


class Metadata(OfChannel):
    """Anything about what the cluster knows of a channel."""


class Described(Metadata):
    """Anything that says what never changes about a channel."""

    leaseholder = member("leaseholder", "the node that alone stores its data", NODES)
    period = number("period_ns", "the time between two samples; 0 where each has a time of its own", least=0)
    density = small("density", "bytes of one sample", least=1)


class Created(Described, kind=1, word="channel_created"):
    """A channel was created; its leaseholder says so, in the order in which it gave out keys."""


class Deleted(Metadata, kind=2, word="channel_deleted"):
    """A channel was deleted."""


class Learnt(Described, kind=3, word="channel_learnt"):
    """A node learnt of a channel, from whoever created it or by gossip."""

    node = member("node", "the node", NODES)


class Forgotten(Metadata, kind=4, word="channel_forgotten"):
    """A node no longer knows of a channel."""

    node = member("node", "the node", NODES)


class RangeKnown(AtTime, kind=5, word="range_known"):
    """Metadata say, once the cluster is quiet, that a node has a segment of a channel from this time on."""

    node = member("node", "the node", NODES)


class Joined(Event, kind=6, word="membership"):
    """A node became part of the cluster, or died."""

    node = member("node", "the node", NODES)
    what = small("what", "1 joined, 2 died", words=MEMBERSHIP)


class ShutDown(Event, kind=7, word="shut_down"):
    """A node's layer has finished shutting down."""

    node = member("node", "the node", NODES)

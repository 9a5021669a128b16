"""Small tables that rows look up: channels, who knows of them, nodes, sessions and turns of control."""

from __future__ import annotations

from spec.language.declare import Dimension, max_of, min_of, only_of, set_of
from spec.segment.events import (
    Asked,
    Cancelled,
    Closed,
    Control,
    Created,
    Joined,
    Learnt,
    Opened,
    Refused,
    Requested,
    Returned,
    ShutDown,
)


class Creations(Dimension, by=(Created.channel,)):
    """What a channel was created with."""

    leaseholder = only_of(Created.leaseholder)
    period, density = only_of(Created.period), only_of(Created.density)


class Learnings(Dimension, by=(Learnt.channel, Learnt.node)):
    """When a node learnt of a channel."""

    first, first_at = min_of(Learnt.seq), min_of(Learnt.time)


class Members(Dimension, by=(Joined.what,)):
    """Which nodes joined, and which died."""

    nodes = set_of(Joined.node)


class Sessions(Dimension, by=(Opened.session,)):
    """What an iterator or writer was opened with."""

    gateway, nodes, opened_at = only_of(Opened.gateway), only_of(Opened.parts_on), min_of(Opened.time)
    start, upto = only_of(Opened.start), only_of(Opened.upto)


class Gateways(Dimension, by=(Asked.session,)):
    """Which gateway was asked for an iterator or writer."""

    gateway = only_of(Asked.gateway)


class Refusals(Dimension, by=(Refused.session,)):
    """Why an iterator or writer was not opened."""

    reason = min_of(Refused.reason)


class Closings(Dimension, by=(Closed.session,)):
    """At which request an iterator or writer was closed, and whether with an error."""

    request, failed = min_of(Closed.request), max_of(Closed.failed)


class Failures(Dimension, by=(Returned.session,)):
    """Whether a call of an iterator or writer returned an error."""

    failed = max_of(Returned.failed)


class Cancellations(Dimension, by=(Cancelled.session,)):
    """After which request an iterator or writer was cancelled."""

    request = min_of(Cancelled.request)


class Requests(Dimension, by=(Requested.session, Requested.channel)):
    """The channels that an iterator or writer was asked for."""

    leaseholder = only_of(Requested.leaseholder)


class ShutDowns(Dimension, by=(ShutDown.node,)):
    """When the layer of a node had shut down."""

    first_at = min_of(ShutDown.time)


class Holders(Dimension, by=(Control.channel, Control.turn)):
    """Who holds the lock of a channel from a turn on."""

    holder = only_of(Control.holder)

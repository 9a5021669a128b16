"""Metadata: what nodes know of channels is late, and never invented.

Source: Synnax, Segment Distribution, 2.1 Aspen; RFC 2 of the same on the store that spreads them.
"""

from __future__ import annotations

from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.segment.events import Deleted
from spec.segment.views.channels import Channel
from spec.segment.views.times import Instant

ASPEN = "Synnax, Segment Distribution, 2.1 Aspen"


@rule("segment.gossip.never_invents", cite=ASPEN)
def nothing_is_invented(channel: Channel) -> Bool:
    """A node learns only of channels that were created, and after they were."""
    return channel.learnt.implies(channel.created & channel.created_at.not_after(channel.learnt_at))


@rule("segment.gossip.forgets_after_delete", cite=ASPEN)
def nothing_is_forgotten(channel: Channel) -> Bool:
    """A node that knows of a channel forgets it only after it was deleted."""
    return channel.forgotten.implies(channel.deleted & channel.deleted_at.not_after(channel.forgotten_at))


@rule("segment.gossip.reaches_all", cite=ASPEN, promise="quiet", strength="deadline", spares=(Deleted,))
def everyone_learns(channel: Channel) -> Bool:
    """Every node of the cluster that lives learns of every channel that is not deleted."""
    living = ~known(channel.died) & (channel.members <= channel.knowers)
    left = known(channel.died) & (channel.members - channel.died <= channel.knowers)
    return (channel.created & ~channel.deleted & known(channel.members)).implies(living | left)


@rule("segment.gossip.ranges_are_stored", cite=ASPEN, promise="range_metadata", strength="deadline")
def ranges_are_those_that_are_stored(instant: Instant) -> Bool:
    """Once the cluster is quiet, its metadata tell of the segments that are stored, of all of them and of no others."""
    return (instant.stored | instant.range_known).implies(instant.stored & instant.range_known)

"""Channels: their keys, and what never changes about them.

Source: Synnax, Segment Distribution, 3 Channels.
"""

from __future__ import annotations

from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.segment.orders import leaseholder_in
from spec.segment.views.channels import Channel, Key
from spec.segment.views.times import Segment

KEYS = "Synnax, Segment Distribution, 3.1 Keys"
CHANNELS = "Synnax, Segment Distribution, 3 Channels"


@rule("segment.key.unique", cite=KEYS)
def keys_are_unique(key: Key) -> Bool:
    """Two channels never get the same key."""
    return known(key.channel_before).implies(key.channel_before < key.channel)


@rule("segment.key.counts_on", cite=KEYS)
def keys_count_on(key: Key) -> Bool:
    """A leaseholder's later channel has the greater key: none is used again, even of a channel that is deleted."""
    return known(key.seq_before).implies(key.seq_before < key.seq)


@rule("segment.key.names_leaseholder", cite=KEYS)
def keys_name_their_leaseholder(key: Key) -> Bool:
    """The leaseholder that a channel's key begins with is the channel's."""
    return leaseholder_in(key.channel) == key.leaseholder


@rule("segment.channel.never_changes", cite=CHANNELS)
def channels_never_change(channel: Channel) -> Bool:
    """Leaseholder, rate and density of a channel are the same whoever tells of it, and whenever."""
    told = channel.created | channel.learnt
    one_rate = alike(channel.period_least, channel.period_most)
    one_density = alike(channel.density_least, channel.density_most)
    return told.implies(alike(channel.leaseholder_least, channel.leaseholder_most) & one_rate & one_density)


@rule("segment.store.has_density", cite=CHANNELS)
def data_has_the_density_of_its_channel(segment: Segment) -> Bool:
    """All samples that are stored of a channel have as many bytes as it was created with."""
    return known(segment.created_with).implies(segment.density == segment.created_with)


@rule("segment.store.at_leaseholder", cite=CHANNELS)
def data_is_at_the_leaseholder(segment: Segment) -> Bool:
    """A segment is stored by its channel's leaseholder, and by no other node."""
    return segment.node == leaseholder_in(segment.channel)


@rule("segment.store.keeps_its_rate", cite=CHANNELS)
def times_follow_from_start_and_rate(segment: Segment) -> Bool:
    """The samples of a segment are a period apart: one has no length, two are one period long, and more are longer."""
    length = segment.last - segment.start
    gaps = segment.samples - 1
    none = (gaps == 0).implies(length == 0)
    one = (gaps == 1).implies(length == segment.period)
    more = (gaps > 1).implies(length > segment.period)
    return (known(segment.period) & (segment.period > 0)).implies(none & one & more)


@rule("segment.store.disjoint", cite="Synnax, Segment Distribution, 3 Channels: time-ordered values; RFC 8, 3.3")
def segments_do_not_overlap(segment: Segment) -> Bool:
    """A segment begins after the last sample of the one before it."""
    return known(segment.last_before).implies(segment.last_before < segment.start)

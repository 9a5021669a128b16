"""Channels: their keys, what is known of them, and who may write them."""

from __future__ import annotations

from spec.language.declare import View, along, any_of, max_of, min_of, set_of
from spec.language.handles import known
from spec.segment.events import (
    Control,
    Created,
    Deleted,
    Described,
    Forgotten,
    Learnt,
    LockRefused,
    LockReleased,
    LockTaken,
    Metadata,
    Requested,
)
from spec.segment.events.values import DIED, JOINED
from spec.segment.orders import BY_KEY, BY_TURN
from spec.segment.views.tables import Cancellations, Closings, Gateways, Learnings, Members, Refusals, Sessions


class Channel(View, one_per=(Metadata.channel,)):
    """What the cluster says of one channel."""

    created, created_at = any_of(Created), min_of(Created.time)
    learnt, learnt_at = any_of(Learnt), min_of(Learnt.time)
    deleted, deleted_at = any_of(Deleted), min_of(Deleted.time)
    forgotten, forgotten_at = any_of(Forgotten), min_of(Forgotten.time)
    leaseholder_least, leaseholder_most = min_of(Described.leaseholder), max_of(Described.leaseholder)
    period_least, period_most = min_of(Described.period), max_of(Described.period)
    density_least, density_most = min_of(Described.density), max_of(Described.density)
    knowers = set_of(Learnt.node)
    members, died = Members.at(Members.nodes, JOINED), Members.at(Members.nodes, DIED)


class Key(View, each=(Created.leaseholder, Created.channel, Created.seq), order=BY_KEY):
    """One time that a leaseholder gave out a key, in the order of keys."""

    of_leaseholder = along(Created.leaseholder)

    leaseholder, channel, seq = Created.leaseholder, Created.channel, Created.seq
    channel_before = of_leaseholder.previous(channel)
    seq_before = of_leaseholder.previous(seq)


class Resolution(View, each=(Requested.session, Requested.request, Requested.channel, Requested.seq)):
    """One channel for which an iterator or writer was asked, and where the gateway takes it to be."""

    channel, leaseholder = Requested.channel, Requested.leaseholder
    gateway = Sessions.at(Sessions.gateway, Requested.session)
    opened_at = Sessions.at(Sessions.opened_at, Requested.session)
    learnt = Learnings.at(Learnings.first, Requested.channel, gateway)
    learnt_at = Learnings.at(Learnings.first_at, Requested.channel, gateway)


class Turn(View, each=(Control.channel, Control.turn, Control.seq), order=BY_TURN):
    """One thing that happened to a channel's lock, in the turns that its leaseholder counts."""

    of_channel = along(Control.channel)

    session, holder = Control.session, Control.holder
    authority = LockTaken.authority
    taken, released, refused = known(LockTaken.turn), known(LockReleased.turn), known(LockRefused.turn)
    holder_before, held_before_with = of_channel.previous(holder), of_channel.previous(Control.held_with)


class Hold(View, one_per=(Control.session, Control.channel)):
    """What one writer did with the lock of one channel."""

    taken, released = any_of(LockTaken), any_of(LockReleased)
    refused = known(Refusals.at(Refusals.reason, Control.session))
    closed = known(Closings.at(Closings.request, Control.session))
    cancelled = known(Cancellations.at(Cancellations.request, Control.session))
    gateway = Gateways.at(Gateways.gateway, Control.session)
    died = Members.at(Members.nodes, DIED)

"""Stretches of time in channels: what was stored, what was given, and where nothing was."""

from __future__ import annotations

from spec.language.declare import View, along, any_of, count_of, max_of, min_of, set_of
from spec.segment.events import (
    AtTime,
    Carried,
    Gap,
    Given,
    OnChannel,
    Piece,
    RangeKnown,
    Rejected,
    Sent,
    Stored,
    Submitted,
    Window,
    Written,
)
from spec.segment.orders import BY_TIME
from spec.segment.views.tables import Cancellations, Closings, Creations, Failures, Holders, Requests, Sessions


class Instant(View, one_per=(AtTime.channel, AtTime.start), order=BY_TIME):
    """What begins at one time in one channel."""

    channel, start = AtTime.channel, AtTime.start
    in_channel = along(AtTime.channel)

    stored, stored_last = any_of(Stored), max_of(Stored.last)
    given, given_last = any_of(Given), max_of(Given.last)
    gap, gap_upto = any_of(Gap), max_of(Gap.upto)
    range_known = any_of(RangeKnown)
    period = Creations.at(Creations.period, AtTime.channel)

    segment_last = in_channel.latest(stored_last)
    gap_reaches = in_channel.highest(gap_upto)


class Segment(View, each=(Stored.channel, Stored.start, Stored.seq), order=BY_TIME):
    """One segment that a node stored, in the order of time."""

    channel, start, last, node = Stored.channel, Stored.start, Stored.last, Stored.node
    session, samples, density, turn = Stored.session, Stored.samples, Stored.density, Stored.turn
    in_channel = along(Stored.channel)

    last_before = in_channel.previous(last)
    created_with = Creations.at(Creations.density, Stored.channel)
    period = Creations.at(Creations.period, Stored.channel)
    holder = Holders.at(Holders.holder, Stored.channel, Stored.turn)


class SamePiece(View, one_per=(Piece.channel, Piece.start, Piece.last), order=BY_TIME):
    """All that is said of samples between the same two times of one channel."""

    stored, given = any_of(Stored), any_of(Given)
    digest_least = min_of(Stored.digest, Given.digest)
    digest_most = max_of(Stored.digest, Given.digest)
    samples_least = min_of(Stored.samples, Given.samples)
    samples_most = max_of(Stored.samples, Given.samples)


class Scanned(View, each=(Given.session, Given.scan, Given.channel, Given.start, Given.seq), order=BY_TIME):
    """What one scan gave of one channel, in the order of time."""

    in_scan = along(Given.session, Given.scan, Given.channel)

    start, last = Given.start, Given.last
    last_before = in_scan.previous(last)


class Delivery(View, each=(Given.session, Given.request, Given.channel, Given.seq)):
    """What a caller was given of one channel, in the order of its requests."""

    of_channel = along(Given.session, Given.channel)

    start, last, seq = Given.start, Given.last, Given.seq
    range_start, range_upto = Sessions.at(Sessions.start, Given.session), Sessions.at(Sessions.upto, Given.session)
    seq_before = of_channel.previous(seq)


class Move(View, each=(Window.session, Window.request, Window.channel, Window.seq)):
    """The times that one move covered in one channel, in the order of requests."""

    of_channel = along(Window.session, Window.channel)

    request, start, upto, op, scan = Window.request, Window.start, Window.upto, Window.op, Window.scan
    request_before, scan_before = of_channel.previous(request), of_channel.previous(scan)
    start_before, upto_before = of_channel.previous(start), of_channel.previous(upto)
    op_before = of_channel.previous(op)


class Stretch(View, one_per=(OnChannel.session, OnChannel.request, OnChannel.channel)):
    """What one request read of one channel."""

    given, given_first, given_last = any_of(Given), min_of(Given.start), max_of(Given.last)
    moved, window_start, window_upto = any_of(Window), min_of(Window.start), max_of(Window.upto)


class Submission(View, one_per=(Submitted.session, Submitted.request, Submitted.channel, Submitted.start)):
    """What became of one segment that a writer was given."""

    request = Submitted.request
    written, stored, rejected = any_of(Written), any_of(Stored), any_of(Rejected)
    times, stored_on, rejected_on = count_of(Written), set_of(Stored.node), set_of(Rejected.node)
    digest_least, digest_most = min_of(Written.digest, Stored.digest), max_of(Written.digest, Stored.digest)
    last_least, last_most = min_of(Written.last, Stored.last), max_of(Written.last, Stored.last)
    samples_least = min_of(Written.samples, Stored.samples)
    samples_most = max_of(Written.samples, Stored.samples)
    requested_at = Requests.at(Requests.leaseholder, Submitted.session, Submitted.channel)
    closed_failed = Closings.at(Closings.failed, Submitted.session)
    closed_at_request = Closings.at(Closings.request, Submitted.session)
    cancelled_after = Cancellations.at(Cancellations.request, Submitted.session)


class Storing(View, each=(Stored.session, Stored.request, Stored.channel, Stored.seq)):
    """One segment that a node stored, in the order of requests."""

    of_channel = along(Stored.session, Stored.channel)

    seq = Stored.seq
    seq_before = of_channel.previous(seq)


class Transfer(View, one_per=(Carried.session, Carried.request, Carried.channel, Carried.start)):
    """One piece on its way from a node to the caller."""

    sent, given = any_of(Sent), any_of(Given)
    cancelled_after = Cancellations.at(Cancellations.request, Carried.session)
    failed = Failures.at(Failures.failed, Carried.session)
    closed_failed = Closings.at(Closings.failed, Carried.session)

"""Streaming: appends that a client writes as a stream, of which none is kept without those before it.

Sources: LogDevice, common/Digest.cpp, common/Appender.h and common/WriteStreamRequest.h. A trace that does not record
which appends belong to streams has no instances of these rules.
"""

from __future__ import annotations

from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.log.views import Slot, StreamPlace


@rule(
    "log.stream.nothing_above_a_hole",
    cite="LogDevice, common/Digest.cpp: after the first ESN that is missing or a hole, records of streams become holes",
    promise="recovery",
)
def no_record_of_a_stream_above_a_hole(slot: Slot) -> Bool:
    """No record of a stream is given to a reader above a hole of its epoch, or kept by a recovery that knows of one.

    What a recovery keeps is nothing as soon as it began anew and decided otherwise, or a later one has ended the epoch
    before it.
    """
    hole_stands = known(slot.ended_before_by) & (slot.ended_before_by <= slot.record_by)
    kept_above = slot.record_stands & (hole_stands | known(slot.hole_reported_before))
    given_above = slot.delivered & known(slot.ended_before)
    return (slot.streamed & (slot.kept_as_record | slot.delivered)).implies(~kept_above & ~given_above)


@rule(
    "log.stream.acked_after_all_before",
    cite="LogDevice, common/Appender.h: appends of a stream are acknowledged in the order of ESNs only",
    promise="recovery",
)
def acknowledged_after_all_before(slot: Slot) -> Bool:
    """Of what lies before an acknowledged record of a stream in its epoch, recovery makes neither hole nor bridge."""
    return (slot.streamed & slot.acked).implies(~known(slot.ended_before))


@rule(
    "log.stream.appended_in_order",
    cite="LogDevice, common/WriteStreamRequest.h: a sequencer takes an append of a stream after the one before it",
    promise="sequencers",
)
def appended_in_the_order_of_the_stream(place: StreamPlace) -> Bool:
    """Within an epoch, the LSNs of a client's stream go up one place at a time."""
    both = known(place.place) & known(place.place_before_in_epoch)
    return both.implies(place.place == place.place_before_in_epoch + 1)


@rule(
    "log.stream.nothing_left_out",
    cite="LogDevice, common/WriteStreamRequest.h: a stream goes on from its first append that was not acknowledged",
    promise="sequencers",
)
def what_was_lost_is_written_again(place: StreamPlace) -> Bool:
    """A stream goes on after its last append if that was acknowledged, and else not beyond it: it is written again."""
    next_one = place.acked_before & (place.place == place.place_before + 1)
    goes_on = known(place.place) & known(place.place_before) & ~known(place.place_before_in_epoch)
    return goes_on.implies(next_one | (place.place <= place.place_before))


@rule(
    "log.stream.answered_in_order",
    cite="LogDevice, common/WriteStreamRequest.h: the client of a stream hears of its appends in order",
)
def client_hears_in_order(place: StreamPlace) -> Bool:
    """A client hears of an append of its stream after it heard of the one before it in the same epoch."""
    both = known(place.place) & place.acked & known(place.place_before_in_epoch)
    in_turn = known(place.acked_seq_before) & (place.acked_seq_before < place.acked_seq)
    return both.implies(in_turn)

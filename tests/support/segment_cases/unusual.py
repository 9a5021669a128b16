"""Recordings of segment layers that are legal and look wrong, each with the rule that must not blame it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from spec.segment.events.values import CLOSE, ERROR, NEXT_SPAN, PREV_SPAN
from tests.support.segment_cases.recording import OTHER, Case, Said, said


@dataclass(frozen=True)
class Unusual:
    """One of them.

    Attributes:
        name: what it shows, in a few words.
        rule: the rule that holds of it, and has an instance in it.
        reason: why it holds.
        events: what happened.
        promises: what the header promises.
    """

    name: str
    rule: str
    reason: str
    events: Sequence[Said]
    promises: Sequence[str] = ()

    @property
    def case(self) -> Case:
        """The same as a case in which nothing is changed."""
        return Case(self.rule, self.reason, "", self.events, lambda same: same, self.promises)


CREATED: Final = said("channel_created")
SEGMENT: Final = said("stored", last=50, samples=5)
OPENED: Final = (
    said("acknowledged", request=0, about=0),
    said("acknowledged", request=0, about=0, node=2),
    said("opened", parts_on=[1, 2]),
)
LATER: Final = {"session": 2, "request": 9}

UNUSUAL: Final = (
    Unusual(
        "segment_span_between_samples",
        "segment.read.no_sample_missed",
        "A span that falls between two samples is empty, and the scan goes on with the next sample.",
        [
            CREATED,
            SEGMENT,
            said("given", last=20, samples=2),
            said("gap", start=21, upto=30),
            said("given", request=3, start=30, last=50, digest=8),
        ],
        ["settled"],
    ),
    Unusual(
        "segment_of_one_sample",
        "segment.store.keeps_its_rate",
        "A segment of one sample lies a period before the next one.",
        [CREATED, said("stored", last=10, samples=1), said("stored", request=2, start=20, last=40)],
    ),
    Unusual(
        "segment_channel_without_a_rate",
        "segment.store.has_density",
        "Samples of a channel that has no rate lie at any distance from each other.",
        [said("channel_created", period=0), said("stored", samples=2, last=1000)],
    ),
    Unusual(
        "segment_false_though_one_node_had_data",
        "segment.ack.merged_by_all",
        "One of two nodes answers false, so the call does, and its caller is given what the other node had.",
        [
            *OPENED,
            said("called"),
            said("acknowledged"),
            said("acknowledged", node=2),
            said("returned"),
            said("called", request=2, op=NEXT_SPAN),
            said("acknowledged", request=2, about=2),
            said("acknowledged", request=2, about=2, node=2, ok=0),
            said("given", request=2),
            said("returned", request=2, ok=0),
        ],
        ["answers_all"],
    ),
    Unusual(
        "segment_node_dies_before_its_part_closes",
        "segment.close.waits_for_parts",
        "A node dies, so its part never closes, and Close returns all the same.",
        [
            said("opened", parts_on=[1, 2]),
            said("part_opened"),
            said("part_opened", node=2),
            said("membership", node=2, what=2),
            said("part_closed"),
            said("closed", failed=1),
        ],
    ),
    Unusual(
        "segment_gateway_dies_while_closing",
        "segment.close.ends",
        "The gateway of one iterator dies, so its Close never returns; that of another returns.",
        [
            said("opened"),
            said("opened", session=2, gateway=2),
            said("called", request=9, op=CLOSE),
            said("called", op=CLOSE, **LATER),
            said("membership", what=2),
            said("closed", **LATER),
        ],
        ["quiet"],
    ),
    Unusual(
        "segment_request_with_two_segments_of_a_channel",
        "segment.write.as_sent",
        "One request holds two segments of one channel.",
        [
            said("written"),
            said("written", start=40, last=60, digest=8),
            said("stored"),
            said("stored", start=40, last=60, digest=8),
        ],
    ),
    Unusual(
        "segment_stored_while_it_is_cancelled",
        "segment.close.stores_no_more",
        "A writer is cancelled while its last segment is under way, which is stored all the same.",
        [said("written"), said("cancelled", session=2), said("stored")],
    ),
    Unusual(
        "segment_sent_twice_in_one_request",
        "segment.write.stored_or_rejected",
        "One request holds the same segment twice, and the second time its node rejects it.",
        [said("written"), said("written"), said("stored"), said("rejected")],
    ),
    Unusual(
        "segment_given_from_the_middle",
        "segment.read.is_stored",
        "A span begins after a segment does and ends before it.",
        [SEGMENT, said("window", start=15, upto=45), said("given", start=20, last=40)],
    ),
    Unusual(
        "segment_scan_back",
        "segment.window.adjacent",
        "Spans that are read back end where the one before began, across a gap between segments.",
        [
            CREATED,
            said("stored"),
            said("stored", request=2, start=60, last=80, digest=8),
            said("window", start=50, upto=90, op=PREV_SPAN),
            said("window", request=2, start=5, upto=50, op=PREV_SPAN),
            said("given", start=60, last=80, digest=8),
            said("given", request=2),
            said("gap", upto=60),
        ],
        ["settled"],
    ),
    Unusual(
        "segment_given_again_by_another_scan",
        "segment.read.once",
        "A caller seeks back and is given the same samples once more, by another scan.",
        [said("given"), said("given", request=2, start=40, last=60, digest=8), said("given", request=4, scan=2)],
    ),
    Unusual(
        "segment_cancelled_while_data_is_under_way",
        "segment.read.nothing_dropped",
        "What was under way to a caller that cancels is lost; another caller is given all.",
        [said("sent"), said("cancelled"), said("sent", session=2), said("given", session=2)],
        ["quiet"],
    ),
    Unusual(
        "segment_writer_cancelled_and_then_closed",
        "segment.write.accepted_is_stored",
        "What a writer was given before it was cancelled is aborted, though its Close returns without an error.",
        [
            said("written"),
            said("cancelled"),
            said("closed"),
            said("written", session=2),
            said("stored", session=2),
            said("closed", session=2),
        ],
        ["quiet"],
    ),
    Unusual(
        "segment_failed_while_data_is_under_way",
        "segment.read.nothing_dropped",
        "What was under way is lost when an iterator fails; another caller is given all.",
        [
            said("called"),
            said("sent"),
            said("returned", ok=0, failed=1),
            said("sent", session=2),
            said("given", session=2),
        ],
        ["quiet"],
    ),
    Unusual(
        "segment_equal_authority_waits",
        "segment.control.by_authority",
        "A writer with the same authority as the holder is open and does not take over.",
        [said("lock_taken"), said("lock_taken", session=2, turn=2, holder=1)],
        ["authority"],
    ),
    Unusual(
        "segment_closed_twice",
        "segment.close.nothing_after",
        "A second Close returns as the first did, and a move after both answers false.",
        [
            said("closed", request=2),
            said("called", request=3, op=CLOSE),
            said("returned", request=3),
            said("called", request=4, op=NEXT_SPAN),
            said("returned", request=4, ok=0, failed=1),
        ],
    ),
    Unusual(
        "segment_acknowledged_after_the_call_failed",
        "segment.ack.is_of_its_request",
        "An acknowledgement comes after its call has failed, and counts for no other.",
        [*OPENED, said("called"), said("acknowledged"), said("returned", ok=0, failed=1), said("acknowledged", node=2)],
    ),
    Unusual(
        "segment_gateway_has_a_part",
        "segment.open.where_channels_are",
        "The gateway leads one of the channels, and so has a part of its own.",
        [
            said("channel_requested", channel=1, leaseholder=0),
            said("channel_requested", channel=OTHER, leaseholder=2),
            said("opened", parts_on=[0, 2]),
        ],
    ),
    Unusual(
        "segment_error_told_three_times",
        "segment.error.is_told_if_there_is_one",
        "A move, Error and Close all tell of the same error.",
        [
            said("called", op=NEXT_SPAN),
            said("returned", ok=0, failed=1),
            said("called", request=2, op=ERROR),
            said("returned", request=2, ok=0, failed=1),
            said("closed", failed=1),
        ],
    ),
    Unusual(
        "segment_learnt_late_elsewhere",
        "segment.open.knows_its_channels",
        "Another node learns of a channel after an iterator of it was opened, through a gateway that knew.",
        [CREATED, said("channel_learnt"), said("channel_requested"), said("opened"), said("channel_learnt", node=2)],
    ),
)

"""Cases of the rules on what callers of iterators are given."""

from __future__ import annotations

from typing import Final

from spec.segment.events.values import NEXT, PREV, PREV_SPAN
from tests.support.segment_cases.recording import Case, but, moved, said

CASES: Final = (
    Case(
        "segment.read.in_range",
        "The last sample lies before the range ends.",
        "A sample is given at the very end of the range, which is not in it.",
        [said("opened", upto=31), said("given")],
        but(0, upto=30),
    ),
    Case(
        "segment.read.in_window",
        "A move gives what lies in its span.",
        "A move gives a sample before its span.",
        [said("window", start=10), said("given")],
        but(0, start=15),
    ),
    Case(
        "segment.window.adjacent",
        "Spans of different length follow one another.",
        "A span begins after the one before it ended.",
        [said("window"), said("window", request=2, start=40, upto=45), said("window", request=3, start=45, upto=90)],
        but(2, start=50),
    ),
    Case(
        "segment.move.is_inverse",
        "Prev after Next covers the same segment.",
        "Prev after Next covers less than Next did.",
        [said("window", op=NEXT), said("window", request=2, op=PREV, scan=2)],
        but(1, start=20),
        promises=["moves_inverse"],
    ),
    Case(
        "segment.read.is_stored",
        "Samples are given from the middle of a segment.",
        "Samples are given that go on after the segment ends.",
        [said("stored", last=90, samples=9), said("given", start=20, last=40)],
        but(1, last=100, samples=9),
    ),
    Case(
        "segment.read.as_stored",
        "The bytes of a segment are given as they were stored.",
        "Other bytes are given than were stored.",
        [said("stored"), said("given")],
        but(1, digest=8),
    ),
    Case(
        "segment.read.once",
        "A scan gives one piece after the other.",
        "A scan gives the last sample of a piece once more.",
        [said("given"), said("given", request=2, start=40, last=60)],
        but(1, start=30, last=50),
    ),
    Case(
        "segment.read.no_segment_missed",
        "A scan gives nothing from the end of a segment to the begin of the next.",
        "A scan goes on over a segment and gives nothing of it.",
        [said("stored"), said("stored", request=2, start=60, last=80, digest=8), said("gap", upto=60)],
        but(2, upto=100),
        promises=["settled"],
    ),
    Case(
        "segment.read.no_sample_missed",
        "A span that falls between two samples gives nothing.",
        "After a span that fell between two samples, the rest of the segment is not given.",
        [said("channel_created"), said("stored", last=50, samples=5), said("gap", start=21, upto=30)],
        but(2, upto=50),
        promises=["settled"],
    ),
    Case(
        "segment.read.in_request_order",
        "The data of the first request arrive before those of the second.",
        "The data of the second request overtake those of the first.",
        [said("given"), said("given", request=2, start=40, last=60)],
        moved(0, 1),
    ),
    Case(
        "segment.window.adjacent",
        "Spans that are read back touch one another.",
        "A span that is read back overlaps the one after it.",
        [said("window", op=PREV_SPAN), said("window", request=2, start=-50, upto=0, op=PREV_SPAN)],
        but(1, upto=10),
    ),
)

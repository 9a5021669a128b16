"""Cases of the rules on calls and their acknowledgements."""

from __future__ import annotations

from typing import Final

from spec.segment.events.values import ERROR, NEXT_SPAN
from tests.support.segment_cases.recording import FIRST, OTHER, Case, but, moved, said, without

OPENING: Final = (
    said("acknowledged", request=0, about=0),
    said("acknowledged", request=0, about=0, node=2),
    said("opened", parts_on=[1, 2]),
)
"""An iterator is opened on two nodes."""

SEEK: Final = (said("called"), said("returned"))
"""A seek that finds something."""

CASES: Final = (
    Case(
        "segment.call.all_acknowledge",
        "A call returns once both nodes acknowledged it.",
        "A call returns before the second of two nodes acknowledged it.",
        [*OPENING, said("called"), said("acknowledged"), said("acknowledged", node=2), said("returned")],
        moved(5, 6),
    ),
    Case(
        "segment.ack.is_of_its_request",
        "An acknowledgement of the second request counts for the second.",
        "A late acknowledgement of the first request counts for the second.",
        [said("acknowledged", request=2, about=2)],
        but(0, about=1),
    ),
    Case(
        "segment.ack.merged_by_all",
        "One node answers false, and so does the call, whose acknowledgements came false first.",
        "The last acknowledgement to arrive decides: one of two nodes answered false.",
        [*OPENING, said("called"), said("acknowledged", ok=0), said("acknowledged", node=2), said("returned", ok=0)],
        but(6, ok=1),
        promises=["answers_all"],
    ),
    Case(
        "segment.ack.merged_by_any",
        "One node answers true, and so does the call, whose acknowledgements came true first.",
        "The last acknowledgement to arrive decides: one of two nodes answered true.",
        [*OPENING, said("called"), said("acknowledged"), said("acknowledged", node=2, ok=0), said("returned")],
        but(6, ok=0),
        promises=["answers_any"],
    ),
    Case(
        "segment.ack.after_data",
        "A node sends the data of a request, and then acknowledges it.",
        "A node acknowledges a request, and only then sends its data.",
        [said("sent"), said("acknowledged")],
        moved(0, 1),
        promises=["data_before_answers"],
    ),
    Case(
        "segment.call.reaches_every_node",
        "Both nodes of an iterator execute a request that is answered.",
        "A request is answered that one of two nodes never executed.",
        [said("opened", parts_on=[1, 2]), said("called"), said("executed"), said("executed", node=2), said("returned")],
        without(3),
    ),
    Case(
        "segment.call.executed_in_order",
        "A node executes the first request and then the second.",
        "A node executes the second request and then the first.",
        [said("executed"), said("executed", request=2)],
        moved(0, 1),
    ),
    Case(
        "segment.call.one_at_a_time",
        "The second call is made after the first has returned.",
        "The second call is made while the first is under way.",
        [said("called"), said("returned"), said("called", request=2), said("returned", request=2)],
        moved(1, 2),
    ),
    Case(
        "segment.call.returns",
        "A call on two nodes that live returns.",
        "A call on two nodes that live never returns.",
        [
            *OPENING,
            said("called"),
            said("acknowledged"),
            said("acknowledged", node=2),
            said("returned"),
            said("called", request=2),
            said("acknowledged", request=2, about=2),
            said("acknowledged", request=2, about=2, node=2),
            said("returned", request=2),
        ],
        without(10),
        promises=["quiet"],
    ),
    Case(
        "segment.call.returns_when_a_node_dies",
        "A call returns false with an error when one of its nodes dies before it acknowledges.",
        "A call hangs when one of its nodes dies before it acknowledges.",
        [
            *OPENING,
            said("called"),
            said("acknowledged"),
            said("membership", node=2, what=2),
            said("returned", ok=0, failed=1),
            said("called", request=2),
            said("returned", request=2, ok=0, failed=1),
        ],
        without(8),
        promises=["quiet"],
    ),
    Case(
        "segment.call.false_gives_nothing",
        "A move that finds nothing answers false, and its caller is given nothing.",
        "A move answers false, and its caller is given data for it.",
        [
            said("called", op=NEXT_SPAN),
            said("returned", ok=0),
            said("called", request=2, op=NEXT_SPAN),
            said("given", request=2),
        ],
        but(3, request=1),
    ),
    Case(
        "segment.call.true_gives_data",
        "A move answers true, and its caller is given data for it.",
        "A move answers true, and its caller is never given anything.",
        [
            *SEEK,
            said("called", request=2, op=NEXT_SPAN),
            said("returned", request=2),
            said("given", request=2),
            said("called", request=3, op=NEXT_SPAN),
            said("returned", request=3),
            said("given", request=3, start=40, last=60),
        ],
        without(7),
        promises=["quiet"],
    ),
    Case(
        "segment.call.seek_gives_nothing",
        "A seek gives nothing, and the move after it does.",
        "A seek gives the segment that it finds.",
        [*SEEK, said("called", request=2, op=NEXT_SPAN), said("given", request=2), said("returned", request=2)],
        but(3, request=1),
    ),
    Case(
        "segment.call.needs_a_position",
        "A move before any seek answers false.",
        "A move before any seek answers true.",
        [said("called", op=NEXT_SPAN), said("returned", ok=0)],
        but(1, ok=1),
    ),
    Case(
        "segment.error.is_fatal",
        "After an error, a seek answers false, and tells of an error again.",
        "After an error, a seek answers true as if there had been none.",
        [
            said("called", op=NEXT_SPAN),
            said("returned", ok=0, failed=1),
            said("called", request=2),
            said("returned", request=2, ok=0, failed=1),
        ],
        but(3, ok=1, failed=0),
        promises=["errors_are_fatal"],
    ),
    Case(
        "segment.error.is_told_if_there_is_one",
        "A move fails, and Error tells of it.",
        "A move fails, and Error tells of none.",
        [
            said("called", op=NEXT_SPAN),
            said("returned", ok=0, failed=1),
            said("called", request=2, op=ERROR),
            said("returned", request=2, ok=0, failed=1),
        ],
        but(3, failed=0),
    ),
    Case(
        "segment.call.same_everywhere",
        "A call is answered alike for local and for remote channels.",
        "A call gives fewer samples where one of the channels is remote.",
        [said("returned", script=1, given=6), said("returned", session=2, script=1, given=6)],
        but(1, given=3),
    ),
    Case(
        "segment.read.is_acknowledged",
        "Data come from the two nodes that acknowledged the request.",
        "Data come from a node that did not acknowledge the request.",
        [
            said("acknowledged"),
            said("acknowledged", node=2),
            said("given"),
            said("given", node=2, channel=OTHER),
            said("returned"),
        ],
        but(3, node=0, channel=FIRST),
    ),
    Case(
        "segment.read.nothing_dropped",
        "The caller is given both pieces that a node sent.",
        "One of two pieces that a node sent is dropped on the way to a slow caller.",
        [
            said("sent"),
            said("sent", start=40, last=60, digest=8),
            said("given"),
            said("given", start=40, last=60, digest=8),
        ],
        without(3),
        promises=["quiet"],
    ),
)

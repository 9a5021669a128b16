"""Cases of the rules on who may write, and on what becomes of what is written."""

from __future__ import annotations

from typing import Final

from tests.support.segment_cases.recording import OTHER, Case, but, moved, said, without

TAKEN: Final = said("lock_taken")
GIVEN_UP: Final = said("lock_released")
TAKEN_NEXT: Final = said("lock_taken", session=2, turn=3, holder=2)

CASES: Final = (
    Case(
        "segment.lock.one_writer",
        "A writer takes the lock after another gave it up.",
        "A writer takes the lock while another holds it.",
        [TAKEN, GIVEN_UP, TAKEN_NEXT],
        without(1),
        promises=["lock"],
    ),
    Case(
        "segment.lock.given_up_by_its_holder",
        "The writer that holds the lock gives it up.",
        "A writer gives up a lock that another one holds.",
        [TAKEN, GIVEN_UP],
        but(1, session=2),
        promises=["lock"],
    ),
    Case(
        "segment.lock.refused_while_held",
        "A second writer is refused while the first holds the lock.",
        "A writer is refused though nobody holds the lock.",
        [TAKEN, GIVEN_UP, TAKEN_NEXT, said("lock_refused", session=3, turn=4, holder=2)],
        without(2),
        promises=["lock"],
    ),
    Case(
        "segment.lock.is_given_up",
        "The lock of a writer whose gateway died is given up.",
        "The lock of a writer whose gateway died is held for ever.",
        [
            said("open_asked"),
            said("opened"),
            said("lock_taken"),
            said("membership", what=2),
            said("lock_released"),
            said("lock_taken", session=2, turn=3, holder=2),
            said("lock_released", session=2, turn=4),
        ],
        without(4),
        promises=["quiet"],
    ),
    Case(
        "segment.control.by_authority",
        "A writer with more authority takes the channel over at once.",
        "A writer with less authority takes the channel over.",
        [TAKEN, said("lock_taken", session=2, turn=2, authority=201, holder=2, held_with=201)],
        but(1, authority=199, held_with=199),
        promises=["authority"],
    ),
    Case(
        "segment.control.only_holder_stores",
        "The writer that holds the channel has its segment stored.",
        "A segment is stored of a writer that another one has taken over from.",
        [said("lock_taken"), said("stored", session=1, turn=1)],
        but(1, session=2),
    ),
    Case(
        "segment.write.only_its_channels",
        "A segment is stored of the channel that the writer was opened for.",
        "A segment is stored of a channel that the writer was not opened for.",
        [said("channel_requested", session=2), said("written"), said("stored")],
        lambda events: [
            events[0],
            *(
                {**event, "channel": OTHER, "node": 2} if event["kind"] == "stored" else {**event, "channel": OTHER}
                for event in events[1:]
            ),
        ],
    ),
    Case(
        "segment.write.in_order_sent",
        "A node stores the segments of a channel as they were sent.",
        "A node stores the second segment of a channel before the first.",
        [said("stored"), said("stored", request=2, start=40, last=60)],
        moved(0, 1),
    ),
    Case(
        "segment.write.as_sent",
        "All three samples of a segment are stored.",
        "Two of three samples of a segment are stored.",
        [said("written"), said("stored")],
        but(1, samples=2, last=20),
    ),
    Case(
        "segment.write.stored_or_rejected",
        "Of two segments a node stores one and rejects the other.",
        "A node stores a segment and rejects it, too.",
        [said("written"), said("stored"), said("written", request=2), said("rejected", request=2)],
        but(3, request=1),
    ),
    Case(
        "segment.write.errors_are_told",
        "The caller is told of an error on another node.",
        "The caller is not told of an error on another node.",
        [said("rejected"), said("error_told"), said("rejected", request=2), said("error_told", request=2)],
        without(3),
        promises=["quiet"],
    ),
    Case(
        "segment.write.accepted_is_stored",
        "A writer closes without an error, and all that it was given is stored.",
        "A writer closes without an error, and a segment that it was given is nowhere.",
        [
            said("written"),
            said("stored"),
            said("written", request=2, start=40, last=60, digest=8),
            said("stored", request=2, start=40, last=60, digest=8),
            said("closed", session=2),
        ],
        without(3),
        promises=["quiet"],
    ),
    Case(
        "segment.write.confirmed_is_stored",
        "A write returns true and is stored.",
        "A write returns true and is not stored.",
        [
            said("written"),
            said("stored"),
            said("returned", session=2),
            said("written", request=2, start=40, last=60),
            said("stored", request=2, start=40, last=60),
            said("returned", session=2, request=2),
        ],
        without(4),
        promises=["confirms"],
    ),
    Case(
        "segment.write.all_or_nothing",
        "Segments of two channels are written by one request, and both are stored.",
        "Of two segments of one request one is stored, and the other refused by its node.",
        [said("written"), said("written", channel=OTHER), said("stored"), said("stored", channel=OTHER, node=2)],
        lambda events: [*events[:3], said("rejected", channel=OTHER, node=2)],
        promises=["atomic_requests"],
    ),
)

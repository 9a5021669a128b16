"""Cases of the rules on how iterators and writers are opened, and how they end."""

from __future__ import annotations

from typing import Final

from spec.segment.events.values import CLOSE, NEXT
from tests.support.segment_cases.recording import OTHER, Case, and_then, but, moved, said, without

ACKED: Final = said("acknowledged", request=0, about=0)
CLOSING: Final = said("called", request=9, op=CLOSE)

CASES: Final = (
    Case(
        "segment.open.knows_its_channels",
        "The gateway learnt of the channel before it opened an iterator of it.",
        "Only another node knows of the channel for which the gateway opens an iterator.",
        [said("channel_created"), said("channel_learnt"), said("channel_requested"), said("opened")],
        but(1, node=2),
    ),
    Case(
        "segment.open.resolves",
        "The gateway finds the leaseholder in the key.",
        "The gateway takes a remote channel for one of its own.",
        [said("channel_requested")],
        but(0, leaseholder=0),
    ),
    Case(
        "segment.open.where_channels_are",
        "Channels of two nodes make a part on each, and none on the gateway.",
        "A part is opened on the gateway, which leads none of the channels.",
        [
            said("channel_requested"),
            said("channel_requested", channel=OTHER, leaseholder=2),
            said("opened", parts_on=[1, 2]),
        ],
        but(2, parts_on=[0, 1, 2]),
    ),
    Case(
        "segment.open.acknowledged",
        "An iterator is given to its caller once its one node acknowledged the opening.",
        "An iterator is given to its caller before its node acknowledged the opening.",
        [ACKED, said("opened")],
        moved(0, 1),
    ),
    Case(
        "segment.open.locks_first",
        "The lock is taken, and then the part of the writer is opened.",
        "A part of a writer is opened before the lock is taken.",
        [said("lock_taken"), said("part_opened")],
        moved(0, 1),
        promises=["lock"],
    ),
    Case(
        "segment.open.ends",
        "Of two writers of the same channel one is opened and one refused.",
        "A writer of a channel that another one holds is neither opened nor refused.",
        [said("open_asked"), said("opened"), said("open_asked", session=2), said("open_refused", session=2)],
        without(3),
        promises=["quiet"],
    ),
    Case(
        "segment.open.refusal_leaves_nothing",
        "A part that was opened is closed again when another node refuses.",
        "A part that was opened stays when another node refuses.",
        [
            said("part_opened"),
            said("open_refused"),
            said("part_closed"),
            said("part_opened", session=2),
            said("part_closed", session=2),
        ],
        without(2),
        promises=["quiet"],
    ),
    Case(
        "segment.open.refusal_frees_locks",
        "The lock of one channel is given up when that of another is refused.",
        "The lock of one channel is kept when that of another is refused.",
        [
            said("lock_taken"),
            said("open_refused"),
            said("lock_released"),
            said("lock_taken", session=2, turn=3, holder=2),
            said("lock_released", session=2, turn=4),
        ],
        without(2),
        promises=["quiet"],
    ),
    Case(
        "segment.close.waits_for_parts",
        "An iterator is closed once both its parts are.",
        "Close returns while a part is open on another node.",
        [
            said("opened", parts_on=[1, 2]),
            said("part_opened"),
            said("part_opened", node=2),
            said("part_closed"),
            said("part_closed", node=2),
            said("closed"),
        ],
        moved(4, 5),
    ),
    Case(
        "segment.close.waits_for_data",
        "The caller is given the last data, and then Close returns.",
        "The caller is given data after Close returned.",
        [said("given"), said("closed")],
        moved(0, 1),
    ),
    Case(
        "segment.output.closes_once",
        "The output of an iterator closes.",
        "The output of an iterator closes twice.",
        [said("output_closed")],
        and_then(said("output_closed")),
    ),
    Case(
        "segment.output.closes_last",
        "The output closes after the last data.",
        "Data come through an output that closed.",
        [said("given"), said("output_closed")],
        moved(0, 1),
    ),
    Case(
        "segment.error.close_tells",
        "Close returns the error that a call returned.",
        "Close returns no error though a call did.",
        [said("called"), said("returned", ok=0, failed=1), said("closed", failed=1)],
        but(2, failed=0),
    ),
    Case(
        "segment.close.ends",
        "Close is called and returns.",
        "Close is called and never returns.",
        [CLOSING, said("closed"), said("called", session=2, request=9, op=CLOSE), said("closed", session=2)],
        without(1),
        promises=["quiet"],
    ),
    Case(
        "segment.close.was_asked",
        "An iterator is closed whose caller called Close, and a writer whose input was closed.",
        "A writer is closed whose input was never closed.",
        [CLOSING, said("closed"), said("written"), said("requests_closed", session=2), said("closed", session=2)],
        without(3),
    ),
    Case(
        "segment.close.in_order",
        "Input, part and responses of a writer close, and then Close returns.",
        "The responses of a writer close before its part does.",
        [said("requests_closed"), said("part_closed"), said("output_closed"), said("closed")],
        moved(2, 1),
    ),
    Case(
        "segment.cancel.frees",
        "A node closes its part of an iterator that is cancelled.",
        "A node keeps its part of an iterator that was cancelled.",
        [
            said("part_opened"),
            said("cancelled"),
            said("part_closed"),
            said("part_opened", session=2),
            said("part_closed", session=2),
        ],
        without(2),
        promises=["quiet"],
    ),
    Case(
        "segment.close.nothing_after",
        "A call after Close answers false, with an error.",
        "A call after Close answers true.",
        [said("closed", request=2), said("called", request=3, op=NEXT), said("returned", request=3, ok=0, failed=1)],
        but(2, ok=1, failed=0),
    ),
    Case(
        "segment.close.stores_no_more",
        "A segment is stored of a writer that closes afterwards.",
        "A segment is stored that was given to a writer after it closed.",
        [said("written"), said("stored"), said("closed", session=2, request=2)],
        lambda events: [said("written", request=3), said("stored", request=3), events[2]],
    ),
    Case(
        "segment.shutdown.waits",
        "A node has shut down after its iterator was closed.",
        "A node has shut down while an iterator is open at it.",
        [said("opened"), said("closed"), said("shut_down")],
        moved(1, 2),
    ),
)

"""Trimming: what a log's owner wants no more is deleted, and readers are told so.

Sources: LogDevice, Recovery, Log recovery: content stays immutable until it is trimmed; common/protocol/TRIM_Message.h;
server/read_path/LogStorageState.h for trim points, CatchupOneStream.cpp for what readers are told. That nothing trimmed
is sent the message's text asks; the code may send what it had read: the former is the variant ``written``.
"""

from __future__ import annotations

from spec.events import TRIM, Scattered
from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.log.released import came_by, is_released_by
from spec.log.views import NodeSlot, Slot, Step


@rule(
    "log.trim.as_asked",
    cite="LogDevice, common/protocol/TRIM_Message.h: nodes trim up to the LSN that the request names",
)
def nodes_trim_what_was_asked(slot: Slot) -> Bool:
    """A node trims a log no further than its owner had asked."""
    asked = known(slot.next_trim) & came_by(slot.covering_trim, slot.next_untimed_trim, slot.trimmed_at)
    return slot.trimmed.implies(asked)


@rule(
    "log.trim.point_rises",
    cite="LogDevice, server/read_path/LogStorageState.h, updateTrimPoint: one that is further already stays",
    spares=(Scattered,),
)
def trim_point_never_goes_back(here: NodeSlot) -> Bool:
    """A node's trim point never goes back."""
    first = here.trimmed_before == here.trimmed_first
    return known(here.trimmed_first).implies(first | (here.trimmed_before.when(here.seen_by_one) <= here.trimmed_first))


@rule(
    "log.trim.only_recovered",
    cite="LogDevice, Recovery, Log recovery: once recovered, the content of an epoch is immutable until it is trimmed",
    promise="recovery",
)
def only_what_is_settled_is_trimmed(slot: Slot) -> Bool:
    """Nodes trim only what is released or in a clean epoch: a recovery would take for a hole what it looks for."""
    clean = known(slot.epoch_cleaned_by) & slot.epoch_cleaned_at.not_after(slot.trimmed_at)
    return slot.trimmed.implies(is_released_by(slot, slot.trimmed_at) | clean)


@rule(
    "log.trim.sends_nothing_trimmed",
    cite="LogDevice, common/protocol/TRIM_Message.h: once acknowledged, nothing up to it should be delivered",
    promise="trims_as_written",
    variant="written",
    spares=(Scattered,),
)
def nothing_trimmed_is_sent(here: NodeSlot) -> Bool:
    """A node sends no record up to its trim point once it is that.

    As shipped, what was read for a reader before that may be sent all the same: server/read_path/CatchupOneStream.cpp.
    """
    return (here.sent & known(here.trim)).implies(here.sent_last.when(here.seen_by_one) < here.trim)


@rule(
    "log.trim.gap_is_trimmed",
    cite="LogDevice, common/client_read_stream/ClientReadStream.cpp: the trim point is the highest that a node told of",
    promise="gap_reports",
)
def trim_gap_was_trimmed(step: Step) -> Bool:
    """A reader is told that something was trimmed only where some node has trimmed it."""
    return step.reason.is_(TRIM).implies(known(step.trimmed_upto) & (step.upto <= step.trimmed_upto))

"""Staging: copysets with more members than copies, of which the first are to have the record and the last are not.

Source: LogDevice, Single Copy Delivery, Appender stages. A trace that does not record when appends may be released, and
who is told to delete copies, has no instances of these rules.
"""

from __future__ import annotations

from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.log.released import is_before_release
from spec.log.replication import can_replicate
from spec.log.views import Dismissal, Slot

STAGES = "LogDevice, Single Copy Delivery, "


@rule(
    "log.stages.enough_keep_it",
    cite=STAGES + "Sync-leader stage: a DELETE is sent when others before it have the record",
    promise="copies",
)
def enough_others_keep_it(dismissal: Dismissal) -> Bool:
    """A node is told to delete its copy only when enough others have one, none of whom is told so."""
    others = can_replicate(dismissal.kept, dismissal.replication) & (dismissal.kept & dismissal.told).is_empty()
    return (~dismissal.told.is_empty()).implies(others)


@rule(
    "log.stages.acked_is_kept",
    cite=STAGES + "Appender stages: of R + X members X will not end up storing the record, so R will",
    promise="copies",
)
def acknowledged_is_kept_by_enough(slot: Slot) -> Bool:
    """An acknowledged record lies on a valid copyset of nodes that were not told to delete it, or stored it again."""
    left = (slot.copies - slot.dismissed) | slot.held_again | slot.recovered_on
    return (slot.acked & ~slot.dismissed.is_empty()).implies(can_replicate(left, slot.replication))


@rule(
    "log.stages.leaders_have_it",
    cite=STAGES + "Sync-leader stage: the left-most recipients that must have their copy before it can be released",
    promise="release",
)
def leaders_have_what_may_be_released(slot: Slot) -> Bool:
    """A record may be released when its leaders have stored it; they are among those that are to have it."""
    return slot.retired.implies((slot.leaders <= slot.led_by) & (slot.leaders <= slot.stay))


@rule(
    "log.stages.leaders_keep_it",
    cite=STAGES + "Appender stages: the first node indices in a record's copyset must store a copy for sure",
    promise="copies",
)
def leaders_keep_their_copies(slot: Slot) -> Bool:
    """The leaders of a record have copies, and none of them is told to delete its own, or it has one again."""
    return slot.retired.implies(slot.leaders <= ((slot.copies - slot.dismissed) | slot.held_again))


@rule(
    "log.stages.released_when_led",
    cite=STAGES + "Sync-leader stage: it is released for delivery, that is, the appender retires, after that stage",
    promise="release",
)
def released_after_its_leaders_have_it(slot: Slot) -> Bool:
    """A record that no recovery touched is released only after its leaders have it."""
    settled = slot.mutated | known(slot.bridge_before)
    in_time = slot.retired & is_before_release(slot, slot.retired_at)
    staged = slot.appended & known(slot.first_retired) & known(slot.next_release)
    return staged.implies(settled | in_time)


@rule(
    "log.stages.deleted_before_release",
    cite=STAGES
    + "Leader redundancy stage; LogDevice, Read path, Gap detection algorithm: who denied a record has none",
    promise="copies",
)
def nothing_is_deleted_after_release(slot: Slot) -> Bool:
    """Copies of a record that no recovery touched are deleted only before it is released.

    After that, readers may have been told by a late leader that it has none, and would be told so by the extra, too.
    """
    settled = slot.mutated | known(slot.bridge_before)
    told = ~slot.dismissed.is_empty() & known(slot.next_release)
    return told.implies(settled | is_before_release(slot, slot.dismissed_at))


@rule(
    "log.stages.no_extra_stays",
    cite=STAGES + "Leader redundancy stage: as a result, a DELETE will be sent to the last one that is not needed",
    promise="placement",
)
def extras_are_told_to_delete(slot: Slot) -> Bool:
    """When all nodes that are to have a record do, every other one that has it is told to delete it."""
    return (slot.retired & (slot.stay <= slot.led_by)).implies((slot.led_by - slot.stay) <= slot.dismissed)


@rule(
    "log.stages.empty_is_elsewhere",
    cite="LogDevice, Read path, Authoritative Status: the node was down and the records have been copied elsewhere",
    promise="rebuilding",
)
def records_with_deleted_extras_lie_elsewhere(slot: Slot) -> Bool:
    """When a node is empty, an acknowledged record of which extras were deleted lies on others, unless trimmed.

    What a node erased because it was told to is no loss, and no copy either, until it is stored there again.
    """
    lost = slot.erased - slot.dismissed
    held = ~slot.dismissed.is_empty() & ~lost.is_empty() & (lost <= slot.emptied)
    covered = known(slot.emptied_upto) & (slot.lsn <= slot.emptied_upto)
    kept = (slot.copies - slot.erased) | slot.held_again | (slot.recovered_on - lost)
    left = kept | slot.rebuilt_on | slot.renamed_on
    wanted = slot.acked & ~known(slot.next_trim)
    return (wanted & covered & held).implies(can_replicate(left, slot.replication))

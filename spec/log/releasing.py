"""Releasing: when records may be read.

Sources: LogDevice, Read path (How reads happen) and Recovery (Sequencer activation); common/Sequencer.cpp.
"""

from __future__ import annotations

from spec.events import Clean, Planned, StatusTable
from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.log.quorum import is_f_majority
from spec.log.released import is_before_release, is_released_by
from spec.log.replication import can_replicate
from spec.log.views import Slot


def is_left_open(slot: Slot) -> Bool:
    """Recovery finished the epoch before the release and said nothing here, where nobody whom it heard had a copy.

    It plugs no hole unless it heard an f-majority: what lay on nodes whose data is lost is no hole, but a loss.
    """
    nonempty = slot.nodeset - slot.empty_then
    authoritative = nonempty - slot.underreplicated_then
    may_plug = is_f_majority(slot.heard, nonempty, authoritative, slot.replication)
    unheard = known(slot.cleaning_planned) & (slot.holders & slot.heard).is_empty() & ~may_plug
    return ~slot.mutated & unheard & is_before_release(slot, slot.epoch_cleaned_at)


@rule(
    "log.release.is_replicated",
    cite="LogDevice, Read path, How reads happen: nodes only deliver records up to the last known good pointer",
    promise="release",
    spares=(Clean, Planned, StatusTable),
)
def released_is_replicated(slot: Slot) -> Bool:
    """Every LSN below a release that was appended lies on a valid copyset, as a record or as what recovery made of it.

    What lies after an epoch's bridge was never read and need not, nor what a recovery without authority left open.
    """
    kept = can_replicate(slot.holders, slot.replication) | known(slot.bridge_before)
    return (slot.appended & known(slot.next_release)).implies(kept | is_left_open(slot))


@rule(
    "log.release.below_last_known_good",
    cite="LogDevice, common/Sequencer.cpp: the release pointer follows the last known good LSN of the epoch",
    promise="release",
    spares=(Clean, Planned, StatusTable),
)
def released_after_fully_stored(slot: Slot) -> Bool:
    """A record that no recovery touched is released only after it was stored in as many copies as are promised.

    What a recovery without authority left open is a loss.
    """
    settled = slot.mutated | known(slot.bridge_before) | is_left_open(slot)
    in_time = slot.complete & is_before_release(slot, slot.complete_at)
    return (slot.appended & known(slot.next_release)).implies(settled | in_time)


@rule(
    "log.release.stays_a_record",
    cite="LogDevice, Recovery, Log recovery: once recovered, the content of the epoch must stay immutable",
    promise="release",
    spares=(Clean,),
)
def what_is_released_is_plugged_no_more(slot: Slot) -> Bool:
    """Recovery makes no hole or bridge of an LSN that was released before.

    One that decides after a later one had finished the epoch is refused by nodes; a hole after the bridge is read by
    nobody.
    """
    before = ~known(slot.next_release) | is_before_release(slot, slot.plugged_at)
    overruled = slot.plugged_by < slot.epoch_cleaned_first_by
    too_late = known(slot.epoch_cleaned_first_by) & overruled & is_before_release(slot, slot.epoch_cleaned_at)
    unread = ~slot.bridged & known(slot.bridge_before) & (slot.bridge_before < slot.lsn)
    return (slot.plugged | slot.bridged).implies(before | too_late | unread)


@rule(
    "log.release.before_delivery",
    cite="LogDevice, Read path, How reads happen: nodes only deliver records that the sequencer has released",
    promise="release",
)
def delivered_after_release(slot: Slot) -> Bool:
    """A record is delivered only after a release that covers it."""
    return slot.delivered.implies(is_released_by(slot, slot.delivered_at))

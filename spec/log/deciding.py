"""Deciding: who decides what an epoch's tail becomes, of what, and that nodes then hold what was decided.

Sources: LogDevice, Recovery, Log recovery and Bridge record; common/Digest.h and common/EpochRecovery.cpp. A recovery
that begins again under its seal may decide anew: its last word counts.
"""

from __future__ import annotations

from spec.events import Erase, Planned, Streamed
from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.replication import can_replicate
from spec.log.views import Epoch, Slot


@rule(
    "log.recovery.by_a_later_epoch",
    cite="LogDevice, Recovery, Sequencer activation: the new sequencer recovers the epoch before its own",
    promise="recovery",
    spares=(Planned,),
)
def later_epochs_recover(epoch: Epoch) -> Bool:
    """What becomes of an epoch is decided by the sequencer of a later one."""
    return known(epoch.recovered_by).implies(epoch.number < epoch.recovered_by)


@rule(
    "log.recovery.one_end",
    cite="LogDevice, Recovery, Bridge record: its sequence number represents the consensus about where the epoch ends",
    promise="recovery",
)
def an_epoch_ends_once(epoch: Epoch) -> Bool:
    """All recoveries that finish an epoch end it at the same LSN."""
    return epoch.cleaned.implies(alike(epoch.ended_least, epoch.ended_most))


@rule(
    "log.recovery.ends_at_its_bridge",
    cite="LogDevice, Recovery, Bridge record: a bridge is stored at the end of a recovered epoch",
    promise="recovery",
)
def an_epoch_ends_at_its_bridge(slot: Slot) -> Bool:
    """A recovery finishes an epoch no further than at the bridge that it decided."""
    of_another = slot.last_bridge_by < slot.cleaned_by
    return (slot.cleaned & known(slot.last_bridge)).implies((slot.last_bridge >= slot.lsn) | of_another)


@rule(
    "log.digest.is_of_the_record",
    cite="LogDevice, Recovery, Recovery example: the storage nodes tell it which records they have",
    promise="recovery",
)
def what_is_told_lies_there(slot: Slot) -> Bool:
    """What nodes tell a recovery of is the record that they hold.

    That is asked where no node holds a hole plug or bridge, of which it may tell.
    """
    same = alike(slot.stored_least, slot.stored_most, slot.told_least, slot.told_most)
    return (slot.stored & known(slot.told_least)).implies(~slot.plugs_on.is_empty() | same)


def first_was_told(slot: Slot) -> Bool:
    """The first recovery that made a hole or bridge here had heard a node that told it of the append.

    One that began again is not meant: it may have heard of its own plug.
    """
    is_first = ~(known(slot.plug_stored_first_by) & (slot.plug_stored_first_by < slot.plugged_first_by))
    found = (slot.told_first & slot.heard_first & slot.appended_on) - slot.erased
    heard = known(slot.told_first) & known(slot.heard_first) & slot.rounds_first.is_(1)
    return is_first & heard & ~found.is_empty()


@rule(
    "log.recovery.found_is_kept",
    cite="LogDevice, Recovery, Recovery example: the outcome is a record if one can be found",
    promise="recovery",
    spares=(Erase, Streamed),
)
def what_is_told_is_no_hole(slot: Slot) -> Bool:
    """Where every recovery of an epoch heard a node that told of its append, no recovery makes a hole or bridge of it.

    Nor does the first that makes one, if it was told of the append itself. A stream's append may be lost below a hole,
    and what lies after a bridge was overruled with it.
    """
    told = slot.told_on & slot.appended_on
    found = (told - slot.erased) & slot.heard_by_all
    overruled = slot.streamed | (known(slot.first_bridge) & (slot.first_bridge < slot.lsn))
    stays = ~slot.plugged & ~slot.bridged & slot.plugs_on.is_empty()
    kept = (found.is_empty() | stays) & ~first_was_told(slot)
    return (known(slot.heard_by_all) & ~told.is_empty()).implies(overruled | kept)


@rule(
    "log.recovery.stored_as_decided",
    cite="LogDevice, Recovery, Log recovery: it replicates the outcome to the correct number of nodes",
    promise="recovery",
    spares=(Erase,),
)
def nodes_hold_what_was_decided(slot: Slot) -> Bool:
    """In a recovered epoch, no valid copyset holds a record in place of a hole that was decided, or a hole of a record.

    Where another one holds what was decided, purging deletes the rest.
    """
    to_plug = slot.became_hole | slot.became_bridge
    has_record, has_plug = can_replicate(slot.copies, slot.replication), can_replicate(slot.plugs_on, slot.replication)
    record_stays = can_replicate(slot.copies - slot.erased, slot.replication)
    plug_stays = can_replicate((slot.hole_on | slot.bridge_on) - slot.erased, slot.replication)
    record_instead = to_plug & ~slot.became_record & record_stays & ~has_plug
    plug_instead = slot.became_record & ~to_plug & plug_stays & ~has_record
    return (slot.mutated & known(slot.clean_after)).implies(~record_instead & ~plug_instead)

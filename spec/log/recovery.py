"""Recovery: sealing, and what an epoch's tail becomes.

Source: LogDevice, Recovery after the failure of a sequencer.
"""

from __future__ import annotations

from spec.events import Clean, Erase, Fault, Mutate, NewEpoch, Planned, Scattered, Store
from spec.language.handles import Bool, Set, alike, known
from spec.language.rule import rule
from spec.log.replication import can_replicate
from spec.log.views import Epoch, NodeEpoch, Slot


@rule(
    "log.seal.fences",
    cite="LogDevice, Recovery, Recovery example: it tells the storage nodes to reject records with smaller epochs",
    promise="seals",
    spares=(Scattered,),
)
def no_append_below_a_seal(at: NodeEpoch) -> Bool:
    """Once a node obeys a seal, it stores no append of the sealed epochs."""
    return (at.appended & known(at.seal)).implies(at.appended_last.when(at.seen_by_one) < at.seal)


@rule(
    "log.seal.soft_fences",
    cite="LogDevice, common/protocol/STORE_Message.cpp, checkIfPreempted: soft seals refuse appends, but of who drains",
    promise="seals",
    spares=(Scattered,),
)
def no_append_below_a_soft_seal(at: NodeEpoch) -> Bool:
    """Once a node has sealed an epoch softly, by a store of a later one, it stores appends of it only if it drains."""
    in_time = at.appended_last.when(at.seen_by_one) < at.soft_seal
    return (at.appended & known(at.soft_seal)).implies(in_time | known(at.drained_last))


@rule(
    "log.recovery.hole_is_benign",
    cite="LogDevice, Read path, Reporting gaps: a hole plug says that the writer did not get an ACK",
    promise="recovery",
    spares=(Mutate, Store),
)
def no_hole_over_acknowledged(slot: Slot) -> Bool:
    """Recovery never plugs a hole over an acknowledged record, nor does any node at its word."""
    return (slot.plugged | slot.hole_stored).implies(~slot.acked)


@rule(
    "log.recovery.keeps_acked",
    cite="LogDevice, Recovery, Recovery example: for a previously ACKed LSN slot, a record is always proposed",
    promise="recovery",
)
def acknowledged_stays_a_record(slot: Slot) -> Bool:
    """Whatever recovery decides for an acknowledged LSN is the record that was acknowledged."""
    same = alike(slot.mutated_least, slot.mutated_most, slot.acked_least, slot.acked_most)
    return (slot.acked & slot.mutated).implies(~slot.plugged & ~slot.bridged & same)


@rule(
    "log.recovery.clean_is_kept",
    cite="LogDevice, Recovery, Log recovery: once recovered, the content of the epoch must stay immutable",
    promise="recovery",
)
def recoveries_of_a_clean_epoch_agree(slot: Slot) -> Bool:
    """The recovery by which an epoch was clean first and all later ones decide the same for an LSN.

    What a recovery decided before it began anew under its seal counts for nothing; it does so in an epoch that is not
    clean.
    """
    since = slot.epoch_cleaned_first_by
    is_record = slot.record_stands & (slot.record_by >= since)
    is_hole, is_bridge = slot.hole_stands & (slot.hole_by >= since), slot.bridge_stands & (slot.bridge_by >= since)
    one_kind = ~(is_record & is_hole) & ~(is_record & is_bridge) & ~(is_hole & is_bridge)
    one_record = ~slot.kept_as_record | alike(slot.kept_least, slot.kept_most)
    in_time = ~slot.corrected | slot.corrected_at.not_after(slot.epoch_cleaned_at)
    return (slot.mutated & known(since)).implies(one_kind & one_record & in_time)


@rule(
    "log.recovery.bridge_is_last",
    cite="LogDevice, Recovery, Bridge record: its sequence number represents the consensus about where the epoch ends",
    promise="recovery",
    spares=(Clean, Mutate, Store, NewEpoch),
)
def nothing_is_kept_after_a_bridge(slot: Slot) -> Bool:
    """At a bridge that counts, and after it or the end of a clean epoch, no record is acknowledged or delivered.

    A bridge counts unless a later recovery overruled it before it lay on enough nodes.
    """
    is_stored = ~slot.bridge_on.is_empty() & can_replicate(slot.bridge_on, slot.replication)
    bridge = slot.bridged & (slot.became_bridge | is_stored)
    beyond = known(slot.next_kept) & (bridge | (slot.next_kept > slot.lsn))
    return (bridge | slot.cleaned).implies(~beyond)


def is_given_up(slot: Slot) -> Bool:
    """Nodes erased what they held before the epoch was clean, and nothing was stored there again.

    What was lost with a disk is not meant: a recovery that is under way may not know of it.
    """
    for_good = slot.written_last.not_after(slot.erased_first) & ~slot.epoch_cleaned_at.not_after(slot.erased_last)
    with_disks = known(slot.wiped) & ~(slot.erased & slot.wiped).is_empty()
    return ~slot.erased.is_empty() & ~with_disks & for_good


def is_written(nodes: Set, slot: Slot) -> Bool:
    """These nodes hold a whole copyset, or are all to which the recovery planned to write, too few for one.

    That it may go on with so few, ``log.plan.can_be_stored`` says: everybody whose answer counts was heard.
    """
    too_few = known(slot.planned) & ~can_replicate(slot.written, slot.replication)
    return can_replicate(nodes, slot.replication) | (too_few & ~nodes.is_empty() & (slot.written <= nodes))


def is_outcome_written(slot: Slot, copies: Set, holes: Set, bridges: Set) -> Bool:
    """Of records, hole plugs and bridges on these nodes, what recovery decided lies on enough."""
    record = slot.became_record & is_written(copies, slot)
    return record | (slot.became_hole & is_written(holes, slot)) | (slot.became_bridge & is_written(bridges, slot))


@rule(
    "log.recovery.outcome_is_replicated",
    cite="LogDevice, Recovery, Log recovery: it replicates the outcome to the correct number of nodes",
    promise="recovery",
    spares=(Erase, Fault, Planned),
)
def what_recovery_decides_is_replicated(slot: Slot) -> Bool:
    """In a recovered epoch, whatever recovery decided for an LSN lies on a valid copyset, or on all it could write to.

    That it could write to too few nodes, its plan must say. What nodes gave up before the epoch was clean lies nowhere.
    """
    gone = slot.erased
    ever = is_outcome_written(slot, slot.copies, slot.hole_on, slot.bridge_on)
    still = is_outcome_written(slot, slot.copies - gone, slot.hole_on - gone, slot.bridge_on - gone)
    return (slot.mutated & known(slot.clean_after)).implies(ever & (still | ~is_given_up(slot)))


@rule(
    "log.recovery.oldest_first",
    cite="LogDevice, common/LogRecoveryRequest.cpp: the last clean epoch advances one epoch at a time",
    promise="recovery",
)
def epochs_are_cleaned_in_order(epoch: Epoch) -> Bool:
    """An epoch is clean only after every earlier epoch is."""
    in_order = epoch.is_clean_before & epoch.cleaned_before.not_after(epoch.cleaned_at)
    return (epoch.cleaned & known(epoch.before)).implies(in_order)


@rule(
    "log.recovery.before_release",
    cite="LogDevice, Recovery, Sequencer activation: the release pointer advances once log recovery is completed",
    promise="recovery",
)
def released_after_recovery(epoch: Epoch) -> Bool:
    """Nothing of an epoch is released before the epoch before it is clean."""
    recovered = epoch.is_clean_before & epoch.cleaned_before.not_after(epoch.released_at)
    return (epoch.released & known(epoch.before)).implies(recovered)

"""Reading: what a reader may be told of an LSN.

Source: LogDevice, Read path, Gap detection. Where the document counts only FULLY_AUTHORITATIVE nodes and the code also
counts UNAVAILABLE ones, both are rules: ``written`` and ``shipped``.
"""

from __future__ import annotations

from functools import reduce
from operator import and_

from spec.events import (
    DATALOSS,
    Deliver,
    Emptied,
    Erase,
    Fault,
    Gap,
    Mutate,
    NewEpoch,
    Passed,
    Read,
    Release,
    Ship,
    StatusTable,
    Store,
    Trim,
)
from spec.events.positions import epoch, first_lsn
from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.absence import is_absence_proved
from spec.log.passing import is_passed_over
from spec.log.quorum import is_f_majority_as_written
from spec.log.released import is_before_release
from spec.log.replication import can_replicate
from spec.log.views import Slot, Step


@rule(
    "log.read.acked_or_lost_copies",
    cite="LogDevice, Recovery, Log recovery: acknowledged records are delivered; Read path, All Send All: R-1 may fail",
    promise="copies",
    spares=(Gap, Passed, Read),
)
def no_loss_without_loss_of_copies(slot: Slot) -> Bool:
    """An acknowledged record that lost fewer copies than it was promised is never passed over."""
    lost_too_few = slot.erased.size() < slot.required
    return (slot.acked & lost_too_few).implies(~is_passed_over(slot))


@rule(
    "log.read.no_gap_over_acked",
    cite="LogDevice, Read path, Reporting gaps: benign gaps have no data whose writer got an ACK",
    promise="gap_reports",
)
def no_gap_over_acknowledged(slot: Slot) -> Bool:
    """No reader is given a hole, a bridge or a loss that covers an acknowledged record."""
    return slot.gapped.implies(~known(slot.next_acked) | (slot.next_acked > slot.gapped_upto))


@rule(
    "log.read.repeatable_gaps",
    cite="LogDevice, Recovery, Sequencer activation: delivering records as-is would violate repeatable reads",
    promise="gap_reports",
)
def no_benign_gap_over_delivered(slot: Slot) -> Bool:
    """What one reader was given as a record, no reader is given as a hole or bridge."""
    return slot.benign.implies(~known(slot.next_delivered) | (slot.next_delivered > slot.benign_upto))


@rule(
    "log.read.hole_is_plugged",
    cite="LogDevice, Read path, Reporting gaps: the hole plug is written by the recovery process",
    promise="gap_reports",
)
def hole_gap_needs_a_plug(slot: Slot) -> Bool:
    """A reader is told of a hole only where a recovery plugged one."""
    return slot.hole_reported.implies(slot.hole_stored | slot.plugged)


def is_settled_by_release(slot: Slot) -> Bool:
    """No recovery had a say: the record was stored and then released within its own epoch, and nobody trims it."""
    timed = slot.stored_last.when(~known(slot.next_untimed_release))
    released = known(slot.next_release_in_epoch) & timed.not_after(slot.covering_release_in_epoch)
    return slot.stored & ~slot.mutated & ~known(slot.next_trim) & released


def is_still_held(slot: Slot) -> Bool:
    """A valid copyset holds the record, and nothing is known to have harmed it when readers were told of no record.

    Then, whoever makes out an f-majority, one of those who hold the record answers.
    """
    held = slot.copies - slot.erased
    harmed = (slot.damaged_on, slot.gone_when_told, slot.emptied)
    spared = [~(known(nodes) & ~(held & nodes).is_empty()) for nodes in harmed]
    return reduce(and_, spared, can_replicate(held, slot.replication))


@rule(
    "log.read.no_record_over_hole",
    cite="LogDevice, Recovery, Log recovery: once recovered, the content of the epoch must stay immutable",
    promise="recovery",
    spares=(Deliver, Emptied, Erase, Fault, Gap, NewEpoch, Release, Ship, StatusTable, Store, Trim),
)
def readers_are_given_what_recovery_decided(slot: Slot) -> Bool:
    """Where the recovery that finished an epoch decided a hole, no reader is given a record, nor the other way round.

    Nor does a node send one: it has deleted what was not kept before the epoch may be read. A record that was released
    within its own epoch is kept without a recovery. One that too few nodes still hold may be told as a bridge at the
    edge of its epoch, as LogDevice does.
    """
    hole = slot.became_hole & ~slot.became_record & (slot.hole_by >= slot.epoch_cleaned_by)
    record = slot.became_record & ~slot.became_hole & ~slot.became_bridge & (slot.record_by >= slot.epoch_cleaned_by)
    told = known(slot.told_benign_upto) & (slot.told_benign_upto >= slot.lsn)
    decided, released = slot.mutated & known(slot.epoch_cleaned_by), told & is_settled_by_release(slot)
    kept = (record | ~slot.mutated) & is_still_held(slot)
    return (decided | released).implies((~hole | ~(slot.delivered | slot.sent)) & (~kept | ~told))


@rule(
    "log.read.loss_is_not_held",
    cite="LogDevice, Read path, Gap detection: a gap is a loss when those who answered have no record for it",
    promise="gap_reports",
    spares=(Erase, Fault, Mutate, Release),
)
def no_loss_of_what_is_held(slot: Slot) -> Bool:
    """Where a loss that a reader is told of begins, none of those who answered holds a copy that it can read.

    A node answers only for what is released, so a copy counts that was stored before; whose copies had bad checksums
    some time may have been unable to read it.
    """
    held = (slot.copies - slot.erased) & slot.lost_as_heard
    unreadable = held.is_empty() | (known(slot.damaged_on) & (held <= slot.damaged_on))
    overruled = slot.plugged | slot.bridged | ~slot.plugs_on.is_empty() | known(slot.bridge_before)
    before_release = ~known(slot.next_release) | is_before_release(slot, slot.stored_last)
    late = ~(before_release & slot.stored_last.not_after(slot.lost_at))
    return known(slot.lost_as_heard).implies(unreadable | overruled | late)


@rule(
    "log.read.gives_what_is_stored",
    cite="LogDevice, Read path, How reads happen: storage nodes send the records that they have",
)
def given_is_what_nodes_stored(slot: Slot) -> Bool:
    """What a reader is given at an LSN is the record that nodes stored there."""
    same = alike(slot.delivered_least, slot.delivered_most, slot.stored_least, slot.stored_most)
    return slot.delivered.implies(slot.stored & same)


@rule(
    "log.read.hole_is_no_loss",
    cite="LogDevice, Recovery, Log recovery: what was not acknowledged should never be reported as data loss",
    promise="gap_reports",
)
def no_loss_over_what_recovery_plugged(slot: Slot) -> Bool:
    """A hole that recovery plugged, or the bridge with which it ended the epoch, is told to no reader as a loss.

    That holds while plugs lie on a valid copyset: of one that has lost too many, nobody can say that it was a hole.
    """
    hole = slot.became_hole & can_replicate(slot.hole_on - slot.erased, slot.replication)
    bridge = slot.became_bridge & can_replicate(slot.bridge_on - slot.erased, slot.replication)
    return (hole | bridge).implies(~known(slot.told_lost_upto) | (slot.told_lost_upto < slot.lsn))


@rule(
    "log.read.covers_all",
    cite="LogDevice, common/client_read_stream/ClientReadStream.cpp: records and gaps partition the range read",
    promise="gap_reports",
)
def reader_covers_all(step: Step) -> Bool:
    """What a reader is given leaves no LSN out: each step begins where the last ended, or at an epoch's first ESN."""
    here = epoch(step.lsn)
    first_of_epoch = (step.since == first_lsn(here)) & (step.lsn == first_lsn(here) + 1)
    return known(step.given).implies((step.since == step.lsn) | first_of_epoch)


@rule(
    "log.read.dataloss_is_proved",
    cite="LogDevice, common/FailureDomainNodeSet-inl.h and common/AuthoritativeStatus.h: UNAVAILABLE nodes must answer",
    promise="gap_reports",
    variant="shipped",
    spares=(Fault,),
)
def dataloss_needs_f_majority(step: Step) -> Bool:
    """Data loss is reported only after an f-majority of the nodes that count, or all of them, had no record.

    A node counts unless it is empty; one whose data is said to be gone need not answer, and has it if it does.
    """
    nonempty = step.nodeset - step.empty
    proved = is_absence_proved(step.responders, nonempty, step.underreplicated, step.wiped, step.replication)
    return step.reason.is_(DATALOSS).implies(proved)


@rule(
    "log.read.dataloss_is_proved_as_written",
    cite="LogDevice, Read path, Authoritative Status: an f-majority, or all nodes that are FULLY_AUTHORITATIVE",
    promise="losses_as_written",
    variant="written",
)
def dataloss_as_written(step: Step) -> Bool:
    """Data loss is reported only after |nodeset| - R + 1 nodes, or all FULLY_AUTHORITATIVE ones, had no record."""
    effective = step.nodeset - step.empty
    full = effective - step.underreplicated - step.unavailable
    by_formula = is_f_majority_as_written(step.responders & full, effective, step.replication)
    return step.reason.is_(DATALOSS).implies(by_formula | (full <= step.responders))

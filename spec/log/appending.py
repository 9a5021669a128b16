"""Appending: what an acknowledgement promises.

Sources: LogDevice, Read path (Copyset) and Recovery (Log recovery); common/Appender.h.
"""

from __future__ import annotations

from spec.events import Mutate, Trim
from spec.language.handles import Bool, alike, known
from spec.language.rule import rule
from spec.log.released import came_by
from spec.log.replication import can_replicate, promised_copies
from spec.log.views import Slot


def is_heard_late(slot: Slot) -> Bool:
    """A trim that covers the record was asked for before its acknowledgement was heard, as far as clocks tell."""
    return known(slot.next_trim) & came_by(slot.covering_trim, slot.next_untimed_trim, slot.acked_last_at)


@rule(
    "log.append.acked_has_copies",
    cite="LogDevice, Recovery, Log recovery: acknowledged records must be durably stored",
    promise="copies",
    spares=(Trim,),
)
def acknowledged_has_the_promised_copies(slot: Slot) -> Bool:
    """An acknowledged record lay on as many nodes as are promised, and lies on all that the acknowledgement names.

    Where it was trimmed before its client heard of it, it did some time.
    """
    enough = (slot.held_when_acked >= slot.required) | (is_heard_late(slot) & (slot.copies.size() >= slot.required))
    return slot.acked.implies(enough & (slot.claimed <= slot.copies))


@rule(
    "log.append.promises_enough",
    cite="LogDevice, Recovery, Log recovery: satisfying the replication property of the epoch",
    promise="copies",
)
def acknowledgement_promises_enough(slot: Slot) -> Bool:
    """An acknowledgement counts on no fewer copies than the system promises."""
    return slot.acked.implies(slot.required_least >= promised_copies())


@rule(
    "log.append.acked_is_spread",
    cite="LogDevice, Recovery, Log recovery: satisfying the replication property of the epoch",
    promise="placement",
    spares=(Trim,),
)
def acknowledged_is_spread_over_scopes(slot: Slot) -> Bool:
    """The copies of a record, when it was acknowledged, satisfied its epoch's replication property at every scope.

    Where it was trimmed before its client heard of it, they did some time.
    """
    then = can_replicate(slot.holders_when_acked, slot.replication)
    return slot.acked.implies(then | (is_heard_late(slot) & can_replicate(slot.copies, slot.replication)))


@rule(
    "log.append.copyset_in_nodeset",
    cite="LogDevice, Read path, Metadata log: the nodeset is the set of nodes that contain the epoch's data",
    promise="placement",
)
def copies_lie_in_the_nodeset(slot: Slot) -> Bool:
    """Copies are placed only on nodes of the epoch's nodeset."""
    return slot.placed.implies((slot.placements <= slot.nodeset) & (slot.holders <= slot.nodeset))


@rule(
    "log.append.wave_has_one_copyset",
    cite="LogDevice, Read path, Copyset: it is written with the record; common/Appender.cpp: a new one with each wave",
    promise="placement",
)
def first_wave_has_one_copyset(slot: Slot) -> Bool:
    """All copies of a sequencer's first attempt name the same copyset."""
    return slot.first_placed.implies(slot.first_placements <= slot.first_shared)


@rule(
    "log.append.copy_before_ack",
    cite="LogDevice, common/Appender.h: a writer is answered once its record's copies are stored",
    promise="copies",
)
def stored_before_acknowledged(slot: Slot) -> Bool:
    """No record is acknowledged before its first copy is stored."""
    return (slot.acked & slot.placed).implies(slot.stored_at.not_after(slot.acked_at))


@rule(
    "log.append.one_record",
    cite="LogDevice, Read path, Copyset: the copies of a record; Recovery, Sequencer activation: a consistent state",
    spares=(Mutate,),
)
def copies_are_of_one_record(slot: Slot) -> Bool:
    """All copies of an LSN that hold a record hold the same one, and no recovery decides on another."""
    one = alike(slot.stored_least, slot.stored_most)
    kept = ~known(slot.kept_least) | alike(slot.stored_least, slot.stored_most, slot.kept_least, slot.kept_most)
    return slot.stored.implies(one & kept)


@rule(
    "log.append.stores_the_append",
    cite="LogDevice, common/Appender.h: a store carries the payload to which the sequencer gave the LSN",
    promise="sequencers",
)
def copies_are_of_the_append(slot: Slot) -> Bool:
    """What nodes hold at an LSN is what its sequencer appended there; where it gave out none, they hold no record."""
    same = alike(slot.stored_least, slot.stored_most, slot.appended_least, slot.appended_most)
    return slot.stored.implies(slot.appended & same)


@rule(
    "log.append.acks_what_is_stored",
    cite="LogDevice, Recovery, Log recovery: records that were acknowledged must be durably stored",
)
def acknowledged_is_what_is_stored(slot: Slot) -> Bool:
    """The payload that was acknowledged at an LSN is the one that its copies hold."""
    same = alike(slot.acked_least, slot.acked_most, slot.stored_least, slot.stored_most)
    return (slot.acked & slot.stored).implies(same)

"""Rebuilding: what a node held that is lost, or is to leave, and the versions of the event log that say so.

Source: LogDevice, Read path, Authoritative Status; docs/Rebuilding.md; common/event_log/EventLogRebuildingSet.cpp.
"""

from __future__ import annotations

from spec.events import CopysetChanged, NewEpoch, Rebuilding, Rebuilt, Store
from spec.language.handles import Bool, alike, known, one_of
from spec.language.rule import rule
from spec.log.released import is_released_by
from spec.log.replication import can_replicate
from spec.log.views import NewCopyset, Slot, Table

REBUILDING = "LogDevice, docs/Rebuilding.md: "


@rule(
    "log.status.one_table",
    cite="LogDevice, common/event_log/EventLogStateMachine.cpp: a version is the LSN of the delta that made it",
    promise="rebuilding",
)
def one_table_per_version(table: Table) -> Bool:
    """All that is said of the statuses of one version is the same."""
    said = known(table.unavailable) & known(table.underreplicated) & known(table.empty)
    return said.implies(known(table.same_unavailable) & known(table.same_underreplicated) & known(table.same_empty))


@rule(
    "log.status.versions_in_order",
    cite="LogDevice, common/event_log/EventLogStateMachine.cpp: deltas are applied in the order of their LSNs",
    promise="rebuilding",
)
def versions_come_in_order(table: Table) -> Bool:
    """A version of the status table comes after the one before it."""
    return known(table.time_before).implies(table.time_before.not_after(table.time))


@rule(
    "log.status.empty_after_loss",
    cite="LogDevice, common/event_log/EventLogRebuildingSet.cpp: restored or relocated shards become empty, no others",
    promise="rebuilding",
)
def only_lost_or_leaving_nodes_become_empty(table: Table) -> Bool:
    """A node becomes empty only after it was lost or unavailable, or while its data is moved."""
    turned = table.empty - table.empty_before
    may = table.lost_before | table.unavailable_before | table.relocating
    return (known(table.empty_before) & known(table.relocating) & ~turned.is_empty()).implies(turned <= may)


@rule(
    "log.status.empty_after_donors",
    cite="LogDevice, common/event_log/EventLogRebuildingSet.cpp: empty when no donor is left that has to rebuild",
    promise="rebuilding",
    spares=(Rebuilding,),
)
def nodes_become_empty_when_donors_are_done(table: Table) -> Bool:
    """A node becomes empty by the word of its last donor, or when it is given up as lost after that."""
    turned = table.empty - table.empty_before
    rebuilt = known(table.donors_left) & table.donors_left.is_empty()
    given_up = known(table.gives_up) & table.gives_up & table.donors_of_the_lost.is_empty()
    return (known(table.empty_before) & ~turned.is_empty()).implies(rebuilt | given_up)


@rule(
    "log.status.back_by_its_word",
    cite="LogDevice, Read path, Authoritative Status: the data on that node is not coming back",
    promise="rebuilding",
)
def lost_nodes_count_again_when_they_say_so(table: Table) -> Bool:
    """A node whose data is gone counts again only when the event log says that it serves again."""
    gone_before = table.lost_before | table.empty_before
    returned = gone_before - (table.underreplicated | table.empty)
    return (known(gone_before) & ~returned.is_empty()).implies(known(table.returning) & (returned <= table.returning))


@rule(
    "log.rebuilding.of_what_donors_hold",
    cite=REBUILDING + "donors read what they hold, and send it to other nodes",
    promise="rebuilding",
)
def donors_send_what_they_hold(slot: Slot) -> Bool:
    """A donor rebuilds a record only where it holds one, and a hole plug or bridge only where it holds such."""
    records = slot.donors_of_record <= (slot.copies | slot.record_rebuilt_on)
    plugs = slot.donors_of_plug <= (slot.plugs_on | slot.plug_rebuilt_on)
    named = known(slot.donors_of_record) & known(slot.donors_of_plug)
    return (slot.rebuilt & named).implies(records & plugs)


@rule(
    "log.rebuilding.of_what_was_stored",
    cite=REBUILDING + "donors read what they hold, and send it to other nodes",
    promise="rebuilding",
)
def only_what_was_stored_is_rebuilt(slot: Slot) -> Bool:
    """Nothing is rebuilt at an LSN at which no node ever stored anything."""
    return (~slot.rebuilt_on.is_empty()).implies(slot.placed)


@rule(
    "log.rebuilding.one_record",
    cite=REBUILDING + "records are copied as they are",
    promise="rebuilding",
)
def rebuilt_copies_are_of_the_record(slot: Slot) -> Bool:
    """A rebuilt copy of a record holds what the other copies hold."""
    same = alike(slot.rebuilt_least, slot.rebuilt_most, slot.stored_least, slot.stored_most)
    return (slot.rebuilt_record & slot.stored).implies(same)


@rule(
    "log.rebuilding.what_was_kept",
    cite=REBUILDING + "rebuilding stores are accepted for clean epochs, and purged ones have no other records",
    promise="rebuilding",
    spares=(Store, NewEpoch),
)
def rebuilding_keeps_what_recovery_decided(slot: Slot) -> Bool:
    """No record is rebuilt over a hole that counts, nor at a bridge or after it.

    A hole counts unless a later recovery overruled it before it lay on enough nodes.
    """
    is_stored = ~slot.hole_on.is_empty() & can_replicate(slot.hole_on, slot.replication)
    hole = slot.became_hole | (slot.plugged & is_stored)
    return slot.rebuilt_record.implies(~hole & ~known(slot.bridge_before))


@rule(
    "log.rebuilding.only_released",
    cite=REBUILDING + "it waits for what it rebuilds to be released, so that it does not race recovery",
    promise="rebuilding",
)
def only_released_copies_are_rebuilt(slot: Slot) -> Bool:
    """A copy is rebuilt only after its LSN was released."""
    return slot.rebuilt.implies(is_released_by(slot, slot.rebuilt_at))


@rule(
    "log.rebuilding.names_holders",
    cite="LogDevice, Read path, Copyset: it may be mutated by the rebuilding process, when the new copies are stored",
    promise="rebuilding",
)
def new_copysets_name_holders(slot: Slot) -> Bool:
    """A new copyset names only nodes that hold a copy, of their own or rebuilt."""
    return slot.copyset_changed.implies(slot.renamed <= (slot.holders | slot.rebuilt_on))


@rule(
    "log.rebuilding.copyset_is_spread",
    cite=REBUILDING + "the new copyset satisfies the replication property of the epoch",
    promise="rebuilding",
    spares=(CopysetChanged, Rebuilt),
)
def new_copysets_are_spread(changed: NewCopyset) -> Bool:
    """A new copyset satisfies its epoch's replication property at every location scope, and lies in its nodeset."""
    return known(changed.copyset).implies(
        can_replicate(changed.copyset, changed.replication) & (changed.copyset <= changed.nodeset)
    )


@rule(
    "log.rebuilding.empty_is_elsewhere",
    cite="LogDevice, Read path, Authoritative Status: the node was down and the records have been copied elsewhere",
    promise="rebuilding",
)
def acknowledged_records_of_empty_nodes_lie_elsewhere(slot: Slot) -> Bool:
    """When a node is empty, an acknowledged record that it held lies on a valid copyset of others, unless trimmed.

    Of nodes that have erased their copies that is asked as far as all are empty, of others for the nearest LSN up to
    which one is. What was first stored after nodes were empty so far is not meant: they serve again.
    """
    covered = known(slot.emptied_upto) & (slot.lsn <= slot.emptied_upto)
    held = ~slot.erased.is_empty() & (slot.erased <= slot.emptied)
    given = slot.rebuilt_on | slot.renamed_on
    left = can_replicate((slot.copies - slot.erased) | given, slot.replication)
    nearest = one_of(slot.next_emptied)
    stored = known(slot.next_emptied) & (nearest <= slot.copies)
    left_by_nearest = can_replicate((slot.copies - nearest) | given, slot.replication)
    wanted = slot.acked & ~known(slot.next_trim)
    asked = wanted & ((covered & held) | stored)
    is_elsewhere = (left | ~(covered & held)) & (left_by_nearest | ~stored)
    return asked.implies(is_elsewhere | ~slot.stored_at.not_after(slot.emptied_last_at))

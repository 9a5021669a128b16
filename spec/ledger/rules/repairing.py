"""Re-replication: marks of ledgers that lack copies, and what takes them away.

Sources: BookKeeper, meta/ZkLedgerUnderreplicationManager.java, replication/AuditorBookieCheckTask.java and
replication/ReplicationWorker.java; BP-34.
"""

from __future__ import annotations

from spec.language.handles import Bool, known, one_of
from spec.language.rule import rule
from spec.ledger.events import Lost, Registration
from spec.ledger.views import Copy, MarkChange, Version


@rule(
    "ledger.mark.keeps_its_time",
    cite="BookKeeper, BP-34, High Level Logic: marked under-replicated for more than acceptable time",
    variant="written",
)
def a_mark_keeps_its_time(change: MarkChange) -> Bool:
    """The time of a mark is that of its beginning, whatever bookies are added to it."""
    return (change.marked & known(change.since_before)).implies(change.since == change.since_before)


@rule(
    "ledger.mark.names_who_lost",
    cite="BookKeeper, replication/AuditorBookieCheckTask.java: lost bookies, and those whose entries cannot be read",
    spares=(Lost,),
)
def marks_name_who_lost_copies(change: MarkChange) -> Bool:
    """A mark names only bookies that lost their registration, or copies of the ledger."""
    gone = known(change.gone) & (change.replicas <= change.gone)
    lost = known(change.lost_copies) & (change.replicas <= change.lost_copies)
    both = known(change.gone) & known(change.lost_copies) & (change.replicas <= (change.gone | change.lost_copies))
    return change.marked.implies(gone | lost | both)


@rule(
    "ledger.mark.of_ledgers_with_entries",
    cite="BookKeeper, BP-34, Intention: ledgers residing in the lost bookies; an empty one resides nowhere",
    variant="written",
)
def ledgers_without_entries_are_not_marked(change: MarkChange) -> Bool:
    """A ledger that was closed without an entry is not marked."""
    return change.marked.implies(known(change.first_entry) | ~known(change.end))


@rule(
    "ledger.mark.cleared_when_restored",
    cite="BookKeeper, replication/ReplicationWorker.java: a mark is taken away once no fragment lacks copies",
    spares=(Registration,),
)
def a_mark_is_cleared_when_copies_are_restored(change: MarkChange) -> Bool:
    """A mark is taken away only once each bookie that it names was replaced, stored its copies again, or came back."""
    replaced = known(change.replaced) & (change.standing <= change.replaced)
    recopied = known(change.recopied) & (change.standing <= change.recopied)
    back = known(change.back) & (change.standing <= change.back)
    return (change.unmarked & known(change.standing)).implies(replaced | recopied | back)


@rule(
    "ledger.repair.restores_write_sets",
    cite="BookKeeper, replication/ReplicationWorker.java and client/LedgerFragmentReplicator.java: copied, then named",
)
def whoever_takes_over_has_all_copies(copy: Copy) -> Bool:
    """A bookie that takes the place of a lost one has every entry that the schedule gives to that member."""
    due = known(copy.replacement) & known(copy.stored_first) & (one_of(copy.member) <= copy.write_set)
    return (due & known(copy.end) & (copy.entry < copy.end)).implies(one_of(copy.replacement) <= copy.stored_at)


@rule(
    "ledger.repair.leaves_open_segments",
    cite="BookKeeper, replication/ReplicationWorker.java: fragments of open ledgers are left until they are recovered",
)
def open_segments_are_left_alone(version: Version) -> Bool:
    """A replicator replaces nobody in the segment that a writer still writes to."""
    closed = known(version.closed_since) & (version.closed_since < version.version)
    return version.restored.implies(closed | (version.restored_first < version.last_segment_before))

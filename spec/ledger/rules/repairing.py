"""Re-replication: marks of ledgers that lack copies, and what takes them away.

Sources: BookKeeper, meta/ZkLedgerUnderreplicationManager.java, replication/AuditorBookieCheckTask.java and
replication/ReplicationWorker.java; BP-34.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from operator import or_

from spec.language.handles import Bool, Set, known, one_of
from spec.language.quantifiers import every, some
from spec.language.rule import rule
from spec.ledger.events import Lost, Registration
from spec.ledger.views import Copy, MarkChange, Version


def is_within(whole: Set, *parts: Set) -> Bool:
    """Every member of a set is in one of these parts, of which some may have nothing to say."""
    chosen = [told for size in range(1, len(parts) + 1) for told in combinations(parts, size)]
    return some(every(known(part) for part in told) & (whole <= reduce(or_, told)) for told in chosen)


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
    return change.marked.implies(is_within(change.replicas, change.gone, change.lost_copies))


@rule(
    "ledger.mark.of_ledgers_with_entries",
    cite="BookKeeper, BP-34, Intention: ledgers residing in the lost bookies; an empty one resides nowhere",
    variant="written",
)
def ledgers_without_entries_are_not_marked(change: MarkChange) -> Bool:
    """A ledger that was closed without an entry is not marked from then on."""
    was_open = ~known(change.closed) | (change.seq < change.closed)
    return change.marked.implies(known(change.first_entry) | was_open)


@rule(
    "ledger.mark.cleared_when_restored",
    cite="BookKeeper, replication/ReplicationWorker.java: a mark is taken away once no fragment lacks copies",
    spares=(Registration,),
)
def a_mark_is_cleared_when_copies_are_restored(change: MarkChange) -> Bool:
    """A mark is taken away only once each bookie that it names was replaced, stored its copies again, or came back."""
    done = is_within(change.standing, change.replaced, change.recopied, change.back)
    return (change.unmarked & known(change.standing)).implies(done)


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

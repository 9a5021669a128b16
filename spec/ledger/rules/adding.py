"""Adding entries: where they go, when they are acknowledged, and what is confirmed with them.

Sources: BookKeeper, client/RoundRobinDistributionSchedule.java, client/PendingAddOp.java and client/LedgerHandle.java.
"""

from __future__ import annotations

from spec.language.handles import Bool, alike, known, one_of
from spec.language.rule import rule
from spec.ledger.coverage import is_ack_quorum
from spec.ledger.events.values import ADD, RECOVERY
from spec.ledger.views import Copy, Entry, Sending

SCHEDULE = "BookKeeper, client/RoundRobinDistributionSchedule.java: "
ORDER = "BookKeeper, client/LedgerHandle.java, sendAddSuccessCallbacks: "


@rule("ledger.add.to_write_set", cite=SCHEDULE + "entry e goes to the members e, e + 1, ... of the ensemble")
def entries_go_to_their_write_sets(entry: Entry) -> Bool:
    """An entry is sent to no member of the ensemble outside its write set."""
    return entry.sent.implies(entry.sent_to <= entry.write_set)


@rule("ledger.add.to_all_of_write_set", cite=SCHEDULE + "write quorum: how many bookies each entry goes to")
def acknowledged_entries_went_to_whole_write_sets(entry: Entry) -> Bool:
    """An entry that is acknowledged was sent to its whole write set."""
    return entry.acknowledged.implies(entry.write_set <= entry.sent_to)


@rule(
    "ledger.add.to_named_bookie",
    cite="BookKeeper, client/PendingAddOp.java, sendWriteRequest: to the bookie of the current ensemble at that index",
)
def entries_go_to_the_bookies_that_metadata_names(sending: Sending) -> Bool:
    """What is added for a member of an ensemble is sent to the bookie that the metadata names as that member."""
    return (sending.purpose <= RECOVERY).implies(sending.bookie == sending.named)


@rule("ledger.add.by_an_ack_quorum", cite=SCHEDULE + "an entry is acknowledged after ack quorum successes")
def an_ack_quorum_acknowledges(entry: Entry) -> Bool:
    """An acknowledgement counts on an ack quorum of the entry's write set."""
    return entry.acknowledged.implies(is_ack_quorum(entry.counted, entry.write_set, entry.ack_quorum))


@rule(
    "ledger.add.stored_before", cite="BookKeeper, client/PendingAddOp.java, writeComplete: bookies answer once stored"
)
def whoever_counts_has_stored(copy: Copy) -> Bool:
    """Each member that an acknowledgement counts on stored its copy before."""
    counts = known(copy.counted) & (one_of(copy.member) <= copy.counted)
    return counts.implies(copy.stored & copy.stored_first.not_after(copy.acknowledged_at))


@rule(
    "ledger.add.counted_is_named",
    cite="BookKeeper, issue 3005: an entry acknowledged though a bookie that counts was replaced",
)
def whoever_counts_is_the_bookie_named_last(copy: Copy) -> Bool:
    """Each member that an acknowledgement counts on stands for the bookie that its writer was last told of."""
    counts = known(copy.counted) & (one_of(copy.member) <= copy.counted)
    return (counts & known(copy.named)).implies(one_of(copy.named) <= copy.stored_at)


@rule("ledger.add.in_order", cite=ORDER + "from the head of the queue, in order")
def entries_are_acknowledged_in_order(entry: Entry) -> Bool:
    """No entry is acknowledged before an earlier one."""
    return entry.acknowledged.implies(entry.acknowledged_last >= entry.acknowledged_so_far)


@rule("ledger.add.no_gap", cite=ORDER + "all entries before it are acknowledged")
def no_gap_is_left_behind(entry: Entry) -> Bool:
    """The entry before an acknowledged one is acknowledged, too."""
    follows = entry.acknowledged_before & (entry.entry_before == entry.entry - 1)
    return (entry.acknowledged & (entry.entry > entry.segment) & known(entry.entry_before)).implies(follows)


@rule(
    "ledger.add.under_its_segment",
    cite="BookKeeper, client/LedgerHandle.java, unsetSuccessAndSendWriteRequest: who is replaced counts no more",
)
def whoever_is_replaced_counts_no_more(entry: Entry) -> Bool:
    """An entry is acknowledged by members of the ensemble that has it in the end."""
    same = alike(entry.acknowledged_segment, entry.acknowledged_segment_last, entry.segment, entry.segment)
    return (entry.acknowledged & known(entry.segment)).implies(same)


@rule(
    "ledger.add.confirmed_is_acknowledged",
    cite="BookKeeper, client/PendingAddOp.java: each add carries the writer's LAC",
)
def confirmed_entries_are_acknowledged(sending: Sending) -> Bool:
    """The last entry confirmed that a writer sends along lies before the entry, and was acknowledged before."""
    earlier = (sending.confirmed < sending.entry) & known(sending.confirmed_first)
    return ((sending.purpose == ADD) & (sending.confirmed >= 0)).implies(
        earlier & (sending.confirmed_first <= sending.seq)
    )


@rule(
    "ledger.store.one_content",
    cite="BookKeeper, client/LedgerRecoveryOp.java and replication/ReplicationWorker.java: copied as read",
)
def all_copies_of_an_entry_are_alike(entry: Entry) -> Bool:
    """All copies of an entry have the content that was sent."""
    alike_all = alike(entry.sent_least, entry.sent_most, entry.stored_least, entry.stored_most)
    return (entry.sent & entry.stored).implies(alike_all)

"""Fencing and recovery: what a client that takes over a ledger has to ask, and what it may conclude.

Sources: BookKeeper, client/ReadOnlyLedgerHandle.java, client/LedgerRecoveryOp.java, client/ReadOpBase.java and
bookie/LedgerDescriptorImpl.java; issues 2614 and 2615.
"""

from __future__ import annotations

from typing import Final

from spec.language.handles import Bool, known
from spec.language.rule import rule
from spec.ledger.coverage import is_ack_quorum, is_covered
from spec.ledger.events import Lost
from spec.ledger.events.values import ADD
from spec.ledger.views import End, Entry, Holding, ReadingBack, Recovery, Storing

FIRST_AND_LAST: Final = 2
"""Of so many attempts the answers are known one by one."""

READING = "BookKeeper, client/ReadOpBase.java: "


@rule(
    "ledger.fence.takes_no_adds",
    cite="BookKeeper, bookie/LedgerDescriptorImpl.java, addEntry: a fenced ledger takes recovery adds only",
)
def fenced_bookies_take_no_adds(storing: Storing) -> Bool:
    """A bookie that has fenced a ledger stores no more of its writer's adds."""
    return ((storing.purpose == ADD) & known(storing.fenced)).implies(storing.seq < storing.fenced)


@rule(
    "ledger.recovery.starts_behind_confirmed",
    cite="BookKeeper, client/LedgerRecoveryOp.java, issue 2615: from the LAC on, but never before the last segment",
)
def recovery_starts_behind_what_is_confirmed(recovery: Recovery) -> Bool:
    """A recovery reads from the first entry on that is not confirmed, or from its last segment on if that is later."""
    behind = (recovery.entry == recovery.confirmed + 1) & (recovery.entry >= recovery.segment)
    return behind | ((recovery.entry == recovery.segment) & (recovery.confirmed < recovery.segment))


@rule(
    "ledger.recovery.reads_fence",
    cite="BookKeeper, client/LedgerRecoveryOp.java, issue 2614: recovery reads fence, too",
)
def recovery_reads_fence(reading: ReadingBack) -> Bool:
    """A bookie that answers a recovery about an entry has fenced the ledger."""
    return known(reading.fenced) & reading.fenced_at.not_after(reading.time)


@rule(
    "ledger.recovery.found_is_stored",
    cite=READING + "an entry is there as soon as one bookie answers with it",
)
def what_is_read_back_was_stored(holding: Holding) -> Bool:
    """A bookie tells a recovery that it has an entry only if it stored it before."""
    return holding.read_back.implies(holding.stored & holding.stored_first.not_after(holding.read_back_first))


@rule(
    "ledger.recovery.denied_is_absent",
    cite="BookKeeper, client/ReadOpBase.java; issue 2908: an entry that cannot be read was answered as no such entry",
    spares=(Lost,),
)
def what_was_added_is_not_denied(holding: Holding) -> Bool:
    """A bookie denies to a recovery no entry that it stored before it fenced the ledger, unless it lost it.

    The answer may be old: what another recovery, or a replicator, had it store since then says nothing against it. Yet
    whoever answers a recovery has fenced, and takes no more adds of the writer.
    """
    added_before = known(holding.added) & (holding.added < holding.fenced)
    return (holding.withheld & known(holding.fenced)).implies(holding.lost | ~added_before)


@rule(
    "ledger.recovery.fence_covers",
    cite="BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet: fewer than an ack quorum silent",
)
def the_fence_covers_the_end(end: End) -> Bool:
    """Too few of the write set of the first entry behind a recovered ledger's end were silent to acknowledge it.

    Each time that a client begins anew, it asks anew. It may recover a ledger twice at once: where an earlier attempt
    heard enough and the last did not, nobody knows which of them closed it.
    """
    now = is_covered(end.answered_last, end.write_set, end.ack_quorum)
    before = is_covered(end.answered_first, end.write_set, end.ack_quorum)
    between = (end.attempts > FIRST_AND_LAST) & is_covered(end.answered, end.write_set, end.ack_quorum)
    is_last = end.began.when(now) >= end.began
    return (end.recovers == 1).implies(known(end.answered) & (now | before | between) & is_last)


@rule("ledger.recovery.ends_where_absent", cite=READING + "no such entry once W - A + 1 bookies say so")
def a_recovered_ledger_ends_where_entries_end(end: End) -> Bool:
    """A recovery ends a ledger before an entry that too many of its write set lack for it to be acknowledged."""
    denied = (end.write_set & end.absent).size() >= end.write_quorum - end.ack_quorum + 1
    return (end.recovers == 1).implies(known(end.absent) & denied)


@rule("ledger.recovery.ends_where_nobody_has_it", cite=READING + "an entry is there as soon as one bookie has it")
def what_one_bookie_has_is_there(end: End) -> Bool:
    """A recovery does not end a ledger before an entry that a bookie said it has, unless enough others had denied it.

    All of a write set are asked at once: what comes after W - A + 1 have denied the entry changes nothing. Where more
    of them have, nobody knows which of their answers decided. A client that begins anew asks anew.
    """
    needed, denied = end.write_quorum - end.ack_quorum + 1, (end.write_set & end.absent).size()
    decided, beyond = known(end.absent) & (denied >= needed), known(end.absent) & (denied > needed)
    before = [
        known(one) & ~(known(end.began) & (one < end.began)) & (~decided | (one < end.absent_last))
        for one in (end.present_first, end.present_last)
    ]
    answered = known(end.absent) | known(end.present_first)
    return ((end.recovers == 1) & answered & ~beyond).implies(~(before[0] | before[1]))


@rule(
    "ledger.recovery.keeps_acknowledged",
    cite="BookKeeper's TLA+ specification, AllAckedEntriesAreReadable; issue 2614: data loss",
)
def acknowledged_entries_are_kept(entry: Entry) -> Bool:
    """A closed ledger has every entry that was acknowledged."""
    return (entry.acknowledged & known(entry.end)).implies(entry.entry < entry.end)


@rule(
    "ledger.recovery.ends_by_an_ack_quorum",
    cite="BookKeeper, client/LedgerRecoveryOp.java: each entry that is read is added again",
)
def recovered_entries_reach_an_ack_quorum(entry: Entry) -> Bool:
    """What a recovery read and kept was stored by an ack quorum of its write set."""
    kept = entry.read_back & known(entry.end) & (entry.entry < entry.end)
    return kept.implies(is_ack_quorum(entry.stored_for, entry.write_set, entry.ack_quorum))

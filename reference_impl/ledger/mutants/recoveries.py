"""Mutants of fencing, recovery and reading, and the defects of release 4.13 among them."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from reference_impl.kernel.weather import Weather
from reference_impl.ledger.mutants.writers import MANY, SPARE_COPY, whatever_the_version
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.protocol.bookie import Bookie, answers_about, stores_first, takes
from reference_impl.ledger.protocol.context import LENGTH_BYTES, digest_of
from reference_impl.ledger.protocol.metadata_server import closed_at, in_recovery, is_current
from reference_impl.ledger.protocol.reader import Reader, content, is_missing, reads_upto
from reference_impl.ledger.protocol.recovery import (
    Recoverer,
    asks_to_recover,
    begins_at,
    is_absent,
    is_added,
    is_fenced,
    is_there,
    last_entry,
    reads_fence,
)
from reference_impl.mutants.registry import mutant, setting
from spec.ledger.errors import CannotChange
from spec.ledger.metadata import Metadata, State
from spec.ledger.schedule import Quorums

UNHEARD_OF: Final = setting(
    "the network loses every twelfth message", of=LedgerPlan, weather=Weather(drop=0.08), ledgers=24, seed=6
)
"""Where who takes over hears of nothing confirmed behind a change of the ensemble."""


@mutant(takes)
def fenced_bookies_take_adds(here: Bookie, purpose: int) -> bool:
    """A bookie stores adds of a ledger that it has fenced.

    BookKeeper, bookie/LedgerDescriptorImpl.java, addEntry; issue 4462: an add is taken after the fence.
    """
    return True


@mutant(stores_first)
def answered_without_storing(here: Bookie, entry: int) -> bool:
    """A bookie says that it has stored every third entry, and forgets it.

    BookKeeper, bookie/Journal.java: an add is answered once it is in the journal.
    """
    return entry % 3 != 0


@mutant(reads_fence)
def recovery_reads_do_not_fence() -> bool:
    """Only the first question of a recovery fences; bookies that were not asked it answer its reads all the same.

    BookKeeper 4.13, issue 2614: an entry is acknowledged that the closed ledger does not have.
    """
    return False


@mutant(begins_at, where=UNHEARD_OF)
def recovery_begins_before_its_segment(metadata: Metadata, confirmed: int) -> int:
    """A recovery begins behind what is confirmed, even before the last segment.

    BookKeeper 4.13, issue 2615: it reads entries from bookies that never had them.
    """
    return confirmed + 1


@mutant(is_fenced)
def one_bookie_is_fenced_enough(answered: frozenset[int], quorums: Quorums) -> bool:
    """A recovery goes on once one bookie has fenced.

    BookKeeper, client/RoundRobinDistributionSchedule.java, QuorumCoverageSet: fewer than an ack quorum silent.
    """
    return bool(answered)


@mutant(is_absent, where=SPARE_COPY)
def one_bookie_without_it_is_enough(answers: Mapping[int, int | None], quorums: Quorums) -> bool:
    """An entry counts as absent once one bookie says that it has none.

    BookKeeper, client/ReadOpBase.java: once W - A + 1 bookies say so.
    """
    return any(digest is None for digest in answers.values())


@mutant(is_there, where=SPARE_COPY)
def one_copy_is_none(answers: Mapping[int, int | None], quorums: Quorums) -> bool:
    """An entry counts as there only if an ack quorum has it.

    BookKeeper, client/ReadOpBase.java: as soon as one bookie has it.
    """
    return sum(digest is not None for digest in answers.values()) >= quorums.ack


@mutant(is_added)
def one_copy_is_added_enough(stored: frozenset[int], quorums: Quorums) -> bool:
    """A recovery goes on once one bookie has stored an entry again.

    BookKeeper, client/LedgerRecoveryOp.java; TLA+ specification, AllCommittedEntriesReachAckQuorum.
    """
    return bool(stored)


@mutant(last_entry)
def last_entry_is_dropped(recoverer: Recoverer) -> int:
    """A recovery ends the ledger one entry too early.

    BookKeeper's TLA+ specification, AllAckedEntriesAreReadable.
    """
    first = recoverer.known.last_segment.first_entry
    return max(first - 1, recoverer.entry - 2)


@mutant(asks_to_recover)
def recovered_while_open() -> bool:
    """A client closes a ledger of somebody else without putting it in recovery.

    BookKeeper, client/ReadOnlyLedgerHandle.java, recover: in recovery before anything is read.
    """
    return False


def closed_by_whoever_comes_last(metadata: Metadata, last: int) -> Metadata:
    """A ledger is closed, whatever it was before."""
    return replace(metadata, state=State.CLOSED, last_entry=last, length_bytes=LENGTH_BYTES * (last + 1))


@mutant(closed_at, is_current.otherwise(whatever_the_version), where=MANY)
def closed_by_whoever_comes(metadata: Metadata, last: int) -> Metadata:
    """Whoever closes a ledger last has his way.

    BookKeeper, client/LedgerHandle.java, doAsyncCloseInternal: closed with another end it is not closed again.
    """
    return closed_by_whoever_comes_last(metadata, last)


def cut_off(metadata: Metadata, last: int) -> Metadata:
    """A ledger is closed wherever that is asked, if it is not closed."""
    if metadata.is_closed:
        raise CannotChange("closed already", "metadata", "it is CLOSED", "another ledger")
    return closed_by_whoever_comes_last(metadata, last)


def before_its_segment(recoverer: Recoverer) -> int:
    """A recovery ends a ledger of several segments before the last of them."""
    segments = recoverer.known.segments
    return recoverer.entry - 1 if len(segments) == 1 else segments[-1].first_entry - 2


@mutant(last_entry, closed_at.otherwise(cut_off))
def closed_before_its_last_segment(recoverer: Recoverer) -> int:
    """A recovery ends a ledger before its last segment begins.

    BookKeeper, client/LedgerRecoveryOp.java, issue 2615: a segment before the last is complete.
    """
    return before_its_segment(recoverer)


@mutant(in_recovery, is_current.otherwise(whatever_the_version), where=MANY)
def closed_ledgers_are_recovered(metadata: Metadata) -> Metadata:
    """The metadata server puts a closed ledger in recovery.

    BookKeeper, client/ReadOnlyLedgerHandle.java: what is closed needs no recovery.
    """
    return replace(metadata, state=State.IN_RECOVERY, last_entry=None, length_bytes=None)


@mutant(answers_about)
def unreadable_entries_are_denied(here: Bookie, entry: int) -> int | None:
    """A bookie that cannot read an entry says that there is none.

    BookKeeper, issue 2908: a corrupt entry log is answered as no such entry, and the ledger is cut off there.
    """
    return None if entry == 1 else here.copies.get(entry)


@mutant(answers_about)
def bookies_have_what_they_never_stored(here: Bookie, entry: int) -> int | None:
    """A bookie says that it has every third entry, whether it stored it or not.

    BookKeeper, client/ReadOpBase.java: an entry is there as soon as one bookie answers with it.
    """
    return here.copies.get(entry, digest_of(here.ledger, entry) if entry % 3 == 0 else None)


@mutant(reads_upto)
def reads_behind_what_is_confirmed(reader: Reader, confirmed: int) -> int:
    """A reader reads an entry more than it knows to be confirmed.

    BookKeeper, client/LedgerHandle.java, asyncReadEntries: no entry behind the last add confirmed.
    """
    return confirmed + 1


@mutant(content)
def digests_are_not_verified(digest: int) -> int:
    """A reader is given a content that its digest does not fit.

    BookKeeper, client/ReadOpBase.java: an entry is verified by its digest.
    """
    return digest + 1


@mutant(is_missing, where=SPARE_COPY)
def missing_where_one_lacks_it(answers: Mapping[int, int | None], asked: tuple[int, ...]) -> bool:
    """A reader is told that there is no such entry once one bookie has none.

    BookKeeper, client/ReadOpBase.java: all bookies of the write set are tried.
    """
    return bool(answers)

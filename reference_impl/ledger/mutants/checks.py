"""Mutants of the metadata checker: what releases 4.10 to 4.18 do instead of BP-34's words, and other mistakes."""

# ruff: noqa: ARG001 - a wrong decision has the signature of the right one

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from reference_impl.ledger.auditing import counted, expected, found_in, list_of, looked_up, policy_of
from reference_impl.ledger.checker.machine import (
    blamed,
    held_to,
    is_checked,
    is_overdue,
    is_skipped,
    looks_for_mark_again,
    reads_metadata_again,
    reported,
    waits_for_silent,
)
from reference_impl.ledger.checker.state import Check
from reference_impl.ledger.mutants.recoveries import before_its_segment, cut_off
from reference_impl.ledger.mutants.writers import MANY, SPARE_COPY
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.ledger.protocol.metadata_server import closed_at
from reference_impl.ledger.protocol.recovery import last_entry
from reference_impl.mutants.registry import mutant, setting
from spec.ledger.availability.groups import Groups
from spec.ledger.availability.shipped import grouped_as_shipped, missing_as_shipped
from spec.ledger.durability import Share, shares, shares_as_shipped
from spec.ledger.marks import Mark
from spec.ledger.metadata import Metadata, State
from spec.ledger.placement.adherence import Policy, anywhere
from spec.ledger.placement.racks import RackAware, rack_aware_as_shipped
from spec.ledger.violations import Category, Violation

APART: Final = setting("every bookie has a rack of its own", of=LedgerPlan, racks=9)
"""Where no ensemble can be misplaced."""

LONG: Final = setting("ledgers are longer", of=LedgerPlan, entries=24, ledgers=3)
"""Where grouping is worth something."""


@mutant(list_of, where=LONG)
def sequences_are_not_grouped(entries: frozenset[int]) -> Groups:
    """Every sequence of entries is told as a group of its own.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java: what BP-34 tells in one group takes a group for each sequence.
    """
    return grouped_as_shipped(sorted(entries))


@mutant(found_in)
def search_gives_up_at_a_gap(answered: frozenset[int], share: Share) -> frozenset[int]:
    """Behind a gap of two entries every entry is taken for missing.

    BookKeeper, util/AvailabilityOfEntriesOfLedger.java, getUnavailableEntries: false alarms where E - W is 2 or more.
    """
    groups = grouped_as_shipped(sorted(answered))
    return share.entries - set(missing_as_shipped(groups, share.of[0], share.of[-1], share.entries))


@mutant(found_in, where=SPARE_COPY)
def told_what_should_be_there(answered: frozenset[int], share: Share) -> frozenset[int]:
    """A bookie tells that it has all that it should have.

    BookKeeper, BP-34, High Level Logic: the list of entries that it contains.
    """
    return share.entries


@mutant(counted)
def only_the_last_range_counts(by_range: Sequence[Counter[int]]) -> Counter[int]:
    """The counts of a run are those of its last range of ledgers.

    BookKeeper, replication/AuditorReplicasCheckTask.java: set to 0 at the start of every range.
    """
    return by_range[-1]


@mutant(blamed, where=MANY)
def silence_is_only_logged(
    ledger: int, silent: tuple[str, ...], registered: frozenset[str], known_down: frozenset[str]
) -> tuple[Violation, ...]:
    """A bookie that gives no answer is never reported.

    BookKeeper, replication/AuditorReplicasCheckTask.java: an unavailable bookie has no metric.
    """
    return ()


@mutant(looks_for_mark_again)
def no_second_look_for_the_mark() -> bool:
    """A violation is reported of a ledger that was marked meanwhile.

    BookKeeper, replication/AuditorReplicasCheckTask.java against BP-34, High Level Logic.
    """
    return False


@mutant(reads_metadata_again)
def no_second_reading_of_metadata() -> bool:
    """A violation is reported by metadata that may have changed.

    BookKeeper, replication/AuditorReplicasCheckTask.java against BP-34, High Level Logic.
    """
    return False


@mutant(waits_for_silent)
def no_delay_for_silent_bookies(check: Check) -> bool:
    """A bookie is reported that was silent once.

    BookKeeper, replication/AuditorReplicasCheckTask.java against BP-34, High Level Logic: part 2 never came.
    """
    return False


@mutant(looked_up)
def silent_bookies_are_not_looked_up(silent: tuple[str, ...]) -> tuple[str, ...]:
    """Nobody asks whether bookies that stay silent are registered.

    BookKeeper, BP-34, High Level Logic: the bookie is not registered, and known to be unavailable.
    """
    return ()


def as_if_closed(metadata: Metadata) -> Metadata:
    """The metadata with an end behind its last segment's first entry, if it has none."""
    if metadata.is_closed:
        return metadata
    return replace(metadata, state=State.CLOSED, last_entry=metadata.last_segment.first_entry, length_bytes=0)


@mutant(is_checked, held_to.otherwise(as_if_closed))
def ledgers_that_are_not_closed_are_checked(metadata: Metadata) -> bool:
    """A ledger that is still written to is held to what it had so far.

    BookKeeper, BP-34, High Level Logic: limited to ledgers that are closed.
    """
    return True


@mutant(policy_of)
def placement_is_not_checked(policy: Policy, up: frozenset[str]) -> Policy:
    """Every ensemble meets the policy.

    BookKeeper, client/RegionAwareEnsemblePlacementPolicy.java: always MEETS_STRICT; issue 1898.
    """
    return anywhere


@mutant(policy_of, where=APART)
def bookies_that_are_down_have_no_rack(policy: Policy, up: frozenset[str]) -> Policy:
    """A bookie that is down counts for no rack, so that a good ensemble fails.

    BookKeeper, client/RackawareEnsemblePlacementPolicyImpl.java: only bookies that can be written to are known.
    """
    return rack_aware_as_shipped(policy, up) if isinstance(policy, RackAware) else policy


@mutant(expected, closed_at.otherwise(cut_off), last_entry.otherwise(before_its_segment))
def segments_end_at_the_next(metadata: Metadata) -> tuple[Share, ...]:
    """Entries are expected up to the next segment, even behind the end of the ledger.

    BookKeeper, replication/AuditorReplicasCheckTask.java: only the last segment is held against the last entry.
    """
    return tuple(shares_as_shipped(metadata))


@mutant(is_skipped, where=MANY)
def marked_ledgers_are_checked(mark: Mark) -> bool:
    """A ledger that is being handled is checked, and reported.

    BookKeeper, BP-34, High Level Logic: there is no point in analysing it further.
    """
    return False


@mutant(is_overdue, where=MANY)
def old_marks_are_passed_over(mark: Mark, now_ms: int, grace_ms: int, seen_ms: int | None) -> bool:
    """A mark may stand for ever.

    BookKeeper, BP-34, High Level Logic: for more than acceptable time it is a violation.
    """
    return False


@mutant(reported)
def reported_twice(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
    """Each violation is reported twice.

    BookKeeper, BP-34, High Level Logic: each violation is logged, and counted.
    """
    return (*found, *found)


@mutant(reported, where=SPARE_COPY)
def a_lack_of_spare_copies_is_passed_over(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
    """Entries that an ack quorum still has are not reported.

    BookKeeper, BP-34, Intention: every entry has a write quorum of copies.
    """
    return tuple(violation for violation in found if violation.category is not Category.BELOW_WRITE_QUORUM)


@mutant(reported)
def every_lack_is_a_loss(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
    """An entry that lacks a copy is reported as having none.

    BookKeeper, BP-34, High Level Logic: by category.
    """
    lacks = {Category.BELOW_ACK_QUORUM, Category.BELOW_WRITE_QUORUM}
    return tuple(one._replace(category=Category.NO_REPLICA) if one.category in lacks else one for one in found)


@mutant(reported)
def misplaced_ensembles_are_passed_over(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
    """An ensemble that fails the policy is not reported.

    BookKeeper, BP-34, High Level Logic: any violation should be reported.
    """
    return tuple(violation for violation in found if violation.category is not Category.MISPLACED)


@mutant(expected)
def one_member_is_not_asked(metadata: Metadata) -> tuple[Share, ...]:
    """Nobody looks at what the last member should have.

    BookKeeper, BP-34, High Level Logic: from the bookies of the ensemble.
    """
    return tuple(share for share in shares(metadata) if share.member < metadata.quorums.ensemble - 1)

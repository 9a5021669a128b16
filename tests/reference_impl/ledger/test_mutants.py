"""Each mutant of ledgers is noticed by the rule that is there for it; defects of real releases, F1 to F11, are there.

Issue 20. F12 is about tests that show none of them: here each has its setting.
"""

from __future__ import annotations

import pyarrow as pa
import pytest

from conformance.trace.arrow import to_batches
from reference_impl.ledger.mutants import LEDGER_MUTANTS, mutant_named
from reference_impl.ledger.plan import LedgerPlan
from reference_impl.mutants import UnknownMutant
from spec.language.events import layout
from spec.language.outcomes import Judgement, Outcome
from spec.language.rule import Rule
from spec.language.sql.dialects import DUCKDB
from spec.language.sql.plan import statement
from spec.language.sql.verdicts import decode
from spec.ledger.events import Event
from spec.ledger.family import LEDGER
from spec.registry import BY_ID
from tests.suite.caught import Catches
from tests.support.ledger_runs import events_of, header_of, judged
from tests.support.sql_engines import quiet_duckdb

NOTICED = {
    "entries_are_shifted": "ledger.add.to_write_set",
    "entries_are_cut_to_32_bits": "ledger.add.to_write_set",
    "one_member_is_left_out": "ledger.add.to_all_of_write_set",
    "acknowledged_one_early": "ledger.add.by_an_ack_quorum",
    "acknowledged_out_of_order": "ledger.add.in_order",
    "acknowledged_while_it_changes": "ledger.add.under_its_segment",
    "who_was_replaced_counts": "ledger.add.counted_is_named",
    "confirmed_runs_ahead": "ledger.add.confirmed_is_acknowledged",
    "segment_begins_behind_what_was_sent": "ledger.add.under_its_segment",
    "acknowledged_entries_get_another_segment": "ledger.ensemble.leaves_acknowledged",
    "sent_to_the_neighbour": "ledger.add.to_named_bookie",
    "members_get_different_contents": "ledger.store.one_content",
    "replaced_by_a_member": "ledger.metadata.ensembles_are_full",
    "ensemble_changes_in_recovery": "ledger.ensemble.while_open",
    "ensembles_change_from_the_beginning": "ledger.ensemble.behind_confirmed",
    "segment_begins_before_the_last": "ledger.ensemble.forward",
    "versions_are_used_twice": "ledger.metadata.one_change_a_version",
    "more_acknowledge_than_store": "ledger.metadata.sizes_fit",
    "versions_are_left_out": "ledger.metadata.versions_follow",
    "segment_begins_too_early": "ledger.ensemble.behind_confirmed",
    "fenced_bookies_take_adds": "ledger.fence.takes_no_adds",
    "answered_without_storing": "ledger.add.stored_before",
    "recovery_reads_do_not_fence": "ledger.recovery.reads_fence",
    "recovery_begins_before_its_segment": "ledger.recovery.starts_behind_confirmed",
    "one_bookie_is_fenced_enough": "ledger.recovery.fence_covers",
    "one_bookie_without_it_is_enough": "ledger.recovery.ends_where_absent",
    "one_copy_is_none": "ledger.recovery.ends_where_nobody_has_it",
    "one_copy_is_added_enough": "ledger.recovery.ends_by_an_ack_quorum",
    "last_entry_is_dropped": "ledger.recovery.keeps_acknowledged",
    "recovered_while_open": "ledger.close.recovered_first",
    "closed_one_too_late": "ledger.close.behind_acknowledged",
    "closed_by_whoever_comes": "ledger.close.one_end",
    "closed_before_its_last_segment": "ledger.close.whole_segments",
    "closed_ledgers_are_recovered": "ledger.close.immutable",
    "unreadable_entries_are_denied": "ledger.read.acknowledged_is_found",
    "bookies_have_what_they_never_stored": "ledger.recovery.found_is_stored",
    "reads_behind_what_is_confirmed": "ledger.read.up_to_confirmed",
    "digests_are_not_verified": "ledger.read.as_written",
    "missing_where_one_lacks_it": "ledger.read.acknowledged_is_found",
    "mark_begins_anew": "ledger.mark.keeps_its_time",
    "empty_ledgers_are_marked": "ledger.mark.of_ledgers_with_entries",
    "marks_name_whole_ensembles": "ledger.mark.names_who_lost",
    "marks_are_cleared_at_once": "ledger.mark.cleared_when_restored",
    "named_before_copied": "ledger.repair.restores_write_sets",
    "restored_at_a_member": "ledger.metadata.ensembles_are_full",
    "open_ledgers_are_replicated": "ledger.repair.leaves_open_segments",
    "copies_are_damaged": "ledger.store.one_content",
    "sequences_are_not_grouped": "ledger.list.is_condensed",
    "search_gives_up_at_a_gap": "ledger.list.tells_all",
    "told_what_should_be_there": "ledger.list.tells_no_more",
    "only_the_last_range_counts": "ledger.check.counts",
    "silence_is_only_logged": "ledger.check.silent_is_reported",
    "no_second_look_for_the_mark": "ledger.check.looks_at_mark_again",
    "no_second_reading_of_metadata": "ledger.check.reads_metadata_again",
    "no_delay_for_silent_bookies": "ledger.check.silence_after_delay",
    "silent_bookies_are_not_looked_up": "ledger.check.asks_for_standing",
    "ledgers_that_are_not_closed_are_checked": "ledger.check.closed_only",
    "placement_is_not_checked": "ledger.placement.too_few_racks",
    "bookies_that_are_down_have_no_rack": "ledger.placement.racks_apart",
    "segments_end_at_the_next": "ledger.check.by_schedule",
    "marked_ledgers_are_checked": "ledger.check.skips_marked",
    "old_marks_are_passed_over": "ledger.check.old_marks",
    "reported_twice": "ledger.check.once",
    "a_lack_of_spare_copies_is_passed_over": "ledger.check.no_missed_hole",
    "every_lack_is_a_loss": "ledger.check.no_false_alarm",
    "misplaced_ensembles_are_passed_over": "ledger.placement.failure_is_reported",
    "one_member_is_not_asked": "ledger.check.no_false_alarm",
}
"""Who notices whom."""

ALSO = {
    "ledger.add.no_gap": "acknowledged_out_of_order",
    "ledger.check.asks_all": "a_lack_of_spare_copies_is_passed_over",
    "ledger.recovery.denied_is_absent": "unreadable_entries_are_denied",
    "ledger.read.within_the_end": "reads_behind_what_is_confirmed",
}
"""Rules that notice mutants for which others are there."""

SEEDS = range(1, 13)

NULLABLE = frozenset(name for name, column in layout(Event).items() if column.optional)

REAL_DEFECTS = {
    "F1": "sequences_are_not_grouped",
    "F2": "search_gives_up_at_a_gap",
    "F3": "only_the_last_range_counts",
    "F4": "silence_is_only_logged",
    "F5, mark": "no_second_look_for_the_mark",
    "F5, metadata": "no_second_reading_of_metadata",
    "F5, delay": "no_delay_for_silent_bookies",
    "F6": "placement_is_not_checked",
    "F7": "bookies_that_are_down_have_no_rack",
    "F8": "mark_begins_anew",
    "F9": "entries_are_cut_to_32_bits",
    "F10": "segments_end_at_the_next",
    "F11": "empty_ledgers_are_marked",
    "issue 2614": "recovery_reads_do_not_fence",
    "issue 2615": "recovery_begins_before_its_segment",
    "issue 2908": "unreadable_entries_are_denied",
    "issue 3005": "who_was_replaced_counts",
    "issue 4462": "fenced_bookies_take_adds",
}
"""Defects of real releases, by how reports call them."""


def by_duckdb(plan: LedgerPlan, rule: Rule) -> Judgement:
    """What DuckDB makes of a run."""
    events = events_of(plan)
    header = header_of(plan, {event["recorder"] for event in events})
    with quiet_duckdb() as connection:
        connection.register("trace", pa.Table.from_batches(to_batches(events, header)))
        text = statement([rule], "trace", DUCKDB, header.parameters(), nullable=NULLABLE)
        return decode([rule], connection.execute(text).fetchall())


def noticed(name: str, rule: Rule) -> LedgerPlan:
    """A plan of a mutant by which it breaks a rule."""
    plans = (LEDGER_MUTANTS[name].plan(LedgerPlan(seed=seed)) for seed in SEEDS)
    found = next((plan for plan in plans if judged(plan, [rule]).counts[rule.id, Outcome.VIOLATED]), None)
    assert found is not None
    return found


@pytest.mark.parametrize("name", NOTICED)
def test_the_rule_that_is_there_for_it_notices(name: str, catches: Catches) -> None:
    rule = BY_ID[NOTICED[name]]
    found = noticed(name, rule)
    catches("ledger", name, "reference")
    assert by_duckdb(found, rule) == judged(found, [rule])
    catches("ledger", name, "DuckDB")


@pytest.mark.parametrize("rule", ALSO)
def test_a_rule_notices_a_mutant_of_another(rule: str) -> None:
    noticed(ALSO[rule], BY_ID[rule])


def test_no_mutant_and_no_rule_is_left_out() -> None:
    assert set(NOTICED) == set(LEDGER_MUTANTS)
    assert {*NOTICED.values(), *ALSO} == {rule.id for rule in LEDGER.rules}
    assert set(REAL_DEFECTS.values()) <= set(NOTICED)


def test_an_unknown_mutant_is_a_named_error() -> None:
    with pytest.raises(UnknownMutant, match="entries_are_shifted"):
        mutant_named("entries_are_shiftd")

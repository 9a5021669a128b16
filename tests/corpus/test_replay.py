"""Runs of the correct machine replay on the machine of events; every mutant is refused, by a guard of what it breaks.

Justified by the demand that every simulator trace replays, and that a trace which is no behaviour is refused.
"""

from __future__ import annotations

import pytest

from reference_impl.mutants import MUTANTS
from reference_impl.replay.known_parameters import NOTHING_KNOWN
from tests.suite.caught import Catches
from tests.support.corpus import PLANS, RIGHT, SHIPPED, run_of
from tests.support.replayed import machine_of, refusal_of, refusals

REFUSED_BY = {
    "epoch_given_twice": "epoch.is_next",
    "epochs_out_of_order": "epoch.is_next",
    "lsn_given_twice": "append.esn_is_next",
    "esns_swapped": "append.esn_is_next",
    "preempted_takes_new_epoch": "append.by_its_sequencer",
    "copyset_ignores_scopes": "store.copyset_is_valid",
    "copyset_outside_nodeset": "store.on_the_copyset",
    "purges_without_knowing": "purge.is_clean",
    "purges_beyond_the_bridge_only": "kept.is_what_was_kept",
    "highest_taken_for_the_end": "kept.is_what_was_kept",
    "block_is_spread": "chosen.block_goes_on",
    "block_of_one_append": "chosen.block_goes_on",
    "block_outlives_failure": "chosen.block_goes_on",
    "payload_changed_on_one_copy": "store.is_of_the_append",
    "ack_before_stored": "ack.is_stored",
    "ack_one_copy_early": "ack.is_stored",
    "retry_appended_twice": "append.was_asked",
    "retry_with_new_number": "append.was_asked",
    "asks_again_when_answered": "append.was_asked",
    "promises_one_copy_less": "ack.promises_enough",
    "only_last_append_remembered": "append.was_asked",
    "stream_taken_in_any_order": "streamed.is_next",
    "stream_acked_when_stored": "ack.after_all_before",
    "stream_heard_in_any_order": "ack.in_the_streams_order",
    "stream_goes_on_without_what_was_lost": "streamed.is_next",
    "copies_do_not_name_their_stream": "mutate.keeps_streams_whole",
    "recovery_forgets_streams": "mutate.keeps_streams_whole",
    "refused_after_append": "client.refuse.has_no_lsn",
    "release_before_recovery": "release.after_recovery",
    "release_beyond_last_known_good": "release.is_known_good",
    "extras_deleted_early": "dismissed.when_not_needed",
    "one_copy_too_many_deleted": "dismissed.when_not_needed",
    "leader_deleted": "retired.without_extras",
    "extra_forgotten": "retired.without_extras",
    "led_by_any_member": "retired.when_led",
    "release_before_leader": "release.when_led",
    "extras_deleted_after_release": "dismissed.before_release",
    "extra_taken_for_donor": "emptied.lies_elsewhere",
    "amend_keeps_the_wave": "store.wave_has_one_copyset",
    "store_below_seal": "store.not_sealed",
    "seal_forgotten_in_crash": "seal.rises",
    "soft_seal_ignored": "store.not_soft_sealed",
    "appends_while_draining": "append.before_draining",
    "unreleased_shown": "ship.is_released",
    "copies_not_purged": "deliver.is_what_was_kept",
    "recovery_does_not_seal": "digest.is_sealed",
    "digest_of_too_few_nodes": "plan.heard_enough",
    "lone_copy_dropped": "store.follows_from_digests",
    "bridge_over_last_record": "store.follows_from_digests",
    "clean_before_replicated": "mutate.is_replicated",
    "recovers_its_own_epoch": "digest.is_sealed",
    "hole_stored_for_record": "store.follows_from_digests",
    "end_after_the_bridge": "clean.is_decided",
    "clean_epochs_not_told": "store.not_settled",
    "last_recovery_says_the_end": "clean.is_next",
    "newest_epoch_recovered_first": "clean.is_next",
    "delivers_latest_first": "read.is_next",
    "delivers_every_copy": "read.is_next",
    "skips_silently": "read.is_next",
    "loss_without_f_majority": "gap.loss_is_proved",
    "hole_reported_without_plug": "gap.is_what_was_kept",
    "hole_told_as_a_loss": "gap.loses_what_nobody_holds",
    "bridge_reported_for_missing": "gap.is_what_was_kept",
    "latest_seal_obeyed": "seal.rises",
    "overruled_recovery_obeyed": "store.not_settled",
    "purge_deletes_everything": "erase.has_a_cause",
    "rack_heard_after_one_answer": "plan.heard_enough",
    "decides_without_room": "plan.can_be_stored",
    "recovery_asks_everybody": "plan.heard_who_promised",
    "last_record_taken_for_known_good": "mutate.is_next",
    "nothing_plugged_or_closed": "settle.is_decided",
    "sends_latest_first": "ship.leaves_nothing_out",
    "sends_beyond_the_window": "ship.within_the_window",
    "fills_in_what_it_lacks": "ship.is_held",
    "asks_from_its_start": "ask.from_where_it_is",
    "asks_for_one_record": "ask.a_window_that_fits",
    "allows_more_than_it_holds": "ask.a_window_that_fits",
    "old_filters_for_who_comes_back": "ask.all_in_turn",
    "rewinds_without_counting": "ask.by_the_same_filters",
    "passes_over_in_all_send_all": "ask.by_the_same_filters",
    "gives_damaged_payloads": "deliver.is_what_was_kept",
    "concludes_as_if_all_had_sent": "gap.is_what_was_kept",
    "down_nodes_need_not_answer": "gap.loss_is_proved",
    "reads_the_old_nodeset": "gap.answered_by_its_nodes",
    "lists_a_whole_copyset": "greylist.someone_is_left",
    "never_forgives": "ask.not_beyond_a_term",
    "forgives_whoever_sends": "greylist.term_is_kept",
    "keeps_its_list_to_itself": "greylist.rewinds",
    "asks_slow_nodes_to_send": "ask.passes_over_who_is_slow",
    "lenient_with_repeaters": "greylist.term_grows",
    "hard_on_repeaters": "greylist.term_grows",
    "clean_epoch_written": "store.not_settled",
    "releases_before_metadata": "release.metadata_are_readable",
    "one_copy_of_metadata_is_enough": "described.is_replicated",
    "forgets_new_nodeset": "described.as_given",
    "metadata_begin_early": "described.as_given",
    "metadata_overtake_each_other": "learnt.as_given",
    "range_one_epoch_too_long": "learnt.as_given",
    "first_answer_is_enough": "learnt.as_given",
    "keeps_metadata_one_epoch_longer": "learnt.as_given",
    "empty_after_first_donor": "status.as_rebuildings_are",
    "loss_not_told": "status.as_rebuildings_are",
    "donor_may_be_gone": "emptied.lies_elsewhere",
    "version_reused": "rebuilding.is_next",
    "versions_swapped": "status.is_next",
    "empty_before_rebuilt": "status.as_rebuildings_are",
    "back_without_a_word": "status.lost_until_rebuilt",
    "rebuilds_unreleased": "rebuilt.is_released",
    "rebuilds_what_was_overruled": "copyset.of_what_is_held",
    "rebuilt_copy_differs": "rebuilt.is_lent",
    "record_rebuilt_as_hole": "rebuilt.is_lent",
    "rebuilds_what_nobody_stored": "rebuilt.is_lent",
    "rebuilt_anywhere": "copyset.can_replicate",
    "amend_forgets_new_node": "copyset.can_replicate",
    "amends_before_stored": "copyset.of_what_is_held",
    "forgets_what_it_lost": "gap.loses_what_nobody_holds",
    "takes_lacking_for_nothing": "gap.loses_what_nobody_holds",
    "expands_without_checksum": "deliver.is_what_was_kept",
    "takes_damaged_for_nothing": "gap.loses_what_nobody_holds",
    "loss_told_in_single_copy": "gap.loss_only_if_all_send",
    "disk_lost_in_crash": "gap.loses_what_nobody_holds",
    "empty_without_rewind": "gap.covers_nothing_acknowledged",
    "trim_point_goes_back": "trimmed.rises",
    "trims_one_too_many": "trimmed.was_asked",
    "trims_what_is_not_recovered": "trimmed.was_asked",
    "sends_what_was_trimmed": "ship.is_held",
    "trims_without_a_word": "gap.covers_nothing_acknowledged",
    "trimmed_told_as_lost": "gap.loss_is_proved",
    "lost_told_as_trimmed": "gap.has_a_reason",
}
"""The guard that refuses a run of each mutant first."""


@pytest.mark.parametrize("name", [*RIGHT, *SHIPPED])
def test_a_run_replays(name: str) -> None:
    print(f"run_of({name!r})")
    refusal = refusal_of(PLANS[name], run_of(name).events)
    assert refusal is None, (refusal.guard.id, refusal.number, refusal.expected, refusal.seen, refusal.event)


@pytest.mark.parametrize("name", [*RIGHT, *SHIPPED])
def test_a_run_replays_on_a_machine_of_which_nothing_else_is_known(name: str) -> None:
    """Other systems do what these runs do: what room readers have, and who sends a record, is theirs to say."""
    assert list(refusals(machine_of(PLANS[name], NOTHING_KNOWN), run_of(name).events)) == []


def test_every_mutant_is_refused() -> None:
    assert sorted(set(MUTANTS) ^ set(REFUSED_BY)) == []


@pytest.mark.parametrize("name", REFUSED_BY)
def test_a_mutant_is_refused_by_its_guard(name: str, catches: Catches) -> None:
    print(f"run_of({name!r})")
    refusal = refusal_of(PLANS[name], run_of(name).events)
    assert refusal is not None
    assert refusal.guard.id == REFUSED_BY[name]
    assert refusal.expected
    assert refusal.seen
    catches("mutant", name, "replay")

"""Every step of a run of the corpus is a step of the proved texts or a stutter; for mutants it is said which is none.

The design promises a checked refinement between the machine and the protocol text: every simulated step, not an
argument about them. A check that cannot fail is a defect: of every mutant it is said whether the text speaks of what it
breaks.
"""

from __future__ import annotations

import re

import pytest

from reference_impl.mutants import MUTANTS
from reference_impl.refinement import Refinement, refine
from spec.language.outcomes import Verdict
from tests.suite.caught import Catches
from tests.support.corpus import PLANS, RIGHT, dear

pytestmark = pytest.mark.slow

NUMBERS = re.compile(r"\d+(, \d+)*")

STILL_NAMED = "for every slot: not (the copyset of slot names node #) or all copies of slot vanished at once"
NOT_EXCUSED = "for every node: node is known to be empty or to have lost its data, or has denied ESN #"

CAUGHT = {
    "epoch_given_twice": ("plan", "not (the recovery by epoch # has planned)"),
    "epochs_out_of_order": ("deliver", "node # may send ESN # to readers"),
    "lsn_given_twice": ("assign", "not (the first writer proposed anything at ESN #)"),
    "esns_swapped": ("assign", "for every lower before ESN #: the first writer proposed something at lower"),
    "preempted_takes_new_epoch": ("assign", "not (the first writer proposed anything at ESN #)"),
    "copyset_ignores_scopes": ("acknowledge", "is fully replicated"),
    "copyset_outside_nodeset": ("store", "node # is fully authoritative"),
    "payload_changed_on_one_copy": ("store", "the machine has another payload as the sequencer's ESN #"),
    "ack_before_stored": ("acknowledge", "the first writer's ESN # is fully replicated"),
    "ack_one_copy_early": ("acknowledge", "is fully replicated"),
    "release_before_recovery": ("deliver", "may send ESN # to readers"),
    "release_beyond_last_known_good": ("deliver", "may send ESN # to readers"),
    "store_below_seal": ("store", "not (node # obeys a seal later than the sequencer)"),
    "seal_forgotten_in_crash": ("store", "obeys a seal later than the sequencer)"),
    "unreleased_shown": ("deliver", "may send ESN # to readers"),
    "purge_deletes_everything": ("deny", "for no writer: node # has writer's ESN # on its disk"),
    "clean_epoch_written": ("store", "not (node # has purged the epoch)"),
    "copies_not_purged": ("deliver", "has the sequencer's ESN # on its disk"),
    "purges_without_knowing": ("deliver", "has the sequencer's ESN # on its disk"),
    "purges_beyond_the_bridge_only": ("deliver", "has the sequencer's ESN # on its disk"),
    "highest_taken_for_the_end": ("deliver", "has the sequencer's ESN # on its disk"),
    "disk_lost_in_crash": ("deny", "for no writer: node # has writer's ESN # on its disk"),
    "rebuilds_what_was_overruled": ("deliver", "has the sequencer's ESN # on its disk"),
    "recovery_does_not_seal": ("store", "not (node # obeys a seal later than the sequencer)"),
    "digest_of_too_few_nodes": ("plan", "nodes # are no f-majority of the nodeset #"),
    "rack_heard_after_one_answer": ("plan", "nodes # are no f-majority of the nodeset #"),
    "recovery_asks_everybody": ("plan", "not (node is underreplicated)"),
    "latest_seal_obeyed": ("seal", "not (node # obeys a seal later than the recovery by epoch #)"),
    "last_record_taken_for_known_good": ("declare_clean", "has a bridge, and everything up to it is fully replicated"),
    "nothing_plugged_or_closed": ("plan", "finds in nodes # a bridge at ESN #, or nothing from ESN # on"),
    "overruled_recovery_obeyed": ("store", "not (node # obeys a seal later than the recovery by epoch #)"),
    "lone_copy_dropped": ("plan", "finds in nodes # a bridge at ESN #, or nothing from ESN # on"),
    "bridge_over_last_record": ("plan", "finds in nodes # a bridge at ESN #, or nothing from ESN # on"),
    "recovers_its_own_epoch": ("store", "not (node # obeys a seal later than the sequencer)"),
    "hole_stored_for_record": ("store", "the machine has hole as the recovery by epoch #'s ESN #"),
    "clean_epochs_not_told": ("store", "not (node # has purged the epoch)"),
    "last_recovery_says_the_end": ("plan", "comes before the recovery by which the epoch is clean"),
    "clean_before_replicated": ("declare_clean", "has a bridge, and everything up to it is fully replicated"),
    "loss_without_f_majority": ("report", "node is known to be empty or to have lost its data, or has denied ESN #"),
    "delivers_latest_first": ("report", "node is known to be empty or to have lost its data, or has denied ESN #"),
    "hole_reported_without_plug": ("deliver", "no node has sent hole"),
    "hole_told_as_a_loss": ("report", NOT_EXCUSED),
    "bridge_reported_for_missing": ("deliver", "no node has sent bridge"),
    "sends_latest_first": ("deny", "for no writer: node # has writer's ESN # on its disk"),
    "fills_in_what_it_lacks": ("deliver", "has the sequencer's ESN # on its disk"),
    "gives_damaged_payloads": ("deliver", "no node has sent another payload"),
    "forgets_what_it_lost": ("deny", "for no writer: node # has writer's ESN # on its disk"),
    "takes_lacking_for_nothing": ("report", "is known to be empty or to have lost its data, or has denied ESN #"),
    "expands_without_checksum": ("deliver", "no node has sent another payload"),
    "forgets_new_nodeset": ("report", "is known to be empty or to have lost its data, or has denied ESN #"),
    "range_one_epoch_too_long": ("report", "is known to be empty or to have lost its data, or has denied ESN #"),
    "keeps_metadata_one_epoch_longer": ("report", "is known to be empty or to have lost its data, or has denied ESN #"),
    "stream_acked_when_stored": ("acknowledge", "for every lower before ESN #: lower is acknowledged"),
    "recovery_forgets_streams": ("plan", "finds in nodes # a bridge at slot, or nothing from slot on"),
    "copies_do_not_name_their_stream": ("plan", "finds in nodes # a bridge at slot, or nothing from slot on"),
    "extras_deleted_early": ("drop", "of copyset #: other stores the first writer's ESN #"),
    "one_copy_too_many_deleted": ("drop", "of copyset #: other stores the first writer's ESN #"),
    "trim_point_goes_back": ("deny", "for no writer: node # has writer's ESN # on its disk"),
    "trims_what_is_not_recovered": ("purge", "the epoch is clean by something"),
    "trims_without_a_word": ("deny", "for no writer: node # has writer's ESN # on its disk"),
    "trimmed_told_as_lost": ("report", "is known to be empty or to have lost its data, or has denied ESN #"),
    "concludes_as_if_all_had_sent": ("report", "is known to be empty or to have lost its data, or has denied ESN #"),
    "empty_before_rebuilt": ("mark_empty", STILL_NAMED),
    "empty_after_first_donor": ("mark_empty", STILL_NAMED),
    "loss_not_told": ("mark_empty", STILL_NAMED),
    "extra_taken_for_donor": ("mark_empty", STILL_NAMED),
    "back_without_a_word": ("learn", "node # is empty"),
    "donor_may_be_gone": ("mark_empty", STILL_NAMED),
    "rebuilds_unreleased": ("rebuild", "node # has ESN # as it was settled"),
    "rebuilt_copy_differs": ("rebuild", "the machine has another payload as the recovery by epoch #'s ESN #"),
    "record_rebuilt_as_hole": ("rebuild", "the machine has hole as"),
    "rebuilds_what_nobody_stored": ("rebuild", "node # has ESN # as it was settled"),
    "rebuilt_anywhere": ("mark_empty", STILL_NAMED),
    "amend_forgets_new_node": ("mark_empty", STILL_NAMED),
    "amends_before_stored": ("mark_empty", STILL_NAMED),
    "empty_without_rewind": ("report", NOT_EXCUSED),
    "down_nodes_need_not_answer": ("report", NOT_EXCUSED),
    "takes_damaged_for_nothing": ("report", NOT_EXCUSED),
    "metadata_begin_early": ("report", NOT_EXCUSED),
    "reads_the_old_nodeset": ("report", NOT_EXCUSED),
    "loss_told_in_single_copy": ("report", NOT_EXCUSED),
}
"""The action that is no step of the text, and a part of what forbids it; # stands for whatever numbers the run has."""

VERSIONS = "versions of the status table"
SLOW = "who is slow; any node may be passed over"
METADATA = "the metadata log; each epoch is given its nodeset"
LEADERS = "who is to have a record first, of which the text of appending speaks"
TRIMMED = "what is trimmed: a node keeps its copies for ever"

NOT_IN_THE_TEXT = {
    "amend_keeps_the_wave": "waves: all are of one writer",
    "block_is_spread": "blocks",
    "block_of_one_append": "blocks",
    "block_outlives_failure": "blocks",
    "appends_while_draining": "who replaces a sequencer; recovery begins once it is drained",
    "soft_seal_ignored": "soft seals; the next seal comes all the same",
    "releases_before_metadata": METADATA,
    "one_copy_of_metadata_is_enough": METADATA,
    "metadata_overtake_each_other": METADATA,
    "first_answer_is_enough": METADATA,
    "stream_goes_on_without_what_was_lost": "which request a payload comes from",
    "stream_heard_in_any_order": "which request a payload comes from",
    "stream_taken_in_any_order": "which request a payload comes from",
    "only_last_append_remembered": "which request a payload comes from",
    "retry_appended_twice": "which request a payload comes from",
    "retry_with_new_number": "which request a payload comes from",
    "asks_again_when_answered": "which request a payload comes from",
    "promises_one_copy_less": "what a client is told of an append that is safe",
    "end_after_the_bridge": "what the epoch store keeps of where an epoch ends",
    "refused_after_append": "what a client is told of an append that failed",
    "newest_epoch_recovered_first": "the order of epochs; each epoch by itself is recovered as ever",
    "decides_without_room": "who has room for what a recovery decides; it decides again, as another writer",
    "delivers_every_copy": "in which order readers give what they were sent, and how often",
    "skips_silently": "that readers pass over nothing",
    "sends_beyond_the_window": "windows",
    "asks_from_its_start": "what a reader asks for",
    "asks_for_one_record": "windows",
    "allows_more_than_it_holds": "windows",
    "old_filters_for_who_comes_back": "filters",
    "rewinds_without_counting": "filters",
    "passes_over_in_all_send_all": "filters",
    "lists_a_whole_copyset": SLOW,
    "never_forgives": SLOW,
    "forgives_whoever_sends": SLOW,
    "keeps_its_list_to_itself": SLOW,
    "asks_slow_nodes_to_send": SLOW,
    "lenient_with_repeaters": SLOW,
    "hard_on_repeaters": SLOW,
    "leader_deleted": LEADERS,
    "extra_forgotten": LEADERS,
    "led_by_any_member": LEADERS,
    "release_before_leader": LEADERS,
    "extras_deleted_after_release": LEADERS,
    "trims_one_too_many": TRIMMED,
    "sends_what_was_trimmed": TRIMMED,
    "lost_told_as_trimmed": TRIMMED,
    "version_reused": VERSIONS,
    "versions_swapped": VERSIONS,
}
"""What the text would have to speak of to forbid the mutant."""


def followed(name: str) -> Refinement:
    """What becomes of a run of the corpus."""
    print(f"refine(PLANS[{name!r}])")
    return refine(PLANS[name])


@pytest.mark.parametrize("name", dear(RIGHT))
def test_runs_of_the_correct_machine_refine(name: str) -> None:
    """Recoveries decide, disks are lost and rebuilt, readers give up; whoever sends, it is what the texts deliver."""
    found = followed(name)
    assert found.broken is None, found.broken.text()
    assert found.delivery.broken is None, found.delivery.broken.text()
    assert found.steps > found.stutters > 0
    assert found.verdict is Verdict.HOLDS


def test_the_text_keeps_what_a_shipped_purge_deletes() -> None:
    """A node says that it has nothing where recovery kept what it had: others have it, and no rule is broken."""
    found = followed("purges_as_shipped")
    assert found.broken is not None
    said = [NUMBERS.sub("#", sentence) for sentence in found.broken.why]
    assert (found.broken.action, said) == ("deny", ["for no writer: node # has writer's ESN # on its disk"])


def test_every_mutant_is_accounted_for() -> None:
    assert sorted([*CAUGHT, *NOT_IN_THE_TEXT]) == sorted(MUTANTS)


@pytest.mark.parametrize("name", CAUGHT)
def test_a_mutant_takes_no_step_of_the_text(name: str, catches: Catches) -> None:
    """The run ends at a step that is none of the text, for the reason that is known."""
    found = followed(name)
    assert found.broken is not None
    assert found.verdict is Verdict.VIOLATED
    action, why = CAUGHT[name]
    said = [NUMBERS.sub("#", sentence) for sentence in found.broken.why]
    assert (found.broken.action, any(why in sentence for sentence in said)) == (action, True), found.broken.text()
    catches("mutant", name, "refinement")


@pytest.mark.parametrize("name", NOT_IN_THE_TEXT)
def test_what_the_text_does_not_speak_of_is_a_stutter(name: str) -> None:
    """Other checks notice these: see the page of what is caught."""
    found = followed(name)
    assert found.broken is None, found.broken.text()

"""What is recorded of a run is followed by the text ``epoch``, as the machine itself is; of mutants some are refused.

The text is proved for any number of nodes: ``spec/protocols/epoch.py``. Here nobody looks into the machine: what its
trace says is all that the text is told.
"""

from __future__ import annotations

import pytest

from reference_impl.following.checker import Refusal
from reference_impl.following.families import LOGS
from reference_impl.following.logs.checker import LogChecker
from tests.corpus.test_refinement import CAUGHT
from tests.support.corpus import PLANS, RIGHT, dear, run_of

pytestmark = pytest.mark.slow

REFUSED = {
    "epoch_given_twice": "plan",
    "lsn_given_twice": "assign",
    "esns_swapped": "assign",
    "preempted_takes_new_epoch": "assign",
    "copyset_ignores_scopes": "acknowledge",
    "copyset_outside_nodeset": "store",
    "payload_changed_on_one_copy": "store",
    "ack_before_stored": "acknowledge",
    "ack_one_copy_early": "acknowledge",
    "release_beyond_last_known_good": "acknowledge",
    "extras_deleted_early": "vanish",
    "one_copy_too_many_deleted": "vanish",
    "extra_taken_for_donor": "mark_empty",
    "stream_acked_when_stored": "acknowledge",
    "copies_do_not_name_their_stream": "store",
    "recovery_forgets_streams": "store",
    "store_below_seal": "store",
    "seal_forgotten_in_crash": "store",
    "purges_beyond_the_bridge_only": "no step",
    "highest_taken_for_the_end": "no step",
    "latest_seal_obeyed": "seal",
    "overruled_recovery_obeyed": "store",
    "recovery_does_not_seal": "plan",
    "digest_of_too_few_nodes": "plan",
    "rack_heard_after_one_answer": "plan",
    "recovery_asks_everybody": "plan",
    "lone_copy_dropped": "store",
    "bridge_over_last_record": "store",
    "clean_before_replicated": "declare_clean",
    "recovers_its_own_epoch": "plan",
    "hole_stored_for_record": "store",
    "end_after_the_bridge": "no step",
    "clean_epochs_not_told": "plan",
    "last_recovery_says_the_end": "declare_clean",
    "last_record_taken_for_known_good": "acknowledge",
    "nothing_plugged_or_closed": "declare_clean",
    "trims_what_is_not_recovered": "purge",
    "empty_before_rebuilt": "mark_empty",
    "empty_after_first_donor": "mark_empty",
    "loss_not_told": "mark_empty",
    "back_without_a_word": "rejoin",
    "donor_may_be_gone": "mark_empty",
    "rebuilds_unreleased": "rebuild",
    "rebuilds_what_was_overruled": "rebuild",
    "rebuilt_copy_differs": "rebuild",
    "record_rebuilt_as_hole": "rebuild",
    "rebuilds_what_nobody_stored": "rebuild",
    "rebuilt_anywhere": "mark_empty",
    "amend_forgets_new_node": "mark_empty",
    "amends_before_stored": "mark_empty",
    "disk_lost_in_crash": "store",
}
"""Mutants, and the step that the first refused event claims to be."""


def followed(name: str) -> tuple[LogChecker, Refusal | None]:
    """What following says of a run of the corpus, and the first event that is refused."""
    checker = LOGS.checker(PLANS[name].parameters())
    refusals = (checker.step(event) for event in run_of(name).events)
    return checker, next((refusal for refusal in refusals if refusal is not None), None)


@pytest.mark.parametrize("name", dear(RIGHT))
def test_a_correct_run_is_followed_to_its_end(name: str) -> None:
    """Under all faults: disks that are lost and rebuilt, copies that vanish, trims, extras that are deleted."""
    checker, refusal = followed(name)
    assert refusal is None, refusal
    assert checker.taken == len(run_of(name).events)
    assert checker.steps > 0
    assert {"assign", "store"} <= checker.by_action.keys()


@pytest.mark.parametrize("name", REFUSED)
def test_a_mutant_takes_no_step_of_the_text(name: str) -> None:
    _, refusal = followed(name)
    assert refusal is not None
    assert refusal.claims.partition("(")[0] == REFUSED[name], refusal
    assert refusal.reasons


@pytest.mark.parametrize("name", sorted(PLANS.keys() - RIGHT.keys() - REFUSED.keys()))
def test_what_the_text_does_not_speak_of_is_passed_over(name: str) -> None:
    _, refusal = followed(name)
    assert refusal is None, refusal


def test_only_what_readers_would_show_is_left_to_refinement() -> None:
    """And when nodes purge, where that is not recorded. What an epoch ends with is no step of the machine."""
    assert {CAUGHT[name][0] for name in CAUGHT.keys() - REFUSED.keys()} == {"deliver", "deny", "report", "store"}
    assert REFUSED.keys() - CAUGHT.keys() == {"end_after_the_bridge"}

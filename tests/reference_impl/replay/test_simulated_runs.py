"""Every simulated run replays on the machine of events; every mutant is refused, by a guard of the rule that it breaks.

Justified by the demand that every simulator trace replays, and that a trace which is no behaviour is refused.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.log.machine import DELIVERIES, VARIANTS
from reference_impl.mutants import MUTANTS, mutant_named
from reference_impl.plan import EVERY_FAULT, MILLISECOND, REPLICATIONS, TOPOLOGIES, Faults, SimulationPlan
from reference_impl.replay import GUARDS
from reference_impl.replay.habits import NO_HABITS
from reference_impl.replay.pages import page
from reference_impl.simulate import simulate
from tests.support.replayed import machine_of, refusal_of, refusals

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "replay.md"

FAST = 3000
SLOW = 5000

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
    "only_last_append_remembered": "append.was_asked",
    "one_confirmation_for_all": "release.is_known_good",
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
    "newest_epoch_recovered_first": "clean.is_next",
    "delivers_latest_first": "read.is_next",
    "delivers_every_copy": "read.is_next",
    "skips_silently": "read.is_next",
    "loss_without_f_majority": "gap.loss_is_proved",
    "hole_reported_without_plug": "gap.is_what_was_kept",
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
    "rebuilds_what_was_overruled": "deliver.is_what_was_kept",
    "rebuilt_copy_differs": "rebuilt.is_lent",
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

SEEDS = {"preempted_takes_new_epoch": 2}
"""Runs in which that guard is the first, where it is not the usual one."""


def plan_on(topology: str, seed: int, events: int, faults: Faults) -> SimulationPlan:
    """A run with some faults."""
    return SimulationPlan(seed, TOPOLOGIES[topology], REPLICATIONS[topology], events, faults=faults)


def replays(plan: SimulationPlan) -> None:
    """The whole run is a behaviour of the machine."""
    refusal = refusal_of(plan, simulate(plan))
    assert refusal is None, (refusal.guard.id, refusal.number, refusal.expected, refusal.seen, refusal.event)


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_run_replays(topology: str) -> None:
    """Replay it with ``quorate simulate --topology NAME --output RUN`` and ``quorate replay RUN``."""
    replays(plan_on(topology, 0, FAST, Faults()))


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_run_that_tells_of_the_wire_replays(delivery: str) -> None:
    """What readers ask of nodes, and what these send, are steps as well."""
    plan = plan_on("regions9", 1, FAST, EVERY_FAULT)
    replays(replace(plan, delivery=(delivery,), on_the_wire=True))


@pytest.mark.parametrize("delivery", DELIVERIES)
def test_a_run_replays_on_a_machine_of_which_nothing_else_is_known(delivery: str) -> None:
    """Other systems do what these runs do: what room readers have, and who sends a record, is theirs to say."""
    plan = replace(plan_on("racks8", 1, 2 * FAST, EVERY_FAULT), delivery=(delivery,), on_the_wire=True)
    refusals_of_run = list(refusals(machine_of(plan, NO_HABITS), simulate(plan)))
    assert refusals_of_run == []


@pytest.mark.parametrize("topology", ["flat5", "racks6"])
def test_a_run_with_every_fault_replays(topology: str) -> None:
    """Replay it with ``quorate simulate --topology NAME --faults every --output RUN`` and ``quorate replay RUN``."""
    replays(plan_on(topology, 1, FAST, EVERY_FAULT))


@pytest.mark.parametrize("topology", ["flat5", "racks6"])
def test_a_run_of_every_variant_replays(topology: str) -> None:
    """Replay it with ``quorate simulate --variants NAMES --output RUN`` and ``quorate replay RUN``."""
    for faults in (Faults(), EVERY_FAULT):
        replays(replace(plan_on(topology, 2, FAST, faults), variants=VARIANTS))


@pytest.mark.slow
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_ten_runs_replay(topology: str) -> None:
    """Half of them with the usual faults, half with every fault that there is; half tell of the wire, too."""
    for seed in range(1, 11):
        plan = plan_on(topology, seed, SLOW, EVERY_FAULT if seed % 2 else Faults())
        replays(replace(plan, delivery=DELIVERIES, on_the_wire=True) if seed % 4 > 1 else plan)


TRIMS = Rate(2 * MILLISECOND)
RARE = {
    "a node that crashed while it was drained comes back empty, before the crash is over": replace(
        plan_on("racks6", 0, 20_000, Faults()), variants=("metadata_log",)
    ),
    "a record moves to another node's turn after a node passed over it": replace(
        plan_on("flat5", 70253, 20_000, EVERY_FAULT),
        variants=("amends", "extras"),
        delivery=("local", "all_send_all", "single_copy"),
        on_the_wire=True,
        trims=TRIMS,
    ),
    "what a donor sent comes after it was trimmed and lost its disk": replace(
        plan_on("regions9", 76063, 20_000, Faults()),
        variants=("soft_seals",),
        delivery=("local", "all_send_all"),
        trims=TRIMS,
    ),
    "a node is empty when only some nodes have trimmed": replace(
        plan_on("racks8", 859989, 8000, EVERY_FAULT),
        variants=("regions",),
        delivery=("single_copy", "all_send_all", "local"),
        trims=TRIMS,
    ),
    "a node is empty while it is down, and trims as far as before": replace(
        plan_on("racks8", 145665, 8000, EVERY_FAULT),
        variants=("compressed", "greylist", "regions"),
        delivery=("local",),
        trims=TRIMS,
    ),
    "the end of a clean epoch is trimmed before it is released": replace(
        plan_on("flat3", 338183, 20_000, EVERY_FAULT),
        variants=("pipelined", "write_streams"),
        delivery=("local",),
        trims=TRIMS,
    ),
}
"""Runs in which something rare happens."""


@pytest.mark.slow
@pytest.mark.parametrize("what", RARE)
def test_a_run_with_something_rare_replays(what: str) -> None:
    replays(RARE[what])


def test_the_machine_takes_every_event() -> None:
    plan = SimulationPlan(events=FAST)
    machine = machine_of(plan)
    assert [machine.step(event) for event in simulate(plan)] == [None] * FAST
    assert (machine.taken, machine.unsure) == (FAST, 0)


def test_every_mutant_is_refused() -> None:
    assert sorted(set(MUTANTS) ^ set(REFUSED_BY)) == []


@pytest.mark.parametrize("mutant", REFUSED_BY)
def test_a_mutant_is_refused_by_its_guard(mutant: str) -> None:
    """The run ends at the event that is refused, so most of it is never simulated."""
    plan = mutant_named(mutant).plan(SimulationPlan(SEEDS.get(mutant, 0), events=20_000))
    refusal = refusal_of(plan, simulate(plan))
    assert refusal is not None
    assert refusal.guard.id == REFUSED_BY[mutant]
    assert refusal.expected
    assert refusal.seen


def test_the_page_is_what_the_guards_say(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    if request.config.getoption("--rewrite"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()


def test_guards_have_names_of_their_own_and_a_place_on_the_page() -> None:
    ids = [guard.id for guard in GUARDS]
    assert len(set(ids)) == len(ids)
    told = page()
    assert [name for name in ids if f"### {name}\n" not in told] == []

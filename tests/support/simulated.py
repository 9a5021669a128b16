"""Simulated runs for tests: judged by the columns reading, which is fast, or by the reference, which is the meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from reference_impl.heading import header_of, recording_of
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.client.bookkeeping import kept
from spec.columns.blocks import check
from spec.columns.column import Column, Raw
from spec.columns.dimensions import dimensions_of, gather
from spec.events import Event
from spec.language.events import layout
from spec.language.outcomes import Judgement, Outcome
from spec.language.parameters import Parameters, mask, pack_factors
from spec.language.rule import Rule
from spec.language.schema import storage
from spec.registry import BY_ID, RULES

COLUMNS = [column for column in layout(Event).values() if not column.computed]

OF_TRIMS: Final = [rule.id for rule in RULES if rule.id.startswith("log.trim.")]
"""Rules on trims, of which a plan has none unless it says so."""

OF_GREYLISTS: Final = [rule.id for rule in RULES if rule.id.startswith("log.greylist.")]
"""Rules on nodes that are slow; readers look for them only where one node sends each record, and a plan says so."""
OF_METADATA: Final = [rule.id for rule in RULES if rule.id.startswith("log.metadata.")]
"""Rules on metadata logs, which only a variant of the machine has."""

OF_ENDS: Final = {"client.read.nothing_beyond_the_end"}
"""Rules on what readers are told of the end of a log, for which those of the machine do not ask."""

OF_STAGES: Final = {rule.id for rule in RULES if rule.id.startswith("log.stages.")}
"""Rules on copysets with extras, which no plan has unless it says so."""

OF_VARIANTS: Final = [
    "log.place.block_has_one_copyset",
    "log.place.block_ends_for_a_reason",
    "log.place.avoids_who_failed",
    *sorted(OF_STAGES),
    "log.seal.soft_fences",
    "log.sequencing.draining_ends",
    *(rule.id for rule in RULES if rule.id.startswith("log.stream.")),
    *OF_TRIMS,
    "log.purge.of_a_clean_epoch",
    "log.purge.keeps_what_was_decided",
    *OF_GREYLISTS,
    *OF_METADATA,
]
"""Rules on what only variants of the machine do."""

NOTICED_BY: Final = {
    "epoch_given_twice": "log.sequencing.one_sequencer",
    "epochs_out_of_order": "log.sequencing.epochs_in_order",
    "lsn_given_twice": "log.sequencing.one_payload",
    "esns_swapped": "client.append.in_order",
    "preempted_takes_new_epoch": "log.sequencing.own_epoch",
    "copyset_ignores_scopes": "log.append.acked_is_spread",
    "copyset_outside_nodeset": "log.append.copyset_in_nodeset",
    "block_is_spread": "log.place.block_has_one_copyset",
    "block_of_one_append": "log.place.block_ends_for_a_reason",
    "block_outlives_failure": "log.place.avoids_who_failed",
    "payload_changed_on_one_copy": "log.append.one_record",
    "ack_before_stored": "log.append.copy_before_ack",
    "ack_one_copy_early": "log.append.acked_has_copies",
    "retry_appended_twice": "client.append.once",
    "retry_with_new_number": "client.append.once",
    "asks_again_when_answered": "client.append.one_lsn",
    "promises_one_copy_less": "log.append.promises_enough",
    "only_last_append_remembered": "client.append.once",
    "stream_taken_in_any_order": "log.stream.appended_in_order",
    "stream_acked_when_stored": "log.stream.acked_after_all_before",
    "stream_heard_in_any_order": "log.stream.answered_in_order",
    "stream_goes_on_without_what_was_lost": "log.stream.nothing_left_out",
    "copies_do_not_name_their_stream": "log.stream.nothing_above_a_hole",
    "recovery_forgets_streams": "log.stream.nothing_above_a_hole",
    "refused_after_append": "client.append.refused_is_absent",
    "release_before_recovery": "log.recovery.before_release",
    "release_beyond_last_known_good": "log.release.below_last_known_good",
    "extras_deleted_early": "log.stages.enough_keep_it",
    "one_copy_too_many_deleted": "log.stages.acked_is_kept",
    "leader_deleted": "log.stages.leaders_keep_it",
    "extra_forgotten": "log.stages.no_extra_stays",
    "led_by_any_member": "log.stages.leaders_have_it",
    "release_before_leader": "log.stages.released_when_led",
    "extras_deleted_after_release": "log.stages.deleted_before_release",
    "extra_taken_for_donor": "log.stages.empty_is_elsewhere",
    "amend_keeps_the_wave": "log.append.wave_has_one_copyset",
    "store_below_seal": "log.seal.fences",
    "seal_forgotten_in_crash": "log.seal.fences",
    "soft_seal_ignored": "log.seal.soft_fences",
    "appends_while_draining": "log.sequencing.draining_ends",
    "unreleased_shown": "log.release.before_delivery",
    "copies_not_purged": "log.read.repeatable_gaps",
    "purges_without_knowing": "log.purge.of_a_clean_epoch",
    "purges_beyond_the_bridge_only": "log.purge.keeps_what_was_decided",
    "highest_taken_for_the_end": "log.purge.keeps_what_was_decided",
    "releases_before_metadata": "log.metadata.before_release",
    "one_copy_of_metadata_is_enough": "log.metadata.is_replicated",
    "forgets_new_nodeset": "log.metadata.as_given",
    "metadata_begin_early": "log.metadata.ranges_are_apart",
    "metadata_overtake_each_other": "log.metadata.in_force",
    "range_one_epoch_too_long": "log.metadata.in_force",
    "first_answer_is_enough": "log.metadata.in_force",
    "keeps_metadata_one_epoch_longer": "log.metadata.in_force",
    "recovery_does_not_seal": "log.recovery.keeps_acked",
    "digest_of_too_few_nodes": "log.plan.heard_enough",
    "lone_copy_dropped": "log.recovery.hole_is_benign",
    "bridge_over_last_record": "log.recovery.bridge_is_last",
    "clean_before_replicated": "log.recovery.outcome_is_replicated",
    "recovers_its_own_epoch": "log.recovery.by_a_later_epoch",
    "hole_stored_for_record": "log.recovery.stored_as_decided",
    "end_after_the_bridge": "log.recovery.ends_at_its_bridge",
    "clean_epochs_not_told": "log.recovery.clean_is_kept",
    "last_recovery_says_the_end": "log.recovery.one_end",
    "newest_epoch_recovered_first": "log.recovery.oldest_first",
    "rack_heard_after_one_answer": "log.plan.heard_enough",
    "decides_without_room": "log.plan.can_be_stored",
    "recovery_asks_everybody": "log.plan.in_nodeset",
    "last_record_taken_for_known_good": "log.release.below_last_known_good",
    "nothing_plugged_or_closed": "log.release.is_replicated",
    "latest_seal_obeyed": "log.seal.rises",
    "overruled_recovery_obeyed": "log.recovery.obeyed_in_order",
    "clean_epoch_written": "log.recovery.clean_is_final",
    "purge_deletes_everything": "log.read.no_gap_over_acked",
    "delivers_latest_first": "client.read.in_order",
    "delivers_every_copy": "client.read.in_order",
    "skips_silently": "log.read.covers_all",
    "loss_without_f_majority": "log.read.dataloss_is_proved",
    "hole_reported_without_plug": "log.read.hole_is_plugged",
    "bridge_reported_for_missing": "log.read.no_gap_over_acked",
    "hole_told_as_a_loss": "log.read.hole_is_no_loss",
    "sends_latest_first": "log.deliver.in_order",
    "sends_beyond_the_window": "log.deliver.within_window",
    "fills_in_what_it_lacks": "log.deliver.sends_what_it_holds",
    "asks_from_its_start": "log.deliver.never_asks_again",
    "asks_for_one_record": "log.deliver.window_goes_on",
    "allows_more_than_it_holds": "log.deliver.window_fits",
    "old_filters_for_who_comes_back": "log.deliver.versions_rise",
    "rewinds_without_counting": "log.deliver.change_rewinds",
    "passes_over_in_all_send_all": "log.deliver.nobody_passed_over",
    "gives_damaged_payloads": "log.deliver.given_as_sent",
    "concludes_as_if_all_had_sent": "log.read.no_gap_over_acked",
    "down_nodes_need_not_answer": "log.read.dataloss_is_proved",
    "reads_the_old_nodeset": "log.read.no_gap_over_acked",
    "lists_a_whole_copyset": "log.greylist.fewer_than_copies",
    "never_forgives": "log.greylist.comes_back",
    "forgives_whoever_sends": "log.greylist.keeps_its_term",
    "keeps_its_list_to_itself": "log.greylist.change_rewinds",
    "asks_slow_nodes_to_send": "log.greylist.others_send",
    "lenient_with_repeaters": "log.greylist.terms_adapt",
    "hard_on_repeaters": "log.greylist.terms_adapt",
    "forgets_what_it_lost": "log.read.no_gap_over_acked",
    "takes_lacking_for_nothing": "log.read.no_gap_over_acked",
    "expands_without_checksum": "client.read.nothing_invented",
    "takes_damaged_for_nothing": "log.read.no_gap_over_acked",
    "loss_told_in_single_copy": "log.deliver.loss_only_if_all_send",
    "trim_point_goes_back": "log.trim.point_rises",
    "trims_one_too_many": "log.trim.as_asked",
    "trims_what_is_not_recovered": "log.trim.only_recovered",
    "sends_what_was_trimmed": "log.trim.sends_nothing_trimmed",
    "trims_without_a_word": "log.read.no_gap_over_acked",
    "trimmed_told_as_lost": "log.read.no_gap_over_acked",
    "lost_told_as_trimmed": "log.trim.gap_is_trimmed",
    "version_reused": "log.status.one_table",
    "versions_swapped": "log.status.versions_in_order",
    "empty_before_rebuilt": "log.rebuilding.empty_is_elsewhere",
    "empty_after_first_donor": "log.status.empty_after_donors",
    "loss_not_told": "log.status.empty_after_loss",
    "back_without_a_word": "log.status.back_by_its_word",
    "donor_may_be_gone": "log.rebuilding.empty_is_elsewhere",
    "rebuilds_unreleased": "log.rebuilding.only_released",
    "rebuilds_what_was_overruled": "log.rebuilding.what_was_kept",
    "rebuilt_copy_differs": "log.rebuilding.one_record",
    "record_rebuilt_as_hole": "log.rebuilding.of_what_donors_hold",
    "rebuilds_what_nobody_stored": "log.rebuilding.of_what_was_stored",
    "rebuilt_anywhere": "log.rebuilding.copyset_is_spread",
    "amend_forgets_new_node": "log.rebuilding.copyset_is_spread",
    "amends_before_stored": "log.rebuilding.names_holders",
    "disk_lost_in_crash": "log.recovery.keeps_acked",
    "empty_without_rewind": "log.read.no_gap_over_acked",
}
"""The rule that each mutant was made for."""


def place(event: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """Where an event stands in the order of a trace."""
    return event.get("log", 0), event.get("epoch", 0), event.get("esn", 0), event["seq"]


def raw_of(events: Sequence[dict[str, Any]], parameters: Parameters) -> Raw:
    """Events as columns in trace order."""
    ordered = sorted(events, key=place)
    raw = {"kind": Column(np.array([event["kind"] for event in ordered], np.int8))}
    for column in COLUMNS:
        said = [event.get(column.name) for event in ordered]
        filled = [event["kind"] in column.kinds for event in ordered]
        known = np.array([value is not None or not here for value, here in zip(said, filled, strict=True)])
        raw[column.name] = Column(_packed(column.sort, said, parameters.words), None if known.all() else known)
    return raw


def _packed(sort: str, said: Sequence[Any], words: int) -> Any:
    match sort:
        case "set":
            rows = [mask(value or frozenset(), words) for value in said]
            packed = np.array(rows, np.int64).reshape(len(said), words).T
            return packed[0].copy() if words == 1 else packed.copy()
        case "factors":
            return np.array([pack_factors(value or {}) for value in said], np.int64)
        case _:
            return np.array([value or 0 for value in said], np.int64)


def stored_table(raw: Raw, parameters: Parameters) -> pa.Table:
    """Complete columns as the table that an SQL engine reads."""
    arrays = {}
    for column in storage(Event, parameters):
        if column.bits:
            values, known = raw[column.column].value, raw[column.column].known
            word = values if values.ndim == 1 else values[column.word]
            arrays[column.name] = pa.array(word, f"int{column.bits}", mask=None if known is None else ~known)
    return pa.table(arrays)


def judged(plan: SimulationPlan, rules: Iterable[Rule] = RULES) -> Judgement:
    """What the rules say of a simulated run, as far as the machine promises to keep them."""
    return judged_run(plan, simulate(plan), rules)


def judged_run(plan: SimulationPlan, events: Iterable[Mapping[str, Any]], rules: Iterable[Rule] = RULES) -> Judgement:
    """The same of a run that was made already."""
    parameters, promises = plan.parameters(), header_of(plan).promises
    promised = [rule for rule in rules if not rule.promise or rule.promise in promises]
    return judged_columns(raw_of(kept(events, recording_of(plan)), parameters), parameters, promised)


def judged_columns(raw: Raw, parameters: Parameters, rules: Iterable[Rule] = RULES) -> Judgement:
    """What the columns reading says of a whole trace."""
    wanted = list(rules)
    return check(wanted, [raw], parameters, gather(dimensions_of(wanted), [raw], parameters))


def violated(judgement: Judgement) -> dict[str, int]:
    """How often each rule was violated, of those that were."""
    return _with(judgement, Outcome.VIOLATED)


def unknown(judgement: Judgement) -> dict[str, int]:
    """How often each rule could not be decided, of those that were not; a census counts what was not asked about."""
    found = _with(judgement, Outcome.UNKNOWN)
    return {name: times for name, times in found.items() if name not in BY_ID or not BY_ID[name].census}


def _with(judgement: Judgement, outcome: Outcome) -> dict[str, int]:
    return {rule: times for (rule, said), times in sorted(judgement.counts.items()) if said is outcome and times}


def without_instances(judgement: Judgement) -> list[str]:
    """The rules that had nothing to judge."""
    return [rule.id for rule in RULES if not judgement.judged(rule.id)]

"""LogDevice, Recovery: the example, step by step, and what holds after it."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import named_tests, rule, text, theorem, variant
from spec.sources.sentence import LEAD, Heading, aside, but, demands, shows, under

OUTCOMES = named_tests("reference_impl/log/test_outcomes")
MACHINE = named_tests("reference_impl/log/test_recovery")
RECOVERY_TEXT = text("recovery")
EPOCH = text("epoch")
TRACE = named_tests("spec/log/test_recovery_example")
EXAMPLE = named_tests("reference_impl/log/repair/test_recovery_example")
SEQUENCER = named_tests("reference_impl/log/test_sequencer")
STORAGE = named_tests("reference_impl/log/test_storage")
STORE = named_tests("reference_impl/log/test_epoch_store")
LOG = named_tests("reference_impl/log/repair/test_log_recovery")
PLAN = named_tests("reference_impl/log/repair/test_plan")

SHOWN = under(
    "Recovery example",
    aside("d98f74", "An example follows.", LEAD),
    shows(
        "b62733",
        "Five nodes; of the appends after the last known good LSN, e5n6 alone was acknowledged.",
        EXAMPLE("what_each_slot_becomes"),
        TRACE("the_example_keeps_every_rule"),
    ),
    shows(
        "19022c",
        "Three copies of each record; some have fewer so far.",
        EXAMPLE("releasing_at_once_would_break_replication"),
    ),
    shows("920b2a", "The sequencer and N1 fail.", EXAMPLE("what_each_slot_becomes")),
    demands(
        "a7482b",
        "The sequencer of epoch 6 takes appends, and leaves the log's last known good pointer where it is.",
        SEQUENCER("it_takes_appends_at_once_and_starts_recovery"),
        rule("log.recovery.before_release"),
        TRACE("what_the_document_warns_of_breaks_a_rule"),
    ),
    aside("9e0024", "Advancing it now would do harm.", LEAD),
    demands(
        "d35314",
        "Released records might have too few copies.",
        rule("log.release.is_replicated"),
        EXAMPLE("releasing_at_once_would_break_replication"),
        TRACE("what_the_document_warns_of_breaks_a_rule"),
    ),
    demands(
        "d56802",
        "An append of which nobody stored a copy, as e5n5, would look like a loss.",
        EXAMPLE("the_hole_would_be_told_as_a_loss"),
        rule("log.read.hole_is_no_loss"),
        rule("log.read.hole_is_plugged"),
    ),
    demands(
        "00828d",
        "It is none, because only acknowledged records are promised.",
        rule("log.read.no_gap_over_acked"),
        rule("client.read.acked_is_delivered"),
        rule("log.recovery.hole_is_benign"),
    ),
    demands(
        "743284",
        "Nodes that did not notice anything might still store what is in flight.",
        EXAMPLE("readers_would_see_different_views"),
        rule("log.seal.fences"),
        TRACE("what_the_document_warns_of_breaks_a_rule"),
    ),
    demands(
        "df7324",
        "Readers at different times would see different records, which is not allowed.",
        rule("log.read.repeatable_gaps"),
        rule("client.read.repeatable"),
        EXAMPLE("readers_would_see_different_views"),
        TRACE("what_the_document_warns_of_breaks_a_rule"),
    ),
    aside("56a31c", "What the recovery does.", LEAD),
    demands(
        "8564bd",
        "It seals: the nodes of the epoch's nodeset refuse whatever is older than epoch 6.",
        rule("log.seal.fences"),
        RECOVERY_TEXT("seal"),
        EXAMPLE("nodes_reject_smaller_epochs_than_six"),
        STORAGE("a_sealed_epoch_is_refused"),
        variant("recovery", "seal_stops_only_the_sequencer"),
        variant("recovery", "seals_are_forgotten"),
        MACHINE("it_seals_all_nodes_once_for_all_epochs"),
        rule("log.seal.rises"),
        rule("log.digest.is_sealed"),
        differs=but(
            "The recovery that sealed may store, as may later ones.",
            RECOVERY_TEXT("store"),
            named_tests("reference_impl/log/repair/test_seals")("who_may_store"),
        ),
    ),
    demands(
        "e6e5c5",
        "So no append of an old sequencer can be completed any more.",
        theorem("quorum.recovery.seal_stops_acks"),
        RECOVERY_TEXT("acked_survives"),
    ),
    demands(
        "492a95",
        "It looks at what the nodes have above the last known good LSN, and proposes one outcome for each LSN.",
        RECOVERY_TEXT("plan"),
        EXAMPLE("only_slots_after_the_last_known_good_one_are_looked_at"),
        PLAN("only_what_is_above_the_last_known_good_one_is_touched"),
        theorem("quorum.recovery.next_one_learns"),
        MACHINE("it_decides_once_an_f_majority_was_heard"),
        rule("log.plan.heard_enough"),
        rule("log.digest.is_sealed"),
        rule("log.plan.in_nodeset"),
    ),
    demands(
        "3ce6d4",
        "A record where one was found, and a hole where none was.",
        RECOVERY_TEXT("planned"),
        EXAMPLE("what_each_slot_becomes"),
        variant("recovery", "lowest_wins"),
        OUTCOMES("a_lone_copy_is_kept_and_what_is_missing_becomes_a_hole"),
        differs=but(
            "Not records that a bridge overrules, nor records behind a hole in a stream of appends.",
            named_tests("reference_impl/log/repair/test_digest")("a_bridge_overrules_what_lies_above_it"),
            PLAN("streams_are_plugged_before_bridges_are_set"),
            OUTCOMES("a_record_above_a_bridge_that_overrules_it_is_none"),
            rule("log.stream.nothing_above_a_hole"),
            named_tests("reference_impl/log/test_write_streams")(
                "recovery_keeps_no_record_of_a_stream_above_what_is_missing"
            ),
        ),
    ),
    demands(
        "83f26d",
        "Always a record where the append was acknowledged.",
        rule("log.recovery.keeps_acked"),
        RECOVERY_TEXT("acked_survives"),
        EXAMPLE("an_acknowledged_append_is_always_proposed"),
        TRACE("what_the_document_warns_of_breaks_a_rule"),
    ),
    demands(
        "6329ee",
        "It stores each outcome on as many nodes as are needed.",
        rule("log.recovery.outcome_is_replicated"),
        RECOVERY_TEXT("finished"),
        EXAMPLE("outcomes_lie_on_a_valid_copyset"),
        TRACE("what_the_document_warns_of_breaks_a_rule"),
        variant("recovery", "one_copy_is_enough"),
        MACHINE("it_is_done_with_an_epoch_once_the_outcome_is_replicated_and_known"),
        rule("log.plan.can_be_stored"),
        differs=but(
            "With fewer writable nodes than that, and everybody heard, it stores what it can.",
            LOG("too_few_writable_shards_hold_up_the_recovery_unless_everybody_was_heard"),
        ),
    ),
)

FINAL_STATE = under(
    "Final state after recovery is complete",
    aside("37e8e6", "What holds after it.", LEAD),
    demands(
        "4d7380",
        "No append of an epoch below 6 succeeds any more.",
        rule("log.seal.fences"),
        theorem("quorum.recovery.seal_stops_acks"),
        EXAMPLE("nodes_reject_smaller_epochs_than_six"),
    ),
    shows(
        "3bb1cc",
        "The last record of epoch 5 is its bridge, e5n8.",
        EXAMPLE("what_each_slot_becomes"),
        PLAN("holes_above_the_bridge_are_kept"),
        TRACE("the_example_keeps_every_rule"),
        differs=but(
            "Refuted as a general rule: holes above a bridge are kept, so the highest copy need not be the bridge.",
            PLAN("holes_above_the_bridge_are_kept"),
            variant("recovery", "highest_record_is_the_bridge"),
        ),
    ),
    demands(
        "0b3492",
        "What was not acknowledged is a record with enough copies, or a hole at its LSN.",
        rule("log.recovery.outcome_is_replicated"),
        rule("log.recovery.hole_is_benign"),
        EXAMPLE("an_append_that_was_not_acknowledged_is_kept_or_plugged"),
        TRACE("the_example_keeps_every_rule"),
    ),
    demands(
        "dc7f79",
        "What had enough copies is as it was.",
        EXAMPLE("what_was_replicated_is_intact"),
        RECOVERY_TEXT("acked_survives"),
        PLAN("a_complete_digest_leaves_equal_copies_alone"),
        MACHINE("what_is_replicated_already_is_not_stored_again"),
    ),
    demands(
        "1500f8",
        "The epoch store has epoch 5 as the last clean one.",
        rule("log.recovery.oldest_first"),
        STORE("epochs_become_clean_in_order"),
        EPOCH("declare_clean"),
        variant("epoch", "clean_before_replicated"),
        MACHINE("it_is_done_with_an_epoch_once_the_outcome_is_replicated_and_known"),
    ),
    demands(
        "7d2868",
        "Then the release pointer follows what is known good in epoch 6, and readers are given all up to it.",
        rule("log.recovery.before_release"),
        rule("log.release.before_delivery"),
        SEQUENCER("nothing_is_released_before_earlier_epochs_are_clean"),
        TRACE("the_example_keeps_every_rule"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (SHOWN, FINAL_STATE)
"""What it does."""

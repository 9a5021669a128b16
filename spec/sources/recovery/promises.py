"""LogDevice, Recovery: what recovery promises, and the record that ends an epoch."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import named_tests, rule, text, variant
from spec.sources.sentence import LEAD, Heading, aside, but, defines, demands, under

OUTCOMES = named_tests("reference_impl/log/test_outcomes")
MACHINE = named_tests("reference_impl/log/test_recovery")
RECOVERY_TEXT = text("recovery")
EPOCH = text("epoch")
TRACE = named_tests("spec/log/test_recovery_example")
EXAMPLE = named_tests("reference_impl/log/repair/test_recovery_example")
LOG = named_tests("reference_impl/log/repair/test_log_recovery")
PLAN = named_tests("reference_impl/log/repair/test_plan")
IMMUTABILITY = named_tests("reference_impl/log/repair/test_immutability")
EPOCHS = named_tests("reference_impl/log/stream/test_epochs")
RUNS = named_tests("corpus/test_rules")

PROMISED = under(
    "Log recovery",
    demands(
        "ef9896",
        "Recovery makes the epoch's records durable, consistent and unchangeable up to its end.",
        RECOVERY_TEXT("acked_survives"),
        RECOVERY_TEXT("kept_is_chosen"),
        RECOVERY_TEXT("finished_is_final"),
    ),
    aside("4f5daa", "What that means for an epoch that was recovered.", LEAD),
    demands(
        "a62547",
        "What was acknowledged is stored as the epoch's replication property says, and delivered.",
        rule("log.append.acked_has_copies"),
        rule("log.append.acked_is_spread"),
        rule("log.recovery.outcome_is_replicated"),
        rule("client.read.acked_is_delivered"),
        RECOVERY_TEXT("acked_survives"),
        differs=but("Delivered unless all its promised copies were lost.", rule("log.read.acked_or_lost_copies")),
    ),
    demands(
        "467e39",
        "What was never acknowledged and is missing is not told as a loss.",
        rule("log.read.hole_is_no_loss"),
        EXAMPLE("readers_go_on_over_benign_gaps"),
        LOG("loss_is_told_only_inside_an_epoch"),
        EPOCH("majority_never_denies"),
        EPOCH("fewer_losses_lose_nothing"),
        differs=but(
            "A recovery without authority plugs no holes, and there a loss may be told: it cannot be excluded.",
            PLAN("without_authority_nothing_hides_a_loss"),
            OUTCOMES("without_authority_nothing_is_plugged_and_nothing_closed"),
        ),
    ),
    demands(
        "5045d4",
        "It is told as a benign gap.",
        rule("log.read.hole_is_plugged"),
        EXAMPLE("readers_go_on_over_benign_gaps"),
    ),
    demands(
        "9e9011",
        "A recovered epoch stays as it is until it is trimmed.",
        RECOVERY_TEXT("finished_is_final"),
        EPOCH("read_is_the_outcome"),
        IMMUTABILITY("all_finished_recoveries_decide_alike"),
        rule("log.recovery.clean_is_final"),
        rule("log.recovery.clean_is_kept"),
        rule("log.trim.only_recovered"),
        differs=but(
            "Bridges must count from the whole digest; as shipped, those of read-only shards do not.",
            PLAN("a_bridge_on_a_read_only_shard_still_closes_the_epoch"),
            PLAN("in_logdevices_order_a_stray_is_resurrected"),
            IMMUTABILITY("logdevices_order_does_not_keep_the_promise"),
            variant("mutation", "filtered_before_bridges"),
        ),
    ),
    demands(
        "02dd46",
        "Also while the old sequencer still writes, or others recover the same epoch.",
        rule("log.seal.fences"),
        rule("log.seal.soft_fences"),
        rule("log.sequencing.draining_ends"),
        RECOVERY_TEXT("acked_survives"),
        RECOVERY_TEXT("finished_is_final"),
        IMMUTABILITY("all_finished_recoveries_decide_alike"),
        RUNS("the_correct_machine_breaks_no_rule"),
        MACHINE("a_later_recovery_ends_this_one"),
        rule("log.recovery.obeyed_in_order"),
    ),
)

BRIDGE = under(
    "Bridge record",
    demands(
        "cca504",
        "Recovery ends an epoch with a bridge record.",
        rule("log.recovery.bridge_is_last"),
        RECOVERY_TEXT("planned"),
        PLAN("every_esn_up_to_the_bridge_has_an_outcome"),
        OUTCOMES("an_empty_epoch_is_closed_by_its_bridge"),
        differs=but(
            "No bridge after the greatest ESN, nor by a recovery without authority.",
            PLAN("without_authority_nothing_hides_a_loss"),
            PLAN("an_epoch_up_to_the_greatest_esn"),
        ),
    ),
    defines(
        "0ccac6",
        "It is stored like any record, marked as a bridge.",
        EXAMPLE("a_bridge_is_stored_as_records_are"),
    ),
    demands(
        "3b68b2",
        "Its sequence number is where, as agreed, the epoch ends.",
        RECOVERY_TEXT("ends"),
        RECOVERY_TEXT("finished_bridge_is_final"),
        PLAN("a_bridge_on_a_read_only_shard_still_closes_the_epoch"),
        variant("recovery", "bridge_at_first_gap"),
    ),
    demands(
        "24a304",
        "A reader that meets it goes on to the next epoch, over a gap that is no loss.",
        rule("log.read.covers_all"),
        EPOCHS("a_bridge_record_ends_its_epoch"),
        LOG("a_bridge_takes_the_reader_to_the_end_of_the_epoch"),
        TRACE("the_example_keeps_every_rule"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (PROMISED, BRIDGE)
"""What it promises."""

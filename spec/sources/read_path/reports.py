"""LogDevice, Read path: gaps, as nodes send them and as the application is told of them."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule, text, theorem, variant
from spec.sources.sentence import LEAD, Heading, aside, but, defines, demands, under

SERVING = named_tests("reference_impl/log/serving/test_serving")
READS = text("reads")
DELIVERY = text("delivery")
RECOVERY = text("recovery")
EXAMPLES = named_tests("reference_impl/log/stream/test_read_path")
GAPS = named_tests("reference_impl/log/stream/test_gap_detection")
EPOCHS = named_tests("reference_impl/log/stream/test_epochs")
LOSS = named_tests("spec/log/test_reading")
PLAN = named_tests("reference_impl/log/repair/test_plan")
EXAMPLE = named_tests("reference_impl/log/repair/test_recovery_example")

SENT = under(
    "Gaps sent by storage nodes",
    aside("442c8f", "So far nodes sent records alone.", LEAD),
    demands(
        "65844d",
        "A node may also say of some LSNs that it has nothing there.",
        DELIVERY("go_past"),
        READS("deny"),
        EXAMPLES("a_gap_is_as_good_as_a_record"),
        SERVING("much_is_sent_in_batches"),
    ),
    aside("34da85", "It does so in three cases, among others.", LEAD),
    demands(
        "8bb8a3",
        "It has come to the end of the log.",
        DELIVERY("go_past"),
        SERVING("a_start_is_answered_and_what_is_released_follows"),
        differs=but(
            "It speaks of what is released only: the end of the log is the release pointer.",
            rule("log.release.before_delivery"),
        ),
    ),
    demands(
        "2b8c7b",
        "What it would send next lies behind the window.",
        DELIVERY("go_past"),
        SERVING("nothing_is_sent_beyond_the_window_before_it_moves"),
    ),
    demands(
        "46034e",
        "What it would send next did not fit into this batch.",
        DELIVERY("go_past"),
        SERVING("much_is_sent_in_batches"),
    ),
    defines(
        "d89b7e",
        "A batch is what a node reads at a time.",
        named_tests("reference_impl/log/delivery/test_copyset_index")("blocks_change_nothing"),
        SERVING("much_is_sent_in_batches"),
    ),
    demands(
        "0247cd",
        "A gap ends it.",
        DELIVERY("go_past"),
        SERVING("much_is_sent_in_batches"),
    ),
    aside("7396ad", "With that, the rule of losses is this.", LEAD),
    aside("caa5df", "A loss may be reported in two cases.", LEAD),
    demands(
        "53c37c",
        "An f-majority of FULLY_AUTHORITATIVE nodes is past the LSN, by a record or a gap.",
        rule("log.read.dataloss_is_proved"),
        READS("report_by_majority"),
        EXAMPLES("a_gap_is_as_good_as_a_record"),
        EXAMPLES("the_third_node_proves_the_loss"),
    ),
    demands(
        "d5984e",
        "There is none, but all FULLY_AUTHORITATIVE nodes are past it.",
        rule("log.read.dataloss_is_proved"),
        rule("log.read.dataloss_is_proved_as_written"),
        READS("report_by_all"),
        EXAMPLES("without_an_f_majority_all_who_count_are_enough"),
        EXAMPLES("no_answer_is_no_denial"),
        LOSS("TestDataLoss.where_the_document_and_the_code_differ"),
        theorem("quorum.status.complete_as_written"),
        differs=but(
            "UNAVAILABLE nodes must be past it as well.",
            rule("log.read.dataloss_is_proved"),
            EXAMPLES("no_answer_is_no_denial"),
            variant("reads", "only_authoritative_must_answer"),
        ),
    ),
)

TOLD = under(
    "Reporting gaps to the application",
    defines(
        "587e43",
        "What a node sends is called a NO_RECORDS gap.",
        DELIVERY("go_past"),
        EXAMPLES("a_gap_is_as_good_as_a_record"),
        differs=but(
            "As shipped, nodes also send TRIM, CHECKSUM_FAIL, UNDER_REPLICATED and FILTERED_OUT.",
            code("reference_impl/log/stream/inputs")("GapReason"),
            GAPS("one_shard_is_believed_about_trimming"),
            rule("log.trim.gap_is_trimmed"),
            GAPS("a_shard_that_may_lack_records_confirms_nothing"),
        ),
    ),
    demands(
        "b0b964",
        "An f-majority of these makes a DATALOSS.",
        rule("log.read.dataloss_is_proved"),
        GAPS("an_f_majority_waits_for_the_others_for_a_grace_period"),
        differs=but(
            "As shipped, or a TRIM, or at an epoch's edge a BRIDGE.",
            GAPS("a_gap_is_split_at_the_trim_point"),
            GAPS("the_beginning_of_an_epoch_may_be_a_bridge"),
            code("reference_impl/log/stream/detection")("gap_kind"),
        ),
    ),
    demands(
        "70d422",
        "The application is told of benign gaps as well as of losses.",
        rule("log.read.covers_all"),
        EXAMPLES("records_and_gaps_are_told_apart"),
        GAPS("holes_and_filtered_records_are_gaps_of_one"),
    ),
    defines(
        "c87aa1",
        "Bridges and hole plugs are benign.",
        rule("log.read.no_gap_over_acked"),
        rule("log.read.repeatable_gaps"),
        GAPS("holes_and_filtered_records_are_gaps_of_one"),
        EPOCHS("a_bridge_record_ends_its_epoch"),
    ),
    demands(
        "04aaed",
        "Every epoch ends with a bridge record.",
        RECOVERY("planned"),
        PLAN("every_esn_up_to_the_bridge_has_an_outcome"),
        rule("log.recovery.bridge_is_last"),
        differs=but(
            "No bridge by a recovery without authority, nor after the greatest ESN.",
            PLAN("without_authority_nothing_hides_a_loss"),
            PLAN("an_epoch_up_to_the_greatest_esn"),
        ),
    ),
    demands(
        "290e09",
        "Recovery plugs a hole where there is nothing, and where no writer was given an acknowledgement.",
        rule("log.recovery.hole_is_benign"),
        rule("log.read.hole_is_plugged"),
        EXAMPLE("what_each_slot_becomes"),
        RECOVERY("acked_survives"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (SENT, TOLD)
"""Gaps."""

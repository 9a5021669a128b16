"""LogDevice, Single Copy Delivery: what the client does about nodes that do not send."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import named_tests, rule, text, variant
from spec.sources.sentence import LEAD, Heading, aside, but, defines, demands, under

SERVING = named_tests("reference_impl/log/serving/test_serving")
DELIVERY = text("delivery")
SHIPPING = named_tests("reference_impl/log/delivery/test_shipping")
LISTED = named_tests("reference_impl/log/stream/test_known_down_list")
SCD = named_tests("reference_impl/log/stream/test_single_copy_delivery")
TOLD = named_tests("reference_impl/log/delivery/test_filtered_out")

REWINDING = under(
    "Rewinding the stream",
    defines(
        "32227a",
        "A stream rewinds when it asks anew from its read pointer, or from before it.",
        LISTED("a_rewind_begins_at_the_read_pointer"),
        rule("log.deliver.never_asks_again"),
        differs=but(
            "As shipped, always from the read pointer, and with a new filter version.",
            LISTED("a_rewind_begins_at_the_read_pointer"),
            SCD("what_was_sent_by_other_filters_is_dropped"),
        ),
    ),
    demands(
        "89dba7",
        "It does so when the list changes, and when it goes from one mode to the other.",
        SCD("others_stand_in_for_who_cannot_send"),
        SCD("all_send_all_ends_with_the_window"),
        SCD("when_nobody_is_left_all_should_send_all"),
        TOLD("changes_wait_for_a_rewind"),
        DELIVERY("newest_start_is_obeyed"),
        variant("delivery", "answers_of_old_starts_count"),
        rule("log.deliver.versions_rise"),
        rule("log.deliver.change_rewinds"),
    ),
)

ADDING = under(
    "When does the client add nodes in the known down list and rewinds?",
    aside(
        "ee491b",
        "Whenever the client is certain that a node cannot send what it should, for one of four reasons.",
        LEAD,
    ),
    demands(
        "db5bd1",
        "It sent a record of which the checksum is wrong.",
        LISTED("who_cannot_send_is_listed_and_the_stream_rewinds"),
        SCD("others_stand_in_for_who_cannot_send"),
        SERVING("a_copy_that_cannot_be_read_is_a_gap_of_its_own"),
    ),
    demands(
        "9edff8",
        "START cannot be sent to it, STARTED does not come, or comes with an error.",
        LISTED("who_cannot_send_is_listed_and_the_stream_rewinds"),
        LISTED("who_does_not_answer_start_is_asked_again"),
        differs=but(
            "As shipped, a node that does not answer is only asked again, until scd-timeout.",
            LISTED("who_does_not_answer_start_is_asked_again"),
        ),
    ),
    demands(
        "3852ff",
        "Its connection was closed.",
        LISTED("who_cannot_send_is_listed_and_the_stream_rewinds"),
        SCD("others_stand_in_for_who_cannot_send"),
    ),
    demands(
        "23ea67",
        "The stream stands still since scd-timeout, and the node has sent nothing behind the cursor.",
        SCD("stuck_shards_are_down_after_a_while"),
        DELIVERY("list_as_down"),
        differs=but(
            "As shipped, at the second tick without progress, and not where it would list every node.",
            SCD("stuck_shards_are_down_after_a_while"),
            SCD("all_stuck_is_all_send_all"),
        ),
    ),
    demands(
        "575ddf",
        "So a node that hangs does not stop a reader for ever.",
        LISTED("a_hanging_node_stops_nobody_for_ever"),
        DELIVERY("listing_the_failed_is_enough"),
    ),
)

REMOVING = under(
    "When does the client remove nodes from the known down list and rewinds?",
    demands(
        "d94aaa",
        "Once it takes a node to be up again.",
        SCD("who_sends_again_is_down_no_more"),
        DELIVERY("take_off_the_list"),
    ),
    demands(
        "3db959",
        "Listed nodes are sent START too, and may send records though they see that they are listed.",
        LISTED("listed_nodes_are_sent_start_too"),
        DELIVERY("start_reading"),
        SHIPPING("what_node_zero_sends"),
    ),
    demands(
        "eeb1af",
        "Whenever the window slides, it looks which of the listed nodes have sent records.",
        LISTED("the_window_slides_and_who_sent_records_is_taken_off"),
        SCD("who_sends_again_is_down_no_more"),
        differs=but(
            "As shipped, with the first record that it accepts from one: option trusts_at_once.",
            SCD("who_sends_again_is_down_no_more"),
        ),
    ),
    demands(
        "a1f1b7",
        "Those leave the list, and the stream rewinds.",
        LISTED("the_window_slides_and_who_sent_records_is_taken_off"),
        SCD("who_sends_again_is_down_no_more"),
        rule("log.deliver.change_rewinds"),
    ),
)

FAILOVER = under(
    "When does the client do failover to All Send All mode?",
    defines(
        "7db6d6",
        "In all send all mode there is no single copy delivery: each node sends every copy that it has.",
        SHIPPING("all_send_all"),
        DELIVERY("due"),
        rule("log.deliver.nobody_passed_over"),
    ),
    demands(
        "decb1a",
        "That costs much, so it comes last, when nothing else brings the stream on.",
        LISTED("listed_and_passed_make_up_the_read_set"),
        SCD("who_may_lack_records_is_stood_in_for_only_when_it_matters"),
        DELIVERY("failover_is_needed"),
    ),
    aside("f9e7f1", "It comes to that in two cases.", LEAD),
    demands(
        "acadc2",
        "Nodes that are listed, and nodes known to have nothing at the cursor, are together the whole read set.",
        LISTED("listed_and_passed_make_up_the_read_set"),
        SCD("when_nobody_is_left_all_should_send_all"),
        DELIVERY("failover_is_needed"),
        differs=but(
            "As shipped, nodes that may lack records are listed first, and the stream rewinds once more.",
            SCD("who_may_lack_records_is_stood_in_for_only_when_it_matters"),
        ),
    ),
    demands(
        "29293a",
        "It is looked at with every record and every gap, so that failover is immediate.",
        LISTED("failover_needs_no_timer"),
    ),
    demands(
        "d6af90",
        "The stream stands still since scd-all-send-all-timeout, and no node sent anything behind the cursor, "
        "or the list is what it was.",
        SCD("all_stuck_is_all_send_all"),
        DELIVERY("ask_all"),
    ),
    demands(
        "5d3314",
        "In single copy mode the application is told of no gap.",
        DELIVERY("report"),
        DELIVERY("no_record_is_passed_over"),
        SCD("when_nobody_is_left_all_should_send_all"),
        LISTED("gaps_that_a_single_node_proves_need_no_failover"),
        variant("delivery", "gaps_in_single_copy_mode"),
        differs=but(
            "As shipped, of none that takes an f-majority: holes, bridge records and trimmed parts are told.",
            LISTED("gaps_that_a_single_node_proves_need_no_failover"),
        ),
    ),
    demands(
        "9cf964",
        "Before an epoch's end or a loss is told, all nodes are asked to send all.",
        rule("log.deliver.loss_only_if_all_send"),
        LISTED("an_epoch_bump_fails_over_first"),
        SCD("a_loss_is_reported_at_the_second_time"),
        differs=but(
            "As shipped, a bridge record is believed at once, and a loss is told at its second detection.",
            SCD("bridges_need_no_failover"),
            SCD("a_loss_is_reported_at_the_second_time"),
        ),
    ),
)

BACK = under(
    "When does the client switches back to SCD mode?",
    demands(
        "18d8a8",
        "When the window slides the next time.",
        SCD("all_send_all_ends_with_the_window"),
        DELIVERY("ask_one"),
        differs=but(
            "As shipped, not while all nodes are down or untrusted.",
            SCD("it_does_not_end_while_all_are_down"),
            SCD("all_send_all_goes_on_while_all_may_lack_records"),
        ),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (REWINDING, ADDING, REMOVING, FAILOVER, BACK)
"""What the client does."""

"""LogDevice, Read path: single copy delivery, as this document tells it."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import named_tests, rule, text, theorem, variant
from spec.sources.sentence import LEAD, MOTIVE, NAVIGATION, REMARK, Heading, aside, but, defines, demands, under

SERVING = named_tests("reference_impl/log/serving/test_serving")
DELIVERY = text("delivery")
READS = text("reads")
SHIPPING = named_tests("reference_impl/log/delivery/test_shipping")
SHUFFLE = named_tests("reference_impl/log/delivery/test_shuffle")
VARIATIONS = named_tests("reference_impl/log/delivery/test_variations")
FILTERED = named_tests("reference_impl/log/delivery/test_filtered_out")
LISTED = named_tests("reference_impl/log/stream/test_known_down_list")
SCD = named_tests("reference_impl/log/stream/test_single_copy_delivery")
CONNECTIONS = named_tests("reference_impl/log/stream/test_connections")
EXAMPLES = named_tests("reference_impl/log/stream/test_read_path")

ONE_SENDS = under(
    "Single copy delivery",
    demands(
        "554e37",
        "Of the nodes that have a record, one is chosen to read and send it, and all agree which.",
        DELIVERY("one_sends"),
        SHIPPING("exactly_one_sends"),
        SERVING("in_single_copy_delivery_one_node_sends_a_record_and_every_node_a_hole"),
        differs=but(
            "They agree where all copies name the same copyset in the same order, so not while that changes.",
            LISTED("listed_and_passed_make_up_the_read_set"),
            cite="server/locallogstore/LocalLogStore.cpp, LocalLogStoreReadFilter",
        ),
    ),
    demands(
        "cf8e98",
        "Whoever has a record knows from its copyset who else has it.",
        DELIVERY("kept"),
        SHIPPING("one_outside_the_list_sends"),
    ),
    demands(
        "4e9f2d",
        "Each of them shuffles the copyset, all in the same way, by a seed from the client.",
        SHUFFLE("nothing_is_lost"),
        SHUFFLE("a_session_has_seeds_of_its_own"),
        VARIATIONS("by_their_own_seeds_readers_are_spread"),
    ),
    demands(
        "026564",
        "The first in that order sends.",
        SHIPPING("shuffling_comes_first"),
        SHIPPING("one_outside_the_list_sends"),
    ),
    aside("f8daba", "It can be varied.", LEAD),
    aside("c192b9", "There is a local form, as an experiment.", LEAD),
    demands(
        "596ffc",
        "The client says where it is, and one node of its region sends.",
        SHIPPING("local_delivery_in_steady_state"),
        named_tests("reference_impl/log/delivery/test_local")("nodes_of_a_cluster"),
        differs=but(
            "If there is one that is up; any other, where there is none.", SHIPPING("higher_priorities_come_first")
        ),
    ),
    demands(
        "abb90a",
        "Without shuffling, the first of the copyset sends.",
        VARIATIONS("without_shuffling_the_first_sends"),
        SHIPPING("what_node_zero_sends"),
    ),
    demands(
        "ce9d56",
        "With a fixed seed, one node serves a record to all readers.",
        VARIATIONS("by_fixed_seeds_all_readers_are_served_by_one_node"),
        SHUFFLE("orders_by_the_fixed_seeds"),
    ),
    aside("cab697", "That helps readers who read the same part.", MOTIVE),
    demands("58e5ef", "An attribute of the log turns it on.", SCD("the_log_decides")),
    demands("981026", "Another one turns the local form on.", SCD("the_log_decides")),
    aside("d96d6d", "More about attributes.", NAVIGATION),
    demands(
        "9359f5",
        "A setting says how copysets are shuffled: scd-copyset-reordering-max.",
        VARIATIONS("without_shuffling_the_first_sends"),
        VARIATIONS("by_fixed_seeds_all_readers_are_served_by_one_node"),
        VARIATIONS("by_their_own_seeds_readers_are_spread"),
    ),
)

KNOWN_DOWN = under(
    "Known down list",
    demands(
        "6070e7",
        "A reader sends START to the nodes of the nodeset.",
        EXAMPLES("each_node_of_the_nodeset_is_asked"),
        DELIVERY("start_reading"),
        SERVING("a_start_is_answered_and_what_is_released_follows"),
    ),
    demands(
        "6ad169",
        "A flag says whether one node is to send each record.",
        LISTED("start_says_whether_one_node_sends_and_who_is_down"),
    ),
    demands(
        "4d114f",
        "If so, START lists whom the client takes to be down.",
        LISTED("start_says_whether_one_node_sends_and_who_is_down"),
    ),
    demands(
        "7eafbc",
        "Nodes leave the listed ones out of the copyset, shuffle the rest, and so find out who sends.",
        DELIVERY("primary"),
        SHIPPING("one_outside_the_list_sends"),
        SHIPPING("shuffling_comes_first"),
        differs=but(
            "As shipped, the whole copyset is shuffled first: shuffling what is left would give another order.",
            SHIPPING("shuffling_comes_first"),
        ),
    ),
    demands(
        "e2f081",
        "A node is listed mostly because no connection or stream to it came about, or its data is gone.",
        LISTED("who_cannot_send_is_listed_and_the_stream_rewinds"),
        DELIVERY("list_as_down"),
        SCD("who_may_lack_records_is_stood_in_for_only_when_it_matters"),
    ),
    demands(
        "511e45",
        "A node that lost its data, or cannot send, says so when it is asked.",
        CONNECTIONS("a_shard_that_says_it_is_rebuilding"),
        LISTED("who_cannot_send_is_listed_and_the_stream_rewinds"),
        CONNECTIONS("whoever_cannot_at_all_is_not_asked"),
        differs=but(
            "As shipped, it is believed to be rebuilding only if the event log says so, too.",
            CONNECTIONS("a_shard_that_says_it_is_rebuilding"),
        ),
    ),
    demands(
        "6aa90a",
        "A node that is listed itself and can send does as if it was not listed.",
        DELIVERY("due"),
        SHIPPING("what_node_zero_sends"),
        variant("delivery", "listed_nodes_are_silent"),
    ),
    demands(
        "629f7e",
        "When the window slides, the client looks which listed nodes have sent records.",
        LISTED("the_window_slides_and_who_sent_records_is_taken_off"),
        SCD("who_sends_again_is_down_no_more"),
        differs=but(
            "As shipped, with the first record that it accepts from one: option trusts_at_once.",
            SCD("who_sends_again_is_down_no_more"),
        ),
    ),
    demands(
        "50a3c7",
        "Those leave the list, and the stream rewinds.",
        LISTED("the_window_slides_and_who_sent_records_is_taken_off"),
        DELIVERY("take_off_the_list"),
    ),
)

REWIND = under(
    "Rewind",
    defines(
        "555827",
        "A stream rewinds when it asks anew, from no later than where it has read to.",
        LISTED("a_rewind_begins_at_the_read_pointer"),
        rule("log.deliver.never_asks_again"),
    ),
    demands(
        "f8d35f",
        "It does when the list or the mode changes.",
        FILTERED("changes_wait_for_a_rewind"),
        SCD("others_stand_in_for_who_cannot_send"),
        SCD("all_send_all_ends_with_the_window"),
        rule("log.deliver.change_rewinds"),
    ),
)

ALL_SEND_ALL = under(
    "All Send All (non-SCD) mode",
    aside("ec26eb", "What a client does when it detects a gap in single copy mode.", LEAD),
    demands(
        "ffaeae",
        "It drops what it has buffered.",
        LISTED("after_failover_every_copy_counts"),
        LISTED("a_rewind_begins_at_the_read_pointer"),
        variant("delivery", "no_rewind_to_all_send_all"),
    ),
    demands(
        "6cbedb",
        "It lists the node that should have sent.",
        LISTED("a_hanging_node_stops_nobody_for_ever"),
        FILTERED("all_send_all_filters_nobody"),
        differs=but(
            "As shipped, the list is empty in all send all mode; who is down is listed again on the way back.",
            FILTERED("all_send_all_filters_nobody"),
            SCD("all_send_all_ends_with_the_window"),
        ),
    ),
    demands(
        "3d8afd",
        "It sends START to all nodes of the nodeset, and asks for everything.",
        LISTED("listed_and_passed_make_up_the_read_set"),
        DELIVERY("ask_all"),
    ),
    demands(
        "0ed034",
        "So every node sends each copy that it has.",
        SHIPPING("all_send_all"),
        DELIVERY("due"),
        LISTED("after_failover_every_copy_counts"),
        rule("log.deliver.nobody_passed_over"),
    ),
    aside("68a5a5", "Rewinds cost reads, but are rare.", REMARK),
    demands(
        "1d28d9",
        "Reading goes on while fewer than R nodes are away.",
        DELIVERY("listing_the_failed_is_enough"),
        READS("fewer_losses_lose_nothing"),
        theorem("quorum.size.failures"),
        theorem("quorum.status.few_losses_stall_nobody"),
        differs=but(
            "Records can be had; to tell that one is lost, an f-majority must be there.",
            theorem("quorum.size.failures"),
        ),
    ),
    demands(
        "aeeb41",
        "When the window slides the next time, one node sends again.",
        SCD("all_send_all_ends_with_the_window"),
        DELIVERY("ask_one"),
        differs=but(
            "As shipped, not while all nodes are down or untrusted.", SCD("it_does_not_end_while_all_are_down")
        ),
    ),
    demands(
        "5d2930",
        "In single copy mode no loss is reported, unless it is set otherwise.",
        rule("log.deliver.loss_only_if_all_send"),
        DELIVERY("report"),
        SCD("when_nobody_is_left_all_should_send_all"),
        SCD("efficient_readers_report_gaps_at_once"),
        variant("delivery", "gaps_in_single_copy_mode"),
    ),
    demands(
        "dde653",
        "Wherever one is possible, the client asks all nodes to send all.",
        DELIVERY("no_record_is_passed_over"),
        SCD("a_loss_is_reported_at_the_second_time"),
        LISTED("listed_and_passed_make_up_the_read_set"),
    ),
    aside("979b1e", "A setting has to do with it.", LEAD),
    demands(
        "445185",
        "read-stream-guaranteed-delivery-efficiency turns rewinds off.",
        SCD("efficient_readers_stay_in_single_copy_delivery"),
        differs=but(
            "It turns off those to all send all; where the list changes, the stream still rewinds.",
            SCD("efficient_readers_stay_in_single_copy_delivery"),
        ),
    ),
    demands(
        "136af0",
        "Gaps are reported earlier then.",
        SCD("efficient_readers_report_gaps_at_once"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (ONE_SENDS, KNOWN_DOWN, REWIND, ALL_SEND_ALL)
"""One node sends."""

"""LogDevice, Single Copy Delivery: who sends a record, and who does where nodes are known to be down."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule, text, variant
from spec.sources.sentence import LEAD, MOTIVE, Heading, aside, but, defines, demands, shows, under

SERVING = named_tests("reference_impl/log/serving/test_serving")
DELIVERY = text("delivery")
SHIPPING = named_tests("reference_impl/log/delivery/test_shipping")
FLOW = named_tests("reference_impl/log/stream/test_flow_control")
LISTED = named_tests("reference_impl/log/stream/test_known_down_list")
SCD = named_tests("reference_impl/log/stream/test_single_copy_delivery")
STARTING = named_tests("reference_impl/log/stream/test_connections")
SHIPS = code("reference_impl/log/delivery/shipping")

INTRODUCTION = under(
    "Single Copy Delivery",
    defines(
        "d0e4c4",
        "With single copy delivery, readers are sent each record once, as long as nothing fails.",
        DELIVERY("one_sends"),
        SHIPPING("exactly_one_sends"),
        differs=but(
            "Hole plugs come from every node that has them, as shipped.",
            SHIPPING("holes_and_drained_records"),
            SERVING("in_single_copy_delivery_one_node_sends_a_record_and_every_node_a_hole"),
        ),
    ),
    demands(
        "f3756e",
        "Without it, every node sends what it has, and readers drop what they have already.",
        SHIPPING("all_send_all"),
        FLOW("records_come_in_order_and_once"),
        rule("log.deliver.nobody_passed_over"),
    ),
    aside("a550c8", "That keeps records readable when nodes fail, and wastes network and client.", MOTIVE),
    demands(
        "2ff194",
        "With it, one node sends each record.",
        DELIVERY("one_sends"),
        SHIPPING("exactly_one_sends"),
        SERVING("in_single_copy_delivery_one_node_sends_a_record_and_every_node_a_hole"),
    ),
    demands(
        "eeb860",
        "Where a node is down or lacks a record that it is to send, the client sees to it that another does.",
        DELIVERY("list_as_down"),
        DELIVERY("no_record_is_passed_over"),
        SCD("others_stand_in_for_who_cannot_send"),
    ),
)

PRIMARY = under(
    "Primary recipient",
    defines(
        "f4dab6",
        "The one node that sends a record is its primary recipient.",
        DELIVERY("primary"),
        DELIVERY("one_sends"),
        SHIPS("recipient"),
        SERVING("in_single_copy_delivery_one_node_sends_a_record_and_every_node_a_hole"),
    ),
    demands(
        "d4357d",
        "As long as nothing fails, that is the first member of the copyset.",
        DELIVERY("primary_sends"),
        SHIPPING("what_node_zero_sends"),
        differs=but("As shipped, the copyset is shuffled first.", SHIPPING("shuffling_comes_first")),
    ),
    aside("21ba2a", "What one node has.", LEAD),
    shows(
        "6581d9",
        "Seven records, LSNs 42 to 48, with copysets of four nodes each.",
        SHIPPING("what_node_zero_sends"),
        differs=but(
            "N0 cannot have LSN 47: its copyset does not name that node.", SHIPPING("a_node_outside_the_copyset")
        ),
    ),
    shows("46f5d3", "N0 sends 44 and 46.", SHIPPING("what_node_zero_sends")),
)

KNOWN_DOWN = under(
    "Known down list",
    demands(
        "8ebee7",
        "A client asks a storage node for records with START.",
        STARTING("a_shard_is_asked_and_answers"),
        DELIVERY("start_reading"),
        SERVING("a_start_is_answered_and_what_is_released_follows"),
    ),
    demands(
        "2b524e",
        "A flag in it says whether one node is to send each record.",
        LISTED("start_says_whether_one_node_sends_and_who_is_down"),
    ),
    demands(
        "cda945",
        "If so, it lists the nodes that the client takes to be down.",
        LISTED("start_says_whether_one_node_sends_and_who_is_down"),
    ),
    demands(
        "9343b5",
        "Storage nodes look at that list before they send.",
        DELIVERY("due"),
        SHIPPING("one_outside_the_list_sends"),
        variant("delivery", "list_is_ignored"),
    ),
    demands(
        "ac297f",
        "The first member of the copyset that is not listed is the primary recipient.",
        DELIVERY("primary"),
        SHIPPING("exactly_one_sends"),
        SHIPS("recipient"),
    ),
    aside("394370", "The example goes on.", LEAD),
    shows("85fbdc", "With N1 listed, N0 sends 42, 44 and 46.", SHIPPING("what_node_zero_sends")),
    shows("1ab9f9", "With N1 and N4 listed, it sends 42, 44, 45, 46 and 48.", SHIPPING("what_node_zero_sends")),
    demands(
        "1685f9",
        "A node that is listed itself sends as if it was not.",
        DELIVERY("due"),
        SHIPPING("what_node_zero_sends"),
        variant("delivery", "listed_nodes_are_silent"),
        differs=but(
            "So a record may be sent twice, once by a listed node: readers drop the second copy.",
            SHIPPING("exactly_one_sends"),
            FLOW("records_come_in_order_and_once"),
        ),
    ),
    demands(
        "071942",
        "Thereby the client sees that a node is back.",
        SCD("who_sends_again_is_down_no_more"),
        DELIVERY("take_off_the_list"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (INTRODUCTION, PRIMARY, KNOWN_DOWN)
"""Who sends."""

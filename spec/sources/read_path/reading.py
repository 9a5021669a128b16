"""LogDevice, Read path: how records get from storage nodes to the application."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import named_tests, rule, text
from spec.sources.sentence import LEAD, NAVIGATION, PICTURE, REMARK, Heading, aside, but, demands, shows, under

READER = named_tests("reference_impl/log/test_reader")
LINE = named_tests("reference_impl/log/test_connections")
SERVING = named_tests("reference_impl/log/serving/test_serving")
EPOCH = text("epoch")
DELIVERY = text("delivery")
EXAMPLES = named_tests("reference_impl/log/stream/test_read_path")
CONNECTIONS = named_tests("reference_impl/log/stream/test_connections")
FLOW = named_tests("reference_impl/log/stream/test_flow_control")
EPOCHS = named_tests("reference_impl/log/stream/test_epochs")
BESIDE = named_tests("reference_impl/log/test_metadata_nodes")
PROMISES = named_tests("reference_impl/log/stream/test_promises")

HOW = under(
    "How reads happen",
    demands(
        "012139",
        "A reader learns nodeset and replication from the metadata log.",
        EPOCHS("the_read_set_changes_at_the_border_of_epochs"),
        EPOCHS("nothing_is_told_of_an_epoch_without_metadata"),
        BESIDE("a_reader_reads_the_metadata_log"),
        rule("log.metadata.in_force"),
    ),
    demands(
        "2fd35a",
        "It connects to all of those nodes, and tells each from where to where it reads.",
        EXAMPLES("each_node_of_the_nodeset_is_asked"),
        CONNECTIONS("a_shard_is_asked_and_answers"),
        READER("it_asks_for_the_nodeset_and_then_all_its_nodes"),
    ),
    aside("6182ca", "Mostly all of them have something for it.", REMARK),
    aside("349895", "A reader and the nodes that it asks.", PICTURE),
    demands(
        "1d74aa",
        "Storage nodes send what is released, up to the last known good LSN, and nothing else.",
        rule("log.release.before_delivery"),
        rule("log.release.below_last_known_good"),
        EPOCH("serves"),
        DELIVERY("release"),
        SERVING("a_start_is_answered_and_what_is_released_follows"),
        rule("log.deliver.sends_what_is_released"),
        differs=but(
            "As shipped, a cursor beyond the release pointer may be served up to what is good in its own epoch.",
            cite="server/read_path/CatchupOneStream.cpp",
        ),
    ),
    demands(
        "8cce03",
        "Each of them sends what it has of the log.",
        DELIVERY("send"),
        EPOCH("deliver"),
        PROMISES("honest_shards_lose_nothing"),
        SERVING("a_start_is_answered_and_what_is_released_follows"),
        rule("log.deliver.sends_what_it_holds"),
    ),
    demands(
        "a7eab1",
        "Each of them sends in order.",
        FLOW("a_shard_does_not_go_back"),
        DELIVERY("go_past"),
        LINE("messages_are_taken_in_the_order_in_which_they_were_sent"),
        rule("log.deliver.in_order"),
    ),
    aside("292217", "Nodes that send.", PICTURE),
    demands(
        "adc58e",
        "What arrives is kept in a buffer, the size of which can be set.",
        FLOW("what_is_beyond_the_window_is_dropped"),
        FLOW("memory_pressure_halves_the_window_and_it_grows_back_one_by_one"),
        rule("log.deliver.window_fits"),
    ),
    aside("26485a", "That buffer is a sliding window, for three reasons.", LEAD),
    demands(
        "079cd2",
        "Each of its slots is one LSN that is waited for.",
        FLOW("what_is_beyond_the_window_is_dropped"),
        FLOW("gaps_may_reach_beyond_the_window"),
    ),
    demands(
        "b60401",
        "It slides as records arrive.",
        FLOW("the_window_slides_once_enough_is_delivered"),
        EXAMPLES("one_copy_of_each_is_delivered_and_the_window_slides"),
        rule("log.deliver.window_goes_on"),
    ),
    demands(
        "0b3001",
        "Storage nodes are told of its new borders, and send more.",
        FLOW("the_window_slides_once_enough_is_delivered"),
        FLOW("a_shard_that_is_still_starting_learns_of_the_window_later"),
        SERVING("nothing_is_sent_beyond_the_window_before_it_moves"),
        rule("log.deliver.within_window"),
    ),
    demands(
        "cb9570",
        "Nodes are differently fast, so records arrive out of order.",
        FLOW("records_come_in_order_and_once"),
        PROMISES("records_and_gaps_partition_what_is_read"),
    ),
    demands(
        "d248db",
        "What belongs into the second row is not delivered while the first is empty.",
        EXAMPLES("the_second_row_waits_for_the_first"),
        rule("client.read.in_order"),
    ),
    demands(
        "df2cd6",
        "The first is waited for.",
        EXAMPLES("the_second_row_waits_for_the_first"),
        rule("log.read.covers_all"),
    ),
    demands(
        "33d2a4",
        "Then both are delivered, and the third row is next.",
        EXAMPLES("the_second_row_waits_for_the_first"),
    ),
    demands(
        "ab9a97",
        "Without single copy delivery, a reader is sent all copies.",
        DELIVERY("due"),
        FLOW("records_come_in_order_and_once"),
    ),
    demands(
        "e3f3fc",
        "It drops those that it has already.",
        FLOW("records_come_in_order_and_once"),
        FLOW("the_first_copy_wins"),
        rule("client.read.in_order"),
        rule("log.deliver.given_as_sent"),
    ),
    aside("b14142", "More about single copy delivery.", NAVIGATION),
    aside("e31866", "A window of five slots over five nodes.", PICTURE),
    shows("25bfb6", "Five slots and five nodes.", EXAMPLES("one_copy_of_each_is_delivered_and_the_window_slides")),
    shows("05faa5", "The reader asks for 42 to 46.", EXAMPLES("each_node_of_the_nodeset_is_asked")),
    shows(
        "691cc6",
        "Everything up to 44 arrived.",
        EXAMPLES("one_copy_of_each_is_delivered_and_the_window_slides"),
    ),
    shows(
        "95b610",
        "42, 43 and 44 are delivered once each.",
        EXAMPLES("one_copy_of_each_is_delivered_and_the_window_slides"),
    ),
    shows("078270", "The first row is 45 now.", EXAMPLES("one_copy_of_each_is_delivered_and_the_window_slides")),
    shows(
        "3ab8cb", "The nodes are asked for 45 to 49.", EXAMPLES("one_copy_of_each_is_delivered_and_the_window_slides")
    ),
)

GAPS = under(
    "Gap detection",
    aside("72eccd", "Records mostly come without gaps, but not always.", REMARK),
    demands(
        "d95f69",
        "A reader has to know when to wait for a copy, and when it may call a record lost and go on.",
        EPOCH("no_copy_is_passed_over"),
        rule("log.read.dataloss_is_proved"),
        rule("log.read.acked_or_lost_copies"),
    ),
    aside("bdb6dd", "That is what follows.", LEAD),
)

HEADINGS: Final[tuple[Heading, ...]] = (HOW, GAPS)
"""From node to application."""

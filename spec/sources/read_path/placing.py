"""LogDevice, Read path: how payloads and copysets are kept so that reading is quick."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule
from spec.sources.sentence import LEAD, MOTIVE, NAVIGATION, Heading, aside, defines, demands, under

PAYLOADS = named_tests("reference_impl/log/test_payloads")
FRAMES = named_tests("reference_impl/log/serving/test_damaged_copies")
STICKY = named_tests("reference_impl/log/test_sticky_copysets")
INDEX = named_tests("reference_impl/log/delivery/test_copyset_index")
UPKEEP = named_tests("reference_impl/log/delivery/test_index_upkeep")
SERVING = named_tests("reference_impl/log/serving/test_serving")
BLOCKS = code("reference_impl/log/delivery/copyset_index")

LIST = under(
    "Optimizations",
    aside("72d40b", "Some things make reading quicker.", MOTIVE),
    aside("1f5176", "There are four.", LEAD),
)

COMPRESSION = under(
    "Compression",
    demands(
        "4f0b13",
        "Payloads are compressed by zstd.",
        PAYLOADS("it_is_compressed"),
        FRAMES("TestFrames.what_comes_out_went_in"),
    ),
    demands(
        "2b7bce",
        "The client gives the application what was written, expanded.",
        PAYLOADS("what_is_read_is_what_was_written"),
        PAYLOADS("a_flipped_bit_is_noticed_or_harmless"),
        FRAMES("TestFrames.damaged_records_are_sent_and_noticed"),
        rule("client.read.what_was_acked"),
    ),
)

STICKY_COPYSETS = under(
    "Sticky copysets",
    demands(
        "3660be",
        "The sequencer may keep a copyset for many records in a row, while its nodes store them.",
        STICKY("records_come_in_blocks_of_one_copyset"),
        STICKY("a_failed_write_ends_the_block"),
        rule("log.place.block_has_one_copyset"),
        rule("log.place.block_ends_for_a_reason"),
        rule("log.place.avoids_who_failed"),
    ),
    defines("b27715", "Such copysets are called sticky.", STICKY("records_come_in_blocks_of_one_copyset")),
    demands(
        "e3f9ef",
        "So nodes hold records in blocks, of different sizes.",
        INDEX("a_decision_for_each_block"),
        UPKEEP("one_decision_for_a_sticky_block"),
        BLOCKS("blocks"),
        rule("log.place.block_has_one_copyset"),
    ),
    aside("80242e", "More about sticky copysets.", NAVIGATION),
)

COPYSET_INDEX = under(
    "Copyset index",
    demands(
        "0b8b16",
        "A node has an index of the LSNs of its records, with their copysets.",
        UPKEEP("it_has_what_the_node_has"),
        BLOCKS("with_record"),
    ),
    demands(
        "006d0a",
        "It is kept up as records come and are trimmed.",
        UPKEEP("it_has_what_the_node_has"),
        BLOCKS("trimmed"),
    ),
    demands(
        "45a822",
        "By it a node decides which records to send, without reading them.",
        INDEX("blocks_change_nothing"),
        BLOCKS("read"),
    ),
    demands(
        "0cb738",
        "For a block with one copyset it decides once, and reads and sends all of it, or nothing.",
        SERVING("a_node_decides_once_for_a_block"),
        INDEX("a_decision_for_each_block"),
        UPKEEP("one_decision_for_a_sticky_block"),
        INDEX("blocks_change_nothing"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (LIST, COMPRESSION, STICKY_COPYSETS, COPYSET_INDEX)
"""How things are kept."""

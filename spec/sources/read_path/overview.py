"""LogDevice, Read path: the parts that take part in reading."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule, text
from spec.sources.sentence import (
    LEAD,
    MOTIVE,
    NAVIGATION,
    PICTURE,
    REMARK,
    Heading,
    aside,
    but,
    defines,
    demands,
    under,
)

SERVING = named_tests("reference_impl/log/serving/test_serving")
READS = text("reads")
EPOCH = text("epoch")
EXAMPLES = named_tests("reference_impl/log/stream/test_read_path")
CONNECTIONS = named_tests("reference_impl/log/stream/test_connections")
FLOW = named_tests("reference_impl/log/stream/test_flow_control")
EPOCHS = named_tests("reference_impl/log/stream/test_epochs")
METADATA = named_tests("reference_impl/log/test_metadata_log")
BESIDE = named_tests("reference_impl/log/test_metadata_nodes")
INDEX = named_tests("reference_impl/log/delivery/test_index_upkeep")
SEQUENCER = named_tests("reference_impl/log/test_sequencer")
STORE = named_tests("reference_impl/log/test_epoch_store")
STREAM = code("reference_impl/log/stream/machine")
OUTPUTS = code("reference_impl/log/stream/outputs")

PLACEMENT = under(
    "",
    aside("7ca359", "The page's name.", NAVIGATION),
    aside("5391b1", "Writers have many places to choose from, so that they can go on whatever happens.", MOTIVE),
    demands(
        "a4f23f",
        "Any storage node of a log may be given a copy of any of its records.",
        rule("log.append.copyset_in_nodeset"),
        READS("store"),
        SEQUENCER("an_append_is_given_the_next_lsn_and_stored_on_a_copyset"),
        differs=but(
            "Any node of the epoch's nodeset, if the replication property allows it.",
            rule("log.append.copyset_in_nodeset"),
            rule("log.append.acked_is_spread"),
        ),
    ),
    aside("f66275", "What helps writers makes reading harder.", MOTIVE),
    demands(
        "9614c5",
        "A reader has to find the copies, and to give records to the application in order.",
        rule("client.read.in_order"),
        rule("client.read.acked_is_delivered"),
        READS("no_copy_is_passed_over"),
    ),
    aside("fffacd", "Both availability and efficiency count.", MOTIVE),
    aside("635c1e", "What the page is about.", NAVIGATION),
    aside("40af9b", "Its chapters.", NAVIGATION),
    aside("ad05f9", "The first.", NAVIGATION),
    aside("3582ea", "The second.", NAVIGATION),
    aside("a552c7", "The third.", NAVIGATION),
    aside("747a38", "The fourth.", NAVIGATION),
)

OVERVIEW = under(
    "Overview",
    demands(
        "717949",
        "Readers talk to storage nodes without anyone in between.",
        EXAMPLES("each_node_of_the_nodeset_is_asked"),
    ),
    demands(
        "ed2651",
        "A storage node keeps a stream for each reader.",
        CONNECTIONS("a_shard_is_asked_and_answers"),
        CONNECTIONS("the_end_of_a_stream"),
        FLOW("a_shard_does_not_go_back"),
        SERVING("a_start_is_answered_and_what_is_released_follows"),
        SERVING("a_crash_forgets_who_reads"),
    ),
    aside("573cb2", "Readers and storage nodes.", PICTURE),
)

INTERFACE = under(
    "Read API",
    aside("f8eba7", "The interface is simple.", REMARK),
    demands(
        "d03d8d",
        "Reading a log begins at an LSN, and ends at another, or never.",
        EXAMPLES("each_node_of_the_nodeset_is_asked"),
        FLOW("the_window_ends_where_reading_ends"),
        rule("log.read.covers_all"),
    ),
    demands(
        "e1fcb7",
        "What is read are records and gaps, no more of them than were asked for.",
        EXAMPLES("records_and_gaps_are_told_apart"),
        CONNECTIONS("what_is_refused_is_offered_again"),
        rule("log.read.covers_all"),
        OUTPUTS("GapDelivered"),
    ),
    aside("d8ada0", "More about the interface.", NAVIGATION),
)

COPYSET = under(
    "Copyset",
    defines(
        "57850d",
        "The nodes on which a record's copies lie.",
        rule("log.append.acked_has_copies"),
        READS("store"),
        SEQUENCER("an_append_is_given_the_next_lsn_and_stored_on_a_copyset"),
    ),
    demands(
        "557527",
        "It is written with each record, as are log, LSN and time.",
        rule("log.append.copyset_in_nodeset"),
        READS("acked_has_a_copyset"),
        SEQUENCER("an_append_is_given_the_next_lsn_and_stored_on_a_copyset"),
        differs=but("Times are not recorded here: no rule depends on them.", code("spec/events/appending")("Store")),
    ),
    aside("3e40b2", "It may change later, in two ways.", LEAD),
    demands(
        "8c7eba",
        "The sequencer takes another one where a node does not store its copy.",
        SEQUENCER("a_wave_that_waits_too_long_is_followed_by_another"),
    ),
    demands(
        "7f8fe9",
        "Rebuilding changes it, too.",
        READS("rebuild"),
        EPOCH("rebuild"),
        INDEX("a_rebuilt_copyset_takes_the_place_of_the_old_one"),
        rule("log.rebuilding.names_holders"),
        rule("log.rebuilding.copyset_is_spread"),
    ),
)

METADATA_LOG = under(
    "Metadata log",
    demands(
        "c6bce8",
        "Beside each log another one says which metadata each of its epochs has.",
        METADATA("it_has_ranges_of_epochs"),
        EPOCHS("nothing_is_told_of_an_epoch_without_metadata"),
        rule("log.metadata.as_given"),
        rule("log.metadata.in_force"),
    ),
    demands(
        "d8706c",
        "The epoch store has the newest nodeset and replication; the metadata log has them for ranges of epochs.",
        METADATA("it_has_ranges_of_epochs"),
        EPOCHS("how_far_metadata_hold"),
        STORE("it_says_who_sequences_and_where_records_lie"),
        BESIDE("the_epoch_store_gives_metadata_with_an_epoch"),
        rule("log.metadata.as_given"),
        rule("log.metadata.ranges_are_apart"),
    ),
    demands(
        "d41cad",
        "It has a new record only where one of the two changes.",
        METADATA("it_changes_only_with_nodesets_and_replication"),
        BESIDE("metadata_change_only_once_those_before_are_written"),
        BESIDE("an_epoch_without_a_record_of_its_own_is_of_the_range_before"),
    ),
    demands(
        "56b64d",
        "It lies on storage nodes, with copies, like any log.",
        METADATA("it_is_read_as_any_log"),
        BESIDE("an_f_majority_must_answer"),
        rule("log.metadata.is_replicated"),
        differs=but(
            "Its recovery takes an epoch that another one cleaned for its own success.",
            cite="common/LogRecoveryRequest.cpp, getLastCleanEpochCF",
        ),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (PLACEMENT, OVERVIEW, INTERFACE, COPYSET, METADATA_LOG)
"""What takes part."""

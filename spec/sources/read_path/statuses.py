"""LogDevice, Read path: what is known of nodes, and what their answers are worth."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule, text, theorem, variant
from spec.sources.sentence import LEAD, REMARK, Heading, aside, but, defines, demands, shows, under

READS = text("reads")
EPOCH = text("epoch")
QUORUM = named_tests("spec/log/test_quorum")
LOSS = named_tests("spec/log/test_reading")
EXAMPLES = named_tests("reference_impl/log/stream/test_read_path")
GAPS = named_tests("reference_impl/log/stream/test_gap_detection")
INDEX = named_tests("reference_impl/log/delivery/test_index_upkeep")
CONNECTIONS = named_tests("reference_impl/log/stream/test_connections")
STATUS = code("spec/log/status")
UNAVAILABLE_TOO = "UNAVAILABLE nodes must answer as well; to the letter, a record on nodes that are down could be lost."

STATUSES = under(
    "Authoritative Status",
    defines(
        "899d8c",
        "An f-majority takes account of what is known of nodes.",
        QUORUM("the_two_questions_together"),
        theorem("quorum.f_majority.more_nodes"),
    ),
    defines(
        "627372",
        "It is one of the effective nodeset, by the state of each node.",
        READS("answered"),
        QUORUM("one_node_is_empty"),
        theorem("quorum.status.f_majority_proves_absence"),
    ),
    demands(
        "d6a7b5",
        "Nodes that are empty do not belong to it.",
        QUORUM("one_node_is_empty"),
        LOSS("TestDataLoss.an_empty_node_is_as_if_it_was_never_in_the_nodeset"),
        variant("reads", "empty_may_return"),
    ),
    demands(
        "943995",
        "The event log has a status for each node.",
        READS("learn"),
        CONNECTIONS("the_shard_knows_better_than_the_event_log"),
        rule("log.read.dataloss_is_proved"),
        rule("log.status.one_table"),
        rule("log.status.versions_in_order"),
        differs=but(
            "As shipped, a node that sends is believed before the event log is.",
            CONNECTIONS("the_shard_knows_better_than_the_event_log"),
        ),
    ),
    aside("a5b3cb", "There are four.", LEAD),
    defines(
        "4a929d",
        "FULLY_AUTHORITATIVE: it has its data, and counts.",
        READS("authoritative"),
        QUORUM("statuses"),
        STATUS("Status"),
    ),
    defines(
        "438dc0",
        "UNDERREPLICATION: the event log calls it unrecoverable.",
        READS("gone"),
        QUORUM("statuses"),
        QUORUM("all_that_is_silent_is_underreplicated"),
    ),
    demands(
        "985b30",
        "What it had is gone for good.",
        READS("gone_has_nothing"),
        READS("known_lost_is_gone"),
        rule("log.status.back_by_its_word"),
    ),
    demands(
        "687be8",
        "To be down is not to be lost.",
        READS("go_down"),
        GAPS("down_is_not_lost"),
        theorem("quorum.status.complete_as_written"),
    ),
    demands(
        "e6eac8",
        "It is lost once it comes back with disks that were wiped or replaced, or once an operator says so.",
        READS("lose"),
        EPOCH("lose"),
        EPOCH("known_lost_is_gone"),
    ),
    defines(
        "57c9f7",
        "AUTHORITATIVE_EMPTY: it was down, and its records were copied to others.",
        READS("mark_empty"),
        READS("named_has_it_or_lost_it"),
        QUORUM("one_node_is_empty"),
        rule("log.status.empty_after_loss"),
        rule("log.rebuilding.empty_is_elsewhere"),
        differs=but(
            "As shipped, also after a rebuilding that could not copy everything; then records may be lost.",
            variant("epoch", "empty_before_rebuilt"),
            cite="common/event_log/EventLogRebuildingSet.cpp, recomputeShardAuthoritativeStatus",
        ),
    ),
    aside("b4c8fb", "Large clusters always have some of these.", REMARK),
    defines("59b9ce", "UNAVAILABLE: it is down.", READS("go_down"), QUORUM("statuses"), GAPS("down_is_not_lost")),
    aside("98b5b8", "Gap detection heeds that.", LEAD),
    aside("dca8ad", "A loss may be reported in two cases.", LEAD),
    demands(
        "8a58fa",
        "An f-majority of FULLY_AUTHORITATIVE nodes does not have the record.",
        rule("log.read.dataloss_is_proved"),
        rule("log.read.dataloss_is_proved_as_written"),
        READS("report_by_majority"),
        READS("majority_never_loses"),
    ),
    demands(
        "94779b",
        "There is none, but no FULLY_AUTHORITATIVE node has it.",
        rule("log.read.dataloss_is_proved_as_written"),
        rule("log.read.dataloss_is_proved"),
        READS("report_by_all"),
        theorem("quorum.status.complete_as_written"),
        theorem("quorum.status.complete_proves_loss"),
        LOSS("TestDataLoss.where_the_document_and_the_code_differ"),
        differs=but(
            UNAVAILABLE_TOO,
            rule("log.read.dataloss_is_proved"),
            theorem("quorum.status.complete_as_written"),
            GAPS("down_is_not_lost"),
            variant("reads", "only_authoritative_must_answer"),
            variant("epoch", "down_nodes_need_not_answer"),
        ),
    ),
    shows(
        "934c87",
        "All nodes that do not answer are UNDERREPLICATION: a loss, though there is no f-majority.",
        EXAMPLES("without_an_f_majority_all_who_count_are_enough"),
        QUORUM("all_that_is_silent_is_underreplicated"),
        LOSS("TestDataLoss.nodes_whose_data_is_gone_need_not_answer"),
    ),
    shows("81ce1e", "Seven nodes; N5 is down.", EXAMPLES("an_empty_node_is_as_if_it_was_never_there")),
    shows(
        "7f7f29",
        "What N5 had is copied to other nodes of the nodeset.",
        READS("rebuild"),
        EPOCH("named_has_it_or_lost_it"),
        INDEX("a_rebuilt_copyset_takes_the_place_of_the_old_one"),
        rule("log.rebuilding.one_record"),
        rule("log.rebuilding.empty_is_elsewhere"),
    ),
    aside("a9f9ae", "What follows from that.", LEAD),
    shows(
        "cf7830",
        "It is as if N5 had never been there.",
        EXAMPLES("an_empty_node_is_as_if_it_was_never_there"),
        QUORUM("one_node_is_empty"),
    ),
    shows(
        "ea622e", "Six nodes count.", EXAMPLES("an_empty_node_is_as_if_it_was_never_there"), QUORUM("one_node_is_empty")
    ),
    shows(
        "74d2e2",
        "N5 is AUTHORITATIVE_EMPTY.",
        READS("mark_empty"),
        EXAMPLES("an_empty_node_is_as_if_it_was_never_there"),
        rule("log.status.empty_after_donors"),
        differs=but(
            "A reader has to rewind then, for copies may lie behind the cursors of other nodes.",
            READS("starts_over"),
            GAPS("no_gap_while_a_rewind_is_due"),
            variant("reads", "no_rewind_on_empty"),
        ),
    ),
    demands(
        "b5e1c6",
        "Rebuilding changes the copyset of every copy of what N5 had.",
        READS("named_has_it_or_lost_it"),
        INDEX("a_rebuilt_copyset_takes_the_place_of_the_old_one"),
        rule("log.rebuilding.empty_is_elsewhere"),
    ),
    demands(
        "655a0b",
        "N5 leaves them, and the node with the new copy enters.",
        READS("mark_empty"),
        INDEX("a_rebuilt_copyset_takes_the_place_of_the_old_one"),
        variant("epoch", "empty_before_rebuilt"),
        rule("log.rebuilding.names_holders"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (STATUSES,)
"""What answers are worth."""

"""LogDevice, Read path: f-majorities, and when a record is lost."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule, text, theorem, variant
from spec.sources.sentence import LEAD, PICTURE, Heading, aside, but, defines, demands, shows, under

READS = text("reads")
QUORUM = named_tests("spec/log/test_quorum")
LOSS = named_tests("spec/log/test_reading")
EXAMPLES = named_tests("reference_impl/log/stream/test_read_path")
GAPS = named_tests("reference_impl/log/stream/test_gap_detection")
F_MAJORITY = code("spec/log/quorum")
COUNTED = "As shipped, of the nodes that are not empty, complete domains count, at some scope or for shards."

ALGORITHM = under(
    "Gap detection algorithm",
    aside("9ea823", "First, what an f-majority is.", LEAD),
    defines(
        "c0ccfe",
        "An f-majority has a node in common with each possible copyset.",
        theorem("quorum.f_majority.meets_copysets"),
        theorem("quorum.f_majority.tight"),
        READS("quorums_meet"),
        F_MAJORITY("is_f_majority"),
    ),
    demands(
        "dfdd8b",
        "There is no room for a copyset in what it leaves out.",
        theorem("quorum.f_majority.sound"),
        QUORUM("the_complement_holds_no_copyset"),
    ),
    demands(
        "4aac19",
        "So with answers from one it is known whether a record can be had.",
        theorem("quorum.f_majority.meets_copysets"),
        theorem("quorum.status.f_majority_proves_absence"),
        READS("majority_never_loses"),
    ),
    demands(
        "8d9a91",
        "All but R - 1 nodes of the nodeset are one, where R copies are kept.",
        theorem("quorum.size.enough"),
        theorem("quorum.size.formula"),
        QUORUM("nodeset_minus_copies_plus_one"),
        differs=but(COUNTED, QUORUM("racks_count_only_when_whole"), rule("log.read.dataloss_is_proved")),
    ),
    demands(
        "9b643d",
        "The same at every location scope.",
        theorem("quorum.f_majority.written"),
        QUORUM("any_one_domain"),
        differs=but(COUNTED, QUORUM("a_scope_that_adds_nothing_is_not_asked")),
    ),
    demands(
        "e84dae",
        "For racks: all of them but R_rack - 1.",
        theorem("quorum.f_majority.written"),
        QUORUM("five_racks"),
        differs=but(
            COUNTED,
            theorem("quorum.limits.one_answer_per_rack"),
            QUORUM("racks_count_only_when_whole"),
            GAPS("racks_count_when_complete"),
            variant("reads", "rack_is_heard_by_one_answer"),
        ),
    ),
    shows("bfa94e", "Copies in two of five racks: four whole racks are one.", QUORUM("five_racks")),
    demands(
        "a40ec8",
        "One scope is enough.",
        QUORUM("any_one_domain"),
        theorem("quorum.f_majority.sound"),
        theorem("quorum.f_majority.tight"),
        differs=but(
            "As shipped, of scopes with the same factor only the largest is asked, and always the shard.",
            QUORUM("a_scope_that_adds_nothing_is_not_asked"),
        ),
    ),
    defines(
        "b7821d",
        "A record of which there are not enough copies does not exist.",
        theorem("quorum.status.f_majority_proves_absence"),
        rule("log.append.acked_is_spread"),
        QUORUM("copies_are_spread"),
    ),
    demands(
        "cd7985",
        "Once all but R - 1 nodes never had it, no others need be asked: they are too few to hold it.",
        theorem("quorum.size.enough"),
        theorem("quorum.status.f_majority_proves_absence"),
        GAPS("an_f_majority_waits_for_the_others_for_a_grace_period"),
        differs=but("As shipped, the others are given a grace period.", GAPS("the_late_record_ends_the_grace_period")),
    ),
    demands(
        "2969d7",
        "With later records, and an f-majority that has nothing at the cursor, the reader reports a loss and goes on.",
        rule("log.read.dataloss_is_proved"),
        rule("log.read.dataloss_is_proved_as_written"),
        READS("report_by_majority"),
        EXAMPLES("the_third_node_proves_the_loss"),
        differs=but(
            "As shipped, a gap at the edge of an epoch is told as a bridge: a loss there is not told.",
            GAPS("a_gap_into_the_next_epoch_is_a_bridge_without_grace"),
            GAPS("the_beginning_of_an_epoch_may_be_a_bridge"),
        ),
    ),
    demands(
        "a90a68",
        "Without an f-majority it waits: someone may still have the record.",
        theorem("quorum.f_majority.tight"),
        EXAMPLES("two_of_five_stall_the_reader"),
        LOSS("TestDataLoss.two_of_five_is_no_f_majority"),
        READS("some_copyset_is_waited_for"),
    ),
    shows(
        "1cb4bb",
        "Five nodes, three copies, no copy of 52, and fewer than three nodes that do not have it: the reader waits.",
        EXAMPLES("two_of_five_stall_the_reader"),
        QUORUM("five_nodes"),
    ),
    shows("17be43", "N1, N2 and N4 might have it.", EXAMPLES("two_of_five_stall_the_reader")),
    aside("2b88df", "What two nodes sent.", PICTURE),
    shows(
        "f8d476",
        "N1 sends 54, so it does not have 52.",
        EXAMPLES("the_third_node_proves_the_loss"),
        differs=but(
            "Not in single copy delivery, where another node may have been the one to send it.",
            named_tests("reference_impl/log/stream/test_single_copy_delivery")(
                "when_nobody_is_left_all_should_send_all"
            ),
            variant("delivery", "gaps_in_single_copy_mode"),
        ),
    ),
    shows(
        "a1de07",
        "Three nodes are enough.",
        EXAMPLES("the_third_node_proves_the_loss"),
        LOSS("TestDataLoss.three_of_five_is"),
    ),
    shows(
        "51d17b",
        "52 is reported as lost, and 53 is next.",
        EXAMPLES("the_third_node_proves_the_loss"),
        differs=but("As shipped, after a grace period.", EXAMPLES("as_shipped_there_is_a_grace_period")),
    ),
    aside("eb9cf8", "What three nodes sent.", PICTURE),
)

HEADINGS: Final[tuple[Heading, ...]] = (ALGORITHM,)
"""When a record is lost."""

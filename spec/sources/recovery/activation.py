"""LogDevice, Recovery: a sequencer fails, another is activated, and recovery begins."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule, text, variant
from spec.sources.sentence import LEAD, Heading, aside, but, demands, under

RECOVERY_TEXT = text("recovery")
EPOCH = text("epoch")
EXAMPLE = named_tests("reference_impl/log/repair/test_recovery_example")
FAILOVER = named_tests("reference_impl/test_failover")
SEQUENCER = named_tests("reference_impl/log/test_sequencer")
STORE = named_tests("reference_impl/log/test_epoch_store")
LOG = named_tests("reference_impl/log/repair/test_log_recovery")
IMMUTABILITY = named_tests("reference_impl/log/repair/test_immutability")
CLIENT = named_tests("reference_impl/log/test_client")
BESIDE = named_tests("reference_impl/log/test_metadata_nodes")

BOTH_PARTS = under(
    "Recovery after the failure of a sequencer",
    demands(
        "4b472d",
        "Once a crash, a partition or anything else takes a sequencer away, its log is recovered.",
        FAILOVER("another_node_takes_over"),
        FAILOVER("each_new_epoch_is_followed_by_the_recovery_of_the_one_before"),
    ),
    aside("46846d", "Recovery has two parts.", LEAD),
    demands(
        "98ff17",
        "A healthy node becomes the log's sequencer.",
        FAILOVER("another_node_takes_over"),
        SEQUENCER("it_asks_for_an_epoch_and_forgets_the_old_one"),
    ),
    demands(
        "fb082c",
        "It has an epoch of its own, and takes appends.",
        rule("log.sequencing.own_epoch"),
        SEQUENCER("it_takes_appends_at_once_and_starts_recovery"),
    ),
    demands(
        "78fb9b",
        "It has the epoch before its own recovered.",
        rule("log.recovery.before_release"),
        SEQUENCER("it_takes_appends_at_once_and_starts_recovery"),
        differs=but(
            "All epochs since the last clean one are recovered, oldest first.",
            rule("log.recovery.oldest_first"),
            LOG("an_epoch_that_cannot_be_recovered_holds_up_the_others"),
        ),
    ),
)

ACTIVATION = under(
    "Sequencer activation",
    demands(
        "a0f1e7",
        "Failure detectors on the other nodes notice that a sequencer does not work.",
        FAILOVER("another_node_takes_over"),
        differs=but(
            "Detectors belong to the environment: the machine may be activated at any time, needed or not.",
            code("reference_impl/environment/director")("Director"),
        ),
    ),
    demands(
        "8a1187",
        "Appends go to a healthy node, which thereby becomes the sequencer.",
        CLIENT("without_a_sequencer_it_asks_first"),
        CLIENT("another_sequencer_makes_the_append_indefinite"),
        FAILOVER("another_node_takes_over"),
    ),
    demands(
        "6db5e5",
        "Whoever is activated gets its epoch from the epoch store.",
        rule("log.sequencing.one_sequencer"),
        rule("log.sequencing.epochs_in_order"),
        STORE("epochs_are_given_one_after_the_other"),
    ),
    demands(
        "66a124",
        "It takes appends from then on, without waiting for recovery.",
        SEQUENCER("it_takes_appends_at_once_and_starts_recovery"),
        FAILOVER("appends_do_not_wait_for_recovery_and_releases_do"),
    ),
    demands(
        "49dfe5",
        "It may not release them yet.",
        rule("log.recovery.before_release"),
        SEQUENCER("nothing_is_released_before_earlier_epochs_are_clean"),
        differs=but(
            "As shipped, a reader that begins inside the new epoch may be given its records before.",
            cite="server/read_path/CatchupOneStream.cpp",
        ),
    ),
    demands(
        "5a57c2",
        "Appends that were in flight may have left the old epoch's tail different on different nodes.",
        EXAMPLE("readers_would_see_different_views"),
        RECOVERY_TEXT("store"),
    ),
    demands(
        "eee4f9",
        "What is read must be read the same again, so such a tail may not be delivered.",
        rule("log.read.repeatable_gaps"),
        rule("client.read.repeatable"),
        EPOCH("reads_repeat"),
    ),
    demands(
        "38b973", "The new sequencer starts recovery first.", SEQUENCER("it_takes_appends_at_once_and_starts_recovery")
    ),
    demands(
        "f22417",
        "Recovery makes the old epoch one sequence of records that no longer changes.",
        RECOVERY_TEXT("finished_is_final"),
        RECOVERY_TEXT("kept_is_chosen"),
        IMMUTABILITY("all_finished_recoveries_decide_alike"),
        variant("epoch", "unpurged_nodes_serve"),
        rule("log.recovery.clean_is_final"),
        rule("log.purge.of_a_clean_epoch"),
        rule("log.purge.keeps_what_was_decided"),
    ),
    demands(
        "49326e",
        "Once recovery is done, all is released up to what is known good in the new epoch.",
        rule("log.recovery.before_release"),
        rule("log.release.below_last_known_good"),
        SEQUENCER("nothing_is_released_before_earlier_epochs_are_clean"),
        differs=but(
            "As shipped, it also waits until the new epoch can be found in the metadata log.",
            rule("log.metadata.before_release"),
            BESIDE("a_recovery_is_over_once_the_metadata_can_be_read"),
            cite="common/LogRecoveryRequest.cpp, readSequencerMetaData",
        ),
    ),
    demands(
        "1b7ec0",
        "Readers are given everything up to the release pointer, and the same each time.",
        rule("log.release.before_delivery"),
        rule("client.read.repeatable"),
        EPOCH("read_is_the_outcome"),
    ),
)

HEADINGS: Final[tuple[Heading, ...]] = (BOTH_PARTS, ACTIVATION)
"""How it begins."""

"""LogDevice, Recovery after the failure of a sequencer: its sentences, and what carries them."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import named_tests, rule, text, theorem
from spec.sources.sentence import LEAD, Document, aside, defines, demands, shows, under

RECOVERY_TEXT = text("recovery")
EPOCH = text("epoch")
EXAMPLE = named_tests("reference_impl/log/repair/test_recovery_example")
FAILOVER = named_tests("reference_impl/test_failover")
SEQUENCER = named_tests("reference_impl/log/test_sequencer")
STORAGE = named_tests("reference_impl/log/test_storage")
STORE = named_tests("reference_impl/log/test_epoch_store")
LOG = named_tests("reference_impl/log/repair/test_log_recovery")
PLAN = named_tests("reference_impl/log/repair/test_plan")
IMMUTABILITY = named_tests("reference_impl/log/repair/test_immutability")
CLIENT = named_tests("reference_impl/log/test_client")
PROMISES = named_tests("reference_impl/log/stream/test_promises")
EPOCHS = named_tests("reference_impl/log/stream/test_epochs")
CORRECT = named_tests("reference_impl/test_correct_machine")

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
        differs="All epochs since the last clean one are recovered, oldest first: `log.recovery.oldest_first`.",
    ),
)

ACTIVATION = under(
    "Sequencer activation",
    demands(
        "a0f1e7",
        "Failure detectors on the other nodes notice that a sequencer does not work.",
        FAILOVER("another_node_takes_over"),
        differs="Detectors belong to the environment: the machine may be activated at any time, needed or not.",
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
        differs="As shipped, a reader that begins inside the new epoch may be given its records before.",
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
    ),
    demands(
        "49326e",
        "Once recovery is done, all is released up to what is known good in the new epoch.",
        rule("log.recovery.before_release"),
        rule("log.release.below_last_known_good"),
        SEQUENCER("nothing_is_released_before_earlier_epochs_are_clean"),
        differs="As shipped, it also waits until the new epoch can be found in the metadata log.",
    ),
    demands(
        "1b7ec0",
        "Readers are given everything up to the release pointer, and the same each time.",
        rule("log.release.before_delivery"),
        rule("client.read.repeatable"),
        EPOCH("read_is_the_outcome"),
    ),
)

PROMISED = under(
    "Log recovery",
    demands(
        "ef9896",
        "Recovery makes the epoch's records durable, consistent and unchangeable up to its end.",
        RECOVERY_TEXT("acked_survives"),
        RECOVERY_TEXT("kept_is_chosen"),
        RECOVERY_TEXT("finished_is_final"),
    ),
    aside("4f5daa", "What that means for an epoch that was recovered.", LEAD),
    demands(
        "a62547",
        "What was acknowledged is stored as the epoch's replication property says, and delivered.",
        rule("log.append.acked_has_copies"),
        rule("log.append.acked_is_spread"),
        rule("log.recovery.outcome_is_replicated"),
        rule("client.read.acked_is_delivered"),
        RECOVERY_TEXT("acked_survives"),
        differs="Delivered unless all its promised copies were lost: `log.read.acked_or_lost_copies`.",
    ),
    demands(
        "467e39",
        "What was never acknowledged and is missing is not told as a loss.",
        rule("log.read.no_gap_over_acked"),
        EXAMPLE("readers_go_on_over_benign_gaps"),
        LOG("loss_is_told_only_inside_an_epoch"),
        differs="A recovery without authority plugs no holes, and there a loss may be told: it cannot be excluded.",
    ),
    demands(
        "5045d4",
        "It is told as a benign gap.",
        rule("log.read.hole_is_plugged"),
        EXAMPLE("readers_go_on_over_benign_gaps"),
    ),
    demands(
        "9e9011",
        "A recovered epoch stays as it is until it is trimmed.",
        RECOVERY_TEXT("finished_is_final"),
        EPOCH("read_is_the_outcome"),
        IMMUTABILITY("all_finished_recoveries_decide_alike"),
        differs="Bridges must count from the whole digest; as shipped, those of read-only shards do not.",
    ),
    demands(
        "02dd46",
        "Also while the old sequencer still writes, or others recover the same epoch.",
        rule("log.seal.fences"),
        RECOVERY_TEXT("acked_survives"),
        RECOVERY_TEXT("finished_is_final"),
        IMMUTABILITY("all_finished_recoveries_decide_alike"),
        CORRECT("every_rule_holds_with_faults"),
    ),
)

BRIDGE = under(
    "Bridge record",
    demands(
        "cca504",
        "Recovery ends an epoch with a bridge record.",
        rule("log.recovery.bridge_is_last"),
        RECOVERY_TEXT("planned"),
        PLAN("every_esn_up_to_the_bridge_has_an_outcome"),
        differs="No bridge after the greatest ESN, nor by a recovery without authority.",
    ),
    defines(
        "0ccac6",
        "It is stored like any record, marked as a bridge.",
        EXAMPLE("a_bridge_is_stored_as_records_are"),
    ),
    demands(
        "3b68b2",
        "Its sequence number is where, as agreed, the epoch ends.",
        RECOVERY_TEXT("ends"),
        RECOVERY_TEXT("finished_bridge_is_final"),
        PLAN("a_bridge_on_a_read_only_shard_still_closes_the_epoch"),
    ),
    demands(
        "24a304",
        "A reader that meets it goes on to the next epoch, over a gap that is no loss.",
        rule("log.read.covers_all"),
        EPOCHS("a_bridge_record_ends_its_epoch"),
        LOG("a_bridge_takes_the_reader_to_the_end_of_the_epoch"),
    ),
)

SHOWN = under(
    "Recovery example",
    aside("d98f74", "An example follows.", LEAD),
    shows(
        "b62733",
        "Five nodes; of the appends after the last known good LSN, e5n6 alone was acknowledged.",
        EXAMPLE("what_each_slot_becomes"),
    ),
    shows(
        "19022c",
        "Three copies of each record; some have fewer so far.",
        EXAMPLE("releasing_at_once_would_break_replication"),
    ),
    shows("920b2a", "The sequencer and N1 fail.", EXAMPLE("what_each_slot_becomes")),
    demands(
        "a7482b",
        "The sequencer of epoch 6 takes appends, and leaves the log's last known good pointer where it is.",
        SEQUENCER("it_takes_appends_at_once_and_starts_recovery"),
        rule("log.recovery.before_release"),
    ),
    aside("9e0024", "Advancing it now would do harm.", LEAD),
    demands(
        "d35314",
        "Released records might have too few copies.",
        rule("log.release.is_replicated"),
        EXAMPLE("releasing_at_once_would_break_replication"),
    ),
    demands(
        "d56802",
        "An append of which nobody stored a copy, as e5n5, would look like a loss.",
        EXAMPLE("the_hole_would_be_told_as_a_loss"),
        rule("log.read.hole_is_plugged"),
    ),
    demands(
        "00828d",
        "It is none, because only acknowledged records are promised.",
        rule("log.read.no_gap_over_acked"),
        rule("client.read.acked_is_delivered"),
        rule("log.recovery.hole_is_benign"),
    ),
    demands(
        "743284",
        "Nodes that did not notice anything might still store what is in flight.",
        EXAMPLE("readers_would_see_different_views"),
        rule("log.seal.fences"),
    ),
    demands(
        "df7324",
        "Readers at different times would see different records, which is not allowed.",
        rule("log.read.repeatable_gaps"),
        rule("client.read.repeatable"),
        EXAMPLE("readers_would_see_different_views"),
    ),
    aside("56a31c", "What the recovery does.", LEAD),
    demands(
        "8564bd",
        "It seals: the nodes of the epoch's nodeset refuse whatever is older than epoch 6.",
        rule("log.seal.fences"),
        RECOVERY_TEXT("seal"),
        EXAMPLE("nodes_reject_smaller_epochs_than_six"),
        STORAGE("a_sealed_epoch_is_refused"),
        differs="The recovery that sealed may store, as may later ones: `store`.",
    ),
    demands(
        "e6e5c5",
        "So no append of an old sequencer can be completed any more.",
        theorem("quorum.recovery.seal_stops_acks"),
        RECOVERY_TEXT("acked_survives"),
    ),
    demands(
        "492a95",
        "It looks at what the nodes have above the last known good LSN, and proposes one outcome for each LSN.",
        RECOVERY_TEXT("plan"),
        EXAMPLE("only_slots_after_the_last_known_good_one_are_looked_at"),
        PLAN("only_what_is_above_the_last_known_good_one_is_touched"),
        theorem("quorum.recovery.next_one_learns"),
    ),
    demands(
        "3ce6d4",
        "A record where one was found, and a hole where none was.",
        RECOVERY_TEXT("planned"),
        EXAMPLE("what_each_slot_becomes"),
        differs="Not records that a bridge overrules, nor records behind a hole in a stream of appends.",
    ),
    demands(
        "83f26d",
        "Always a record where the append was acknowledged.",
        rule("log.recovery.keeps_acked"),
        RECOVERY_TEXT("acked_survives"),
        EXAMPLE("an_acknowledged_append_is_always_proposed"),
    ),
    demands(
        "6329ee",
        "It stores each outcome on as many nodes as are needed.",
        rule("log.recovery.outcome_is_replicated"),
        RECOVERY_TEXT("finished"),
        EXAMPLE("outcomes_lie_on_a_valid_copyset"),
        differs="With fewer writable nodes than that, and everybody heard, it stores what it can.",
    ),
)

FINAL_STATE = under(
    "Final state after recovery is complete",
    aside("37e8e6", "What holds after it.", LEAD),
    demands(
        "4d7380",
        "No append of an epoch below 6 succeeds any more.",
        rule("log.seal.fences"),
        theorem("quorum.recovery.seal_stops_acks"),
        EXAMPLE("nodes_reject_smaller_epochs_than_six"),
    ),
    shows(
        "3bb1cc",
        "The last record of epoch 5 is its bridge, e5n8.",
        EXAMPLE("what_each_slot_becomes"),
        PLAN("holes_above_the_bridge_are_kept"),
        differs="Refuted as a general rule: holes above a bridge are kept, so the highest copy need not be the bridge.",
    ),
    demands(
        "0b3492",
        "What was not acknowledged is a record with enough copies, or a hole at its LSN.",
        rule("log.recovery.outcome_is_replicated"),
        rule("log.recovery.hole_is_benign"),
        EXAMPLE("an_append_that_was_not_acknowledged_is_kept_or_plugged"),
    ),
    demands(
        "dc7f79",
        "What had enough copies is as it was.",
        EXAMPLE("what_was_replicated_is_intact"),
        RECOVERY_TEXT("acked_survives"),
        PLAN("a_complete_digest_leaves_equal_copies_alone"),
    ),
    demands(
        "1500f8",
        "The epoch store has epoch 5 as the last clean one.",
        rule("log.recovery.oldest_first"),
        STORE("epochs_become_clean_in_order"),
        EPOCH("declare_clean"),
    ),
    demands(
        "7d2868",
        "Then the release pointer follows what is known good in epoch 6, and readers are given all up to it.",
        rule("log.recovery.before_release"),
        rule("log.release.before_delivery"),
        SEQUENCER("nothing_is_released_before_earlier_epochs_are_clean"),
    ),
)

RECOVERY: Final = Document(
    "recovery",
    "Recovery",
    "LogDevice, Recovery after the failure of a sequencer: two steps, what they promise, and an example.",
    (BOTH_PARTS, ACTIVATION, PROMISED, BRIDGE, SHOWN, FINAL_STATE),
)
"""The whole document."""

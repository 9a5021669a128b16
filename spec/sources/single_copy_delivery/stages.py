"""LogDevice, Single Copy Delivery: how an append sees to it that the first members of a copyset have the record."""

from __future__ import annotations

from typing import Final

from spec.sources.carriers import code, named_tests, rule, text, variant
from spec.sources.sentence import LEAD, NAVIGATION, Heading, aside, but, defines, demands, shows, under

STAGES = named_tests("reference_impl/log/test_appender_stages")
MACHINE = named_tests("reference_impl/log/test_stages")
SHIPPING = named_tests("reference_impl/log/delivery/test_shipping")
APPENDER = code("reference_impl/log/appender_stages")
APPENDING = text("appending")
DELIVERY = text("delivery")
EPOCH = text("epoch")
LATER = but(
    "LogDevice has since given up extras and stages: an append waits for all members of a copyset of R.",
    STAGES("without_extras_the_stages_are_one"),
    cite="common/Appender.cpp",
)

ALL_STAGES = under(
    "Appender stages",
    demands(
        "d644ff",
        "Single copy delivery works only where the first members of copysets have the record.",
        STAGES("before_that_nobody_might"),
        STAGES("who_ships_it_then"),
        rule("log.stages.leaders_keep_it"),
        APPENDING("first_recipient_has_it"),
        differs=LATER,
    ),
    demands("0622b5", "Without extras, all members have it.", STAGES("without_extras_the_stages_are_one")),
    demands(
        "fd9026",
        "With X extras, so many members of each copyset mostly end up without it.",
        STAGES("any_copies_end_the_replication_stage"),
        SHIPPING("extra_members_send_too"),
        rule("log.stages.no_extra_stays"),
        differs=but(
            "What is left of extras in the code: the last X members that are up send a record if they have it.",
            SHIPPING("extra_members_send_too"),
        ),
    ),
    demands(
        "533792",
        "Those should be the last members.",
        STAGES("extras_end_up_on_the_right"),
        STAGES("all_leaders_end_the_append"),
        MACHINE("the_stages_are_those_of_the_document"),
        APPENDING("others_can_take_over"),
        differs=LATER,
    ),
    demands("b9a778", "The appender sees to that.", STAGES("extras_end_up_on_the_right"), APPENDER("on_stored")),
    demands(
        "2f3119",
        "An append goes through three stages.",
        STAGES("any_copies_end_the_replication_stage"),
        STAGES("the_sync_leader_releases_it"),
        STAGES("all_leaders_end_the_append"),
        APPENDER("Stage"),
        APPENDING("acknowledge"),
        APPENDING("release"),
        APPENDING("finish"),
        differs=LATER,
    ),
    aside("514e5a", "The first: replication.", LEAD),
    aside("59f5b4", "The second: sync leaders.", LEAD),
    aside("ddcfaf", "The third: redundancy of leaders.", LEAD),
    aside("01403b", "An example follows.", LEAD),
    shows("d37cd3", "Five members, N3 first, for three copies.", STAGES("the_candidate_copyset")),
)

REPLICATION = under(
    "Replication stage",
    demands(
        "e0d2fd",
        "It lasts until any R members have stored their copy.",
        STAGES("any_copies_end_the_replication_stage"),
        MACHINE("any_three_copies_answer_the_writer"),
        rule("log.append.acked_has_copies"),
        rule("log.stages.acked_is_kept"),
        APPENDING("replicated"),
    ),
    demands(
        "60d51c",
        "Then X members are without it, wherever they stand in the copyset.",
        STAGES("any_copies_end_the_replication_stage"),
        DELIVERY("store"),
        APPENDING("acked_is_replicated"),
    ),
    demands(
        "13422d",
        "The writer is answered.",
        STAGES("any_copies_end_the_replication_stage"),
        rule("log.append.copy_before_ack"),
        APPENDING("acknowledge"),
    ),
    shows("4b0d7a", "N2, N0 and N4 have it.", STAGES("any_copies_end_the_replication_stage")),
    shows("528334", "The second, fourth and fifth member have it.", STAGES("any_copies_end_the_replication_stage")),
)

SYNC_LEADERS = under(
    "Sync-leader stage",
    defines(
        "8e37e7",
        "num-sync-leaders is a setting of the log, 1 unless it is set.",
        STAGES("the_candidate_copyset"),
        APPENDER("appender_of"),
    ),
    demands(
        "e22274",
        "So many of the first members must have it before it is released.",
        STAGES("the_sync_leader_releases_it"),
        STAGES("several_sync_leaders"),
        STAGES("without_the_sync_leader_nothing_is_released"),
        MACHINE("nothing_is_released_before_the_leader_has_it"),
        rule("log.stages.leaders_have_it"),
        rule("log.stages.released_when_led"),
        APPENDING("ready"),
        APPENDING("release"),
        variant("appending", "no_sync_leader"),
        differs=but(
            "A leader that is silent stalls the log's readers; the later form has no leaders.",
            STAGES("without_the_sync_leader_nothing_is_released"),
            STAGES("without_extras_the_stages_are_one"),
            variant("appending", "no_wave_once_acknowledged"),
        ),
    ),
    shows("36b888", "With one, the release waits for N3.", STAGES("without_the_sync_leader_nothing_is_released")),
    shows("f481cd", "N3 has it.", STAGES("the_sync_leader_releases_it")),
    shows(
        "07e09e",
        "N4 is told to delete it.",
        STAGES("the_sync_leader_releases_it"),
        rule("log.stages.enough_keep_it"),
        APPENDING("drop_extra"),
        EPOCH("drop"),
    ),
    shows("c0b07c", "Readers may have it.", STAGES("the_sync_leader_releases_it"), APPENDING("released_was_ready")),
    shows("ab5a8a", "The first, second and fourth member have it.", STAGES("the_sync_leader_releases_it")),
)

LEADERS = under(
    "Leader redundancy stage",
    defines(
        "96f354",
        "num-leaders is how many of the first members are to have it before the append is over.",
        STAGES("all_leaders_end_the_append"),
        APPENDER("appender_of"),
        APPENDING("finish"),
    ),
    defines("1ed60b", "As many as copies, unless it is set.", STAGES("the_candidate_copyset")),
    shows("7e4461", "With three, the append waits for N3, N2 and N1.", STAGES("all_leaders_end_the_append")),
    shows("c34c4f", "N1 has it.", STAGES("all_leaders_end_the_append")),
    shows(
        "c05a58",
        "N0 is told to delete it.",
        STAGES("all_leaders_end_the_append"),
        APPENDING("drop_extra"),
        rule("log.stages.deleted_before_release"),
        differs=but(
            "Not after the release: whoever heard a late leader before and the extra after has heard of no copy.",
            MACHINE("an_append_is_over_once_it_may_be_released"),
            rule("log.stages.deleted_before_release"),
        ),
    ),
    shows("68dbf5", "The first three have it.", STAGES("all_leaders_end_the_append")),
    shows("c87a46", "N3 sends it as long as nothing fails.", STAGES("who_ships_it_then")),
    shows("76889e", "Without N3, N2 does.", STAGES("who_ships_it_then")),
    shows("8fe0d2", "Without both, N1 does.", STAGES("who_ships_it_then")),
    demands(
        "b99708",
        "The appender does what it can to bring all three stages to their end.",
        STAGES("extras_end_up_on_the_right"),
        APPENDING("others_can_take_over"),
        differs=LATER,
    ),
    demands(
        "db9161",
        "To be able to write comes first.",
        STAGES("writers_never_wait_for_leaders"),
        MACHINE("a_silent_leader_does_not_stall_the_log"),
        APPENDING("nothing_waits_for_the_dead"),
    ),
    aside("8be707", "More is in the source code.", NAVIGATION),
)

HEADINGS: Final[tuple[Heading, ...]] = (ALL_STAGES, REPLICATION, SYNC_LEADERS, LEADERS)
"""How an append goes."""

"""Known bugs: defects that systems of this family had or may have, each as a text without one of its guards.

Each names the wrong form of a text that has it, the goal that breaks, and a small world in which a run of at most
twelve steps shows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from spec.near import did_you_mean

STEPS_MAX: Final = 12
"""So many steps at most show a bug."""


class UnknownBug(LookupError):
    """No known bug has this name; the message names near ones."""


@dataclass(frozen=True)
class KnownBug:
    """One known bug.

    Attributes:
        name: how commands call it.
        sentence: what goes wrong.
        guard: what prevents it, and is taken away here.
        cite: where it comes from.
        text: the protocol text.
        variant: the wrong form of it.
        breaks: the goal that is broken.
        bounds: the small world in which it is looked for; what is left out is as the text has it.
        mutant: the deviation of the reference machine that has the same bug, if there is one.
        rule: the rule on traces that notices this mutant.
    """

    name: str
    sentence: str
    guard: str
    cite: str
    text: str
    variant: str
    breaks: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    mutant: str = ""
    rule: str = ""


KNOWN_BUGS: Final = {
    bug.name: bug
    for bug in (
        KnownBug(
            "seal-not-durable",
            "A node promises to refuse an old sequencer's stores, crashes, and takes them; the record is acknowledged "
            "after the epoch was ended without it.",
            "A seal is on disk before it is answered.",
            "LogDevice, server/storage/SealStorageTask.cpp",
            "recovery",
            "seals_are_forgotten",
            "acked_is_never_beyond",
            {"nodes": 3},
            "seal_forgotten_in_crash",
            "log.seal.fences",
        ),
        KnownBug(
            "wiped-node-answers",
            "A node that lost its disk answers a recovery as if it had never had anything: an acknowledged record is "
            "taken for one that was never written.",
            "A node that lost its data is underreplicated until that data is rebuilt, and no f-majority counts it.",
            "LogDevice, Read path, Authoritative Status; docs/Rebuilding.md",
            "epoch",
            "wiped_nodes_answer",
            "acked_is_never_beyond",
            {},
            "disk_lost_in_crash",
            "log.recovery.keeps_acked",
        ),
        KnownBug(
            "straggler-serves",
            "A node that missed the recovery sends the record that the recovery plugged; who read the plug before now "
            "reads something else.",
            "A node purges what a recovery has overruled before it shows the epoch.",
            "LogDevice, server/storage/PurgeUncleanEpochs.cpp",
            "epoch",
            "unpurged_nodes_serve",
            "reads_repeat",
            {},
            "copies_not_purged",
            "log.read.repeatable_gaps",
        ),
        KnownBug(
            "no-rewind-on-empty",
            "A record is rebuilt onto a node that has already told the reader that it has nothing; then its old home "
            "is marked empty, and the reader reports a loss.",
            "A reader that learns that a node is empty drops all answers and asks again.",
            "LogDevice, common/client_read_stream/ClientReadStream.cpp: AUTHORITATIVE_EMPTY forces a rewind",
            "reads",
            "no_rewind_on_empty",
            "no_copy_is_passed_over",
            {},
            "empty_without_rewind",
            "log.read.no_gap_over_acked",
        ),
        KnownBug(
            "filtered-before-bridges",
            "Only a read-only node still tells of the bridge of an earlier recovery. The second recovery leaves this "
            "node out before it looks for bridges, and revives a record above the end of the epoch.",
            "Bridges are applied over all that was heard; then nodes that take no writes are left out.",
            "LogDevice, EpochRecovery::startMutations, Digest::removeNodeIf and Digest::applyBridgeRecords",
            "mutation",
            "filtered_before_bridges",
            "finished_bridge_is_final",
            {"nodes": 3, "slots": 2, "recoveries": 2},
            "filtered_before_bridges",
            "log.recovery.bridge_is_last",
        ),
        KnownBug(
            "loss-over-unavailable",
            "All copies are on nodes that are merely down; all fully authoritative nodes have nothing, and the reader "
            "reports a loss.",
            "A node that is unavailable must answer, as a fully authoritative one must.",
            "LogDevice, Read path, Authoritative Status, read to the letter; common/AuthoritativeStatus.h",
            "reads",
            "only_authoritative_must_answer",
            "no_copy_is_passed_over",
            {},
            "down_nodes_need_not_answer",
            "log.read.dataloss_is_proved",
        ),
        KnownBug(
            "extras-stall",
            "A record is released with all its copies on later recipients and extras: the first recipient, which is to "
            "send it in single copy mode, has none, and the reader stalls.",
            "A record is released only when the first recipient of its copyset has it.",
            "LogDevice, Single Copy Delivery, Appender stages",
            "appending",
            "no_sync_leader",
            "first_recipient_has_it",
            {},
            "release_before_leader",
            "log.stages.released_when_led",
        ),
        KnownBug(
            "leader-stall",
            "The writer was answered, the first recipient is down, and the appender waits for it: the record, and all "
            "after it, are never released.",
            "An appender that waits for its first recipient may send another wave, to other nodes.",
            "LogDevice, Single Copy Delivery, Appender stages: it will always prioritize write availability",
            "appending",
            "no_wave_once_acknowledged",
            "nothing_waits_for_the_dead",
        ),
        KnownBug(
            "rack-heard-by-one",
            "One node of a rack has nothing, so its whole rack counts as heard: another node of it has the record that "
            "is reported as lost.",
            "A rack is heard when all of its nodes have answered.",
            "LogDevice, common/FailureDomainNodeSet-inl.h; Read path, Gap detection algorithm",
            "reads",
            "rack_is_heard_by_one_answer",
            "no_copy_is_passed_over",
            {"nodes": 4, "racks": 2},
            "rack_heard_after_one_answer",
            "log.plan.heard_enough",
        ),
        KnownBug(
            "bridges-not-applied",
            "A recovery ends the epoch after the last record that it finds, although an earlier one has ended it "
            "below: the epoch gets longer after readers have left it.",
            "A bridge ends the epoch for everything that has a lower precedence.",
            "LogDevice, Digest::applyBridgeRecords",
            "mutation",
            "bridges_end_nothing",
            "finished_bridge_is_final",
            {"nodes": 3, "slots": 2, "recoveries": 2},
            "bridges_end_nothing",
            "log.recovery.bridge_is_last",
        ),
        KnownBug(
            "highest-is-the-bridge",
            "After recovery a straggler still has a record above the bridge: who takes the highest record for the end "
            "of the epoch finds another end.",
            "The end of an epoch is what a recovery has replicated as its bridge.",
            "LogDevice, Recovery, Final state after recovery is complete, read to the letter",
            "recovery",
            "highest_record_is_the_bridge",
            "bridge_is_highest",
            {"nodes": 3, "slots": 2},
            "highest_taken_for_the_end",
            "log.purge.keeps_what_was_decided",
        ),
    )
}
"""All known bugs by name."""


def bug(name: str) -> KnownBug:
    """A known bug by its name.

    Raises:
        UnknownBug: there is none.
    """
    if name not in KNOWN_BUGS:
        raise UnknownBug(f"no known bug is called {name!r}: {did_you_mean(name, KNOWN_BUGS)}")
    return KNOWN_BUGS[name]

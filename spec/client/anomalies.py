"""What Jepsen's Kafka workload calls it when a rule on clients is broken, as far as the two coincide.

Sources: jepsen-io/jepsen, jepsen/src/jepsen/tests/kafka.clj: Analysis, and the functions that are named after each
anomaly (``lost-write-cases``, ``duplicate-cases``, ``poll-skip+nonmonotonic-cases``, ``nonmonotonic-send-cases``,
``g1a-cases``, ``unseen``, ``realtime-lag``); Elle's names of cycles for what it looks for in the same history, with an
edge from each operation that ended to those that began later (``realtime``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from spec.language.anomalies import Anomaly

WORKLOAD: Final = "Jepsen, tests/kafka.clj"
CYCLES: Final = "Elle, by Jepsen, tests/kafka.clj"


def _of_workload(name: str, difference: str = "") -> Anomaly:
    return Anomaly(name, WORKLOAD, difference)


_OFFSETS: Final = _of_workload("inconsistent-offsets")
_BACKWARDS: Final = (
    _of_workload(
        "nonmonotonic-poll", "There also where a process polls anew; here a read that begins anew may go back."
    ),
    _of_workload("int-nonmonotonic-poll", "Within one poll; here a read is a read, however many polls it takes."),
)
_SKIPS: Final = (
    _of_workload("poll-skip", "There, what two polls of one process leave out; here, what one read does."),
    _of_workload("int-poll-skip", "Within one poll; here a read is a read, however many polls it takes."),
)
_SENDS: Final = _of_workload(
    "nonmonotonic-send", "Jepsen compares what one process sends; the rule, also two clients'."
)

ANOMALIES: Final[Mapping[str, tuple[Anomaly, ...]]] = {
    "client.append.one_per_lsn": (_OFFSETS,),
    "client.append.one_lsn": (
        _of_workload("duplicate", "Jepsen takes payloads for appends, and counts what was read, too."),
    ),
    "client.append.once": (
        _of_workload("duplicate", "Jepsen's payloads are unique; here as many appends of one payload may lie there."),
    ),
    "client.append.refused_is_absent": (_of_workload("G1a"),),
    "client.append.in_order": (
        _SENDS,
        Anomaly("G0-realtime", CYCLES, "Where `real_time_order` is promised; of one client, `G0-process`."),
    ),
    "client.append.client_order": (
        _of_workload("nonmonotonic-send"),
        _of_workload("int-nonmonotonic-send", "Within one transaction."),
    ),
    "client.read.in_order": _BACKWARDS,
    "client.read.acked_is_delivered": (
        _of_workload("lost-write", "Jepsen asks whether anybody read it; the rule asks it of each read."),
        *_SKIPS,
    ),
    "client.read.given_to_all": _SKIPS,
    "client.read.acked_is_asked_for": (_of_workload("unseen"),),
    "client.read.repeatable": (_OFFSETS,),
    "client.read.what_was_acked": (_OFFSETS,),
    "client.read.after_its_append": (Anomaly("G1c-realtime", CYCLES),),
    "client.read.nothing_beyond_the_end": (
        _of_workload(
            "realtime-lag", "Jepsen draws how far polls lag, and allows it; a reader at the end must not lag."
        ),
    ),
}
"""By rule. ``client.read.nothing_invented`` has no name there."""

NOT_ASKED: Final[Mapping[str, str]] = {
    "precommitted-read": "A read within a transaction; the rules know no transactions.",
    "int-send-skip": "Other records between the sends of one transaction; no rule forbids that.",
    "G-single, G2 and other cycles of transactions": "The rules know no transactions.",
}
"""What Jepsen's workload looks for and no rule asks, and why."""


def page() -> str:
    """Markdown: each rule with these names, and what Jepsen looks for that no rule asks."""
    lines = [
        "# Names of anomalies",
        "",
        "What Jepsen's workload for Kafka calls it when a rule on clients is broken, and where the two differ.",
        "`quorate check`, `explain` and `rules show` tell these names beside the rule.",
        "",
        "| rule | name there | whose | where they differ |",
        "|---|---|---|---|",
    ]
    for rule, anomalies in ANOMALIES.items():
        lines += [f"| `{rule}` | `{one.name}` | {one.where} | {one.difference} |" for one in anomalies]
    lines += ["", "What is looked for there, and asked by no rule:", ""]
    lines += [f"- {name}: {why}" for name, why in NOT_ASKED.items()]
    return "\n".join(lines) + "\n"

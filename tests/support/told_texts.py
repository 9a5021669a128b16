"""Where rules and runs of protocol texts differ: a sentence for each difference, and the smallest run that shows it."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

Bounds = dict[str, Any]

SMALLEST: Final[dict[str, Bounds]] = {
    "appending": {"nodes": 2, "replication": 1, "extras": 1},
    "recovery": {"nodes": 2, "replication": 2},
    "reads": {"nodes": 2, "replication": 2},
    "epoch": {"nodes": 2, "replication": 2},
    "streams": {"nodes": 2, "replication": 2, "slots": 2, "recoveries": 1},
    "mutation": {"nodes": 2, "replication": 2},
    "delivery": {"recipients": 2, "replication": 2},
}
"""Worlds small enough that each of their steps can be told."""

LARGER: Final[dict[str, Bounds]] = {
    "appending": {},
    "recovery": {"slots": 2, "recoveries": 2, "payloads": 2},
    "reads": {"nodes": 4, "racks": 2},
    "epoch": {"nodes": 3, "slots": 2, "recoveries": 2},
    "streams": {"slots": 2, "recoveries": 2},
    "mutation": {"slots": 2, "recoveries": 2},
    "delivery": {"slots": 2},
}
"""Worlds through which runs go at random."""


_ACKED: Final = "assign 0 2, store 0 0 0, store 1 0 0, acknowledge 0"
_CLEAN: Final = (
    f"{_ACKED}, seal 0 1, seal 1 1, plan 1 0 1, store 0 1 0, store 1 1 0, store 0 1 1, store 1 1 1, declare_clean 1"
)
_TWO_ACKED: Final = f"{_ACKED}, assign 1 2, store 0 0 1, store 1 0 1, acknowledge 1"

OPENINGS: Final = {
    "appending": ("",),
    "recovery": ("", _ACKED, _TWO_ACKED),
    "reads": ("", "store 0 0, store 1 0, acknowledge 0 0", "store 0 0, store 1 0, acknowledge 0 0, release 0"),
    "epoch": ("", _ACKED, _TWO_ACKED, _CLEAN, f"{_CLEAN}, purge 0, purge 1"),
    "streams": ("", _ACKED, _TWO_ACKED, _TWO_ACKED.replace("assign 1", "assign_in_stream 1")),
    "mutation": ("", _ACKED, _TWO_ACKED),
    "delivery": ("", "store 0 0, store 1 0", "store 0 0, store 1 0, release 0"),
}
"""How random runs of larger worlds begin, in turn: what nobody has written nobody can lose."""


class Difference(NamedTuple):
    """A rule that calls runs broken which texts allow.

    Attributes:
        texts: the first of them has the run; of the others the rule does the same.
    """

    texts: tuple[str, ...]
    rule: str
    bounds: Bounds
    run: str
    why: str


_TORN: Final = "seal 1 2, plan 2 1 0, seal 0 1, plan 1 0 0, store 0 2 0, store 0 1 0"

STRICTER: Final = (
    Difference(
        ("streams", "recovery", "mutation", "epoch"),
        "log.recovery.obeyed_in_order",
        {"slots": 2, "recoveries": 2},
        _TORN,
        "The text lets recoveries write to nodes that have not sealed for them; LogDevice writes to those it heard.",
    ),
    Difference(
        ("appending",),
        "log.stages.deleted_before_release",
        {},
        "begin_wave 0 1 0 1, store 1 0, store 3 0, acknowledge 0, store 0 0, release 0, drop_extra 3 0 0",
        "The text has no readers who could take the record for lost: see As written, as shipped.",
    ),
)
"""Rules that forbid on purpose what a text allows."""

WRITTEN: Final = "log.read.dataloss_is_proved_as_written"
"""The document's rule on losses, from which the texts differ on purpose: see As written, as shipped."""

LOSSES: Final = frozenset(
    {"client.read.acked_is_delivered", "client.read.given_to_all", "log.read.no_gap_over_acked", WRITTEN}
)
"""What rules may say where a text gives up what all copies of are lost: a loss that is told is a loss all the same."""

UNDECIDED: Final = {
    "log.plan.can_be_stored": "texts do not say to whom a recovery writes",
    "log.plan.in_nodeset": "texts do not say to whom a recovery writes",
    "client.read.acked_is_asked_for": "nobody has read as far yet",
}
"""What rules need not decide of runs with exact clocks."""


def allowed(text: str) -> set[str]:
    """The rules that may call runs of a text broken."""
    return {one.rule for one in STRICTER if text in one.texts}

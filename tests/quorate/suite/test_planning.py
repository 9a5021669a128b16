"""Histories by chance: a seed decides them, and rare things happen in many of them.

Justified by docs/reference/guarantees.md: a generator that never makes a case cannot find its defect.
"""

from __future__ import annotations

from random import Random

import pytest

from quorate.suite.guarantees import BY_NAME, GUARANTEES, Guarantee
from quorate.suite.planning import LAST_READER, Focus, planned
from quorate.suite.rarities import RARITIES
from quorate.suite.steps import FAULTS, Drain, Fault, Plan, Seek

HISTORIES = 200


def histories(guarantee: Guarantee, seed: object = 1) -> list[Plan]:
    """Return many histories of a guarantee."""
    return [planned(Random(f"{seed} {n}"), guarantee.focus, ("n1", "n2"), 30) for n in range(HISTORIES)]


RARE = {
    "two appends have one payload": ("equal_payloads", 0.8),
    "all payloads differ": ("no_doubling", 0.3),
    "a client gives up before its answer comes": ("retries", 0.7),
    "a client tries again what it gave up": ("retries", 0.5),
    "an answer comes late": ("retries", 0.5),
    "appends are under way at once": ("several_clients", 0.7),
    "an epoch ends while appends are under way": ("survives_seal", 0.7),
    "a reader begins at the border of epochs": ("survives_seal", 0.5),
    "a reader reads on over the border of epochs": ("survives_seal", 0.4),
    "somebody looks at what a node holds": ("copies_agree", 0.6),
    "a reader begins in the middle": ("reading_from_anywhere", 0.6),
    "a reader stops before the end": ("no_loss", 0.6),
    "three readers read": ("repeatable_reads", 0.5),
    "somebody trims": ("trim_honest", 0.6),
    "a node is hurt": ("survives_crash", 0.6),
    "a clock jumps": ("survives_clock_jump", 0.6),
}
"""Where each rarity matters most, and the least share of histories in which it is to happen there."""


@pytest.mark.parametrize("name", RARITIES)
def test_rare_things_happen(name: str) -> None:
    guarantee, least = RARE[name]
    share = sum(map(RARITIES[name], histories(BY_NAME[guarantee]))) / HISTORIES
    print(f"{name}: in {share:.0%} of the histories of {guarantee}")
    assert share >= least


def test_a_seed_decides_everything() -> None:
    for guarantee in GUARANTEES:
        assert histories(guarantee) == histories(guarantee)
    assert histories(GUARANTEES[0]) != histories(GUARANTEES[0], seed=2)


def test_every_fault_is_undone_and_somebody_reads_everything_at_the_end() -> None:
    for plan in histories(Guarantee("any", "", (), Focus({"fault": 10}, faults=tuple(FAULTS)))):
        hurt = dict[str, str]()
        for step in plan:
            if isinstance(step, Fault) and step.what in FAULTS:
                assert hurt.setdefault(step.node, step.what) == step.what
            elif isinstance(step, Fault):
                assert step.what == FAULTS[hurt.pop(step.node)]
        assert not hurt
        assert plan[-3:-1] == (Seek(LAST_READER, "beginning"), Drain(LAST_READER))

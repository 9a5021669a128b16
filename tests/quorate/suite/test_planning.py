"""Histories by chance: a seed decides them, and rare things happen in many of them.

Justified by docs/reference/guarantees.md: a generator that never makes a case cannot find its defect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from quorate.suite.guarantees import BY_NAME, GUARANTEES, Guarantee
from quorate.suite.planning import LAST_READER, Focus, planned
from quorate.suite.steps import FAULTS, Append, Drain, Fault, Hear, Plan, Seek, Take, Together

HISTORIES = 200


def histories(guarantee: Guarantee, seed: object = 1) -> list[Plan]:
    """Return many histories of a guarantee."""
    return [planned(Random(f"{seed} {n}"), guarantee.focus, ("n1", "n2"), 30) for n in range(HISTORIES)]


def repeats(plan: Plan) -> bool:
    """Say whether two appends have one payload."""
    payloads = Counter(step.payload for step in plan if isinstance(step, Append))
    return payloads.total() > len(payloads)


def tries_again(plan: Plan) -> bool:
    """Say whether a client appends again what it gave up."""
    given_up = set[tuple[str, str]]()
    for step in plan:
        if isinstance(step, Append):
            if (step.client, step.payload) in given_up:
                return True
            given_up |= {(step.client, step.payload)} if step.unheard else set()
    return False


RARE: dict[str, tuple[str, Callable[[Plan], bool], float]] = {
    "equal payloads": ("equal_payloads", repeats, 0.8),
    "only different payloads": ("no_doubling", lambda plan: not repeats(plan), 0.3),
    "an append that is tried again": ("retries", tries_again, 0.5),
    "an answer that comes late": ("retries", lambda plan: any(isinstance(step, Hear) for step in plan), 0.5),
    "appends at once": ("several_clients", lambda plan: any(isinstance(step, Together) for step in plan), 0.7),
    "a reader in the middle": (
        "reading_from_anywhere",
        lambda plan: any(isinstance(step, Seek) and step.where[0] == "#" for step in plan),
        0.6,
    ),
    "a reader that stops": ("no_loss", lambda plan: any(isinstance(step, Take) for step in plan), 0.6),
    "several readers": (
        "repeatable_reads",
        lambda plan: len({step.client for step in plan if isinstance(step, Take | Drain | Seek)}) > 2,
        0.5,
    ),
    "a crash": ("survives_crash", lambda plan: any(isinstance(step, Fault) for step in plan), 0.6),
}


@pytest.mark.parametrize("name", RARE)
def test_rare_things_happen(name: str) -> None:
    guarantee, happens, least = RARE[name]
    share = sum(map(happens, histories(BY_NAME[guarantee]))) / HISTORIES
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

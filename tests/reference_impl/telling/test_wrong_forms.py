"""What breaks a goal of a protocol text comes to light when it is told as a trace, or it is said why no trace shows it.

The wrong forms are those of ``spec.protocols``, and every text without one of its guards. Their runs go on at random
until some rule notices: a broken goal may mean that something can go wrong, and not yet that it did. Rules that forbid
on purpose what the right text allows do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from reference_impl.telling.runs import Way
from reference_impl.telling.tellers import TELLERS
from reference_impl.telling.wrong import breaking, gone_on, way_from
from spec.language.outcomes import Verdict
from spec.language.protocol.mutants import without_one_guard
from spec.language.protocol.running import PackedWorld
from spec.language.protocol.world import World
from spec.protocols.registry import TEXTS
from tests.support.broken_texts import GIVEN, NOT_SEEN, SOMETIMES_SEEN, Given
from tests.support.judged_tellings import by_rule
from tests.support.told_texts import STRICTER, WRITTEN

TRIES = 40
"""So often a run is gone on with until a rule notices."""

ON_PURPOSE = {one.rule for one in STRICTER} | {WRITTEN}
DEEPER: dict[str, Any] = {"recovery": {"slots": 2, "recoveries": 2}, "mutation": {"slots": 2, "recoveries": 2}}
SEEDS = (1, 2)


@pytest.mark.parametrize("one", GIVEN, ids=str)
def test_a_wrong_form_is_noticed(one: Given) -> None:
    """Some rule calls a run of each wrong form broken."""
    machine = PackedWorld(TEXTS[one.text].small(one.form, **one.bounds))
    assert noticed(one.text, machine, way_from(machine, one.run))


def test_every_wrong_form_has_a_run_or_a_reason() -> None:
    """None is forgotten."""
    forms = {(text, form) for text in TELLERS for form in TEXTS[text].variants}
    assert {(one.text, one.form) for one in GIVEN} | (NOT_SEEN.keys() & forms) == forms


@pytest.mark.thorough
@pytest.mark.parametrize("text", TELLERS)
def test_random_runs_of_wrong_forms_are_noticed(text: str) -> None:
    """Of wrong forms and dropped guards, each run that a walk finds to break a goal."""
    for form, world in _wrong(text):
        machine, unseen = PackedWorld(world), set[str]()
        ways = list(breaking(machine, SEEDS))
        for goal, way in ways:
            unseen |= set() if noticed(text, machine, way) else {goal}
        known = (text, form) in NOT_SEEN or all((text, goal) in SOMETIMES_SEEN for goal in unseen)
        assert known, f"{text}, {form}: nothing shows {', '.join(sorted(unseen))}"


def noticed(text: str, machine: PackedWorld, way: Way) -> list[str]:
    """The rules that call a run broken, or one that begins so."""
    for number in range(TRIES):
        chance = Random(number)
        told = TELLERS[text](machine, chance, are_eager=True).tell(gone_on(machine, way, chance))
        said = by_rule(told)
        violated = sorted(rule for rule, one in said.items() if one.verdict is Verdict.VIOLATED)
        if set(violated) - ON_PURPOSE:
            return violated
    return []


def _wrong(text: str) -> Iterator[tuple[str, World]]:
    world = TEXTS[text].small(**DEEPER.get(text, {}))
    for form, protocol in TEXTS[text].variants.items():
        yield form, replace(world, protocol=protocol)
    for mutant in without_one_guard(TEXTS[text].protocol):
        yield str(mutant), replace(world, protocol=mutant.protocol)

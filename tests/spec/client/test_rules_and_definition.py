"""The rules on clients say of every history what the definition says: no false alarm, no false pass, no doubt too many.

``spec.client.definition`` justifies each answer; it knows no rule. Histories of which a trace does not tell everything
(``is_clear``) are left out, since the definition is given more than the rules are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random

import pytest

from spec.client.definition import verdict
from spec.client.history import History
from tests.support.histories import FAMILIES, enumerated, is_clear, random_history
from tests.support.history_traces import heard_twice
from tests.support.judged_histories import verdict_of_rules

CLEAR_SHARE = 0.69
"""In each family, at least so many histories are told completely by their trace: in all, more than 10^5."""

EVERY = 5
"""One in so many of them is judged; make thorough judges all, and ten times as many."""


def judged(histories: Iterable[History]) -> Iterator[tuple[History, bool]]:
    """Each history that a trace tells completely, and whether rules and definition say the same of it."""
    return ((one, verdict(one) is verdict_of_rules(one)) for one in histories if is_clear(one))


def different(histories: Iterable[History]) -> list[History]:
    """Those of which rules and definition say different things."""
    return [one for one, is_same in judged(histories) if not is_same]


def by_chance(rng: Random, number: int) -> Iterator[History]:
    """So many random histories."""
    return (random_history(rng) for _ in range(number))


DEAREST = "three_appends"
"""The family of which one history costs most; thorough: without it there are more than 10^5, too."""


@pytest.mark.slow
@pytest.mark.costly(
    "judges some 20,000 histories, each by a definition and by all rules: the first promise of the project"
)
@pytest.mark.parametrize("family", [name for name in FAMILIES if name != DEAREST])
@pytest.mark.parametrize("every", [EVERY, pytest.param(1, marks=pytest.mark.thorough)])
def test_rules_say_what_the_definition_says(family: str, every: int, rng: Random) -> None:
    found = [*judged(islice(enumerated(family), rng.randrange(every), None, every))]
    assert [one for one, is_same in found if not is_same] == []
    assert len(found) >= CLEAR_SHARE * FAMILIES[family].usual // every


def test_the_same_of_random_histories(rng: Random) -> None:
    assert different(by_chance(rng, 1000)) == []


def test_an_answer_heard_twice_says_nothing_new(rng: Random) -> None:
    clear = [one for one in by_chance(rng, 300) if is_clear(one)]
    assert [one for one in clear if verdict_of_rules(one, heard_twice) is not verdict(one)] == []


@pytest.mark.thorough
@pytest.mark.costly("judges 10^6 histories in all")
@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_of_more_histories(family: str) -> None:
    assert different(enumerated(family, thorough=True)) == []


@pytest.mark.thorough
@pytest.mark.parametrize("_part", range(10))
def test_the_same_of_many_random_histories(_part: int, rng: Random) -> None:
    assert different(by_chance(rng, 10_000)) == []

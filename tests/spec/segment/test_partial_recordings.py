"""A poor trace of a segment layer gives fewer verdicts, never wrong ones.

tests/spec/language/test_polarity says the same of logs: what is trusted of a kind that is recorded in part does not
change when the rest of its events come back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from spec.language.events import AnyEvent
from spec.language.outcomes import Outcome
from spec.language.polarity import trusted
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.segment.family import SEGMENT
from tests.support.segment_runs import HEADER, random_run

RUNS = 4


def outcomes(rule: Rule, events: Sequence[Any]) -> dict[tuple[int, ...], Outcome]:
    """What a rule says of each row that no other one shares its key with."""
    reference = ReferenceEvaluator(events, HEADER.parameters())
    for dimension in rule.dimensions:
        reference.table(dimension)
    rows = [(tuple(row[name] for name in rule.view.key), row) for row in reference.rows(rule.view)]
    times = Counter(key for key, _ in rows)
    return {key: reference.outcome(rule, row) for key, row in rows if times[key] == 1}


def changed(rule: Rule, event: type[AnyEvent], rng: Random, absent: Sequence[type[AnyEvent]] = ()) -> list[Any]:
    """Rows whose outcome is trusted though the events of a kind that are missing change it."""
    keeps = dict(zip((Outcome.HOLDS, Outcome.VIOLATED), trusted(rule, event, absent), strict=True))
    gone, found = {one.kind for one in absent}, []
    for _ in range(RUNS if any(keeps.values()) else 0):
        events = [one for one in random_run(rng.randrange(10**6)) if one["kind"] not in gone]
        poor = [one for one in events if one["kind"] != event.kind or rng.random() < 0.5]
        before, after = outcomes(rule, poor), outcomes(rule, events)
        for key, outcome in before.items():
            if keeps.get(outcome) and after.get(key, outcome) not in (outcome, Outcome.NO_INSTANCE):
                found.append((rule.id, event.__name__, key, outcome, after[key]))
    return found


@pytest.mark.parametrize("chapter", SEGMENT.chapters)
def test_what_is_missing_changes_no_trusted_outcome(chapter: str, rng: Random) -> None:
    rules = SEGMENT.chapters[chapter]
    assert [found for rule in rules for event in rule.needs for found in changed(rule, event, rng)] == []


def test_nor_where_kinds_that_a_rule_can_spare_are_absent(rng: Random) -> None:
    sparing = [rule for rule in SEGMENT.rules if rule.spares]
    pairs = [(rule, event) for rule in sparing for event in rule.needs if event not in rule.spares]
    assert [found for rule, event in pairs for found in changed(rule, event, rng, rule.spares)] == []

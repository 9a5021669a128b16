"""Polarity is derived, and never wrong: adding events of a kind changes no outcome that is said to be trusted."""

from __future__ import annotations

from random import Random

import pytest

from spec.events import Store
from spec.language.events import all_events
from spec.language.fold import Fold
from spec.language.outcomes import Outcome
from spec.language.polarity import trusted
from spec.language.rule import Rule
from spec.registry import BY_ID, RULES
from tests.support.random_traces import parameters_for, random_events


@pytest.mark.parametrize(
    ("rule", "holds", "violated"),
    [
        ("log.append.acked_has_copies", True, False),
        ("log.append.acked_is_spread", True, False),
        ("log.append.one_record", False, True),
        ("log.seal.fences", False, True),
        ("log.append.copy_before_ack", False, False),
    ],
)
def test_a_snapshot_of_copies_keeps_what_more_copies_cannot_change(rule: str, *, holds: bool, violated: bool) -> None:
    assert trusted(BY_ID[rule], Store) == (holds, violated)


def test_rules_that_do_not_read_a_kind_do_not_mind() -> None:
    """Unless they ask for the row before: any kind may make a row that comes between."""
    for rule in RULES:
        if any(rule.view.near[name].fn == "previous" for name in rule.neighbours):
            continue
        for event in all_events():
            if event not in rule.needs:
                assert trusted(rule, event) == (True, True), (rule.id, event.__name__)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_more_events_change_no_trusted_outcome(rule: Rule, rng: Random) -> None:
    """Leave out some events of one kind: rows whose outcome is trusted must keep it when the events come back."""
    parameters = parameters_for(5)
    for event in rule.needs:
        keeps = dict(zip((Outcome.HOLDS, Outcome.VIOLATED), trusted(rule, event), strict=True))
        for _ in range(6):
            events = random_events(rng, 60, nodes=5, logs=1, nulls=False)
            poor = [row for row in events if row["kind"] != event.kind or rng.random() < 0.5]
            before, after = _outcomes(rule, poor, parameters), _outcomes(rule, events, parameters)
            for key, outcome in before.items():
                if keeps.get(outcome) and key in after:
                    assert after[key] in (outcome, Outcome.NO_INSTANCE), (rule.id, event.__name__, key, poor, events)


def _outcomes(rule: Rule, events: list[dict[str, object]], parameters: object) -> dict[tuple[int, ...], Outcome]:
    fold = Fold(events, parameters)  # type: ignore[arg-type]
    for dimension in rule.dimensions:
        fold.table(dimension)
    return {tuple(row[name] for name in rule.view.key): fold.outcome(rule, row) for row in fold.rows(rule.view)}

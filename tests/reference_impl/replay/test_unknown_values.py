"""A value that a recorder did not know is left open: it is no objection to the event.

Justified by the vocabulary: where a column may be null, the recorder did not know, and what depends on it is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.log.context import DELIVERIES, VARIANTS
from reference_impl.plan import EVERY_FAULT, MILLISECOND, SimulationPlan
from reference_impl.simulate import simulate
from spec.language.events import fields_of
from tests.support.alterations import EVENTS
from tests.support.branches import Fork
from tests.support.replayed import machine_of

PLAIN = SimulationPlan(seed=400, events=4000, logs=3, trims=Rate(2 * MILLISECOND))
PLANS = {
    "plain": PLAIN,
    "varied": replace(PLAIN, variants=tuple(VARIANTS), on_the_wire=True, delivery=DELIVERIES, faults=EVERY_FAULT),
}
OF_EACH = 60
"""So many values of each field are left out, one at a time."""

SHARE = 0.3
"""Of the values of a field this share is left out, up to so many, so that they lie far apart."""


@pytest.mark.parametrize("name", PLANS)
def test_an_unknown_value_is_no_objection(name: str) -> None:
    machine, often, refused = machine_of(PLANS[name]), Counter[tuple[str, str]](), dict[tuple[str, str], str]()
    for row in simulate(PLANS[name]):
        event = EVENTS[row["kind"]]
        for word, field in fields_of(event).items():
            key = event.word, word
            if not field.optional or row.get(field.column) is None or often[key] >= OF_EACH:
                continue
            often[key] += 1
            refusal = machine.refuses({**row, field.column: None})
            if refusal is not None:
                refused[key] = refusal.guard.id
        assert machine.step(row) is None
    assert refused == {}
    assert len(often) > 50


SHORT = SimulationPlan(seed=400, events=1200, trims=Rate(2 * MILLISECOND))
SHORT_PLANS = (SHORT, replace(PLANS["varied"], seed=407, events=1200, logs=1))
LONG_PLANS = tuple(replace(plan, seed=seed, events=2500) for plan in SHORT_PLANS for seed in (31, 77))


def refused_later(plan: SimulationPlan, of_each: int) -> Iterator[tuple[str, str, str]]:
    """What is refused after a value was left out, by event, field and guard; some values of each field."""
    rows, machine, rng, often = list(simulate(plan)), machine_of(plan), Random(plan.seed), Counter[tuple[str, str]]()
    for place, row in enumerate(rows):
        event, fork = EVENTS[row["kind"]], None
        for word, field in fields_of(event).items():
            key = event.word, word
            if not field.optional or row.get(field.column) is None or often[key] >= of_each or rng.random() > SHARE:
                continue
            often[key] += 1
            fork = fork or Fork(machine)
            refusal, _ = fork.follow([{**row, field.column: None}, *rows[place + 1 :]])
            if refusal is not None:
                yield *key, refusal.guard.id
        assert machine.step(row) is None
    assert len(often) > 30


@pytest.mark.parametrize("plan", SHORT_PLANS)
def test_what_depends_on_it_is_left_open(plan: SimulationPlan) -> None:
    """No event is refused later for a value that nobody knew."""
    assert list(refused_later(plan, 1)) == []


@pytest.mark.thorough
@pytest.mark.parametrize("plan", LONG_PLANS)
def test_what_depends_on_any_of_many_is_left_open(plan: SimulationPlan) -> None:
    """The same for more values, in longer runs."""
    assert list(refused_later(plan, 5)) == []


def test_an_unknown_value_leaves_something_open() -> None:
    """The machine counts such events, so that nobody takes the verdict for certain."""
    machine = machine_of(PLAIN)
    for place, event in enumerate(simulate(replace(PLAIN, events=300))):
        assert machine.step({**event, "time_ns": None} if place == 5 else event) is None
    assert machine.unsure == 1

"""An event that was altered, left out, doubled or exchanged is refused, at once where anything before contradicts it.

Justified by the demand that a trace with one altered event is refused at that event, naming the guard that failed; what
nothing before the event contradicts is a table in the reference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from random import Random
from typing import TypeAlias

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.log.context import DELIVERIES, VARIANTS
from reference_impl.mutants import mutant_named
from reference_impl.plan import MILLISECOND, SimulationPlan
from reference_impl.replay import Refusal
from reference_impl.replay.open_choices import LATER
from reference_impl.simulate import header_of, simulate
from spec.language.events import AnyEvent, fields_of
from tests.support.alterations import Alteration, Row, alterations
from tests.support.replayed import machine_of, refusal_of

pytestmark = pytest.mark.together("altered_events")

PLAN = SimulationPlan(seed=1, events=6000, logs=4, trims=Rate(2 * MILLISECOND))
WIRE = replace(PLAN, seed=2, delivery=DELIVERIES, on_the_wire=True)
VARIED = replace(PLAN, seed=3, events=2500, variants=tuple(VARIANTS), trims=Rate(MILLISECOND))
LISTED = replace(mutant_named("never_forgives").plan(PLAN), mutant="", seed=4, events=2500)
PLANS = (PLAN, WIRE, VARIED, LISTED)

AT_ONCE = 0.99
"""The least share of altered values that are refused at once, of each field that the table does not name."""

OF_ALL = 0.97
"""The least share of all altered values that are."""

FIRST = ("seq", "recorder")
"""A recorder's first event may have any number, and anybody may say what nobody of its kind has said yet."""

Key: TypeAlias = tuple[type[AnyEvent], str]


@dataclass
class Tried:
    """What became of the alterations of one field: which guards refused them at once, and which of them were taken."""

    guards: Counter[str] = field(default_factory=Counter)
    taken: list[tuple[SimulationPlan, int, Alteration]] = field(default_factory=list)

    @property
    def share(self) -> float:
        """How many of all were refused at once."""
        return self.guards.total() / (self.guards.total() + len(self.taken))


def run(plan: SimulationPlan = PLAN) -> list[Row]:
    return _run(PLANS.index(plan))


@cache
def _run(number: int) -> list[Row]:
    return list(simulate(PLANS[number]))


@cache
def tried() -> dict[Key, Tried]:
    """Every field of every event of each run, altered once, and asked of the machine that took all events before."""
    found: dict[Key, Tried] = {}
    for plan in PLANS:
        machine, rng, recorders = machine_of(plan), Random(0), list(header_of(plan).recorders)
        for place, row in enumerate(run(plan)):
            for altered in alterations(row, plan, recorders, run(plan)[max(0, place - 40) : place], rng):
                about = found.setdefault((altered.event, altered.field), Tried())
                refusal = machine.refuses(altered.row)
                if refusal is None:
                    about.taken.append((plan, place, altered))
                else:
                    about.guards[refusal.guard.id] += 1
            assert machine.step(row) is None
    return found


def replayed(rows: list[Row], plan: SimulationPlan = PLAN) -> Refusal | None:
    return refusal_of(plan, rows)


def named() -> set[Key]:
    """The fields that the table names."""
    return {(event, name) for event, fields in LATER.items() for name in fields}


@pytest.mark.costly("alters every field of every event of four runs")
def test_an_altered_value_is_refused_at_once() -> None:
    """Of every field that the table does not name."""
    weak = {key: about.share for key, about in tried().items() if key not in named() and key[1] not in FIRST}
    assert {key: share for key, share in weak.items() if share < AT_ONCE} == {}
    every = tried().values()
    refused, taken = sum(about.guards.total() for about in every), sum(len(about.taken) for about in every)
    assert refused >= OF_ALL * (refused + taken), (refused, taken)


def test_an_altered_order_or_recorder_is_refused_at_once() -> None:
    """Unless it is the recorder's first event."""
    for (event, name), about in tried().items():
        if name in FIRST:
            recorders = {(plan.seed, run(plan)[place]["recorder"]) for plan, place, _ in about.taken}
            assert len({(plan.seed, place) for plan, place, _ in about.taken}) <= len(recorders), event


def test_the_table_names_fields_that_there_are() -> None:
    for event, fields in LATER.items():
        assert set(fields) <= set(fields_of(event)), event


def test_an_event_that_is_left_out_is_noticed_by_its_recorders_next() -> None:
    rng = Random(1)
    for place in rng.sample(range(len(run()) // 2), 20):
        refusal = replayed([*run()[:place], *run()[place + 1 :]])
        left_out = run()[place]
        following = next(row for row in run()[place + 1 :] if row["recorder"] == left_out["recorder"])
        assert refusal is not None
        assert refusal.number <= run().index(following)


def test_an_event_that_is_doubled_is_refused() -> None:
    for place in Random(2).sample(range(len(run())), 20):
        refusal = replayed([*run()[: place + 1], *run()[place:]])
        assert refusal is not None
        assert (refusal.guard.id, refusal.number) == ("recorder.is_next", place + 2)


def test_two_events_of_one_recorder_that_change_places_are_refused() -> None:
    for place in Random(3).sample(range(len(run()) - 1), 40):
        one = run()[place]
        other = next((at for at in range(place + 1, len(run())) if run()[at]["recorder"] == one["recorder"]), None)
        if other is not None:
            rows = [*run()]
            rows[place], rows[other] = rows[other], rows[place]
            refusal = replayed(rows)
            assert refusal is not None
            assert (refusal.guard.id, refusal.number) == ("recorder.is_next", place + 1)


def test_an_event_that_overtakes_the_next_is_refused() -> None:
    """Of another recorder, too: one clock orders the run."""
    for place in Random(4).sample(range(len(run()) - 1), 40):
        one, other = run()[place : place + 2]
        if one["time_ns"] < other["time_ns"]:
            refusal = replayed([*run()[:place], other, one])
            assert refusal is not None
            assert refusal.number in {place + 1, place + 2}

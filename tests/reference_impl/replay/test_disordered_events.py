"""An event that was left out, said twice or exchanged with the next one is refused, or it makes no difference.

Justified by the demand that a trace with one altered event is refused, naming the guard that failed. Recorders number
as if nothing had happened, so it is what events say that decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.log.context import DELIVERIES, VARIANTS
from reference_impl.plan import EVERY_FAULT, MILLISECOND, REPLICATIONS, TOPOLOGIES, SimulationPlan
from reference_impl.replay.undetectable_edits import DOUBLED, LEFT_OUT
from reference_impl.simulate import simulate
from spec.language.events import AnyEvent
from tests.support.alterations import EVENTS
from tests.support.branches import Branch, Fork
from tests.support.disorders import Disorder, Row, disordered
from tests.support.replayed import machine_of, violated

pytestmark = pytest.mark.together("disordered_events")

PLAIN = SimulationPlan(seed=300, events=800, logs=2, open_logs=2, trims=Rate(MILLISECOND))
VARIED = replace(PLAIN, seed=302, variants=tuple(VARIANTS), on_the_wire=True, delivery=DELIVERIES)
SHORT = {"plain": PLAIN, "varied": VARIED}
LONG = {
    name: replace(
        VARIED if number % 2 else PLAIN,
        seed=310 + number,
        topology=TOPOLOGIES[name],
        replication=REPLICATIONS[name],
        faults=EVERY_FAULT,
        events=1500,
    )
    for number, name in enumerate(TOPOLOGIES)
}
PLANS = SHORT | LONG

OF_EACH_KIND = 3
"""So many events of each kind are tried in each way."""

JUDGED = 8
"""So many of the traces of a run that nothing refuses are asked of all rules, of different kinds."""


class Tried(NamedTuple):
    """What became of one disorder."""

    how: Disorder
    event: type[AnyEvent]
    place: int
    branch: Branch
    broken: frozenset[str]


@cache
def run(name: str) -> list[Row]:
    return list(simulate(PLANS[name]))


@cache
def tried(name: str) -> list[Tried]:
    return list(_tried(PLANS[name], run(name)))


def _tried(plan: SimulationPlan, rows: list[Row]) -> Iterator[Tried]:
    """Disorders of the first two thirds of a run; the rest is there to refuse them."""
    machine, often, judged = machine_of(plan), Counter[tuple[Disorder, int]](), set[tuple[Disorder, int]]()
    usual = violated(plan, rows)
    for place, row in enumerate(rows[: 2 * len(rows) // 3]):
        for how in Disorder:
            key = how, row["kind"]
            often[key] += 1
            if often[key] > OF_EACH_KIND:
                continue
            events = list(disordered(how, rows, place))
            branch, broken = Fork(machine).follow(events), frozenset[str]()
            if branch.refusal is None and key not in judged and len(judged) < JUDGED:
                judged.add(key)
                broken = violated(plan, [*rows[:place], *events]) - usual
            yield Tried(how, EVENTS[row["kind"]], place, branch, broken)
        assert machine.step(row) is None


every_run = pytest.mark.parametrize(
    "name", [*SHORT, *(pytest.param(one, marks=pytest.mark.thorough) for one in LONG)], scope="module"
)
"""All that is asked of a run is asked before the next run is made."""


@every_run
def test_what_nothing_refuses_breaks_no_rule(name: str) -> None:
    assert [(one.how, one.event.word, one.place, one.broken) for one in tried(name) if one.broken] == []


@every_run
def test_an_event_that_is_missed_by_nothing_is_named(name: str) -> None:
    """The table says which, and why the machine may do without it."""
    unseen = {one.event for one in tried(name) if one.how is Disorder.LEFT_OUT and one.branch.refusal is None}
    assert {event.word for event in unseen - LEFT_OUT.keys()} == set()


@every_run
def test_an_event_that_is_said_twice_is_refused(name: str) -> None:
    """The second time, or by what it leaves out; unless the table says why it may be."""
    twice = [one for one in tried(name) if one.how is Disorder.DOUBLED]
    late = {one.event for one in twice if one.branch.refusal is None or one.branch.after > 1}
    assert {event.word for event in late - DOUBLED.keys()} == set()


@every_run
def test_events_of_different_logs_and_recorders_commute(name: str) -> None:
    """But for those that a recorder tells at one time with others of its own: exchanged, they change their time."""
    rows = run(name)
    together = Counter((row["recorder"], row["time_ns"]) for row in rows)
    for one in tried(name):
        here, following = rows[one.place], rows[one.place + 1]
        apart = "log" in here and "log" in following and here["log"] != following["log"]
        alone = all(together[row["recorder"], row["time_ns"]] == 1 for row in (here, following))
        if one.how is Disorder.EXCHANGED and apart and alone and here["recorder"] != following["recorder"]:
            assert one.branch.refusal is None, (here, following, one.branch.refusal)


@pytest.mark.parametrize("name", SHORT)
def test_an_effect_before_its_cause_is_refused_at_once(name: str) -> None:
    """Most exchanges that are refused are refused at one of the two events, or the next."""
    refused = [one.branch.after for one in tried(name) if one.how is Disorder.EXCHANGED and one.branch.refusal]
    assert len(refused) > 5
    assert sum(after <= 2 for after in refused) >= 0.8 * len(refused)

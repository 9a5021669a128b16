"""An altered event that is taken is refused later, or is what another run would say: never silently wrong.

Justified by the demand that a trace with one altered event is refused; what nothing before the event contradicts has a
freedom of the machine as its reason, and each such event is replayed with all that follows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any, NamedTuple

import pytest

from reference_impl.kernel.faults import Rate
from reference_impl.kernel.weather import CALM
from reference_impl.log.context import DELIVERIES, VARIANTS
from reference_impl.plan import EVERY_FAULT, MILLISECOND, Faults, SimulationPlan
from reference_impl.replay.open_choices import LATER, OPEN_CHOICES, OpenChoice
from reference_impl.simulate import header_of, simulate
from spec.language.events import fields_of
from tests.support.alterations import Alteration, Row, alterations
from tests.support.branches import Branch, Fork
from tests.support.replayed import machine_of, violated

pytestmark = pytest.mark.together("what_is_taken")

MANY_LOSSES = Faults(
    CALM,
    {
        "crash": Rate(3 * MILLISECOND, MILLISECOND, 3 * MILLISECOND),
        "reactivate": Rate(4 * MILLISECOND),
        "wipe": Rate(6 * MILLISECOND, MILLISECOND, 2 * MILLISECOND),
        "drain": Rate(6 * MILLISECOND),
        "checksum": Rate(9 * MILLISECOND, MILLISECOND, 3 * MILLISECOND),
    },
    0.3,
)
PLAIN = SimulationPlan(seed=200, events=900, logs=2, open_logs=2, trims=Rate(MILLISECOND))
WIRE = replace(PLAIN, seed=206, events=1000, variants=tuple(VARIANTS), on_the_wire=True, delivery=DELIVERIES[1:])
LOSSES = replace(WIRE, seed=202, events=1200, delivery=DELIVERIES, faults=MANY_LOSSES, trims=Rate(3 * MILLISECOND))
FAULTS = replace(LOSSES, seed=203, faults=EVERY_FAULT)
SHORT = (PLAIN, WIRE, LOSSES)
PLANS = (*SHORT, FAULTS, *(replace(plan, seed=plan.seed + 10) for plan in SHORT))
FAST, SLOW = range(len(SHORT)), range(len(SHORT), len(PLANS))

JUDGED_FAST = 1
JUDGED_SLOW = 3
"""Of so many events of each field that nothing refuses, all rules are asked about the whole trace."""


class Taken(NamedTuple):
    """An altered event that was taken.

    Attributes:
        freedom: why, as the table says; None where it does not name the field.
        place: its place in the run, from 0.
        row: the event itself.
        branch: what became of the altered trace.
        again: what became of the event itself where it came after the altered one.
        is_left_open: the event is taken as well without this value; None where it cannot be left out.
        broken: rules that the whole altered trace violates, and the run does not; None where they were not asked.
    """

    altered: Alteration
    freedom: OpenChoice | None
    place: int
    row: Row
    branch: Branch
    again: Branch
    is_left_open: bool | None
    broken: frozenset[str] | None


def freedom_of(altered: Alteration) -> OpenChoice | None:
    """Why another value may stand there; anybody may say what nobody of its kind has said yet."""
    if altered.field in ("seq", "recorder"):
        return OpenChoice.BEGINNING
    later = LATER.get(altered.event, {}).get(altered.field)
    return None if later is None else later.freedom


@cache
def run(number: int) -> list[Row]:
    return list(simulate(PLANS[number]))


@cache
def taken(number: int) -> list[Taken]:
    """What is taken of all alterations of the first half of a run; the second half is there to refuse it."""
    return list(_taken(PLANS[number], run(number), JUDGED_FAST if number in FAST else JUDGED_SLOW))


def _taken(plan: SimulationPlan, rows: list[Row], judged: int) -> Iterator[Taken]:
    machine, rng, recorders = machine_of(plan), Random(0), list(header_of(plan).recorders)
    asked: dict[tuple[Any, str], int] = {}
    usual = violated(plan, rows)
    for place, row in enumerate(rows[: len(rows) // 2]):
        fork = None
        for altered in alterations(row, plan, recorders, rows[max(0, place - 40) : place], rng):
            if machine.refuses(altered.row) is not None:
                continue
            fork = fork or Fork(machine)
            branch = fork.follow([altered.row, *rows[place + 1 :]])
            again = fork.follow([altered.row, {**row, "seq": row["seq"] + 1}])
            field, broken = fields_of(altered.event).get(altered.field), None
            unknown = None if field is None or not field.optional else {**row, field.column: None}
            is_open = None if unknown is None else machine.refuses(unknown) is None
            key = altered.event, altered.field
            if branch.refusal is None and asked.setdefault(key, 0) < judged:
                asked[key] += 1
                broken = violated(plan, [*rows[:place], altered.row, *rows[place + 1 :]]) - usual
            yield Taken(altered, freedom_of(altered), place, row, branch, again, is_open, broken)
        assert machine.step(row) is None


every_run = pytest.mark.parametrize(
    "number", [*FAST, *(pytest.param(one, marks=pytest.mark.thorough) for one in SLOW)], scope="module"
)
"""All that is asked of a run is asked before the next run is made."""


@every_run
def test_what_nothing_refuses_breaks_no_rule(number: int) -> None:
    """The altered trace is what another run would say: all rules agree with all guards."""
    asked = [one for one in taken(number) if one.broken is not None]
    assert len(asked) > 5
    assert [one for one in asked if one.broken] == []


@every_run
def test_what_follows_refuses_a_false_beginning(number: int) -> None:
    """By a guard of the recorder, or of what it began; unless it says nothing more."""
    began = [one for one in taken(number) if one.freedom is OpenChoice.BEGINNING]
    assert began
    for one in began:
        speakers, kind = {one.row["recorder"], one.altered.row["recorder"]}, one.row["kind"]
        later = [row for row in run(number)[one.place + 1 :] if row["recorder"] in speakers]
        says_more = any(row["kind"] == kind for row in later)
        assert one.branch.refusal is not None or not says_more


@every_run
def test_what_is_hidden_may_be_left_out(number: int) -> None:
    """Nothing depends on it: a recorder that does not know it says as much."""
    assert [one for one in taken(number) if one.freedom is OpenChoice.HIDDEN and one.is_left_open is False] == []


@every_run
def test_a_twin_takes_nothing_from_what_happened(number: int) -> None:
    """After the other one did the same, the event itself is still a step."""
    assert [one for one in taken(number) if one.freedom is OpenChoice.TWIN and one.again.refusal is not None] == []


def test_nothing_before_the_altered_event_is_refused_and_most_is_noticed_soon() -> None:
    """Half of what is refused later is within some thirty events."""
    every = [one for number in FAST for one in taken(number)]
    later = sorted(one.branch.after for one in every if one.branch.refusal is not None)
    assert later[0] >= 1
    assert later[len(later) // 2] < 40
    assert len(later) > len(every) / 2


def test_every_freedom_is_one_of_the_machine() -> None:
    """Each is explained on the page, and each is why something was taken."""
    assert OPEN_CHOICES.keys() == set(OpenChoice)
    every = [one for number in FAST for one in taken(number)]
    assert {one.freedom for one in every} >= set(OpenChoice)
    assert [one for one in every if one.freedom is OpenChoice.HIDDEN and one.is_left_open]

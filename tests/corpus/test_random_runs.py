"""Runs that nobody has seen before: whatever the machine does, it keeps every rule, replays, and refines the texts.

Justified by the promises that the corpus holds one choice of runs to; each ``make thorough`` makes others.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from reference_impl.refinement import refine
from tests.support.corpus import drawn, made, plan_of
from tests.support.replayed import refusal_of
from tests.support.simulated import judged_run, unknown, violated

pytestmark = pytest.mark.thorough

EVENTS = 20_000
FOLLOWED = 8000
"""So many events of a run are held to the texts, which takes longest."""


@pytest.mark.parametrize("number", range(48))
def test_a_random_run_holds_replays_and_refines(number: int, rng: Random) -> None:
    row, seed = drawn(rng), rng.randrange(1 << 32)
    print(f"replace(plan_of({row}, {seed}), events={EVENTS}, logs=0)")
    plan = replace(plan_of(row, seed), events=EVENTS, logs=0)
    events = made(plan).events
    judgement = judged_run(plan, events)
    assert (violated(judgement), unknown(judgement)) == ({}, {})
    refusal = refusal_of(plan, events)
    assert refusal is None, refusal
    found = refine(replace(plan, events=FOLLOWED))
    assert found.broken is None, found.broken.text()
    assert found.delivery.broken is None, found.delivery.broken.text()

"""Mutants: whatever the rules notice of a deviation is witnessed and explained; the correct machine holds.

Justified by the goal that every violation is explained. That each deviation is noticed is the promise of
``reference_impl.mutants``, whose own tests choose runs that are long enough.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.check.checking import check
from conformance.check.story import explain
from conformance.cli_simulate import header_for
from conformance.trace import parquet_writing
from conformance.trace.open import Parquet, open_trace
from reference_impl.mutants import MUTANTS
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.language.outcomes import Verdict

EVENTS = 20_000
SEEDS = range(7, 10)
RUNS = [SimulationPlan(seed=7, events=EVENTS // 4), *(SimulationPlan(seed=seed, events=EVENTS) for seed in SEEDS)]
"""A short run shows most mutants."""


def run_of(folder: Path, plan: SimulationPlan) -> Parquet:
    """A simulated run as a trace."""
    path = folder / "run.parquet"
    parquet_writing.write_events(path, header_for(plan), simulate(plan))
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    return trace


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_what_is_noticed_of_a_mutant_is_explained(name: str, tmp_path: Path) -> None:
    for plan in RUNS:
        trace = run_of(tmp_path, MUTANTS[name].plan(plan))
        report = check(trace, shown=1)
        broken = [said for said in report.verdict.judged if said.violations]
        if broken:
            unexplained = [said.rule.id for said in broken if said.violations[0] not in report.witnesses]
            assert unexplained == []
            story = explain(trace, broken[0].rule, broken[0].violations[0].key)
            assert story.witness is not None
            assert broken[0].rule.sentence.split()[0] in story.text
            return
    pytest.skip(f"no rule noticed {name} in {len(RUNS)} runs of at most {EVENTS:,} events")


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_the_correct_machine_holds(seed: int, tmp_path: Path) -> None:
    assert check(run_of(tmp_path, SimulationPlan(seed=seed, events=EVENTS))).verdict.verdict is Verdict.HOLDS

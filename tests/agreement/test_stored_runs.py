"""A long run that several test processes judge is simulated once, and never outlives what decides it.

Justified by ``test_simulated_runs_agree``: the columns, DuckDB and Spark must be given the same events.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from tests.support import stored_run as stored
from tests.support.simulated import place

PLAN = SimulationPlan(events=300)


def test_it_is_the_sorted_run(tmp_path: Path) -> None:
    trace = stored.stored_run(PLAN, tmp_path)
    told = [(one.get("log") or 0, one.get("epoch") or 0, one.get("esn") or 0, one["seq"]) for one in trace.events()]
    assert told == sorted(map(place, simulate(PLAN)))
    assert trace.sorted
    assert len(trace.parts[0].groups) == stored.ROW_GROUPS


def test_it_is_simulated_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored.stored_run(PLAN, tmp_path)
    monkeypatch.setattr(stored, "simulate", pytest.fail)
    assert stored.stored_run(PLAN, tmp_path).parts[0].rows == PLAN.events


def test_only_the_last_is_kept(tmp_path: Path) -> None:
    for seed in range(3):
        stored.stored_run(SimulationPlan(events=100, seed=seed), tmp_path)
    assert len(list(tmp_path.iterdir())) == 1

"""The benchmark of replay measures right answers: a small run of it ends well, and a wrong answer ends it.

Justified by the rule that performance claims come from benchmarks, which must refuse contenders that are wrong.
"""

from __future__ import annotations

import json

import pytest

from benchmarks.replay import WrongAnswer, main, replayed
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate


def test_a_small_run_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["--events", "2000", "--rules-events", "500", "--entries", "100", "--repeat", "1", "--format", "json"])
        == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert [one["events"] for one in said["results"]] == [2000, 500, 549, 2049]
    assert said["ratio"] > 0


def test_a_refused_run_is_no_figure() -> None:
    plan = SimulationPlan(events=2000, mutant="ack_before_stored")
    with pytest.raises(WrongAnswer):
        replayed(plan, list(simulate(plan)))

"""A million events of the correct machine: every rule holds, none without instances, and all engines count the same.

Justified by the promise of ``reference_impl`` to keep every rule, and by the meaning of rules, ``spec.language.fold``:
it takes its time, so it judges a run of 100,000 events of its own, and the columns, with which all engines agree on the
million, must count as it does. Replay the runs with ``quorate simulate --events 1000000 --wire --trims 5`` and
``quorate simulate --events 100000 --wire --trims 5``, both with ``--variants`` and ``--delivery`` and all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from conformance.check.engines import by_columns, silent
from conformance.trace.open import Parquet
from reference_impl.kernel.faults import Rate
from reference_impl.log.machine import DELIVERIES, VARIANTS
from reference_impl.plan import MILLISECOND, SimulationPlan
from reference_impl.simulate import simulate
from spec.language.fold import Fold
from spec.language.outcomes import Judgement
from spec.registry import RULES
from tests.support.cuts import differences
from tests.support.simulated import judged_columns, place, raw_of, unknown, violated, without_instances
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb, stored_columns
from tests.support.stored_run import stored_run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

TRIMS = Rate(5 * MILLISECOND)
PLAN = SimulationPlan(events=1_000_000, on_the_wire=True, variants=VARIANTS, trims=TRIMS, delivery=DELIVERIES)
FOLDED = replace(PLAN, events=100_000)
"""The run that the fold judges."""


class Run(NamedTuple):
    """The run's trace, and what the columns say of it."""

    trace: Parquet
    judgement: Judgement


@pytest.fixture(scope="module")
def run() -> Run:
    """Simulate once for all readings, those in other processes too."""
    trace = stored_run(PLAN)
    return Run(trace, by_columns(RULES, trace, PLAN.events, silent))


def test_every_rule_holds_with_instances_and_duckdb_agrees(run: Run) -> None:
    """One test, so that one process simulates the run; those for Spark find it on disk."""
    assert sum(part.rows for part in run.trace.parts) == PLAN.events
    assert (violated(run.judgement), unknown(run.judgement)) == ({}, {})
    assert without_instances(run.judgement) == []
    with quiet_duckdb() as connection:
        got = judged_by_duckdb(connection, RULES, stored_columns(run.trace), run.trace.parameters())
    assert differences(RULES, run.judgement, got) == []


def test_the_fold_agrees() -> None:
    events, parameters = sorted(simulate(FOLDED), key=place), FOLDED.topology.parameters()
    columns = judged_columns(raw_of(events, parameters), parameters)
    assert len(events) == FOLDED.events
    assert without_instances(columns) == []
    assert differences(RULES, Fold(events, parameters).judge(RULES), columns) == []


@pytest.mark.parametrize("plan", ["sql", "blocks"])
def test_spark_agrees(run: Run, plan: str, spark: SparkSession) -> None:
    from spark_checks import block_check, sql_check

    judge = {"sql": sql_check.judge, "blocks": block_check.judge}[plan]
    assert differences(RULES, run.judgement, judge(spark, run.trace, RULES, kept=20)) == []

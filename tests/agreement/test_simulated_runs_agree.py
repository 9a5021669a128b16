"""Long runs of the correct machine: every rule holds, none without instances, and all engines count the same.

Justified by the promise of ``reference_impl`` to keep every rule, and by their meaning, ``spec.language.reference``:
it takes its time, so it judges the shorter run alone, and the columns, with which all engines agree on a million events
too, must count as it does. Replay a run with ``quorate simulate --seed 4 --events 100000 --wire --trims 5``, or a
million, with ``--variants`` and ``--delivery`` and all of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import pytest

from conformance.check.engines import by_columns, silent
from conformance.trace.open import Parquet
from reference_impl.kernel.faults import Rate
from reference_impl.log.context import DELIVERIES, VARIANTS
from reference_impl.plan import MILLISECOND, SimulationPlan
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.registry import RULES
from spec.verdicts import in_force
from tests.support.cuts import differences
from tests.support.simulated import OF_ENDS, unknown, violated, without_instances
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb, stored_columns
from tests.support.stored_run import stored_run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.slow, pytest.mark.together("spark")]

TRIMS = Rate(5 * MILLISECOND)
PLAN = SimulationPlan(seed=4, on_the_wire=True, variants=tuple(VARIANTS), trims=TRIMS, delivery=DELIVERIES)
EVENTS = 100_000
"""Enough for each rule to have instances."""


class Run(NamedTuple):
    """The run's trace, the rules that are in force for it, and what the columns say of it."""

    trace: Parquet
    rules: list[Rule]
    judgement: Judgement


@pytest.fixture(scope="module", params=[EVENTS, pytest.param(1_000_000, marks=pytest.mark.thorough)])
def run(request: pytest.FixtureRequest) -> Run:
    """Simulate once for all engines, those in other processes too."""
    trace = stored_run(replace(PLAN, events=request.param))
    assert sum(part.rows for part in trace.parts) == request.param
    rules = in_force(RULES, trace.header)
    return Run(trace, rules, by_columns(rules, trace, request.param, silent))


def test_every_rule_holds_with_instances(run: Run) -> None:
    assert (violated(run.judgement), unknown(run.judgement)) == ({}, {})
    assert {rule.id for rule in run.rules}.intersection(without_instances(run.judgement)) <= OF_ENDS


@pytest.mark.costly("DuckDB plans a statement of all rules")
def test_duckdb_agrees(run: Run) -> None:
    with quiet_duckdb() as connection:
        got = judged_by_duckdb(connection, run.rules, stored_columns(run.trace), run.trace.parameters())
    assert differences(run.rules, run.judgement, got) == []


@pytest.mark.costly("the reference evaluator takes its time for a long run")
@pytest.mark.parametrize("run", [EVENTS], indirect=True)
def test_the_fold_agrees(run: Run) -> None:
    said = ReferenceEvaluator(run.trace.events(), run.trace.parameters()).judge(run.rules)
    assert differences(run.rules, said, run.judgement) == []


@pytest.mark.costly("Spark plans and compiles one statement of all rules")
@pytest.mark.parametrize("plan", [pytest.param("sql", marks=pytest.mark.thorough), "blocks"])
def test_spark_agrees(run: Run, plan: str, spark: SparkSession) -> None:
    from spark_checks import block_check, sql_check

    judge = {"sql": sql_check.judge, "blocks": block_check.judge}[plan]
    assert differences(run.rules, run.judgement, judge(spark, run.trace, run.rules, kept=20)) == []

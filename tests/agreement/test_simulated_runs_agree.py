"""A million events of the correct machine: every rule holds, none without instances, and all engines count the same.

Justified by the promise of ``reference_impl`` to keep every rule, and by the meaning of rules, ``spec.language.fold``:
it takes its time, so it judges a run of 100,000 events of its own, and the columns, with which all engines agree on the
million, must count as it does. Replay the runs with ``quorate simulate --events 1000000 --wire --trims 5`` and
``quorate simulate --events 100000 --seed 1 --wire --trims 5``, both with ``--variants`` and all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from conformance.cli_simulate import header_for
from conformance.trace import parquet_writing
from conformance.trace.open import Parquet, open_trace
from reference_impl.kernel.faults import Rate
from reference_impl.log.machine import VARIANTS
from reference_impl.plan import MILLISECOND, SimulationPlan
from reference_impl.simulate import simulate
from spec.columns.column import Raw
from spec.language.fold import Fold
from spec.language.outcomes import Judgement
from spec.language.parameters import Parameters
from spec.registry import RULES
from tests.support.cuts import differences
from tests.support.simulated import judged_columns, place, raw_of, stored_table, unknown, violated, without_instances
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow

TRIMS = Rate(5 * MILLISECOND)
PLAN = SimulationPlan(events=1_000_000, on_the_wire=True, variants=VARIANTS, trims=TRIMS)
FOLDED = SimulationPlan(events=100_000, seed=1, on_the_wire=True, variants=VARIANTS, trims=TRIMS)
"""The run that the fold judges."""


class Run(NamedTuple):
    """The run in every form that some reading wants, and what the columns say of it."""

    events: list[dict[str, Any]]
    raw: Raw
    trace: Parquet
    parameters: Parameters
    judgement: Judgement


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Simulate once for all readings."""
    events, parameters = sorted(simulate(PLAN), key=place), PLAN.topology.parameters()
    path = tmp_path_factory.mktemp("simulated") / "run.parquet"
    parquet_writing.write_events(path, header_for(PLAN), events, in_order=True)
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    raw = raw_of(events, parameters)
    return Run(events, raw, trace, parameters, judged_columns(raw, parameters))


def test_every_rule_holds_with_instances(run: Run) -> None:
    assert len(run.events) == PLAN.events
    assert (violated(run.judgement), unknown(run.judgement)) == ({}, {})
    assert without_instances(run.judgement) == []


def test_the_fold_agrees() -> None:
    events, parameters = sorted(simulate(FOLDED), key=place), FOLDED.topology.parameters()
    columns = judged_columns(raw_of(events, parameters), parameters)
    assert len(events) == FOLDED.events
    assert without_instances(columns) == []
    assert differences(RULES, Fold(events, parameters).judge(RULES), columns) == []


def test_duckdb_agrees(run: Run) -> None:
    with quiet_duckdb() as connection:
        got = judged_by_duckdb(connection, RULES, stored_table(run.raw, run.parameters), run.parameters)
    assert differences(RULES, run.judgement, got) == []


@pytest.mark.parametrize("plan", ["sql", "blocks"])
def test_spark_agrees(run: Run, plan: str, spark: SparkSession) -> None:
    from spark_checks import block_check, sql_check

    judge = {"sql": sql_check.judge, "blocks": block_check.judge}[plan]
    assert differences(RULES, run.judgement, judge(spark, run.trace, RULES, kept=20)) == []

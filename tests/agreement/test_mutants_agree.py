"""All readings say the same of wrong machines: the fold, the columns, DuckDB, Spark's SQL and Spark's blocks.

Justified by the meaning of rules, ``spec.language.fold``, and by the kill matrix: a run in which nothing is wrong
compares only counts, so each mutant brings violations of the rule that it was made for, with their keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import duckdb
import pytest

from conformance.cli_simulate import header_for
from conformance.trace import parquet_writing
from conformance.trace.open import Parquet, open_trace
from reference_impl.mutants import MUTANTS
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.language.fold import Fold
from spec.language.outcomes import Judgement, Violation
from spec.registry import BY_ID, RULES
from tests.support.cuts import differences
from tests.support.simulated import (
    APART,
    NOTICED_BY,
    judged_columns,
    raw_of,
    short_plan,
    side_by_side,
    stored_table,
    violated,
)
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGS = 2
"""The logs of each short run."""

EVERY = 1_000_000
"""Violations to name: more than there are."""


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """One DuckDB for all runs."""
    with quiet_duckdb() as opened:
        yield opened


@pytest.mark.parametrize("name", MUTANTS)
def test_readings_agree_on_a_mutant(name: str, connection: duckdb.DuckDBPyConnection) -> None:
    plan = short_plan(name)
    print(plan)
    events, parameters = list(simulate(plan)), plan.topology.parameters()
    raw = raw_of(events, parameters)
    want = Fold(events, parameters).judge(RULES)
    assert NOTICED_BY[name] in violated(want)
    assert differences(RULES, want, judged_columns(raw, parameters)) == []
    in_sql = judged_by_duckdb(connection, RULES, stored_table(raw, parameters), parameters)
    assert differences(RULES, want, in_sql) == []


@pytest.fixture(scope="module")
def everything_wrong(tmp_path_factory: pytest.TempPathFactory) -> list[Wrong]:
    """One trace for each cluster with the runs of all mutants that show there, each in logs of its own."""
    plans = [short_plan(name) for name in MUTANTS]
    keys = [header_for(replace(plan, logs=LOGS, mutant="")) for plan in plans]
    clusters = [key for number, key in enumerate(keys) if key not in keys[:number]]
    return [
        wrong_together(
            [plan for plan, key in zip(plans, keys, strict=True) if key == cluster], tmp_path_factory.mktemp("mutants")
        )
        for cluster in clusters
    ]


class Wrong(NamedTuple):
    """A trace of runs of mutants side by side, the mutants in the order of their logs, and what the columns say."""

    trace: Parquet
    mutants: list[str]
    judgement: Judgement


def wrong_together(plans: Sequence[SimulationPlan], folder: Path) -> Wrong:
    runs = [list(simulate(plan)) for plan in plans]
    events = side_by_side(runs, LOGS)
    path = folder / "run.parquet"
    head = header_for(replace(plans[0], logs=LOGS * len(runs), mutant=""))
    parquet_writing.write_events(path, head, events, in_order=True)
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    parameters = plans[0].topology.parameters()
    return Wrong(trace, [plan.mutant for plan in plans], judged_columns(raw_of(events, parameters), parameters))


def _run_of(violation: Violation) -> int:
    """The number of the run: logs are told apart, and where there is none, versions of the status table."""
    key = dict(zip(BY_ID[violation.rule].view.key, violation.key, strict=True))
    return int(key["log"] // LOGS if "log" in key else key["version"] // APART)


def test_every_mutant_breaks_its_rule_in_its_own_logs(everything_wrong: list[Wrong]) -> None:
    """Runs that stand side by side keep their violations, so one Spark job can judge them all."""
    for _, mutants, judgement in everything_wrong:
        found = {(one.rule, _run_of(one)) for one in judgement.violations}
        assert {(NOTICED_BY[name], number) for number, name in enumerate(mutants)} <= found


def test_spark_agrees_on_all_mutants(everything_wrong: list[Wrong], spark: SparkSession) -> None:
    """Spark's SQL and Spark's blocks, one run of each for each cluster."""
    from spark_checks import block_check, sql_check

    engines: Any = (sql_check, block_check)
    for trace, _, want in everything_wrong:
        for engine in engines:
            got = engine.judge(spark, trace, RULES, kept=EVERY)
            assert differences(RULES, want, got) == [], engine.__name__

"""All readings say the same of wrong machines: the fold, the columns, DuckDB, Spark's SQL and Spark's blocks.

Justified by the meaning of rules, ``spec.language.fold``, and by the kill matrix: a run in which nothing is wrong
compares only counts, so each mutant brings violations of the rule that it was made for, with their keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from conformance.cli_simulate import header_for
from conformance.trace import parquet_writing
from conformance.trace.open import Parquet, open_trace
from reference_impl.mutants import MUTANTS
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate
from spec.language.fold import Fold
from spec.language.outcomes import Judgement, Violation
from spec.language.parameters import Parameters
from spec.registry import BY_ID, RULES
from tests.support.cuts import differences
from tests.support.simulated import (
    APART,
    NOTICED_BY,
    judged_columns,
    raw_of,
    short_plan,
    side_by_side,
    violated,
)
from tests.support.sql_engines import judged_by_duckdb, quiet_duckdb, stored_columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOGS = 2
"""The logs of each short run."""

EVERY = 1_000_000
"""Violations to name: more than there are."""


@pytest.mark.parametrize("name", MUTANTS)
def test_columns_agree_with_the_fold_on_a_mutant(name: str) -> None:
    plan = short_plan(name)
    print(plan)
    events, parameters = list(simulate(plan)), plan.topology.parameters()
    want = Fold(events, parameters).judge(RULES)
    assert NOTICED_BY[name] in violated(want)
    assert differences(RULES, want, judged_columns(raw_of(events, parameters), parameters)) == []


@pytest.fixture(scope="module")
def everything_wrong(tmp_path_factory: pytest.TempPathFactory) -> list[Wrong]:
    """One trace for each cluster with the runs of all mutants that show there, each in logs of its own.

    What the first run's recorders promise is written above all of them: no reading asks for it.
    """
    by_cluster: dict[Parameters, list[SimulationPlan]] = {}
    for plan in map(short_plan, MUTANTS):
        by_cluster.setdefault(plan.topology.parameters(), []).append(plan)
    return [wrong_together(plans, tmp_path_factory.mktemp("mutants")) for plans in by_cluster.values()]


class Wrong(NamedTuple):
    """A trace of runs of mutants side by side, what the columns say of it, and of each run in the order of the logs."""

    trace: Parquet
    judgement: Judgement
    each: list[Judgement]


def wrong_together(plans: Sequence[SimulationPlan], folder: Path) -> Wrong:
    runs = [list(simulate(plan)) for plan in plans]
    events = side_by_side(runs, LOGS)
    path = folder / "run.parquet"
    head = header_for(replace(plans[0], logs=LOGS * len(runs), mutant=""))
    parquet_writing.write_events(path, head, events, in_order=True)
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    parameters = plans[0].topology.parameters()
    said = [judged_columns(raw_of(run, parameters), parameters) for run in (events, *runs)]
    return Wrong(trace, said[0], said[1:])


def _run_of(violation: Violation) -> int:
    """The number of the run: logs are told apart, and where there is none, versions of the status table."""
    key = dict(zip(BY_ID[violation.rule].view.key, violation.key, strict=True))
    return int(key["log"] // LOGS if "log" in key else key["version"] // APART)


def test_runs_side_by_side_are_judged_as_each_alone(everything_wrong: list[Wrong]) -> None:
    """Rule by rule, as often and in its own logs, so one statement or job for all runs says what one for each would."""
    for together in everything_wrong:
        found = Counter((one.rule, _run_of(one)) for one in together.judgement.violations)
        alone = [Counter(one.rule for one in each.violations) for each in together.each]
        assert found == {(rule, run): times for run, said in enumerate(alone) for rule, times in said.items()}
        assert together.judgement.counts == sum((each.counts for each in together.each), Counter())


def test_duckdb_agrees_on_all_mutants(everything_wrong: list[Wrong]) -> None:
    """One statement for each cluster: planning it takes DuckDB longer than judging a hundred runs."""
    with quiet_duckdb() as connection:
        for trace, want, _ in everything_wrong:
            got = judged_by_duckdb(connection, RULES, stored_columns(trace), trace.parameters())
            assert differences(RULES, want, got) == []


def test_spark_agrees_on_all_mutants(everything_wrong: list[Wrong], spark: SparkSession) -> None:
    """Spark's SQL and Spark's blocks, one run of each for each cluster."""
    from spark_checks import block_check, sql_check

    engines: Any = (sql_check, block_check)
    for trace, want, _ in everything_wrong:
        for engine in engines:
            got = engine.judge(spark, trace, RULES, kept=EVERY)
            assert differences(RULES, want, got) == [], engine.__name__

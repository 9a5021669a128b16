"""Of a trace in any order, Spark finds the few events that explanations read: witnesses are those of the sorted trace.

Justified by the meaning of witnesses (``conformance.check.witness``): they are found from the events near a row alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.check.witness import witnesses
from conformance.cli_parts import Problem
from conformance.cli_spark import Plan, check_in
from conformance.trace.open import Parquet, open_trace
from spark_checks import checking, excerpt
from spec.events import StatusTable, Store
from spec.language.events import kinds
from spec.registry import RULES, select
from tests.support.small_traces import header, lost, sound, write, write_sorted
from tests.support.tiny import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.together("spark")]

NAMED = replace(header(), named={"logs": {log: f"log {log}" for log in (1, 2, 3)}})


def events() -> list[dict[str, Any]]:
    """A loss in log 1, records of two other logs, and two tables of one version."""
    tables = [at(StatusTable, version=1, seq=9_000_000 + number) for number in (1, 2)]
    return [*lost(), *(event | {"log": log} for log in (2, 3) for event in sound()), *tables]


@pytest.mark.parametrize(("name", "plan"), [("run.parquet", "auto"), ("run.jsonl", "auto"), ("run.jsonl", "sql")])
def test_witnesses_of_any_order_are_those_of_the_sorted_trace(
    name: str, plan: Plan, tmp_path: Path, spark: SparkSession
) -> None:
    told = events()
    path = write(tmp_path / name, told[::-1], NAMED)
    found = check_in(spark, str(path), select(["client.read.acked_is_delivered"]), plan=plan)
    broken = {one: said.rule for said in found.verdict.judged for one in said.violations}
    assert "client.read.acked_is_delivered" in {one.rule for one in broken}
    assert found.witnesses == witnesses(Parquet(write_sorted(tmp_path / "sorted.parquet", told, NAMED)), broken)


def test_an_excerpt_has_a_bound(tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The smallest partitions come first; one that is too large is left out whole, since half of it would mislead."""
    trace = open_trace(write(tmp_path / "run.parquet", events(), NAMED))
    with excerpt.excerpt(spark, trace, [], kinds(Store)) as cut:
        assert {event.get("log") for event in cut.events()} == {None, 1, 2, 3}
    monkeypatch.setattr(excerpt, "MOST", 3 + len(sound()) + 2)
    with excerpt.excerpt(spark, trace, [1, 2]) as cut:
        assert {event.get("log") for event in cut.events()} == {None, 2}


def test_lines_are_refused_to_blocks_where_workers_cannot_read_them(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command names what to do instead, as checking from Python does; neither judges."""
    path = str(write(tmp_path / "run.jsonl", sound(), NAMED))
    monkeypatch.setattr(checking, "runs_here", lambda _: False)
    with pytest.raises(Problem, match="is not Parquet") as problem:
        check_in(spark, path, RULES, plan="blocks")
    assert "quorate trace sort" in str(problem.value)
    with pytest.raises(checking.NotForBlocks, match="quorate trace sort"):
        checking.check(spark, path, plan="blocks")

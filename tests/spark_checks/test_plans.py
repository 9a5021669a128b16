"""No plan hands events to Python: what crosses from Java to Python workers is numbers of work, and bytes.

Measured: rows that pass through Spark's conversion to Arrow cost more than judging them, so tasks read files
themselves. Every plan by which ``check`` judges is asked, and so are those that follow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest

from spark_checks import merging
from spark_checks.checking import Plan, check
from spark_checks.tasks import in_tasks
from tests.support.small_traces import lost, write, write_sorted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.together("spark")

OF_PYTHON = "org.apache.spark.sql.execution.python."
"""Where Spark has all operators that hand rows to Python."""

MAY_CROSS = {"int", "bigint", "binary"}
"""Numbers of row groups, ranges or other work, and pickled parts."""


def nodes_of(plan: Any) -> Iterator[Any]:
    """A physical plan's operators, those of what is persisted and of what is used again among them."""
    yield plan
    children = plan.children()
    below = [children.apply(place) for place in range(children.size())]
    if plan.nodeName().startswith("InMemoryTableScan") or "InMemoryTableScanExec" in plan.getClass().getName():
        below.append(plan.relation().cachedPlan())
    for child in below:
        yield from nodes_of(child)


def crossing(plan: Any) -> list[set[str]]:
    """For each operator of Python, the types of the columns that it takes."""
    found = []
    for node in nodes_of(plan):
        if node.getClass().getName().startswith(OF_PYTHON):
            taken = node.child().output()
            found.append({taken.apply(place).dataType().simpleString() for place in range(taken.size())})
    return found


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The physical plans of all that is collected or written from now on."""
    from pyspark.sql.classic.dataframe import DataFrame
    from pyspark.sql.readwriter import DataFrameWriter

    plans: list[Any] = []
    collect, parquet = DataFrame.collect, DataFrameWriter.parquet

    def collected(frame: Any) -> Any:
        plans.append(frame._jdf.queryExecution().executedPlan())
        return collect(frame)

    def written(writer: Any, *args: Any, **named: Any) -> Any:
        plans.append(writer._df._jdf.queryExecution().executedPlan())
        return parquet(writer, *args, **named)

    monkeypatch.setattr(DataFrame, "collect", collected)
    monkeypatch.setattr(DataFrameWriter, "parquet", written)
    return plans


@pytest.mark.parametrize("written", [write_sorted, write])
@pytest.mark.parametrize("plan", [plan for plan in get_args(Plan) if plan != "auto"])
def test_no_plan_hands_events_to_python(
    plan: Plan, written: Any, tmp_path: Path, spark: SparkSession, executed: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": 3})
    monkeypatch.setattr(merging, "FAN", 2)
    path = written(tmp_path / "run.parquet", lost())
    check(spark, path, plan=plan, output=str(tmp_path / "out"))
    taken = [types for one in executed for types in crossing(one)]
    assert bool(taken) == (plan != "sql")
    assert all(types <= MAY_CROSS for types in taken)


def test_work_that_is_no_plan_takes_only_its_number(spark: SparkSession, executed: list[Any]) -> None:
    assert in_tasks(spark, abs, [-1, 2, -3]) == [1, 2, 3]
    assert [types for one in executed for types in crossing(one)] == [{"bigint"}]


def test_rows_that_cross_are_seen(spark: SparkSession, executed: list[Any]) -> None:
    """The check can fail: a plan that hands a text to Python is noticed."""
    frame = (
        spark.range(2)
        .selectExpr("id", "CAST(id AS STRING) AS text")
        .mapInArrow(lambda rows: rows, "id BIGINT, text STRING")
    )
    assert frame.persist().where("id > 0").collect()
    frame.unpersist()
    assert [types for one in executed for types in crossing(one)] == [{"bigint", "string"}]

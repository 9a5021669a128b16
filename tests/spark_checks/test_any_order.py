"""A trace in any order, in many files, is judged by blocks as one process judges it sorted.

Justified by the meaning of rules, which knows no order of events in a file: wherever ranges are cut, counts and
violations are the same. What books of clients say is worked out in sorting alone, so logs are sorted before they are
scattered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.check.checking import check as check_here
from conformance.headings import header_from
from conformance.segment.configurations import PLANTED, STANDARD
from conformance.segment.generating import random_script
from conformance.segment.recording import record, recorded
from conformance.trace.delta import files_of
from conformance.trace.errors import Duplicated, NullValue
from conformance.trace.header import Header
from conformance.trace.open import open_trace
from conformance.trace.parquet_writing import write_events
from conformance.trace.sort import sort
from reference_impl.mutants import mutant_named
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import header_of, simulate
from spark_checks.any_order import cutting, judging
from spark_checks.any_order.ranges import Places, Ranges
from spark_checks.any_order.uniqueness import repetition, runs_of
from spark_checks.checking import SORT, check
from spark_checks.excerpt import excerpt
from spec.events import Passed
from spec.language.outcomes import Verdict
from spec.reports.report import Report
from tests.support.small_traces import lost, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.together("spark")]


@pytest.fixture(autouse=True)
def _many_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges of some hundred events, which come in several pieces."""
    monkeypatch.setattr(judging, "RANGE", 400)
    monkeypatch.setattr(cutting, "PIECE", 64)


def said(report: Report) -> list[tuple[Any, ...]]:
    """What must agree: all, but what a trace in which books added nothing does not tell to have been sorted."""
    return [
        (
            one.rule.id,
            None if Passed in one.rule.needs else one.verdict,
            one.judged,
            one.violated,
            one.unknown,
            one.violations,
        )
        for one in report.verdict.rules
    ]


def scattered(folder: Path, events: Iterable[Mapping[str, Any]], said_of: Header, files: int, seed: int) -> Path:
    """The events in some order, in files of several row groups."""
    told, rng = list(map(dict, events)), Random(seed)
    rng.shuffle(told)
    folder.mkdir()
    for number in range(files):
        write_events(folder / f"{number}.parquet", said_of, told[number::files], books_of=len(told))
    return folder


@pytest.mark.parametrize(("mutant", "seed"), [("skips_silently", 1), ("ack_before_stored", 2)])
def test_a_scattered_log_is_judged_as_the_sorted_one(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, mutant: str, seed: int
) -> None:
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": 150})
    plan = mutant_named(mutant).plan(SimulationPlan(seed=seed, events=1500, logs=3))
    write_events(tmp_path / "written.parquet", header_from(header_of(plan)), simulate(plan))
    sort(tmp_path / "written.parquet", tmp_path / "sorted.parquet")
    trace = open_trace(tmp_path / "sorted.parquet")
    path = scattered(tmp_path / "run", trace.events(), trace.header, 3, seed)
    found = check(spark, path, kept=1000, output=str(tmp_path / "out"))
    here = check_here(open_trace(path), kept=1000)
    assert found.engine == "spark (blocks)"
    assert said(found) == said(here)
    assert here.verdict.verdict is Verdict.VIOLATED
    assert spark.read.parquet(found.output).count() == sum(
        one.violated for one in found.verdict.rules if one.verdict is Verdict.VIOLATED
    )


@pytest.mark.parametrize("number", [0, 1])
def test_rules_that_ask_for_other_orders_are_judged_in_each(tmp_path: Path, spark: SparkSession, number: int) -> None:
    """Segments have four orders; whatever the trace stands in, three are not its own."""
    name, defects = sorted(PLANTED.items())[number]
    record(tmp_path / "run.jsonl", *recorded(random_script(number), STANDARD[number], defects))
    trace = open_trace(tmp_path / "run.jsonl")
    path = scattered(tmp_path / "run", trace.events(), trace.header, 2, number)
    assert said(check(spark, path)) == said(check_here(trace)), name


def test_books_of_other_events_decide_nothing(tmp_path: Path, spark: SparkSession) -> None:
    """docs/how-to/run-on-spark.md: a file is lost, and what clients knew was worked out with what it had.

    One process works it out anew; what Spark says to hold or to be broken, it must say too.
    """
    plan = mutant_named("skips_silently").plan(SimulationPlan(seed=1, events=1500, logs=3))
    write_events(tmp_path / "written.parquet", header_from(header_of(plan)), simulate(plan))
    sort(tmp_path / "written.parquet", tmp_path / "sorted.parquet")
    trace = open_trace(tmp_path / "sorted.parquet")
    path = scattered(tmp_path / "run", trace.events(), trace.header, 3, 1)
    whole = check(spark, path)
    assert not any(SORT in one.reason for one in whole.verdict.rules)
    (path / "1.parquet").unlink()
    found = {one.rule.id: one for one in check(spark, path).verdict.rules}
    here = {one.rule.id: one for one in check_here(open_trace(path)).verdict.rules}
    unsure = {name for name, one in found.items() if SORT in one.reason}
    assert {one.verdict for name, one in found.items() if name in unsure} == {Verdict.UNKNOWN}
    assert {rule for rule, one in here.items() if one.verdict is Verdict.VIOLATED} & unsure
    others = found.keys() - unsure
    assert {name: found[name].violated for name in others} == {name: here[name].violated for name in others}


@pytest.mark.parametrize("form", ["parquet", "jsonl"])
def test_a_name_with_signs_of_a_pattern_is_a_name(tmp_path: Path, spark: SparkSession, form: str) -> None:
    """Spark takes brackets, braces and stars for patterns of names."""
    folder = tmp_path / "day[1]{a}*?"
    folder.mkdir()
    path = write(folder / f"run.{form}", lost())
    with excerpt(spark, open_trace(path), {1}) as some:
        assert sum(part.rows for part in some.parts)
    found = check(spark, path, plan="sql", output=str(folder / "out"))
    assert found.verdict.verdict is Verdict.VIOLATED
    assert sum(pq.read_metadata(one).num_rows for one in files_of(folder / "out" / "violations"))


def test_an_event_that_stands_twice_is_named(tmp_path: Path, spark: SparkSession) -> None:
    (tmp_path / "run").mkdir()
    events = [event | {"seq": number} for number, event in enumerate(lost())]
    write(tmp_path / "run" / "a.parquet", events)
    write(tmp_path / "run" / "b.parquet", [events[3] | {"esn": 9}])
    judges: tuple[Callable[[Path], Report], ...] = (lambda path: check_here(open_trace(path)), partial(check, spark))
    for judge in judges:
        with pytest.raises(Duplicated, match="event 3 of recorder 'all' stands twice"):
            judge(tmp_path / "run")


def test_a_value_that_no_rule_reads_is_looked_at_too(tmp_path: Path, spark: SparkSession) -> None:
    path = write(tmp_path / "run.parquet", lost())
    table = pq.read_table(path)
    holes = pa.array([None if row == 2 else one for row, one in enumerate(table["seq"].to_pylist())], pa.int64())
    changed = table.set_column(table.column_names.index("seq"), "seq", holes)
    pq.write_table(changed.replace_schema_metadata(pq.read_metadata(path).metadata), path)
    with pytest.raises(NullValue, match=r"row group 0, row 3: seq is NULL"):
        check(spark, path)


def test_ranges_are_runs_of_the_order_with_as_many_events_each() -> None:
    """Whatever partition has most of them."""
    rng = np.random.default_rng(1)
    partition = np.where(rng.random(50_000) < 0.5, 3, rng.integers(0, 40, 50_000))
    position = rng.integers(0, 1 << 40, 50_000)
    places = Places(partition, position)
    ranges = Ranges(Places(partition[::7], position[::7]), 20)
    numbers = ranges.numbers(places)
    assert np.bincount(numbers).max() < 1.2 * 50_000 / 20
    order = np.lexsort((position, partition))
    assert (np.diff(numbers[order].astype(int)) >= 0).all()
    assert len(ranges) == 20


def test_what_stands_at_one_place_is_never_cut() -> None:
    same = Places(np.full(1000, 5), np.full(1000, 7))
    assert len(Ranges(same, 8)) <= 2
    assert len(set(Ranges(same, 8).numbers(same).tolist())) == 1
    nobody = Places(np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert Ranges(nobody, 8).numbers(same).tolist() == [0] * 1000


@pytest.mark.parametrize("seed", range(5))
def test_runs_of_numbers_show_what_stands_twice(seed: int) -> None:
    rng = np.random.default_rng(seed)
    recorder, seq = rng.integers(0, 3, 300), rng.permutation(np.arange(300)) + (1 << 22) - 100
    halves = [runs_of(recorder[here], seq[here]) for here in (slice(0, 150), slice(150, None))]
    assert repetition(halves) is None
    again = runs_of(recorder[7:8], seq[7:8])
    assert repetition([*halves, again]) == (int(recorder[7]), int(seq[7]))
    assert repetition([runs_of(recorder[[7, 7]], seq[[7, 7]])]) == (int(recorder[7]), int(seq[7]))


def test_ranges_and_events_agree_where_there_is_one_event(tmp_path: Path, spark: SparkSession) -> None:
    path = write(tmp_path / "run.parquet", lost()[:1])
    assert said(check(spark, path)) == said(check_here(open_trace(path)))

"""Spark judges as one process does: the same counts, the same violations, whatever the plan and the form of the trace.

Justified by the meaning of rules: every engine returns one judgement, and the reference evaluator is its measure.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conformance.check.checking import check as check_here
from conformance.trace.commands import convert
from conformance.trace.delta import files_of
from conformance.trace.errors import NullValue
from conformance.trace.header import Member
from conformance.trace.open import open_trace
from spark_checks import block_check, merging, sql_check, tasks
from spark_checks.checking import NotForBlocks, check, chosen_plan
from spark_checks.job import main
from spec.events import Ack, Store
from spec.language.outcomes import Verdict
from spec.registry import BY_ID
from spec.reports.report import Report
from spec.verdicts import ExitCode
from tests.support.small_traces import header, lost, sound, write, write_sorted
from tests.support.tiny import at

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.together("spark")


def said(report: Report) -> list[tuple[Any, ...]]:
    """Everything that engines must agree on."""
    return [
        (one.rule.id, one.verdict, one.standing, one.judged, one.violated, one.unknown, one.violations)
        for one in report.verdict.rules
    ]


def many() -> list[dict[str, Any]]:
    """A lost record, and many acknowledged records without copies."""
    bare = [at(Ack, 1, esn, writer=7, digest=100 + esn, copyset=frozenset[int](), required=1) for esn in range(2, 60)]
    return [*lost(), *bare, *(at(Store, 1, esn, node=2, digest=None, becomes=0) for esn in range(2, 60, 7))]


@pytest.mark.parametrize(
    ("form", "plan"), [("run.parquet", "blocks"), ("run.parquet", "sql"), ("run.jsonl.zst", "sql")]
)
def test_spark_says_what_one_process_says(tmp_path: Path, spark: SparkSession, form: str, plan: Any) -> None:
    """It names as few violations, and writes all of them."""
    path = write_sorted(tmp_path / form, many())
    found = check(spark, path, plan=plan, kept=3, output=str(tmp_path / "out"))
    assert said(found) == said(check_here(open_trace(path), kept=3))
    assert found.verdict.exit_code is ExitCode.VIOLATED
    rows = spark.read.parquet(found.output).collect()
    whole = check_here(open_trace(path), kept=1000).verdict
    runs = ((one, times) for each in whole.rules for one, times in each.in_a_row.items())
    wanted = {(one.rule, *one.key[:-1], one.key[-1] + step) for one, times in runs for step in range(times)}
    assert {tuple(value for value in row if value is not None) for row in rows} == wanted
    assert len(rows) == len(wanted) > 3 * len({rule for rule, *_ in wanted})


def test_small_traces_take_few_partitions(spark: SparkSession) -> None:
    """One for each core, and more for more events, up to what the session says; afterwards all is as it was."""
    for events, partitions in ((1, "2"), (10_000_000, "2"), (10_000_001, "3"), (10**9, "8")):
        with sql_check.few_partitions(spark, events):
            assert spark.conf.get(sql_check.PARTITIONS) == partitions
        assert spark.conf.get(sql_check.PARTITIONS) == "8"


def test_cuts_between_row_groups_change_nothing(
    tmp_path: Path, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row groups of five events, merged two at a time, over several levels of the tree."""
    monkeypatch.setattr("conformance.trace.parquet_writing.Target.__init__.__kwdefaults__", {"group": 5})
    path = write_sorted(tmp_path / "run.parquet", many())
    monkeypatch.setattr(merging, "FAN", 2)
    for module in (tasks, block_check):
        monkeypatch.setattr(module, "tasks_for", lambda _session, groups: groups)
    assert said(check(spark, path, plan="blocks")) == said(check_here(open_trace(path)))


def test_blocks_need_parquet_or_workers_on_this_machine(tmp_path: Path) -> None:
    lines, rows = (open_trace(write(tmp_path / name, lost())) for name in ("run.jsonl", "run.parquet"))
    assert chosen_plan(lines, "auto", here=False) == "sql"
    with pytest.raises(NotForBlocks):
        chosen_plan(lines, "blocks", here=False)
    assert chosen_plan(lines, "auto", here=True) == "blocks"
    assert chosen_plan(rows, "auto", here=False) == "blocks"


def test_what_only_sorting_finds_is_unknown_before(tmp_path: Path, spark: SparkSession) -> None:
    """That a reader passed over nothing in silence is worked out in sorting: SQL alone cannot let it pass."""
    rule = BY_ID["client.read.acked_is_delivered"]
    found = check(spark, write(tmp_path / "run.jsonl", sound()), [rule], plan="sql")
    assert (found.verdict.verdict, found.verdict.exit_code) == (Verdict.UNKNOWN, ExitCode.UNKNOWN)
    assert "quorate trace sort" in found.verdict.rules[0].reason
    assert check(spark, write_sorted(tmp_path / "b.parquet", sound()), [rule]).verdict.verdict is Verdict.HOLDS


@pytest.mark.parametrize("plan", ["sql", "blocks"])
def test_what_hangs_on_books_is_unknown_before_sorting_and_says_so(
    tmp_path: Path, spark: SparkSession, plan: Any
) -> None:
    """docs/how-to/run-on-spark.md: never broken and never a pass, and sorting helps."""
    rule = BY_ID["client.append.once"]
    found = check(spark, write(tmp_path / "run.jsonl", sound()), [rule], plan=plan)
    (only,) = found.verdict.rules
    assert (only.verdict, only.violated, only.unknown) == (Verdict.UNKNOWN, 0, only.judged)
    assert "quorate trace sort" in only.reason
    assert check(spark, write_sorted(tmp_path / "b.parquet", sound()), [rule]).verdict.verdict is Verdict.HOLDS


def test_fields_that_nobody_knows_are_named(tmp_path: Path, spark: SparkSession) -> None:
    """docs/reference/trace-format.md: a misspelt field looks the same."""
    lines = write(tmp_path / "run.jsonl", sound())
    lines.write_text(lines.read_text().replace('"copyset"', '"copyest":1,"copyset"'))
    convert(lines, tmp_path / "run.parquet")
    for path in (lines, tmp_path / "run.parquet"):
        notes = check(spark, path).notes
        assert notes == check_here(open_trace(path)).notes
        assert "copyest" in notes[-1]


def test_where_nothing_can_be_written_is_said_before_anything_is_judged(tmp_path: Path, spark: SparkSession) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(FileExistsError):
        check(spark, write(tmp_path / "run.parquet", lost()), output=str(tmp_path / "taken"))


def test_a_table_of_violations_takes_the_place_of_another(tmp_path: Path, spark: SparkSession) -> None:
    """Whatever stood there, and nothing else is left behind."""
    path, out = write_sorted(tmp_path / "bad.parquet", lost()), tmp_path / "out"
    (out / "violations").mkdir(parents=True)
    (out / "violations" / "old.parquet").write_text("another table")
    for _ in range(2):
        check(spark, path, output=str(out))
        assert [one.name for one in out.iterdir()] == ["violations"]
        assert set(files_of(out / "violations")) == set((out / "violations").glob("*.parquet"))


def test_the_job_ends_with_its_verdict(tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]) -> None:
    bad, out = str(write_sorted(tmp_path / "bad.parquet", lost())), str(tmp_path / "out")
    assert main([bad, "--output", out]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("verdict: violated")
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert report["verdict"] == Verdict.VIOLATED.value
    rows = sum(pq.read_metadata(path).num_rows for path in files_of(tmp_path / "out" / "violations"))
    assert rows == sum(rule["violated"] for rule in report["rules"]) > 0
    for words, code in (
        ([str(tmp_path / "nowhere")], 2),
        ([bad, "--rule", "no.such"], 4),
        ([bad, "--what"], 4),
        ([bad, "--rule", "log.seal.fences"], 5),
    ):
        assert main(words) == code
        assert capsys.readouterr().out.splitlines()[-1].startswith("verdict: unknown")


@pytest.mark.parametrize("word", ["copyset", "copyset_1"])
def test_half_a_set_is_null(tmp_path: Path, spark: SparkSession, word: str) -> None:
    """More than 64 nodes take two words: one of them NULL is no set, and not an unknown one either."""
    path, wide = (
        tmp_path / "run.parquet",
        replace(header(), members={"nodes": tuple(Member(f"n{number}") for number in range(70))}),
    )
    acks = [at(Ack, 1, esn, writer=7, digest=esn, copyset=frozenset({1, 69}), required=1) for esn in (1, 2)]
    write_sorted(path, acks, wide)
    table = pq.read_table(path)
    half = pa.array([table[word][0].as_py(), None], pa.int64())
    metadata = pq.read_metadata(path).metadata
    changed = table.set_column(table.column_names.index(word), pa.field(word, pa.int64()), half)
    pq.write_table(changed.replace_schema_metadata(metadata), path)
    with pytest.raises(NullValue, match="copyset"):
        check_here(open_trace(path))
    with pytest.raises(NullValue, match="copyset"):
        check(spark, path, plan="sql")

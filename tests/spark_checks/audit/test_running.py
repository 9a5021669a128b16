"""Here and on Spark, sorted or not, an audit finds the same, and leaves all violations in its output.

Justified by the agreement of engines that the house asks of every rule.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from benchmarks import audit as benchmark
from benchmarks import big_snapshot
from conformance.cli import main
from conformance.trace.errors import NotSorted, NotWritable
from spark_checks.audit import snapshot
from spark_checks.audit.cluster import Cluster
from spark_checks.audit.report import as_json
from spark_checks.audit.running import KEPT, audit, audit_on_spark
from spark_checks.audit.snapshot import opened
from spark_checks.audit.tables import Group
from spark_checks.audit.tables import rows_of as read_rows
from spark_checks.audit.writing import write
from spec.ledger.evidence import LedgerEvidence
from tests.support.audited import by_reference, random_cluster, random_ledgers, rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def found(tmp_path: Path, rng: Random, monkeypatch: pytest.MonkeyPatch) -> tuple[Cluster, list[LedgerEvidence]]:
    """A snapshot of several blocks, and what is in it."""
    monkeypatch.setattr(snapshot, "BLOCK", 60)
    cluster = random_cluster(rng)
    ledgers = random_ledgers(rng, cluster, 300)
    write(tmp_path / "snapshot", cluster, ledgers)
    return cluster, ledgers


def shuffled(path: Path, rng: Random) -> Path:
    """The same snapshot with its rows in any order."""
    for name in ("ledgers", "answers", "marks"):
        table = pq.read_table(path / f"{name}.parquet")
        order = list(range(len(table)))
        rng.shuffle(order)
        pq.write_table(table.take(order), path / f"{name}.parquet")
    return path


def test_all_violations_are_left_in_the_output(tmp_path: Path, found: tuple[Cluster, list[LedgerEvidence]]) -> None:
    report = audit(tmp_path / "snapshot", output=tmp_path / "output")
    violations = pq.read_table(tmp_path / "output" / "violations").to_pylist()
    assert rows_of(violations) == by_reference(*found)[0]
    by_category = {name: [row for row in violations if row["category"] == name] for name in report.counts}
    assert report.counts == {name: len({row["ledger"] for row in rows}) for name, rows in by_category.items()}
    for name, rows in by_category.items():
        told = [row["ledger"] for row in report.first if row["category"] == name]
        assert told == sorted(row["ledger"] for row in rows)[:KEPT]
    with pytest.raises(NotWritable):
        audit(tmp_path / "snapshot", output=tmp_path / "output")


@pytest.mark.usefixtures("found")
def test_a_row_group_that_several_blocks_need_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Counter[tuple[str, int]]()

    def counted(group: Group, schema: Any) -> Any:
        read[group.path, group.number] += 1
        return read_rows(group, schema)

    monkeypatch.setattr(snapshot, "rows_of", counted)
    audit(tmp_path / "snapshot")
    assert set(read.values()) == {1}
    assert len(opened(tmp_path / "snapshot").blocks) > 1


@pytest.mark.usefixtures("found")
def test_spark_finds_the_same_and_sorts_what_is_not_sorted(spark: SparkSession, tmp_path: Path, rng: Random) -> None:
    here = audit(tmp_path / "snapshot", as_shipped=True)
    there = audit_on_spark(spark, tmp_path / "snapshot", as_shipped=True, output=tmp_path / "output")
    assert as_json(there, KEPT) == as_json(here, KEPT)
    assert len(pq.read_table(tmp_path / "output" / "violations")) >= sum(there.counts.values())
    shuffled(tmp_path / "snapshot", rng)
    with pytest.raises(NotSorted):
        audit(tmp_path / "snapshot")
    assert as_json(audit_on_spark(spark, tmp_path / "snapshot", as_shipped=True), KEPT) == as_json(here, KEPT)


@pytest.mark.usefixtures("found")
def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "snapshot")
    assert main(["audit", "snapshot", path, "--quiet", "--as-shipped", "--limit", "1"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("violated: 301 ledgers")
    assert "NO_REPLICA: no replica of an entry, in" in said
    assert "The shipped checker (4.10 to 4.18) would show:" in said
    assert main(["audit", "snapshot", path, "--quiet", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["violations"]["NO_REPLICA"] > 0
    assert main(["audit", "snapshot", str(tmp_path), "--quiet"]) == 2
    assert "there is no audit.json in it" in capsys.readouterr().err


def test_the_benchmark_measures_right_answers(tmp_path: Path) -> None:
    planted = big_snapshot.write(tmp_path / "snapshot", 3000)
    assert audit(tmp_path / "snapshot").counts == planted
    assert benchmark.in_sql(tmp_path / "snapshot", benchmark.groups_of(tmp_path / "snapshot")) == planted
    with pytest.raises(benchmark.WrongAnswer):
        benchmark.best("nobody", 1, dict, planted, 1)

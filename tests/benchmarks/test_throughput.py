"""The benchmark runs from end to end, and every engine finds what is planted and nothing else. Nothing is timed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
EVENTS = 30_000


def results(folder: Path, *words: str) -> dict[str, Any]:
    program = [sys.executable, str(ROOT / "benchmarks" / "throughput.py"), "--format", "json", "--repeat", "1"]
    asked = ["--events", str(EVENTS), "--folder", str(folder), *(word for name in words for word in ("--only", name))]
    ended = subprocess.run([*program, *asked], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    told: list[dict[str, Any]] = json.loads(ended.stdout)["results"]
    return {one["name"]: one for one in told}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


def says_the_truth(told: dict[str, Any]) -> None:
    for name, one in told.items():
        assert (one["missed"], one["false"], one["counts_agree"]) == (0, 0, True), name
        assert one["group"] in ("scan", "fold") or one["found"] > 0, name


@pytest.mark.slow
def test_engines_in_this_process_find_what_is_planted(folder: Path) -> None:
    told = results(folder, "scan", "columns", "duckdb", "fold")
    says_the_truth(told)
    assert {one["group"] for one in told.values()} == {"scan", "columns", "duckdb", "fold"}


@pytest.mark.slow
@pytest.mark.spark
def test_spark_finds_what_is_planted(folder: Path) -> None:
    told = results(folder, "blocks", "sql")
    says_the_truth(told)
    assert {one["group"] for one in told.values()} == {"blocks", "sql"}

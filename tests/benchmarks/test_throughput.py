"""The benchmark runs from end to end, and every engine finds what is planted and nothing else. Nothing is timed.

Justified by ``benchmarks/throughput.py``, which says so: a figure for a wrong answer is worth nothing. Spark's engines
run in this process, where the session that all tests share is handed on to them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.throughput import main

pytestmark = [pytest.mark.slow, pytest.mark.together("spark")]

PROGRAM = Path(__file__).parents[2] / "benchmarks" / "throughput.py"
EVENTS = 15_000


def asked(folder: Path, *names: str, repeat: int) -> list[str]:
    """The arguments for these contenders."""
    only = [word for name in names for word in ("--only", name)]
    return ["--format", "json", "--repeat", str(repeat), "--events", str(EVENTS), "--folder", str(folder), *only]


def check_truth(said: str, *groups: str) -> None:
    """Check that these contenders ran, found what is planted, and nothing else."""
    told = json.loads(said)["results"]
    assert {one["group"] for one in told} == set(groups)
    for one in told:
        assert (one["missed"], one["false"], one["counts_agree"]) == (0, 0, True), one["name"]
        assert one["group"] in ("scan", "reference") or one["found"] > 0, one["name"]


@pytest.mark.costly("runs the benchmark in a process of its own")
def test_engines_in_this_process_find_what_is_planted(tmp_path: Path) -> None:
    """As a program, which people start."""
    groups = ("scan", "columns", "duckdb", "polars", "reference")
    command = [sys.executable, str(PROGRAM), *asked(tmp_path, *groups, repeat=1)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    check_truth(ended.stdout, *groups)


@pytest.mark.costly("runs the benchmark in a process of its own, with a Java of its own")
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("group", ["blocks", pytest.param("sql", marks=pytest.mark.thorough)])
def test_spark_finds_what_is_planted(group: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked(tmp_path, group, repeat=0)) == 0
    check_truth(capsys.readouterr().out, group)

"""The job as an operator runs it: submitted with a zip, it judges, says so in its exit code, and leaves its results.

Justified by docs/how-to/run-on-spark.md: workers get the packages from the zip alone, and where somebody else has
decided about the session, ours imposes nothing.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pyspark
import pytest

from spark_checks.java import find_java
from tests.support.small_traces import lost, sound, write_sorted

pytestmark = [pytest.mark.spark, pytest.mark.together("programs")]

ROOT = Path(__file__).parent.parent.parent
JOB = ROOT / "spark_checks" / "job.py"
TWO_JOBS = ROOT / "tests" / "support" / "submitted_job.py"
PACKAGES = ("spec", "conformance", "spark_checks")
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",  # of a trace so small, two hundred would hold nothing
    "spark.ui.enabled": "false",
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / "all" / package, ignore=shutil.ignore_patterns("__pycache__"))
    return Path(shutil.make_archive(str(folder / "quorate"), "zip", folder / "all"))


def submitted(program: Path, archive: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a program far from the project, so that nothing but the zip can be imported."""
    copy = shutil.copy(program, folder / program.name)
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-submit"), "--master", "local[1]", "--driver-memory", "600m"]
    for name, value in SETTINGS.items():
        command += ["--conf", f"{name}={value}"]
    own = {"JAVA_HOME": find_java().home, "SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {name: str(value) for name, value in own.items()} | {"SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(
        [*command, "--py-files", str(archive), copy, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def check_violation(out: Path) -> None:
    """Check that a job left its report and its table."""
    assert json.loads((out / "report.json").read_text())["verdict"] == "violated"
    assert pq.read_table(out / "violations").num_rows > 0


@pytest.mark.costly("submits a job, which starts a Java of its own")
def test_blocks_find_a_violation_and_leave_it_in_the_output(archive: Path, tmp_path: Path) -> None:
    trace, out = write_sorted(tmp_path / "run.parquet", lost()), tmp_path / "out"
    ended = submitted(JOB, archive, tmp_path, str(trace), "--plan", "blocks", "--output", str(out))
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("verdict: violated")
    check_violation(out)


class Ended(NamedTuple):
    """A submission that is over: its folder, what it said, its exit code."""

    folder: Path
    stdout: list[str]
    stderr: str
    code: int


@pytest.fixture(scope="module")
def ended(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """One submission that looks at its settings and then judges a violation by SQL and a damaged trace."""
    folder = tmp_path_factory.mktemp("submitted")
    damaged, trace = write_sorted(folder / "damaged.jsonl", sound()), write_sorted(folder / "run.jsonl", lost())
    damaged.write_text(damaged.read_text().replace('"node"', '"knot"'))
    sql = [str(trace), "--plan", "sql", "--output", str(folder / "out")]
    done = submitted(TWO_JOBS, archive, folder, shlex.join(sql), str(damaged))
    return Ended(folder, done.stdout.splitlines(), done.stderr, done.returncode)


@pytest.mark.costly("submits a job, which starts a Java of its own")
def test_the_submitted_settings_stand(ended: Ended) -> None:
    """Only what the caller adds is added."""
    assert json.loads(ended.stdout[0]) == {
        "spark.master": "local[1]",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "600m",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "app": "submitted",
        "rows": 10,
    }


def test_sql_finds_a_violation_and_leaves_it_in_the_output(ended: Ended) -> None:
    assert [line for line in ended.stdout if line.startswith("verdict: violated")]
    check_violation(ended.folder / "out")


def test_a_damaged_trace_is_unknown_without_frames_of_java(ended: Ended) -> None:
    assert ended.code == 2, ended.stderr
    assert ended.stdout[-1] == "verdict: unknown (the trace was not judged)"
    assert "\tat " not in "\n".join(ended.stdout) + ended.stderr
    assert "Traceback" not in "\n".join(ended.stdout) + ended.stderr

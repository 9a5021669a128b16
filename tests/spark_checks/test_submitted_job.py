"""The job as an operator runs it: submitted with a zip, it judges, says so in its exit code, and leaves its results.

Justified by docs/how-to/run-on-spark.md; workers get the packages from the zip alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest

from spark_checks.java import find_java
from tests.support.small_traces import lost, sound, write, write_sorted

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parent.parent.parent
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


def submitted(archive: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the job far from the project, so that nothing but the zip can be imported."""
    job = shutil.copy(ROOT / "spark_checks" / "job.py", folder / "job.py")
    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-submit"), "--master", "local[1]", "--driver-memory", "600m"]
    for name, value in SETTINGS.items():
        command += ["--conf", f"{name}={value}"]
    own = {"JAVA_HOME": find_java().home, "SPARK_HOME": home, "PYSPARK_PYTHON": sys.executable}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {name: str(value) for name, value in own.items()} | {"SPARK_LOCAL_IP": "127.0.0.1"}
    return subprocess.run(
        [*command, "--py-files", str(archive), job, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("plan", ["blocks", "sql"])
def test_a_violation_is_found_and_left_in_the_output(archive: Path, tmp_path: Path, plan: str) -> None:
    trace, out = write_sorted(tmp_path / "run.parquet", lost()), tmp_path / "out"
    ended = submitted(archive, tmp_path, str(trace), "--plan", plan, "--output", str(out))
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.splitlines()[-1].startswith("verdict: violated")
    assert json.loads((out / "report.json").read_text())["verdict"] == "violated"
    assert pq.read_table(out / "violations").num_rows > 0


def test_a_damaged_trace_is_unknown_without_frames_of_java(archive: Path, tmp_path: Path) -> None:
    trace = write(tmp_path / "run.jsonl", sound())
    trace.write_text(trace.read_text().replace('"node"', '"knot"'))
    ended = submitted(archive, tmp_path, str(trace))
    assert ended.returncode == 2, ended.stderr
    assert ended.stdout.splitlines()[-1] == "verdict: unknown (the trace was not judged)"
    assert "\tat " not in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr

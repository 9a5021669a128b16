"""A cluster judges as one process does: standalone master and workers on loopback, fed with quorate's wheel.

Justified by docs/how-to/run-on-spark.md: the wheel, named as a zip, is all of quorate that workers need.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow.parquet as pq
import pytest

from spark_checks.java import find_java
from tests.support.planted_run import RULES, assert_agrees, planted
from tests.support.standalone import HOME, QUICK, Standalone, standalone

pytestmark = [pytest.mark.spark, pytest.mark.together("cluster")]

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "support" / "cluster_job.py"
PATIENCE_S = 300
"""What a submission may take."""

SETTINGS = {
    "spark.cores.max": "2",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.driver.host": "127.0.0.1",
    "spark.executor.extraJavaOptions": QUICK,
    "spark.executor.memory": "900m",
    "spark.executor.cores": "1",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, under the name that Spark takes."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*build, "--wheel-dir", str(folder), str(ROOT)], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built.rename(folder / "quorate.zip")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    with standalone(tmp_path_factory.mktemp("cluster")) as running:
        yield running


class Submitted(NamedTuple):
    """A submission that runs, and the files in which it says what it has to."""

    process: subprocess.Popen[bytes]
    stdout: Path
    stderr: Path

    def ended(self) -> list[str]:
        """What it has printed in the end; it has found what is planted."""
        assert self.process.wait(timeout=PATIENCE_S) == 1, self.stderr.read_text()[-4000:]
        return self.stdout.read_text().splitlines()


def submitted(cluster: Standalone, archive: Path, folder: Path, *words: str) -> Submitted:
    """Submit the program far from the project."""
    command = [str(HOME / "bin" / "spark-submit"), "--master", cluster.url, "--driver-memory", "2g"]
    for name, value in SETTINGS.items():
        command += ["--conf", f"{name}={value}"]
    own = {"JAVA_HOME": find_java().home, "SPARK_HOME": HOME, "PYSPARK_PYTHON": sys.executable}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {name: str(value) for name, value in own.items()} | {"SPARK_LOCAL_IP": "127.0.0.1"}
    command += ["--py-files", str(archive), str(shutil.copy(PROGRAM, folder / PROGRAM.name)), *words]
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err)
    return Submitted(process, folder / "stdout", folder / "stderr")


class Ended(NamedTuple):
    """A submission that is over."""

    trace: Path
    folder: Path
    lines: list[str]


@pytest.fixture(scope="module")
def ended(cluster: Standalone, archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """One submission that judges one trace by both plans."""
    folder = tmp_path_factory.mktemp("submitted")
    with pytest.MonkeyPatch.context() as patch:
        trace = planted(folder / "run.parquet", patch)
    plans = {"blocks": [], "sql": ["--rule", RULES]}
    jobs = [[str(trace), "--plan", plan, "--output", str(folder / plan), *more] for plan, more in plans.items()]
    return Ended(trace, folder, submitted(cluster, archive, folder, *map(shlex.join, jobs)).ended())


@pytest.mark.costly("starts a cluster, and submits a job to it: six Javas")
def test_tasks_have_the_rules_from_the_wheel(ended: Ended) -> None:
    sources = json.loads(ended.lines[0])
    assert len(sources) == 2
    assert all("quorate.zip/" in source for source in sources)


@pytest.mark.parametrize("plan", ["blocks", "sql"])
def test_a_cluster_reports_what_one_process_does(ended: Ended, plan: str) -> None:
    found = json.loads((ended.folder / plan / "report.json").read_text())
    assert_agrees(found, ended.trace, [RULES] if plan == "sql" else [])
    rows = pq.read_table(ended.folder / plan / "violations").num_rows
    assert rows == sum(rule["violated"] for rule in found["rules"])


@pytest.mark.thorough
@pytest.mark.costly("starts a cluster of its own, and submits a job to it")
def test_a_worker_that_dies_costs_time_only(archive: Path, tmp_path: Path) -> None:
    """Spark runs the tasks of a dead worker again; what tasks give is the same each time."""
    with pytest.MonkeyPatch.context() as patch:
        trace = planted(tmp_path / "run.parquet", patch)
    words = [str(trace), "--debug", "--output", str(tmp_path / "out")]
    with standalone(tmp_path) as cluster:
        running = submitted(cluster, archive, tmp_path, shlex.join(words))
        middle = "Starting task 0.0 in stage 2.0"
        cluster.servers.wait(lambda: middle in running.stderr.read_text(), "the middle of the job", seconds=PATIENCE_S)
        cluster.workers[1].kill()
        assert running.ended()[-1].startswith("verdict: violated")
    found = json.loads((tmp_path / "out" / "report.json").read_text())
    assert_agrees(found, trace)
    assert "Lost executor" in running.stderr.read_text()

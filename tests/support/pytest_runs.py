"""Runs of pytest with the plugin, each in a process and a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
MYLOG = ROOT / "examples" / "mylog"


_PLUGINS = ["-p", "quorate.plugin", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
_IN_TURN = """
import json, sys, pytest
for times, words in json.loads(sys.argv[1]):
    any(pytest.main(words) for _ in range(times))
"""


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder, with the plugin of this checkout and none that it does not need.

    It runs as in a continuous integration, where pytest tells most.
    """
    return _run(folder, "-m", "pytest", *_PLUGINS, *words)


def run_in_turn(folder: Path, runs: Iterable[tuple[int, Sequence[str]]]) -> str:
    """Run pytest so more than once in one process, each run so many times or until it fails; what all of them print."""
    ended = _run(folder, "-c", _IN_TURN, json.dumps([[times, [*_PLUGINS, *words]] for times, words in runs]))
    return ended.stdout + ended.stderr


def _run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200", "CI": "true"}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)

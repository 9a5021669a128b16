"""Runs of pytest with the plugin, each in a process and a folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
MYLOG = ROOT / "examples" / "mylog"


def run_pytest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder, with the plugin of this checkout and none that it does not need.

    It runs as in a continuous integration, where pytest tells most.
    """
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    plugins = ["-p", "quorate.plugin", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
    argv = [sys.executable, "-m", "pytest", *plugins]
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "200", "CI": "true"}
    return subprocess.run([*argv, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)

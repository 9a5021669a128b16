"""The page of the suite is what the suite does, and the tutorial shows what pytest says.

Justified by docs/reference/guarantees.md and docs/tutorial/test-your-own-log.md.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from quorate.suite.page import page
from tests.support.mylog_mutants import MYLOG
from tests.support.pytest_runs import run_pytest

DOCS = Path(__file__).parents[3] / "docs"
TUTORIAL = (DOCS / "tutorial/test-your-own-log.md").read_text()


def test_the_page_is_what_the_suite_does(request: pytest.FixtureRequest) -> None:
    """Run pytest with --rewrite to renew it."""
    path = DOCS / "reference" / "guarantees.md"
    if request.config.getoption("--rewrite"):
        path.write_text(page(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == page()


def test_the_tutorials_adapter_is_the_sample() -> None:
    _, adapter, mended = re.findall(r"```python\n(.*?)```", TUTORIAL, flags=re.DOTALL)
    sample = (MYLOG / "adapter.py").read_text().splitlines()
    assert [line for line in adapter.splitlines() if line not in sample] == []
    assert mended.replace("upto + 2", "upto + 1").strip() in (MYLOG / "mylog.py").read_text()


@pytest.mark.slow
def test_the_tutorial_shows_what_pytest_says(tmp_path: Path) -> None:
    for name in ("mylog.py", "adapter.py"):
        shutil.copy(MYLOG / name, tmp_path / name)
    _, whole, broken = re.findall(r"```console\n\$ ([^\n]*)\n(.*?)```", TUTORIAL, flags=re.DOTALL)
    shown(tmp_path, 0, *whole)
    log = tmp_path / "mylog.py"
    log.write_text(log.read_text().replace("upto + 1", "upto + 2"))
    shown(tmp_path, 1, *broken)


def shown(folder: Path, code: int, command: str, lines: str) -> None:
    """Each line that a document shows stands in the output of its command, in this order, whatever the clock said."""
    program, *words = command.split()
    assert program == "pytest"
    ended = run_pytest(folder, *words)
    assert ended.returncode == code
    said = iter(map(timeless, ended.stdout.splitlines()))
    assert [line for line in map(timeless, lines.splitlines()) if not any(one.startswith(line) for one in said)] == []


def timeless(line: str) -> str:
    """Return a line without the times in it, nor the blanks before them, which are fewer before a longer one."""
    return re.sub(r" *\+\d+(\.\d+)? [µmn]?s", " +", line)

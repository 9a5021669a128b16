"""Which tests share a worker process: those of files that say so; each other test goes to whoever is free.

pytest-xdist's own groups name tests by a field that pytest 9.2 no longer reads (pytest-xdist, issue 1386), so files
say it: ``pytestmark = pytest.mark.together("spark")`` puts all tests of all files of that name into one process.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from xdist.scheduler import LoadScopeScheduling

ROOT: Final = Path(__file__).parents[2]
TOGETHER: Final = re.compile(r'^pytestmark = .*\bmark\.together\("(\w+)"\)', re.MULTILINE)


@cache
def group_of(path: str) -> str:
    """The group that a test file names; empty for most."""
    file = ROOT / path
    found = TOGETHER.search(file.read_text(encoding="utf-8")) if file.is_file() else None
    return found[1] if found else ""


class Together(LoadScopeScheduling):  # type: ignore[misc]  # pytest-xdist publishes no types
    """Gives each worker the next test or group as soon as it has nothing left to do after the one it runs."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid.partition("::")[0]) or nodeid

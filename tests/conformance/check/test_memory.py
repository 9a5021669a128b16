"""What is freed is kept, so that judging millions of events does not wait for pages that the system clears.

mallopt(3) justifies it; a process of its own shows it, since the choice is for good.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from pathlib import Path
from conformance.check.memory import keep_what_is_freed
import numpy as np

def pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

if "kept" in sys.argv and not keep_what_is_freed():
    sys.exit(3)
before = pages()
much = np.ones(1 << 23)
grown = pages() - before
del much
print((pages() - before) / grown)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="what a process has is read from /proc")
@pytest.mark.parametrize(("words", "share"), [([], 0.0), (["kept"], 1.0)])
def test_what_is_freed_is_kept_where_that_was_chosen(words: list[str], share: float) -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=False)
    if ended.returncode == 3:
        pytest.skip("this C library keeps what is freed as it likes")
    assert ended.returncode == 0, ended.stderr
    assert float(ended.stdout) == pytest.approx(share, abs=0.1)

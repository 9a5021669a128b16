"""What every explorer in the benchmark has in common: it is run as a program, measured, and asked for one number."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Order = Literal["breadth", "depth"]
"""In which order states are searched; breadth first finds shortest paths, depth first is often faster."""

LAST_WORDS: Final = 3
"""How many of the last lines that a failed program printed are repeated."""

SHORTEST_CPU_S: Final = 0.05
"""The system counts CPU seconds in hundredths: what took less than a few of them has no rate."""


MANAGERS_MAX: Final = 10
"""Beyond, no explorer here fits into an ordinary machine."""


def distinct_states(managers: int) -> int:
    """Count the states of two-phase commit.

    Nothing decided: a manager works, has given up, has offered, or has offered and was heard. Abort decided: besides,
    one that offered may have aborted, heard or not. Commit decided: all were heard, and each has committed or not yet.
    """
    return int(4**managers + 6**managers + 2**managers)


class NotInstalled(Exception):
    """A program or package that an explorer consists of is not here; the message says how to install it."""


class PeerFailed(Exception):
    """An explorer was started and did not end with an answer; the message repeats its last words."""


@dataclass(frozen=True)
class Explored:
    """What one explorer found and took.

    Attributes:
        version: its version, and that of what it runs on where that decides its speed.
        distinct: how many distinct states it reached.
        prepare_cpu_s: CPU seconds before the search: starting, reading the model, compiling it. Of what the machine
            still had from an earlier run, nothing is counted.
        search_cpu_s: CPU seconds of the search alone, over all threads.
        wall_s: wall seconds from the start to the answer.
    """

    version: str
    distinct: int
    prepare_cpu_s: float
    search_cpu_s: float
    wall_s: float

    @property
    def whole_cpu_s(self) -> float:
        """CPU seconds from the start to the answer."""
        return self.prepare_cpu_s + self.search_cpu_s

    @property
    def rate(self) -> float | None:
        """Distinct states per CPU second of the search alone; None: it was too short to be measured."""
        return self.distinct / self.search_cpu_s if self.search_cpu_s >= SHORTEST_CPU_S else None


def installed(program: str, advice: str) -> str:
    """Give the path of a program that must be on PATH.

    Raises:
        NotInstalled: it is not; ``advice`` says how to install it.
    """
    found = shutil.which(program)
    if found is None:
        raise NotInstalled(f"{program} is not installed ({advice})")
    return found


def answer(command: Sequence[str | Path], folder: Path) -> str:
    """Run a program in a folder and give what it printed.

    Raises:
        PeerFailed: it cannot be started, or it ends with another code than 0.
    """
    program = Path(command[0]).name
    try:
        ended = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise PeerFailed(f"{program} cannot be started: {error}") from error
    if ended.returncode:
        raise PeerFailed(f"{program} ended with code {ended.returncode}: {last_words(ended.stdout + ended.stderr)}")
    return ended.stdout


def printed(pattern: str, text: str, program: str) -> str:
    """Give the first group of a pattern in what a program printed.

    Raises:
        PeerFailed: the pattern is not there.
    """
    found = re.search(pattern, text, re.MULTILINE)
    if found is None:
        raise PeerFailed(f"{program} did not print {pattern!r}: {last_words(text)}")
    return found.group(1)


def last_words(text: str) -> str:
    """Give the last lines that say something, as one line."""
    lines = [" ".join(line.split()) for line in text.splitlines() if re.search(r"\w", line)]
    return " / ".join(lines[-LAST_WORDS:]) or "it printed nothing"

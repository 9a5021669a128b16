"""Kills: a watching process, and its workers, killed at points that its own progress sets."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event
from typing import Final

LOOKS_S: Final = 0.002
PATIENCE_S: Final = 300
FAILED: Final = (2, 3, 4)
"""Exit codes of a run that could not judge."""


class Watching:
    """``quorate watch`` in a process of its own.

    Args:
        source: what it watches.
        store: where it keeps what it knows.
        options: others.
    """

    def __init__(self, source: Path | str, store: Path, *options: str) -> None:
        self.store, self.seen = store, set[str]()
        command = [sys.executable, "-m", "conformance.cli", "watch", str(source), "--store", str(store), "--quiet"]
        self.said = store.with_name(f"{store.name}.said")
        with self.said.open("ab") as said:
            self.process = subprocess.Popen([*command, *options], stdout=said, stderr=said)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, and not because it failed.

        Raises:
            AssertionError: it failed.
        """
        code = self.process.poll()
        assert code not in FAILED, self.said.read_text()
        return code is not None

    @property
    def last_words(self) -> str:
        """Its exit code, if it has ended, and what it said."""
        return f"exit code {self.process.poll()}\n{self.said.read_text()}"

    def until(self, reached: Callable[[], bool]) -> bool:
        """Look until something is so; False if it has ended before."""
        for _ in range(int(PATIENCE_S / LOOKS_S)):
            if reached():
                return True
            if self.is_over:
                return False
            Event().wait(LOOKS_S)
        raise AssertionError(self.said.read_text())

    def after_files(self, number: int) -> Callable[[], bool]:
        """Whether it has made so many more files in its store."""
        before = set(names_in(self.store))

        def made() -> bool:
            self.seen |= set(names_in(self.store)) - before
            return len(self.seen) >= number

        self.seen = set()
        return made

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> int:
        """What Ctrl-C does: to it and all that it has started; gives its exit code."""
        for pid in (self.process.pid, *below(self.process.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        return self.process.wait(PATIENCE_S)

    def kill_a_worker(self, rng: Random) -> bool:
        """End one of the processes in which its tasks run; False if there is none."""
        found = list(workers_of(self.process.pid))
        if not found:
            return False
        try:
            os.kill(rng.choice(found), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True


def names_in(folder: Path) -> Iterator[str]:
    """The names of all files below a folder, as far as they stand still."""
    for root, _, files in os.walk(folder):
        yield from (f"{root}/{name}" for name in files)


def workers_of(pid: int) -> Iterator[int]:
    """The Python workers of Spark below a process."""
    for child in below(pid):
        try:
            command = Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            continue
        if b"pyspark" in command and b"java" not in command.partition(b"\0")[0]:
            yield child


def below(pid: int) -> Iterator[int]:
    """All processes below a process."""
    for child in children_of(pid):
        yield child
        yield from below(child)


def children_of(pid: int) -> list[int]:
    """The processes that a process has started, in whichever of its threads."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    except OSError:
        return found
    return found

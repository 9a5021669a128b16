"""CPU seconds of this process and everything that it started: what a plan really costs, whoever does the work."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_TICKS = os.sysconf("SC_CLK_TCK")


def tree_cpu_s(root: int | None = None) -> float:
    """CPU seconds, user and system, of a process and all its living and reaped descendants. Linux only."""
    children: dict[int, list[int]] = defaultdict(list)
    spent: dict[int, float] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text(encoding="utf-8")
        except OSError:
            continue  # the process ended meanwhile; its parent has its time
        fields = text[text.rindex(")") + 2 :].split()
        spent[int(folder.name)] = sum(map(int, fields[11:15])) / _TICKS
        children[int(fields[1])].append(int(folder.name))
    total, queue = 0.0, [os.getpid() if root is None else root]
    while queue:
        process = queue.pop()
        total += spent.get(process, 0.0)
        queue += children[process]
    return total


@dataclass
class Measured:
    """What a block of code took, filled in when it ends: ``with Measured() as run: ...``."""

    wall_s: float = 0.0
    cpu_s: float = 0.0

    def __enter__(self) -> Self:
        self._cpu, self._wall = tree_cpu_s(), time.perf_counter()
        return self

    def __exit__(self, *_ended: object) -> None:
        self.wall_s, self.cpu_s = time.perf_counter() - self._wall, tree_cpu_s() - self._cpu

"""CPU seconds of this process and everything that it started: what a plan really costs, whoever does the work."""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Spent:
    """CPU seconds of one process: its own, and those of children that ended and were waited for."""

    own_s: float
    reaped_s: float

    @property
    def total_s(self) -> float:
        """Both together."""
        return self.own_s + self.reaped_s


def tree_of(root: int | None = None) -> dict[int, Spent]:
    """What a process and each of its living descendants has spent so far, by process number. Linux only."""
    children: dict[int, list[int]] = defaultdict(list)
    spent: dict[int, Spent] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            text = (folder / "stat").read_text(encoding="utf-8")
        except OSError:
            continue  # the process ended meanwhile; its parent has its time
        fields = text[text.rindex(")") + 2 :].split()
        user, system, reaped_user, reaped_system = (int(field) / _TICKS for field in fields[11:15])
        spent[int(folder.name)] = Spent(user + system, reaped_user + reaped_system)
        children[int(fields[1])].append(int(folder.name))
    tree, queue = {}, [os.getpid() if root is None else root]
    while queue:
        process = queue.pop()
        if process in spent:
            tree[process] = spent[process]
        queue += children[process]
    return tree


def between(before: Mapping[int, Spent], after: Mapping[int, Spent]) -> float:
    """CPU seconds that a tree of processes spent from one look at it to the next.

    Spark's daemon lets idle workers go without waiting for them: all that they ever spent then leaves the tree's sum,
    which a difference of two sums would count as work undone. So each process is compared with itself; what parents
    collected from ended children counts less what those had spent before.
    """
    own = sum(now.own_s - before[process].own_s if process in before else now.own_s for process, now in after.items())
    ended = sum(then.total_s for process, then in before.items() if process not in after)
    reaped = sum(now.reaped_s - (before[p].reaped_s if p in before else 0.0) for p, now in after.items())
    return own + max(0.0, reaped - ended)


@dataclass
class Measured:
    """What a block of code took, filled in when it ends: ``with Measured() as run: ...``."""

    wall_s: float = 0.0
    cpu_s: float = 0.0

    def __enter__(self) -> Self:
        self._tree, self._wall = tree_of(), time.perf_counter()
        return self

    def __exit__(self, *_ended: object) -> None:
        self.wall_s, self.cpu_s = time.perf_counter() - self._wall, between(self._tree, tree_of())

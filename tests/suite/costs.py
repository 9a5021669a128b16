"""What a test run costs: the CPU-seconds of each test, those of the processes that it starts among them.

Justified by the house rule that the whole suite stays within 25 minutes of two cores, and that no test takes more than
a hundredth of it without a reason beside it: ``@pytest.mark.costly("reason")``. A share, since a slow machine makes all
tests slow, and none of them dear.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

PROCESSES: Final = Path("/proc")
TICKS_PER_SECOND: Final = os.sysconf("SC_CLK_TCK")

LIMIT_SHARE: Final = 0.01
"""A test that takes more of what all tests take needs a reason."""

SHOWN: Final = 10
"""So many of the dearest tests are told."""


class Cost(NamedTuple):
    """What one test took.

    Attributes:
        test: its node id.
        cpu_s: CPU-seconds of its set-up, call and teardown, in whatever process.
        reason: why it may take more than the limit; empty for most.
        failure: what it failed with, in a line; empty if it passed.
    """

    test: str
    cpu_s: float
    reason: str = ""
    failure: str = ""


def cpu_seconds(processes: Path = PROCESSES) -> float:
    """CPU-seconds so far of this process and all that it started.

    Of those that still live only Linux tells; elsewhere they count when they have ended.
    """
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    living = sum(_ticks(processes / child) for child in _descendants(processes / str(os.getpid())))
    return sum(one.ru_utime + one.ru_stime for one in spent) + living / TICKS_PER_SECOND


def _descendants(process: Path) -> Iterator[str]:
    for task in _children_files(process):
        for child in _read(task).split():
            yield child
            yield from _descendants(process.parent / child)


def _children_files(process: Path) -> Iterator[Path]:
    try:
        yield from process.glob("task/*/children")
    except OSError:  # it ended while we looked
        return


def _ticks(process: Path) -> int:
    """What a process and its ended children took; the fields after the name, which may have blanks and brackets."""
    said = _read(process / "stat").rpartition(")")[2].split()
    return sum(map(int, said[11:15]))


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def unexplained(costs: Sequence[Cost]) -> list[Cost]:
    """The tests of a whole run that are above the limit and give no reason."""
    limit_cpu_s = LIMIT_SHARE * sum(cost.cpu_s for cost in costs)
    return [cost for cost in costs if cost.cpu_s > limit_cpu_s and not cost.reason]


def summary(costs: Iterable[Cost], parts: Mapping[str, tuple[float, float]]) -> str:
    """The dearest tests, and the wall-clock time and CPU time of each part and of all, for people.

    Args:
        costs: what each test took.
        parts: for each part its wall-clock seconds and its CPU-seconds.
    """
    dearest = sorted(costs, key=lambda cost: -cost.cpu_s)[:SHOWN]
    lines = [f"The {len(dearest)} dearest tests, in CPU-seconds:"]
    lines += [f"{cost.cpu_s:8.1f}  {cost.test}{f'  ({cost.reason})' if cost.reason else ''}" for cost in dearest]
    lines += ["", "Part            wall    CPU"]
    lines += [f"{name:<12}{_minutes(wall_s)}{_minutes(cpu_s)}" for name, (wall_s, cpu_s) in parts.items()]
    wall_s, cpu_s = (sum(figures) for figures in zip(*parts.values(), strict=True))
    return "\n".join([*lines, f"{'total':<12}{_minutes(wall_s)}{_minutes(cpu_s)}"])


def failures(costs: Iterable[Cost]) -> str:
    """The tests that failed, each with what it failed with: the last that a run prints."""
    lines = [f"failed: {cost.test}: {cost.failure}" for cost in costs if cost.failure]
    return "\n".join(["", *lines]) if lines else ""


def _minutes(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60:>5}:{whole % 60:02}"

"""Throughput: how many events a second each engine judges by all rules at once, and what it costs.

    python benchmarks/throughput.py [--events N] [--folder DIR] [--only NAME ...] [--repeat N] [--format text|json]

All engines are given the same events, in which violations are planted, and each must find every one of them and no
other; else the program ends with an error. CPU seconds are those of the whole tree of processes, Java and Python
workers included. Wall seconds only mean something when nothing else runs, so the load is printed too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.big_trace import HOME, big_trace
from benchmarks.contenders import GROUPS, Contender, contenders
from benchmarks.processor import Measured


@dataclass(frozen=True)
class Result:
    """What one contender took: its first run, and the best of the runs after it.

    Attributes:
        events: how many events each run judged.
        found: violations that it found; None: it judges nothing.
        missed: planted violations that some run did not find.
        false: violations that some run found and that are none.
        counts_agree: all runs counted what holds, is violated and is unknown as the truth does.
    """

    name: str
    group: str
    events: int
    first_wall_s: float
    first_cpu_s: float
    wall_s: float
    cpu_s: float
    found: int | None
    missed: int
    false: int
    counts_agree: bool

    @property
    def right(self) -> bool:
        """Whether it said the truth, the whole truth and nothing else."""
        return self.counts_agree and not self.missed and not self.false


PEERS: Final = ("scan", "duckdb", "polars")
"""What rates are held against: the first of each that ran."""


class WrongAnswer(AssertionError):
    """A contender's judgement is not the truth."""


def measured(contender: Contender, repeat: int) -> Result:
    """Run a contender, compare every answer with the truth, and give the least times."""
    runs: list[Measured] = []
    found, missed, false, agree = None, 0, 0, True
    for _ in range(1 if contender.once else 1 + repeat):
        with Measured() as run:
            judgement = contender.run()
        runs.append(run)
        if contender.truth is not None and judgement is not None:
            said, planted = judgement.violations, contender.truth.violations
            found, missed, false = len(said), max(missed, len(planted - said)), max(false, len(said - planted))
            agree = agree and judgement.counts == contender.truth.counts
    wall_s, cpu_s = (min(getattr(run, name) for run in runs[1:] or runs) for name in ("wall_s", "cpu_s"))
    times = runs[0].wall_s, runs[0].cpu_s, wall_s, cpu_s
    return Result(contender.name, contender.group, contender.events, *times, found, missed, false, agree)


def table(results: Sequence[Result]) -> list[str]:
    """The results as lines; rates in millions of events, and how many times as fast as each peer."""
    cost = {one.group: one.cpu_s / one.events for one in reversed(results)}
    names = ("events", "M/s", "M/CPU-s", "M/s", "M/CPU-s", "x scan", "x DuckDB", "x Polars", "found", "missed", "false")
    lines = [
        f"{'':20} {'':9}{'first run':>18}{'best later run':>18}{'per CPU-second':>27}{'violations':>27}",
        f"{'':20} " + "".join(f"{name:>9}" for name in names),
    ]
    for one in results:
        rates = [one.events / seconds / 1e6 for seconds in (one.first_wall_s, one.first_cpu_s, one.wall_s, one.cpu_s)]
        ratios = [cost[peer] / (one.cpu_s / one.events) if peer in cost else None for peer in PEERS]
        said = (*rates, *ratios, one.found, one.missed, one.false)
        lines.append(f"{one.name:20} {one.events:9}" + "".join(map(_cell, said)))
    return lines


def _cell(said: float | None) -> str:
    text = "-" if said is None else str(said) if isinstance(said, int) else f"{said:.{3 if said < 0.1 else 2}f}"
    return f"{text:>9}"


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(
        prog="throughput.py", description="Judge one big trace in every way, and measure."
    )
    options.add_argument("--events", type=int, default=10_000_000, metavar="N", help="about so many (10000000)")
    options.add_argument("--folder", type=Path, default=HOME, metavar="DIR", help="for the traces (build/benchmarks)")
    options.add_argument("--only", action="append", choices=GROUPS, help="only these contenders; repeatable")
    options.add_argument("--repeat", type=int, default=5, metavar="N", help="runs after the first (5)")
    options.add_argument("--cores", type=int, default=2, metavar="N", help="for engines with several threads (2)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Make the trace if it is not there, run the contenders, print what they took.

    Raises:
        WrongAnswer: a contender does not say the truth.
    """
    asked = parser().parse_args(words)
    trace = big_trace(asked.events, asked.folder)
    before = os.getloadavg()
    results: list[Result] = []
    with ExitStack() as stack:
        for contender in contenders(trace, frozenset(asked.only or GROUPS), asked.cores, stack):
            print(f"  {contender.name}", file=sys.stderr, flush=True)
            results.append(measured(contender, asked.repeat))
    said = _told(before, trace.events, asked.cores)
    if asked.format == "json":
        print(json.dumps(said | {"results": [asdict(one) for one in results]}, indent=2))
    else:
        print(", ".join(f"{name} {value}" for name, value in said.items()))
        print(*table(results), sep="\n")
    if wrong := [one.name for one in results if not one.right]:
        raise WrongAnswer(f"not the truth: {', '.join(wrong)}")
    return 0


def _told(before: tuple[float, float, float], events: int, cores: int) -> dict[str, Any]:
    return {
        "events": events,
        "cores": cores,
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "load_before": round(before[0], 1),
        "load_after": round(os.getloadavg()[0], 1),
    }


if __name__ == "__main__":
    sys.exit(main())

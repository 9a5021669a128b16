"""Growth: what every way to judge takes as traces grow, and the page and drawings of it in the documents.

    python benchmarks/growth.py [--events N ...] [--only NAME ...] [--repeat N] [--folder DIR] [--write DIR]

Each trace is judged as ``throughput.py`` does it, so whoever is wrong ends the program. Some ways are left out of
traces that they could only judge with more memory or time than a benchmark has.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.big_trace import HOME, ROOT, big_trace
from benchmarks.contenders import GROUPS, contenders
from benchmarks.growth_page import Setting, write
from benchmarks.throughput import Result, WrongAnswer, measured, table

SIZES: Final = (100_000, 1_000_000, 10_000_000)

MOST: Final = {"sql": 10_000_000, "duckdb": 10_000_000, "polars": 10_000_000}
"""The largest traces, in events, that some ways are given: they keep rows in memory, or take minutes for more."""

COMPARED: Final = tuple(group for group in GROUPS if group != "reference")
"""All that judges whole traces: the reference evaluator is given a sample, however large the trace is."""


def grown(sizes: Iterable[int], wanted: frozenset[str], folder: Path, cores: int, repeat: int) -> list[Result]:
    """What all wanted contenders took of each trace, the smallest first.

    Raises:
        WrongAnswer: one of them does not say the truth.
    """
    results: list[Result] = []
    for events in sorted(sizes):
        trace = big_trace(events, folder)
        here = frozenset(group for group in wanted if events <= MOST.get(group, events))
        with ExitStack() as stack:
            for contender in contenders(trace, here, cores, stack):
                print(f"  {trace.events:,} events: {contender.name}", file=sys.stderr, flush=True)
                results.append(measured(contender, repeat))
    if wrong := [one.name for one in results if not one.right]:
        raise WrongAnswer(f"not the truth: {', '.join(wrong)}")
    return results


def setting(cores: int) -> Setting:
    """What this machine is, and what of others' runs on it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    packages = ("numpy", "pyarrow", "pyspark", "duckdb", "polars")
    return Setting(
        processor_name(),
        os.cpu_count() or 1,
        cores,
        round(memory / 2**30),
        {"Python": platform.python_version(), **{package: version(package) for package in packages}},
    )


def processor_name() -> str:
    """The processor's name, as Linux tells it; else what Python knows."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="growth.py", description="Judge traces of several sizes in every way.")
    options.add_argument("--events", type=int, nargs="+", default=SIZES, metavar="N", help="about so many in each")
    options.add_argument("--only", action="append", choices=COMPARED, help="only these contenders; repeatable")
    options.add_argument("--repeat", type=int, default=2, metavar="N", help="runs after the first (2)")
    options.add_argument("--cores", type=int, default=2, metavar="N", help="for engines with several threads (2)")
    options.add_argument("--folder", type=Path, default=HOME, metavar="DIR", help="for the traces (build/benchmarks)")
    options.add_argument("--write", type=Path, default=ROOT / "docs" / "reference", metavar="DIR", help="for the page")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Measure, print what was measured, and write the page with its drawings."""
    asked = parser().parse_args(words)
    results = grown(asked.events, frozenset(asked.only or COMPARED), asked.folder, asked.cores, asked.repeat)
    for events in sorted({one.events for one in results}):
        print(*table([one for one in results if one.events == events]), "", sep="\n")
    print(f"written to {write(results, setting(asked.cores), asked.write)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

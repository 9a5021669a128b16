"""Skew: what a trace costs of which one log has half of all events, beside one whose logs are alike.

    python benchmarks/skew.py [--events N] [--folder DIR] [--only NAME ...] [--repeat N] [--format text|json]

Both are judged by all rules: by columns in one process, and by Spark's blocks, sorted and in the order of the clocks.
Each reading must find what is planted and nothing else, or the program ends with an error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.big_trace import HOME, BigTrace, big_trace
from benchmarks.contenders import contenders
from benchmarks.throughput import Result, WrongAnswer, measured

SHARE: Final = 0.5
READINGS: Final = ("columns", "blocks")


@dataclass(frozen=True)
class Pair:
    """What one reading took of both traces."""

    even: Result
    skewed: Result

    @property
    def cost(self) -> float:
        """CPU seconds for an event of the skewed trace, as a multiple of those for one of the even trace."""
        return self._ratio(self.skewed.cpu_s, self.even.cpu_s)

    @property
    def time(self) -> float:
        """The same of wall seconds."""
        return self._ratio(self.skewed.wall_s, self.even.wall_s)

    def _ratio(self, skewed_s: float, even_s: float) -> float:
        return skewed_s / self.skewed.events / (even_s / self.even.events)


def judged(trace: BigTrace, wanted: frozenset[str], cores: int, repeat: int) -> list[Result]:
    """What each reading took of a trace."""
    with ExitStack() as stack:
        return [measured(contender, repeat) for contender in contenders(trace, wanted, cores, stack)]


def table(pairs: Sequence[Pair]) -> list[str]:
    """The pairs as lines."""
    lines = [f"{'':22}{'even':>20}{'half in one log':>20}{'skewed : even':>20}"]
    lines.append(f"{'':22}" + f"{'M/s':>10}{'M/CPU-s':>10}" * 2 + f"{'time':>10}{'CPU':>10}")
    for pair in pairs:
        rates = (one.events / seconds / 1e6 for one in (pair.even, pair.skewed) for seconds in (one.wall_s, one.cpu_s))
        lines.append(f"{pair.even.name:22}" + "".join(f"{said:10.2f}" for said in (*rates, pair.time, pair.cost)))
    return lines


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="skew.py", description="Judge a trace with one long log beside an even one.")
    options.add_argument("--events", type=int, default=4_000_000, metavar="N", help="about so many (4000000)")
    options.add_argument("--folder", type=Path, default=HOME, metavar="DIR", help="for the traces (build/benchmarks)")
    options.add_argument("--only", action="append", choices=READINGS, help="only these readings; repeatable")
    options.add_argument("--repeat", type=int, default=3, metavar="N", help="runs after the first (3)")
    options.add_argument("--cores", type=int, default=2, metavar="N", help="for Spark (2)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Make both traces if they are not there, judge them, and print what it took.

    Raises:
        WrongAnswer: a reading does not say the truth.
    """
    asked = parser().parse_args(words)
    wanted = frozenset(asked.only or READINGS)
    traces = [big_trace(asked.events, asked.folder, skew=share) for share in (0.0, SHARE)]
    even, skewed = (judged(trace, wanted, asked.cores, asked.repeat) for trace in traces)
    pairs = [Pair(*both) for both in zip(even, skewed, strict=True)]
    if asked.format == "json":
        print(json.dumps([asdict(pair) | {"time": pair.time, "cost": pair.cost} for pair in pairs], indent=2))
    else:
        print(*table(pairs), sep="\n")
    if wrong := [one.name for pair in pairs for one in (pair.even, pair.skewed) if not one.right]:
        raise WrongAnswer(f"not the truth: {', '.join(wrong)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

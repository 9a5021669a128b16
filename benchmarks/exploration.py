"""Exploration: how many distinct states a second quorate's explorer and its peers reach on the same protocol.

    python benchmarks/exploration.py [--managers N] [--only NAME ...] [--format text|json]

The protocol is two-phase commit (Gray and Lamport, Consensus on Transaction Commit). How many states it has is known
by a formula; an explorer that finds another number has explored something else, and the program ends with code 1.
Every explorer runs in processes of its own, one after another, with one worker and the fastest of its exact settings
that we found; all check in every state that no manager commits while another aborts. Nothing is installed here: for
an explorer that is not on the machine a line says how to get it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.peers import ours
from benchmarks.peers.peer import MANAGERS_MAX, Explored, NotInstalled, PeerFailed, distinct_states
from benchmarks.peers.spin import peer as spin
from benchmarks.peers.stateright import peer as stateright
from benchmarks.peers.tlc import peer as tlc

Explore = Callable[[int], Explored]

CONTENDERS: Final[Mapping[str, Mapping[str, Explore]]] = {
    "numpy": {"quorate numpy": partial(ours.explore, "numpy")},
    "numba": {"quorate numba": partial(ours.explore, "numba")},
    "tlc": {"TLC": tlc.explore},
    "spin": {
        "SPIN, breadth first": partial(spin.explore, "breadth"),
        "SPIN, depth first": partial(spin.explore, "depth"),
    },
    "stateright": {
        "Stateright, breadth first": partial(stateright.explore, "breadth"),
        "Stateright, depth first": partial(stateright.explore, "depth"),
    },
}
"""What ``--only`` calls them, and the ways in which each can search."""

OURS: Final = ("quorate numpy", "quorate numba")


@dataclass(frozen=True)
class Outcome:
    """What became of one contender.

    Attributes:
        explored: None: it was not measured.
        said: why not, or what is wrong with its answer.
        wrong: it gave a wrong answer or none, which is a defect; an explorer that is merely not installed is none.
    """

    name: str
    explored: Explored | None
    said: str = ""
    wrong: bool = False


def outcome(name: str, explore: Explore, managers: int) -> Outcome:
    """Let a contender explore, and compare how many states it found with how many there are."""
    try:
        explored = explore(managers)
    except NotInstalled as reason:
        return Outcome(name, None, f"not measured: {reason}")
    except PeerFailed as reason:
        return Outcome(name, None, f"failed: {reason}", wrong=True)
    if explored.distinct != distinct_states(managers):
        return Outcome(name, explored, f"wrong: there are {distinct_states(managers)} distinct states", wrong=True)
    return Outcome(name, explored)


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """The outcomes as lines; rates are of the search alone, and the last columns say how many times as fast we are."""
    rates = {one.name: one.explored.rate for one in outcomes if one.explored and not one.wrong}
    names = ("distinct", "wall s", "prepare", "search", "whole", "M/CPU-s", "numpy", "numba")
    lines = [
        f"{'':42}{'':>20}{'CPU seconds':>30}{'states':>10}{'times as fast':>20}",
        f"{'':42}" + "".join(f"{name:>10}" for name in names),
    ]
    for one in outcomes:
        if one.explored is None:
            lines.append(f"{one.name:26}{one.said}")
            continue
        found, rate = one.explored, one.explored.rate
        seconds = (found.wall_s, found.prepare_cpu_s, found.search_cpu_s, found.whole_cpu_s)
        times = [mine / rate if rate and (mine := rates.get(name)) else None for name in OURS]
        cells = (found.distinct, *seconds, rate and rate / 1e6, *times)
        lines.append(f"{one.name:26}{found.version:16}" + "".join(map(_cell, cells)) + f"  {one.said}")
    return [line.rstrip() for line in lines]


def _cell(said: float | None) -> str:
    return f"{'-' if said is None else said if isinstance(said, int) else f'{said:.2f}':>10}"


def machine_readable(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON has it: with what follows from the measured figures; seconds to the millisecond."""
    said = asdict(outcome)
    if outcome.explored is not None:
        found = said["explored"] | {"whole_cpu_s": outcome.explored.whole_cpu_s}
        rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in found.items()}
        said["explored"] = rounded | {"states_per_cpu_s": outcome.explored.rate}
    return said


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(
        prog="exploration.py", description="Explore two-phase commit with quorate and its peers, and measure."
    )
    sizes = range(1, MANAGERS_MAX + 1)
    options.add_argument("--managers", type=int, default=8, choices=sizes, metavar="N", help="resource managers (8)")
    options.add_argument("--only", action="append", choices=CONTENDERS, help="only these explorers; repeatable")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None, contenders: Mapping[str, Mapping[str, Explore]] = CONTENDERS) -> int:
    """Let the contenders explore one after another; print what they took.

    Returns:
        0, or 1 where one gave a wrong answer or none, or where none could be measured.
    """
    asked = parser().parse_args(words)
    before = os.getloadavg()[0]
    outcomes: list[Outcome] = []
    for group in dict.fromkeys(asked.only or contenders):
        for name, explore in contenders[group].items():
            print(f"  {name}", file=sys.stderr, flush=True)
            outcomes.append(outcome(name, explore, asked.managers))
    said = _told(asked.managers, before)
    if asked.format == "json":
        print(json.dumps(said | {"results": [machine_readable(one) for one in outcomes]}, indent=2))
    else:
        print("Two-phase commit:", ", ".join(f"{name} {value}" for name, value in said.items()))
        print(*table(outcomes), sep="\n")
    measured = [one for one in outcomes if one.explored is not None]
    return 1 if not measured or any(one.wrong for one in outcomes) else 0


def _told(managers: int, before: float) -> dict[str, Any]:
    return {
        "managers": managers,
        "distinct": distinct_states(managers),
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "load_before": round(before, 1),
        "load_after": round(os.getloadavg()[0], 1),
    }


if __name__ == "__main__":
    sys.exit(main())

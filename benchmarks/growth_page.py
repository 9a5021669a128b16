"""The page of what was measured: two drawings, and a table for each size of trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill
from typing import Final

from benchmarks.drawing import Line, draw_bars, draw_lines
from benchmarks.throughput import PEERS, Result
from conformance.trace.files import atomic

PAGE: Final = "measured.md"
DRAWINGS: Final = "measured"
"""The folder of drawings, beside the page."""

ABOUT: Final = """# What judging costs

<!-- Written by benchmarks/growth.py, as `make bench` calls it. Do not edit. -->

Every way to judge is given the same traces and rules, and must find every planted violation and nothing else.
*Columns* is `quorate check` in one process; *Spark blocks* and *Spark SQL* are the two plans of `--engine spark`;
DuckDB runs the SQL that is derived for it, and Polars expressions that are written from the same rules. *Bare scan*
reads the columns that the rules need, and judges nothing. *Sorted* traces stand by log, LSN and sequence number, those
*by time* by the clocks. Parquet is read from disk each time; the first run is not counted, the best of the others is.

CPU-seconds are those of all processes together. Compare figures of one table: the machine decides the rest."""

HEAD: Final = """| | M events/s | M events/CPU-s | x bare scan | x DuckDB | x Polars | violations found |
|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Setting:
    """Where it was measured.

    Attributes:
        processor: the processor's name.
        processors: how many there are.
        cores: how many threads engines were allowed.
        memory_gib: how much memory there is.
        versions: of what runs, by name.
    """

    processor: str
    processors: int
    cores: int
    memory_gib: int
    versions: Mapping[str, str]

    def __str__(self) -> str:
        runs = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        where = f"{self.processors} processors ({self.processor}), {self.memory_gib} GiB"
        return fill(f"Measured on {where}, {self.cores} threads for each engine: {runs}.", 120)


def write(results: Sequence[Result], setting: Setting, folder: Path) -> Path:
    """Write the page and its drawings into a folder, whole or not at all; gives the page."""
    drawings, page = folder / DRAWINGS, folder / PAGE
    drawings.mkdir(parents=True, exist_ok=True)
    with atomic(drawings / "growth.svg") as unfinished:
        draw_lines(unfinished, _lines(results), "events in the trace", "events a second")
    largest = [one for one in results if one.events == max(each.events for each in results)]
    with atomic(drawings / "cost.svg") as unfinished:
        draw_bars(unfinished, {one.name: one.events / one.cpu_s for one in largest}, "events a CPU-second")
    with atomic(page) as unfinished:
        unfinished.write_text("\n".join(_page(results, setting)) + "\n", encoding="utf-8")
    return page


def _lines(results: Sequence[Result]) -> list[Line]:
    """Events a second by size, a line for each way to judge."""
    names = dict.fromkeys(one.name for one in results)
    of_name = {name: [one for one in results if one.name == name] for name in names}
    return [Line(name, [(one.events, one.events / one.wall_s) for one in mine]) for name, mine in of_name.items()]


def _page(results: Sequence[Result], setting: Setting) -> Iterator[str]:
    sizes = sorted({one.events for one in results})
    yield ABOUT
    yield f"\n{setting}\n"
    yield f"![Events a second, by events in the trace]({DRAWINGS}/growth.svg)\n"
    yield f"![Events a CPU-second, of {sizes[-1]:,} events]({DRAWINGS}/cost.svg)"
    for events in sizes:
        mine = [one for one in results if one.events == events]
        yield f"\n## {events:,} events\n"
        yield HEAD
        yield from (_row(one, mine) for one in mine)


def _row(one: Result, beside: Sequence[Result]) -> str:
    """One way to judge, and how many times as many events a CPU-second as each peer beside it."""
    cost = {peer.group: peer.cpu_s / peer.events for peer in reversed(beside)}
    times = [f"{cost[peer] / (one.cpu_s / one.events):.3g}" if peer in cost else "" for peer in PEERS]
    found = "" if one.found is None else f"{one.found:,}"
    rates = [f"{one.events / seconds / 1e6:.3g}" for seconds in (one.wall_s, one.cpu_s)]
    return f"| {' | '.join([one.name, *rates, *times, found])} |"

"""JSON lines: how many events a second are read from them, in bulk and line by line, beside bare parsing.

    python benchmarks/json_lines.py [--events N] [--copies N] [--repeat N] [--format text|json]

The peer is the standard library's parser, which makes dictionaries of the same lines and checks nothing. Both readings
must give the same columns, and one read of a file that is several times as long must not take more memory; else the
program ends with an error.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.processor import Measured
from conformance.cli_simulate import header_for
from conformance.trace.arrow import batches_of
from conformance.trace.bulk import read_batches
from conformance.trace.jsonl import END, END_LINE, read_events, read_first_line, write_events
from reference_impl.plan import SimulationPlan
from reference_impl.simulate import simulate

GROWTH = 1.5
"""How much more memory a longer file may take at most, in times of what the shorter one takes."""

BLOCKS = 1 << 25
"""Bytes that a reading may take in any case: some blocks of a file, and what is made of them."""


@dataclass(frozen=True)
class Result:
    """What one contender took: the best of all runs."""

    name: str
    events: int
    wall_s: float
    cpu_s: float

    @property
    def rate(self) -> float:
        """Events a CPU-second."""
        return self.events / self.cpu_s


class WrongAnswer(AssertionError):
    """A contender's answer is not the truth, or it takes what it must not."""


def line_by_line(path: Path) -> Iterator[Any]:
    """The meaning of each line, as batches."""
    return batches_of(read_events(path), read_first_line(path).header)


def parsed(path: Path) -> Iterator[Any]:
    """Each line as a dictionary, by the standard library."""
    with path.open("rb") as file:
        next(file)
        yield from map(json.loads, file)


def best(name: str, events: int, run: Callable[[], Iterable[Any]], repeat: int) -> Result:
    """The least times of some runs."""
    times = []
    for _ in range(repeat):
        with Measured() as taken:
            for _one in run():
                pass
        times.append(taken)
    return Result(name, events, min(one.wall_s for one in times), min(one.cpu_s for one in times))


def lengthened(path: Path, copies: int) -> Path:
    """A file with the events of a trace so many times."""
    first, *events = path.read_bytes().splitlines(keepends=True)
    events = [line for line in events if END.encode() not in line]
    target = path.with_name(f"times{copies}.jsonl")
    header = json.loads(first)
    header.pop(END_LINE, None)
    target.write_bytes(json.dumps(header).encode() + b"\n" + b"".join(events) * copies)
    return target


def peak(path: Path) -> int:
    """The most bytes of memory at any time while a trace is read in bulk."""
    tracemalloc.start()
    for _ in read_batches(path):
        pass
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most


def check(path: Path, longer: Path) -> None:
    """Make sure that both readings say the same, and that memory does not grow.

    Raises:
        WrongAnswer: they do not, or it does.
    """
    rows = ([row for batch in read(path) for row in batch.to_pylist()] for read in (read_batches, line_by_line))
    if len({repr(said) for said in rows}) > 1:
        raise WrongAnswer("read in bulk, the trace says something else")
    if (most := peak(longer)) > max(GROWTH * peak(path), BLOCKS):
        raise WrongAnswer(f"the longer file takes {most:,} bytes of memory")


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="json_lines.py", description="Read JSON lines, and measure.")
    options.add_argument("--events", type=int, default=50_000, metavar="N", help="events of the run (50000)")
    options.add_argument("--copies", type=int, default=10, metavar="N", help="how often the file has them (10)")
    options.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each (3)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Simulate a run, read it in each way, print what each took."""
    asked = parser().parse_args(words)
    with TemporaryDirectory() as folder:
        plan, path = SimulationPlan(events=asked.events), Path(folder) / "run.jsonl"
        write_events(path, header_for(plan), simulate(plan))
        longer = lengthened(path, asked.copies)
        check(path, longer)
        events = asked.events * asked.copies
        ways = {"in bulk": read_batches, "line by line": line_by_line, "bare parsing": parsed}
        results = [best(name, events, partial(read, longer), asked.repeat) for name, read in ways.items()]
    if asked.format == "json":
        print(json.dumps({"python": platform.python_version(), "results": list(map(asdict, results))}, indent=2))
        return 0
    for one in results:
        ratio = one.rate / results[-1].rate
        print(f"{one.name:14} {one.events:10,} events {one.wall_s:7.2f} s {one.cpu_s:7.2f} CPU-s", end="")
        print(f" {one.rate:10,.0f} events/CPU-s {ratio:6.2f} x bare parsing")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Watching: whether the monitor of a live log keeps up with events that come at a steady rate.

    python benchmarks/watch.py [--events N] [--rate N] [--every SECONDS] [--format text|json]

A generated trace in the order of its clocks, with violations planted in it, lies in files of one second each. A feeder
moves one after the other into the folder that ``quorate watch`` looks at, each when its second has passed. How far
behind a batch is, is the time from when its last event was there until it is in the store; it is told for each third of
the run, so that a watch that falls back shows it. The peer is ``quorate check``, which sorts and judges the same events
once. In the end the table of violations must be the truth; else the program ends with an error.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

import pyarrow.parquet as pq

from benchmarks.processor import Measured
from benchmarks.throughput import WrongAnswer
from conformance.generate import truth
from conformance.generate.generating import generate
from conformance.generate.ordering import Order
from conformance.store.monitor import METRICS
from conformance.store.state import read_state
from conformance.store.telling import read_violations
from spec.verdicts import ExitCode

ROOT: Final = Path(__file__).parent.parent
SEED: Final = 11
LOOKS_S: Final = 0.05
START_S: Final = 120
PATIENCE_S: Final = 120
"""A watch that takes in nothing for so long is given up."""


@dataclass(frozen=True)
class Result:
    """How a watch did.

    Attributes:
        events: events that were fed.
        rate: how many came a second.
        batches: batches that took them in.
        behind_s: for each third of the events, the most seconds that a batch was behind.
        cpu_s: CPU seconds from the first batch's end to the last one's, Java, workers and feeder included.
        concluding_cpu_s: CPU seconds of a second run, which keeps books of all and tells all that stands.
        once_cpu_s: CPU seconds of the peer.
    """

    events: int
    rate: int
    batches: int
    behind_s: tuple[float, ...]
    cpu_s: float
    concluding_cpu_s: float
    once_cpu_s: float

    @property
    def cost(self) -> float:
        """CPU seconds for a million events."""
        return self.cpu_s / self.events * 1e6


class Feed:
    """Files that come one after the other at a rate; the first is there at once, and the clock begins behind it."""

    def __init__(self, files: Sequence[Path], target: Path, rate: int) -> None:
        self.waiting, self.target, self.rate = list(files), target, rate
        self.there: list[tuple[int, float]] = [(0, time.monotonic())]
        self._move()
        self.first = self.events

    @property
    def events(self) -> int:
        """How many are there."""
        return self.there[-1][0]

    def begin(self) -> None:
        """Let the clock begin."""
        self.began = time.monotonic()

    def go_on(self) -> None:
        """Move each file whose last event is due."""
        while self.waiting and time.monotonic() - self.began >= (self._next() - self.first) / self.rate:
            self._move()

    def when(self, events: int) -> float:
        """When so many events were there."""
        return next(at for count, at in self.there if count >= events)

    def _next(self) -> int:
        count: int = pq.read_metadata(self.waiting[0]).num_rows
        return self.events + count

    def _move(self) -> None:
        events, path = self._next(), self.waiting.pop(0)
        path.rename(self.target / path.name)
        self.there.append((events, time.monotonic()))


@contextmanager
def watching(source: Path, store: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """The command on a folder, killed at the end of the block if it still runs."""
    command = [sys.executable, "-m", "conformance.cli", "watch", str(source), "--store", str(store), "--quiet", *words]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as running:
        try:
            yield running
        finally:
            running.kill()


def batches(running: subprocess.Popen[bytes], store: Path, feed: Feed) -> Iterator[tuple[int, float]]:
    """Each batch as it ends: how many events are in the store then, and how many seconds it was behind.

    Events that books added are fed and not taken in: a watch keeps its own.

    Raises:
        WrongAnswer: the watch ended by itself, or takes too long.
    """
    seen, metrics, lag_bytes = 0, store / METRICS, 1
    deadline = time.monotonic() + START_S + PATIENCE_S
    while feed.waiting or lag_bytes:
        lines = metrics.read_bytes().splitlines() if metrics.exists() else []
        said = json.loads(lines[-1]) if lines else {"events": 0, "lag_bytes": 1}
        if said["events"] > seen:
            seen, lag_bytes = said["events"], said["lag_bytes"]
            deadline = time.monotonic() + PATIENCE_S
            yield seen, time.monotonic() - feed.when(seen)
        if running.poll() is not None or time.monotonic() > deadline:
            raise WrongAnswer(f"the watch took in {seen:,} of {feed.events:,} events, and no more are waited for")
        time.sleep(LOOKS_S)
        if seen:
            feed.go_on()


def measured(trace: Path, folder: Path, rate: int, every_s: int) -> Result:
    """Feed the files of a trace to a watch; gives how it did.

    Raises:
        WrongAnswer: it fails, or what it told is not the truth.
    """
    planted, source, store = truth.read(trace), folder / "source", folder / "store"
    source.mkdir()
    feed = Feed(sorted(trace.glob("*.parquet")), source, rate)
    with watching(source, store, "--every", str(every_s)) as running:
        ended = batches(running, store, feed)
        next(ended)
        feed.begin()
        with Measured() as watched:
            behind = list(ended)
    with Measured() as concluding, watching(source, store, "--once") as running:
        running.wait()
    state = read_state(store)
    if state is None or read_violations(store / "violations", state.batch) != planted.judgement.violations:
        raise WrongAnswer("the table of violations is not the truth")
    thirds = tuple(
        max((late for events, late in behind if 3 * (events - 1) // planted.events == third), default=0.0)
        for third in range(3)
    )
    once = once_cpu_s(source)
    return Result(planted.events, rate, len(behind), thirds, watched.cpu_s, concluding.cpu_s, once)


def once_cpu_s(source: Path) -> float:
    """CPU seconds of one check of all events, which sorts them first.

    Raises:
        WrongAnswer: nothing is violated.
    """
    command = [sys.executable, "-m", "conformance.cli", "check", str(source), "--engine", "columns"]
    with Measured() as once:
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
    if done.returncode != ExitCode.VIOLATED:
        raise WrongAnswer(f"the peer ended with exit code {done.returncode}")
    return once.cpu_s


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="watch.py", description="Watch a log that grows steadily, and measure.")
    options.add_argument("--events", type=int, default=10_000_000, metavar="N", help="about so many (10000000)")
    options.add_argument("--rate", type=int, default=200_000, metavar="N", help="events that come a second (200000)")
    options.add_argument("--every", type=int, default=10, metavar="SECONDS", help="the command's option (10)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Generate a trace, feed it to a watch, print how that did."""
    asked = parser().parse_args(words)
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = max(2, asked.events // asked.rate)
        generate(Order(asked.events, SEED, "time", files=files), folder / "trace")
        result = measured(folder / "trace", folder, asked.rate, asked.every)
    if asked.format == "json":
        print(json.dumps({"python": platform.python_version(), "result": asdict(result)}, indent=2))
        return 0
    first, second, third = result.behind_s
    print(f"{result.events:,} events at {result.rate:,} a second, taken in by {result.batches} batches")
    print(f"seconds behind at most, by thirds of the events: {first:.1f}, {second:.1f}, {third:.1f}")
    ratio = result.cpu_s / result.once_cpu_s
    print(f"{result.cost:.1f} CPU-s for a million events, {ratio:.1f} x one check of all; ", end="")
    print(f"{result.concluding_cpu_s:.1f} CPU-s to conclude")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The recorder: how many events a second it keeps in a file, from one thread and from several, beside bare writing.

    python benchmarks/recorder.py [--events N] [--threads N] [--repeat N] [--format text|json]

The peer writes lines of the same length one by one and makes nothing. The recorder's file must be a valid trace with
all events, each safe from the death of the process before the next is recorded; else the program ends with an error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.json_lines import Result, WrongAnswer
from benchmarks.processor import Measured
from conformance.trace.jsonl import read_events
from quorate import Recorder

AIM = 200_000
"""Events a CPU-second that the recorder is to keep."""


def record(path: Path, events: int, threads: int) -> None:
    """Record appends and deliveries of some clients at once, a third of the events each."""

    def client(number: int) -> None:
        writer, reader = recorder.writer(f"w{number}"), recorder.reader(f"r{number}")
        for lsn in range(number, events // 3, threads):
            append = writer.append(f"payload {lsn}")
            append.acknowledged(lsn)
            reader.given(lsn, f"payload {lsn}")

    with Recorder(path) as recorder, ThreadPoolExecutor(threads) as pool:
        list(pool.map(client, range(threads)))


def bare(path: Path, events: int) -> None:
    """Write as many lines of about the same length, one by one."""
    file, line = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), b"x" * 200 + b"\n"
    for _ in range(events):
        os.write(file, line)
    os.close(file)


def check(path: Path, events: int) -> None:
    """Make sure that a trace is whole.

    Raises:
        WrongAnswer: events are missing.
    """
    if (found := sum(1 for _ in read_events(path))) != events:
        raise WrongAnswer(f"{found:,} events stand in the trace, {events:,} were recorded")


def best(name: str, events: int, run: Callable[[Path], None], repeat: int) -> Result:
    """The least times of some runs, each with a file of its own."""
    times = []
    with TemporaryDirectory() as folder:
        for number in range(repeat):
            with Measured() as taken:
                run(Path(folder) / f"{number}.jsonl")
            times.append(taken)
    return Result(name, events, min(one.wall_s for one in times), min(one.cpu_s for one in times))


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="recorder.py", description="Record events, and measure.")
    options.add_argument("--events", type=int, default=300_000, metavar="N", help="events of each run (300000)")
    options.add_argument("--threads", type=int, default=4, metavar="N", help="clients that share a recorder (4)")
    options.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each (3)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Record in each way, print what each took."""
    asked = parser().parse_args(words)
    events = asked.events // 3 * 3

    def recording(threads: int) -> Callable[[Path], None]:
        return lambda path: record(path, events, threads)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        record(path, events, asked.threads)
        check(path, events)
    results = [
        best("one thread", events, recording(1), asked.repeat),
        best(f"{asked.threads} threads", events, recording(asked.threads), asked.repeat),
        best("bare writing", events, lambda path: bare(path, events), asked.repeat),
    ]
    if asked.format == "json":
        print(json.dumps({"aim": AIM, "results": list(map(asdict, results))}, indent=2))
        return 0
    for one in results:
        print(f"{one.name:14} {one.events:10,} events {one.wall_s:7.2f} s {one.cpu_s:7.2f} CPU-s", end="")
        print(f" {one.rate:10,.0f} events/CPU-s {one.rate / AIM:6.2f} x the aim of {AIM:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Segments: what it costs to judge many samples in segments by all rules of the family, on Spark beside DuckDB.

    python benchmarks/segments.py [--segments N] [--samples N] [--folder DIR] [--cores N] [--repeat N]
        [--format text|json]

A run of the reference machine, in which channels on three nodes are written segment by segment and read back by spans,
is repeated with other channels and sessions; between its copies stand runs with planted defects. Both engines read the
same Parquet file with the SQL that is derived for them, and must find every planted violation and no other; else the
program ends with an error. CPU seconds are those of the whole tree of processes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.big_trace import HOME
from benchmarks.contenders import DUCKDB_MEMORY, SPARK_MEMORY
from benchmarks.processor import Measured
from conformance.segment.configurations import PLANTED, SOUND, Configuration, Defects, mixed
from conformance.segment.operations import Ask, Iterate, Operation, Put, Script
from conformance.segment.recording import recorded
from conformance.trace.arrow import stored, to_batches
from conformance.trace.blocks import numbers
from conformance.trace.header import Header
from conformance.trace.open import Parquet, open_trace
from conformance.trace.parquet_writing import appending
from conformance.trace.rows import Rows
from spec.language.events import layout
from spec.language.outcomes import Judgement, Violation
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import rules_about
from spec.language.shape import column_of
from spec.registry import BY_ID
from spec.segment.family import SEGMENT
from spec.segment.iterator.commands import Close, Next, Prev, SeekFirst, SeekLast
from spec.segment.iterator.times import TimeRange
from spec.verdicts import in_force

ALL: Final = 10**9
"""How many violations of each rule are asked for: every one, so that they can be compared."""

CHANNELS: Final = ("a", "b", "c")
SEGMENTS: Final = 40
"""Segments of each channel in one run."""

SPAN_SEGMENTS: Final = 3
"""So many segments, about, are read by one call."""

SHIFTED: Final = ("session", "channel", "seq", "time_ns")
"""What each copy has to itself."""

LAYOUT: Final = layout(SEGMENT.events)

DEFECTS: Final = ("drops_rest_of_segment", "partial_after_turning")
EVERY: Final = 50
"""After so many sound runs comes one with a defect."""


@dataclass(frozen=True)
class Run:
    """A recorded run.

    Attributes:
        header: of its trace.
        table: its events.
        violations: what the meaning of the rules says of it.
    """

    header: Header
    table: Any
    violations: frozenset[Violation]

    @cached_property
    def size(self) -> dict[str, int]:
        """By how much the next run is shifted, so that it has numbers of its own; keys by their counters."""
        tops = {name: numbers(self.table[name]).value for name in SHIFTED}
        tops["channel"] = tops["channel"] & ((1 << self.header.low_bits) - 1)
        return {name: int(column.max()) + 1 for name, column in tops.items()}

    def shifted(self, by: dict[str, int]) -> Any:
        """The events with other numbers, in the kinds that have such numbers."""
        table, kind = self.table, numbers(self.table["kind"]).value
        for name, number in by.items():
            place, column = table.column_names.index(name), numbers(table[name])
            moved = column.value + number * np.isin(kind, LAYOUT[name].kinds)
            unknown = None if column.known is None else ~column.known
            table = table.set_column(place, table.field(place), pa.array(moved, table.field(place).type, mask=unknown))
        return table

    def broken(self, by: dict[str, int]) -> Iterator[Violation]:
        """The violations of the shifted events."""
        for one in self.violations:
            view = BY_ID[one.rule].view
            parts = zip(one.key, view.key, strict=True)
            yield Violation(one.rule, tuple(part + by.get(column_of(view, name), 0) for part, name in parts))


@dataclass(frozen=True)
class Result:
    """What one engine took: the best of all runs.

    Attributes:
        missed: planted violations that some run did not find.
        false: violations that some run found and that are none.
    """

    name: str
    wall_s: float
    cpu_s: float
    found: int
    missed: int
    false: int


class WrongAnswer(AssertionError):
    """An engine's judgement is not the truth, or two of them count differently."""


def script(samples: int) -> Script:
    """Channels are written segment by segment, each of so many samples, and read on and back by spans."""
    stride = samples + samples // 2
    starts = [number * stride for number in range(SEGMENTS)]
    written: list[Operation] = [
        Put(channel, tuple(range(start, start + samples))) for start in starts for channel in CHANNELS
    ]
    span, calls = SPAN_SEGMENTS * stride - samples // 4, -(-SEGMENTS // SPAN_SEGMENTS)
    on, back = [Ask("i", Next(span))] * calls, [Ask("i", Prev(span))] * calls
    asked = [Ask("i", SeekFirst()), *on, Ask("i", SeekLast()), Ask("i", Next(1)), *back, Ask("i", Close())]
    return (*written, Iterate("i", CHANNELS, TimeRange(0, SEGMENTS * stride), samples), *asked)


def run_of(samples: int, defects: Defects = SOUND) -> Run:
    """Record a run, and judge it by the meaning of the rules."""
    header, told = recorded(script(samples), Configuration("mixed", mixed, message_samples=samples), defects)
    rows = Rows(header)
    events = [rows.from_json(event) for event in told]
    table = pa.Table.from_batches(list(to_batches(events, header))).combine_chunks()
    said = ReferenceEvaluator(events, header.parameters()).judge(in_force(SEGMENT.rules, header))
    return Run(header, table, frozenset(said.violations))


def placed(sound: Run, wrong: Sequence[Run], segments: int) -> Iterator[tuple[Run, dict[str, int]]]:
    """Runs side by side with so many segments in all, about; no two share a number."""
    by = dict.fromkeys(SHIFTED, 0)
    times = max(len(wrong), round(segments / (SEGMENTS * len(CHANNELS))))
    for number in range(times):
        defective = number % EVERY == 0 or times - number <= len(wrong)
        one = wrong[number % len(wrong)] if defective else sound
        yield one, dict(by)
        by = {name: by[name] + one.size[name] for name in SHIFTED}


def write(path: Path, runs: Sequence[tuple[Run, dict[str, int]]]) -> int:
    """Write runs as one trace; gives how many events it has."""
    events = 0
    with appending(path, runs[0][0].header) as append:
        for one, by in runs:
            append(one.shifted(by))
            events += len(one.table)
    return events


def parquet(path: Path) -> Parquet:
    """The trace that was written."""
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    return trace


def on_duckdb(path: Path, cores: int, open_until: ExitStack) -> Callable[[], Judgement]:
    """The SQL that is derived for DuckDB, without the scan that guards Spark's; any optional column may hold NULL."""
    import duckdb  # noqa: PLC0415 - a tool of benchmarks only

    from conformance.trace.spark_schema import parquet_select  # noqa: PLC0415 - as above
    from spec.language.sql.dialects import DUCKDB  # noqa: PLC0415 - as above
    from spec.language.sql.plan import statement  # noqa: PLC0415 - as above
    from spec.language.sql.verdicts import decode  # noqa: PLC0415 - as above

    trace = parquet(path)
    here = trace.kinds()
    rules = rules_about(in_force(SEGMENT.rules, trace.header), here)
    unsure = frozenset(column.name for column in stored(trace.header) if column.optional)
    database = open_until.enter_context(duckdb.connect(config={"threads": cores, "memory_limit": DUCKDB_MEMORY}))
    quoted = str(path).replace("'", "''")
    source = parquet_select(trace.header, f"read_parquet('{quoted}')", '"')
    text = statement(rules, f"({source})", DUCKDB, trace.parameters(), nullable=unsure, here=here)
    return lambda: decode(rules, database.execute(text).fetchall())


def on_spark(path: Path, cores: int, open_until: ExitStack) -> Callable[[], Judgement]:
    """The SQL that is derived for Spark, after the scan that guards it."""
    from spark_checks import sql_check  # noqa: PLC0415 - only here is Java needed
    from spark_checks.session import spark_session  # noqa: PLC0415 - as above

    trace = parquet(path)
    rules = in_force(SEGMENT.rules, trace.header)
    session = open_until.enter_context(spark_session("quorate bench", cores=cores, memory=SPARK_MEMORY))
    return lambda: sql_check.judge(session, trace, rules, kept=ALL)


def measured(name: str, run: Callable[[], Judgement], truth: frozenset[Violation], repeat: int) -> Result:
    """The least times of some runs after the first, all of whose answers are compared with the truth."""
    times, missed, false, found = list[Measured](), 0, 0, 0
    for _ in range(1 + repeat):
        with Measured() as taken:
            said = run().violations
        times.append(taken)
        missed, false, found = max(missed, len(truth - said)), max(false, len(said - truth)), len(said)
    wall_s, cpu_s = (min(getattr(one, part) for one in times[1:] or times) for part in ("wall_s", "cpu_s"))
    return Result(name, wall_s, cpu_s, found, missed, false)


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="segments.py", description="Judge many segments, and measure.")
    options.add_argument("--segments", type=int, default=1_000_000, metavar="N", help="about so many (1000000)")
    options.add_argument("--samples", type=int, default=100, metavar="N", help="samples of a segment (100)")
    options.add_argument("--folder", type=Path, default=HOME, metavar="DIR", help="for the trace (build/benchmarks)")
    options.add_argument("--cores", type=int, default=2, metavar="N", help="for each engine (2)")
    options.add_argument("--repeat", type=int, default=1, metavar="N", help="runs after the first (1)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Make the trace, judge it by both engines, print what they took.

    Raises:
        WrongAnswer: an engine does not say the truth.
    """
    asked = parser().parse_args(words)
    sound, wrong = run_of(asked.samples), [run_of(asked.samples, PLANTED[name]) for name in DEFECTS]
    if sound.violations or not all(one.violations for one in wrong):
        raise WrongAnswer("a sound run breaks a rule, or a run with a defect breaks none")
    runs = list(placed(sound, wrong, asked.segments))
    truth = frozenset(one for run, by in runs for one in run.broken(by))
    asked.folder.mkdir(parents=True, exist_ok=True)
    results = []
    with TemporaryDirectory(prefix="segments-", dir=asked.folder) as folder:
        path = Path(folder) / "trace.parquet"
        events = write(path, runs)
        for name, engine in (("DuckDB", on_duckdb), ("Spark SQL", on_spark)):
            print(f"  {name}: {events} events", file=sys.stderr, flush=True)
            with ExitStack() as stack:
                results.append(measured(name, engine(path, asked.cores, stack), truth, asked.repeat))
    segments = len(runs) * SEGMENTS * len(CHANNELS)
    said = {
        "samples": segments * asked.samples,
        "segments": segments,
        "events": events,
        "cores": asked.cores,
        "processors": os.cpu_count(),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
    }
    print(*lines_of(said, results, asked.format), sep="\n")
    if any(one.missed or one.false for one in results):
        raise WrongAnswer(f"not the truth: {', '.join(one.name for one in results if one.missed or one.false)}")
    return 0


def lines_of(said: Mapping[str, Any], results: Sequence[Result], form: str) -> Iterator[str]:
    """What was measured; of each engine also how many times the first one's CPU time it took."""
    if form == "json":
        yield json.dumps({**said, "results": [asdict(one) for one in results]}, indent=2)
        return
    yield ", ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in said.items()
    )
    for one in results:
        rate, ratio = said["samples"] / one.cpu_s / 1e6, one.cpu_s / results[0].cpu_s
        yield (
            f"{one.name:10} {one.wall_s:8.1f} s {one.cpu_s:8.1f} CPU-s {rate:8.2f} M samples/CPU-s "
            f"{ratio:5.1f} x {results[0].name}'s CPU time; {one.found} found, {one.missed} missed, {one.false} false"
        )


if __name__ == "__main__":
    sys.exit(main())

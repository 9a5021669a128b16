"""Judge histories of clients that grow tenfold, in memory and from a file, beside Porcupine, and measure.

A clean history and one with planted anomalies of each size are judged by all rules; whoever says other than the truth
ends the run. Porcupine is given clean histories that double until it gives up: the time that it may take is over, or it
died. Run it alone on a machine: ``make bench``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.client_anomalies import ANOMALIES, ROOM
from benchmarks.client_history import ClientHistory, Plan, client_history
from benchmarks.client_peer import peer
from benchmarks.processor import Measured
from conformance.check.at_once import columns_at_once, judged_in_memory
from conformance.check.checking import check
from conformance.check.memory import keep_what_is_freed
from conformance.record.errors import PackagesUnavailable
from conformance.trace.blocks import Blocks
from conformance.trace.open import open_trace
from conformance.trace.parquet_writing import appending
from spec.columns.piece import kinds_of
from spec.events import Passed
from spec.language.events import kinds
from spec.language.outcomes import Judgement, Verdict
from spec.language.rule import rules_about
from spec.verdicts import conclude, in_force


class WrongAnswer(AssertionError):
    """A judgement is not the truth."""


@dataclass(frozen=True)
class Judged:
    """What it took to judge one history, the best of several runs.

    Attributes:
        how: in memory, from a file, or by Porcupine.
        said: what was said of the history.
        wall_s: by the clock of the wall.
        cpu_s: processor seconds; None of Porcupine.
    """

    how: str
    operations: int
    said: str
    wall_s: float
    cpu_s: float | None = None

    @property
    def rate(self) -> float:
        """Operations in a second."""
        return self.operations / self.wall_s


def in_memory(history: ClientHistory, repeat: int) -> tuple[Judged, Judgement]:
    """All rules judge a history that lies in memory as it was recorded, in columns.

    Raises:
        WrongAnswer: a clean history is said to be broken, or a planted anomaly is not found.
    """
    header = history.header
    here = frozenset({*kinds_of(history.table["kind"].to_numpy()), *kinds(Passed)})
    every = header.family.among(None)
    rules = rules_about(in_force(every, header), here)
    raw = Blocks(header, columns_at_once(rules, header)).of(history.table)
    runs, found = list[Measured](), None
    for _ in range(repeat):
        with Measured() as run:
            found = judged_in_memory(rules, raw, header)
        runs.append(run)
    if found is None:
        raise WrongAnswer("the history was not judged at once")
    times = Counter(violation.rule for violation in found.judgement.violations)
    missed = [rule for rule, planted in history.planted.items() if times[rule] < planted]
    verdict = conclude(every, found.judgement, header).verdict
    if missed or verdict is not (Verdict.VIOLATED if history.planted else Verdict.HOLDS):
        raise WrongAnswer(f"{verdict}; planted and not found: {', '.join(missed) or 'nothing'}")
    wall_s, cpu_s = (min(getattr(run, name) for run in runs) for name in ("wall_s", "cpu_s"))
    how = "in memory, planted" if history.planted else "in memory"
    return Judged(how, history.operations, str(verdict), wall_s, cpu_s), found.judgement


def from_file(history: ClientHistory, folder: Path) -> Judged:
    """``quorate check`` of a Parquet file of a history."""
    path = folder / "history.parquet"
    with appending(path, history.header) as append:
        append(history.table)
    with Measured() as run:
        report = check(open_trace(path))
    path.unlink()
    return Judged("from a file", history.operations, str(report.verdict.verdict), run.wall_s, run.cpu_s)


def by_peer(most: int, limit_s: int) -> Iterator[Judged]:
    """Porcupine judges histories that double, until it gives up, or they have so many operations.

    Raises:
        PackagesUnavailable: it cannot be had here.
        WrongAnswer: it says that a clean history is broken.
    """
    program, operations = peer(), 1_000
    while operations <= most:
        history = client_history(Plan(operations))
        answer = program.judge(history.told, limit_s)
        if answer.said == "Illegal":
            raise WrongAnswer("Porcupine finds fault with a clean history")
        yield Judged("Porcupine", history.operations, answer.said, answer.wall_s)
        if answer.said != "Ok":
            return
        operations *= 2


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(
        prog="client_histories.py", description="Judge histories of clients, and measure."
    )
    options.add_argument("--operations", type=int, nargs="+", default=[10**5, 10**6, 10**7], metavar="N", help="sizes")
    options.add_argument(
        "--repeat", type=int, default=3, metavar="N", help="runs of each, of which the best counts (3)"
    )
    options.add_argument(
        "--peer-most", type=int, default=1 << 17, metavar="N", help="operations for Porcupine (131072)"
    )
    options.add_argument("--peer-limit-s", type=int, default=60, metavar="S", help="seconds that it may take (60)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Make histories, judge them in every way, and print what it took."""
    asked = parser().parse_args(words)
    keep_what_is_freed()  # as the command does
    load = os.getloadavg()[0]
    rows = list[Judged]()
    with TemporaryDirectory(prefix="quorate-") as folder:
        for operations in asked.operations:
            print(f"  {operations} operations", file=sys.stderr, flush=True)
            clean = client_history(Plan(operations))
            rows += [in_memory(clean, asked.repeat)[0], from_file(clean, Path(folder))]
            del clean
            each = min(3, operations // (3 * ROOM * len(ANOMALIES)))
            rows += [in_memory(client_history(Plan(operations, each=each)), 1)[0]] if each else []
    try:
        rows += by_peer(asked.peer_most, asked.peer_limit_s)
    except PackagesUnavailable as missing:
        print(f"  without Porcupine: {missing}", file=sys.stderr)
    said = {"processors": os.cpu_count(), "python": platform.python_version(), "load_before": round(load, 1)}
    if asked.format == "json":
        print(json.dumps(said | {"results": [asdict(row) for row in rows]}, indent=2))
    else:
        print(", ".join(f"{name} {value}" for name, value in said.items()), *table(rows), sep="\n")
    return 0


def table(rows: Sequence[Judged]) -> list[str]:
    """The results as lines: rates, time for one operation beside that of the smallest history, and the peer's rate."""
    first = {row.how: row for row in reversed(rows)}
    peers = [row for row in rows if row.how == "Porcupine" and row.said == "Ok"]
    lines = [f"{'':20}{'operations':>12}{'said':>10}{'M/s':>9}{'M/CPU-s':>9}{'growth':>8}{'x Porcupine':>13}"]
    for row in rows:
        growth = first[row.how].rate / row.rate
        beside = [f"{row.rate / one.rate:.0f}" for one in peers[-1:] if row.how != "Porcupine"]
        cpu = "-" if row.cpu_s is None else f"{row.operations / row.cpu_s / 1e6:.3f}"
        told = f"{row.how:20}{row.operations:>12}{row.said:>10}{row.rate / 1e6:>9.3f}{cpu:>9}"
        lines.append(f"{told}{growth:>8.2f}{(beside or ['-'])[0]:>13}")
    return lines


if __name__ == "__main__":
    sys.exit(main())

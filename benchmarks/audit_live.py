"""The audit beside BookKeeper's own checker: what a ledger takes on a running cluster of five bookies on loopback.

    python benchmarks/audit_live.py [--ledgers N] [--format text|json]

The shipped checker runs once over all ledgers, and says itself how long it looked. Then ours asks the same bookies as
fast as they answer, one ledger after the other (`audit bookkeeper`, `audit export`), and judges the export. All ledgers
are whole, and no ensemble is so wide that the shipped checker gives false alarms: neither has anything to report. Where
BookKeeper cannot be had, the program says so, and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.processor import Measured
from conformance.record.bookkeeper_cluster import AUDITOR, BookKeeperCluster
from conformance.record.bookkeeper_live import LiveCluster, Pace, live, said
from conformance.record.bookkeeper_looks import found_as_shipped
from conformance.record.errors import PackagesUnavailable
from conformance.record.jars import BOOKKEEPER_LOCK, fetch
from conformance.record.java import find_java
from reference_impl.ledger.checker.running import run
from reference_impl.ledger.checker.state import Ending, Settings
from spark_checks.audit.cluster import Bookie, Cluster
from spark_checks.audit.judging import Ending as Judged
from spark_checks.audit.running import audit
from spark_checks.audit.writing import write
from spec.ledger.placement.adherence import anywhere
from spec.ledger.schedule import Quorums

QUORUMS: Final = Quorums(5, 4, 2)
ENTRIES: Final = 10
UNBOUNDED: Final = Pace(questions_per_s=1e9)
GRACE_MS: Final = 3_600_000
SECOND_MS: Final = 1000


class WrongAnswer(AssertionError):
    """A contender found something wrong with ledgers that are whole, or did not look at all of them."""


@dataclass(frozen=True)
class Result:
    """What one contender took for all ledgers."""

    name: str
    ledgers: int
    wall_s: float

    @property
    def ledger_ms(self) -> float:
        """Milliseconds a ledger."""
        return SECOND_MS * self.wall_s / self.ledgers


def measured(home: Path, ledgers: int) -> list[Result]:
    """Start a cluster, write ledgers, and let each contender look at them once; the shipped checker comes first.

    Raises:
        PackagesUnavailable: BookKeeper or Java cannot be had.
        WrongAnswer: one did not find that all are whole.
    """
    jars, java = fetch(BOOKKEEPER_LOCK), find_java()
    with BookKeeperCluster(home / "cluster", jars, java, QUORUMS.ensemble, talkative=[AUDITOR]) as cluster:
        cluster.start()
        client = cluster.client()
        for _ in range(ledgers):
            handle = client.create(*QUORUMS)
            for number in range(ENTRIES):
                handle.append(b"%d" % number)
            handle.close()
        with live(cluster.uri, UNBOUNDED) as asked:
            seen = asked.ledgers()
            took_ms = _as_shipped(cluster)
            return [
                Result("shipped auditor", ledgers, took_ms / SECOND_MS),
                _timed("audit bookkeeper", ledgers, lambda: _question_by_question(asked, seen)),
                _timed("audit export", ledgers, lambda: _exported(asked, seen, home / "snapshot")),
                _timed("audit snapshot", ledgers, lambda: _judged(home / "snapshot")),
            ]


def _as_shipped(cluster: BookKeeperCluster) -> int:
    """How many milliseconds the shipped checker looks."""
    audited = cluster.audit()
    if reported := list(found_as_shipped(audited.log)):
        raise WrongAnswer(f"the shipped auditor reports {len(reported)} ledgers, and all are whole")
    return audited.took_ms


def _timed(name: str, ledgers: int, sound: Callable[[], int]) -> Result:
    """What a contender takes that must find so many ledgers sound."""
    with Measured() as taken:
        found = sound()
    if found != ledgers:
        raise WrongAnswer(f"{name} found {found} ledgers sound, and {ledgers} are")
    return Result(name, ledgers, taken.wall_s)


def _question_by_question(asked: LiveCluster, ledgers: Sequence[int]) -> int:
    settings = Settings(anywhere, GRACE_MS, delay_ms=0)
    return run(asked, ledgers, settings, lambda _: None).endings[Ending.SOUND]


def _exported(asked: LiveCluster, ledgers: Sequence[int], folder: Path) -> int:
    bookies = tuple(Bookie(name) for name in sorted(asked.registered()))
    write(folder, Cluster(bookies, taken_ms=asked.now_ms(), grace_ms=GRACE_MS), said(asked, ledgers, later_ms=0))
    return len(ledgers)


def _judged(folder: Path) -> int:
    return audit(folder).endings[Judged.SOUND]


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="audit_live.py", description="Audit a running cluster, and measure.")
    options.add_argument("--ledgers", type=int, default=500, metavar="N", help="how many (500)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Let each contender look at the ledgers of a cluster, and print what each took."""
    asked = parser().parse_args(words)
    with TemporaryDirectory() as folder:
        try:
            results = measured(Path(folder), asked.ledgers)
        except PackagesUnavailable as missing:
            print(f"skipped, nothing is measured: {missing}", file=sys.stderr)
            return 0
    if asked.format == "json":
        print(json.dumps({"results": list(map(asdict, results))}, indent=2))
        return 0
    for one in results:
        print(f"{one.name:18} {one.ledgers:7,} ledgers {one.wall_s:7.2f} s {one.ledger_ms:8.3f} ms/ledger", end="")
        print(f" {one.ledger_ms / results[0].ledger_ms:8.2f} x the time of the shipped auditor")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The audit beside BookKeeper's own checker: what a ledger takes on a running cluster of five bookies on loopback.

    python benchmarks/audit_live.py [--ledgers N] [--looks N] [--format text|json]

The shipped checker runs over all ledgers, and says itself how long it looked, the listing of ledgers included. Then
ours asks the same bookies as fast as they answer (`audit bookkeeper`, `audit export`), and judges the export; it lists
the ledgers, too. `--since` goes on from findings of a cluster in which nothing has changed. Each looks several times,
in a JVM that is there already, and its best look counts: the first one also loads classes. Processor time is that of
all that runs, servers included. All ledgers are whole, and no ensemble is so wide that the shipped checker gives false
alarms: neither has anything to report. Where BookKeeper cannot be had, the program says so, and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

sys.path.insert(0, str(Path(__file__).parent.parent))  # run as a program, it finds the project beside itself

from benchmarks.processor import Measured
from conformance.cli_audit_kept import earlier_of, keeping
from conformance.record.bookkeeper_cluster import AUDITOR, BookKeeperCluster
from conformance.record.bookkeeper_live import GROUPS, LiveCluster, Pace, live
from conformance.record.bookkeeper_looks import found_as_shipped
from conformance.record.bookkeeper_said import said
from conformance.record.bookkeeper_samples import sampled
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
    cpu_s: float

    @property
    def ledger_ms(self) -> float:
        """Milliseconds a ledger."""
        return SECOND_MS * self.wall_s / self.ledgers


def measured(home: Path, ledgers: int, looks: int) -> list[list[Result]]:
    """Start a cluster, write ledgers, and let all look at them several times; gives each look of all, shipped first.

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
            found = _findings(asked, home / "findings")
            return [_look(cluster, asked, ledgers, home / f"snapshot{look}", found) for look in range(looks)]


def _look(cluster: BookKeeperCluster, asked: LiveCluster, ledgers: int, folder: Path, findings: Path) -> list[Result]:
    """What each contender takes for one look; they take turns, so that each has its share of a busy machine."""
    return [
        _as_shipped(cluster, ledgers),
        _timed("audit bookkeeper", ledgers, partial(_checked, asked)),
        _timed("audit --since", ledgers, partial(_gone_on, asked, findings)),
        _timed("audit export", ledgers, partial(_exported, asked, folder)),
        _timed("audit snapshot", ledgers, partial(_judged, folder)),
    ]


def _as_shipped(cluster: BookKeeperCluster, ledgers: int) -> Result:
    """What the shipped checker takes; its processor time includes its start."""
    with Measured() as taken:
        audited = cluster.audit()
    if reported := list(found_as_shipped(audited.log)):
        raise WrongAnswer(f"the shipped auditor reports {len(reported)} ledgers, and all are whole")
    return Result("shipped auditor", ledgers, audited.took_ms / SECOND_MS, taken.cpu_s)


def _timed(name: str, ledgers: int, sound: Callable[[], int]) -> Result:
    """What a contender takes that must find so many ledgers sound."""
    with Measured() as taken:
        found = sound()
    if found != ledgers:
        raise WrongAnswer(f"{name} found {found} ledgers sound, and {ledgers} are")
    return Result(name, ledgers, taken.wall_s, taken.cpu_s)


def _checked(asked: LiveCluster) -> int:
    settings = Settings(anywhere, GRACE_MS, delay_ms=0)
    return run(asked, asked.ledgers(), settings, lambda _: None, GROUPS).endings[Ending.SOUND]


def _findings(asked: LiveCluster, folder: Path) -> Path:
    """What an audit before this one has left."""
    settings = Settings(anywhere, GRACE_MS, delay_ms=0)
    with keeping(str(folder), _cluster(asked), settings) as done:
        run(asked, asked.ledgers(), settings, lambda _: None, GROUPS, done=done)
    return folder


def _gone_on(asked: LiveCluster, findings: Path) -> int:
    earlier = earlier_of(findings, None, _cluster(asked))
    settings = Settings(anywhere, GRACE_MS, delay_ms=0, earlier=sampled(asked, earlier))
    return run(asked, asked.ledgers(), settings, lambda _: None, GROUPS).endings[Ending.STANDING]


def _exported(asked: LiveCluster, folder: Path) -> int:
    ledgers = asked.ledgers()
    write(folder, _cluster(asked), said(asked, ledgers, later_ms=0))
    return len(ledgers)


def _cluster(asked: LiveCluster) -> Cluster:
    bookies = tuple(map(Bookie, sorted(asked.registered())))
    return Cluster(bookies, taken_ms=asked.now_ms(), grace_ms=GRACE_MS, identity=asked.identity())


def _judged(folder: Path) -> int:
    return audit(folder).endings[Judged.SOUND]


def parser() -> argparse.ArgumentParser:
    """The program's options."""
    options = argparse.ArgumentParser(prog="audit_live.py", description="Audit a running cluster, and measure.")
    options.add_argument("--ledgers", type=int, default=500, metavar="N", help="how many (500)")
    options.add_argument("--looks", type=int, default=3, metavar="N", help="how often each looks (3)")
    options.add_argument("--format", choices=("text", "json"), default="text", help="for people or for machines")
    return options


def main(words: Sequence[str] | None = None) -> int:
    """Let each contender look at the ledgers of a cluster, and print what each took."""
    asked = parser().parse_args(words)
    with TemporaryDirectory() as folder:
        try:
            looks = [*zip(*measured(Path(folder), asked.ledgers, asked.looks), strict=True)]
        except PackagesUnavailable as missing:
            print(f"skipped, nothing is measured: {missing}", file=sys.stderr)
            return 0
    if asked.format == "json":
        print(json.dumps({"results": [[asdict(look) for look in some] for some in looks]}, indent=2))
        return 0
    shipped, *_ = best = [min(some, key=lambda look: look.wall_s) for some in looks]
    for one, some in zip(best, looks, strict=True):
        print(f"{one.name:18} {one.ledgers:7,} ledgers {one.ledger_ms:8.3f} ms/ledger", end="")
        print(f" {one.ledger_ms / shipped.ledger_ms:6.2f} x the time of the shipped auditor", end="")
        print(f" (first look {some[0].ledger_ms:.3f}; processor {SECOND_MS * one.cpu_s / one.ledgers:.3f})")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A run of the checker over many ledgers: the edge, where a cluster is asked, time passes, and violations are logged.

BookKeeper, BP-34, High Level Logic. Ledgers are checked one after the other, so that memory does not grow with them;
what is put aside is checked again after one delay for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, assert_never

from reference_impl.ledger.checker.machine import step, wanted
from reference_impl.ledger.checker.messages import (
    Action,
    Answered,
    AskBookie,
    AskStanding,
    DelayPassed,
    LookForMark,
    MarkSeen,
    MetadataDamaged,
    MetadataSeen,
    Question,
    ReadMetadata,
    StandingSeen,
)
from reference_impl.ledger.checker.state import Check, Ending, Settings, Stage, Versioned
from spec.ledger.availability.encoding import decode
from spec.ledger.availability.groups import entries_of
from spec.ledger.errors import LedgerError
from spec.ledger.marks import Mark
from spec.ledger.violations import Category, Violation, counts


class Cluster(Protocol):
    """What the checker asks of a cluster; it changes nothing there."""

    def now_ms(self) -> int:
        """The present time."""
        ...

    def wait(self, delay_ms: int) -> None:
        """Let so much time pass."""
        ...

    def mark(self, ledger: int) -> Mark | None:
        """The under-replication mark of a ledger, if it has one."""
        ...

    def metadata(self, ledger: int) -> Versioned | None:
        """The metadata of a ledger; none if there is no such ledger.

        Raises:
            LedgerError: it cannot be read.
        """
        ...

    def entries(self, ledger: int, bookie: str) -> bytes | None:
        """A bookie's entries of a ledger, as they are sent; none if it gives no answer."""
        ...

    def registered(self) -> frozenset[str]:
        """The bookies that are registered at the metadata server."""
        ...

    def known_down(self) -> frozenset[str]:
        """The bookies that the auditor knows to be down."""
        ...


@dataclass(frozen=True)
class Report:
    """What came of a run.

    Attributes:
        violations: all that were logged.
        endings: how many ledgers ended in which way.
    """

    violations: tuple[Violation, ...]
    endings: Mapping[Ending, int]

    @property
    def counts(self) -> Mapping[Category, int]:
        """How many ledgers have violations of each category."""
        return counts(self.violations)


def run(cluster: Cluster, ledgers: Iterable[int], settings: Settings, log: Callable[[str], None]) -> Report:
    """Check all ledgers, log each violation when it is found, and count them at the end."""
    violations, endings = list[Violation](), Counter[Ending]()
    for check in _checks(cluster, ledgers, settings):
        endings.update([check.ending] if check.ending else [])
        violations += check.reported
        for violation in check.reported:
            log(str(violation))
        if check.why:
            log(f"ledger {check.ledger}: {check.why}")
    report = Report(tuple(violations), endings)
    for category, count in report.counts.items():
        log(f"{category.value}: {count} ledgers")
    return report


def _checks(cluster: Cluster, ledgers: Iterable[int], settings: Settings) -> Iterator[Check]:
    """The check of each ledger once it is done; those that were put aside come last, after the delay."""
    aside = []
    for ledger in ledgers:
        check = _until_it_rests(cluster, Check(ledger), settings)
        if check.stage is Stage.ASIDE:
            aside.append(check)
        else:
            yield check
    if aside:
        cluster.wait(settings.delay_ms)
    for check in aside:
        yield _until_it_rests(cluster, _after(check, DelayPassed(), settings), settings)


def _until_it_rests(cluster: Cluster, check: Check, settings: Settings) -> Check:
    """The check, done or put aside."""
    while questions := wanted(check):
        check = _after(check, ask(cluster, questions[0]), settings)
    return check


def _after(check: Check, action: Action, settings: Settings) -> Check:
    """The check after it was told what it asked for."""
    try:
        after = step(check, action, settings)
    except LedgerError as damage:
        after = step(check, MetadataDamaged(str(damage)), settings)
    if after is None:
        raise AssertionError(f"the check of ledger {check.ledger} did not ask for {action}")
    return after


def ask(cluster: Cluster, question: Question) -> Action:
    """Put a question to a cluster."""
    match question:
        case LookForMark(ledger):
            return MarkSeen(cluster.mark(ledger), cluster.now_ms())
        case ReadMetadata(ledger):
            try:
                return MetadataSeen(cluster.metadata(ledger))
            except LedgerError as damage:
                return MetadataDamaged(str(damage))
        case AskBookie(ledger, bookie):
            return Answered(bookie, _entries(cluster.entries(ledger, bookie)))
        case AskStanding(bookies):
            asked = frozenset(bookies)
            return StandingSeen(asked & cluster.registered(), asked & cluster.known_down())
        case _:
            assert_never(question)


def _entries(data: bytes | None) -> frozenset[int] | None:
    """The entries that were sent; bytes that cannot be read are no answer."""
    if data is None:
        return None
    try:
        return entries_of(decode(data))
    except LedgerError:
        return None

"""A run of the checker over many ledgers: the edge, where a cluster is asked, time passes, and violations are logged.

BookKeeper, BP-34, High Level Logic. Ledgers are checked a group at a time, so that memory does not grow with them; what
is put aside is checked again after one delay for all.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple, Protocol

from reference_impl.ledger.checker.machine import step, wanted
from reference_impl.ledger.checker.messages import Action, DelayPassed, MetadataDamaged, Question
from reference_impl.ledger.checker.state import Check, Ending, Settings, Stage
from spec.ledger.errors import LedgerError
from spec.ledger.violations import Category, Violation, counts


class Cluster(Protocol):
    """What a run asks; it changes nothing there."""

    def ask(self, questions: Sequence[Question]) -> Callable[[], Iterable[Action]]:
        """Put questions to the cluster; what is given waits for what it says to each, in their order."""
        ...

    def wait(self, delay_ms: int) -> None:
        """Let so much time pass."""
        ...


class Groups(NamedTuple):
    """How many ledgers are checked at once.

    Attributes:
        size: how many ask together.
        abreast: how many such groups there are at once, each as far as it is.
    """

    size: int = 1
    abreast: int = 1


ALONE: Final = Groups()
"""Ledgers are checked one after the other."""

LOOKS_AGAIN: Final = frozenset({Stage.MARK_AGAIN, Stage.METADATA_AGAIN, Stage.STANDING})
"""What a check waits for that has something to report."""


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


def run(
    cluster: Cluster,
    ledgers: Iterable[int],
    settings: Settings,
    log: Callable[[str], None],
    groups: Groups = ALONE,
    *,
    done: Callable[[Check], None] = lambda _: None,
) -> Report:
    """Check all ledgers, log each violation when it is found, and count them at the end.

    Args:
        cluster: what is asked.
        ledgers: their numbers.
        settings: what the checker is asked to do.
        log: takes lines.
        groups: how many ledgers are checked at once.
        done: takes each check at its end.
    """
    violations, endings = list[Violation](), Counter[Ending]()
    for check in _checks(cluster, ledgers, settings, groups):
        endings.update([check.ending] if check.ending else [])
        violations += check.reported
        done(check)
        for violation in check.reported:
            log(str(violation))
        if check.why:
            log(f"ledger {check.ledger}: {check.why}")
    report = Report(tuple(violations), endings)
    for category, count in report.counts.items():
        log(f"{category.value}: {count} ledgers")
    return report


def _checks(cluster: Cluster, ledgers: Iterable[int], settings: Settings, groups: Groups) -> Iterator[Check]:
    """The check of each ledger once it is done; those that were put aside come last, after the delay."""
    aside = []
    for check in _in_groups(cluster, map(Check, ledgers), settings, groups):
        if check.stage is Stage.ASIDE:
            aside.append(check)
        else:
            yield check
    if aside:
        cluster.wait(settings.delay_ms)
    again = (_after(check, DelayPassed(), settings) for check in aside)
    yield from _in_groups(cluster, again, settings, groups)


def _in_groups(cluster: Cluster, checks: Iterator[Check], settings: Settings, groups: Groups) -> Iterator[Check]:
    """Each check as soon as it is done or put aside; while one group is heard, others have asked already.

    Whoever looks again is heard at once, so that nothing lies between the second look and the report.
    """
    asking = deque[tuple[tuple[Check, ...], Callable[[], Iterable[Action]]]]()
    while True:
        while len(asking) < groups.abreast and (group := tuple(islice(checks, groups.size))):
            asking.append((group, _asked(cluster, group)))
        if not asking:
            return
        group, answers = asking.popleft()
        told = iter(answers())
        after = [_after_all(check, islice(told, len(wanted(check))), settings) for check in group]
        yield from (check for check in after if not wanted(check))
        if group := tuple(check for check in after if wanted(check)):
            is_suspect = any(check.stage in LOOKS_AGAIN for check in group)
            put = asking.appendleft if is_suspect else asking.append
            put((group, _asked(cluster, group)))


def _asked(cluster: Cluster, group: Iterable[Check]) -> Callable[[], Iterable[Action]]:
    """What the cluster says to all that the checks of a group ask."""
    return cluster.ask([question for check in group for question in wanted(check)])


def _after_all(check: Check, actions: Iterable[Action], settings: Settings) -> Check:
    """The check after it was told all that it asked for."""
    for action in actions:
        check = _after(check, action, settings)
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

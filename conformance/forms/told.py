"""Told: a report with the stories of its violations, which is what every form is made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from conformance.check import checking
from conformance.check.engines import Progress, silent
from conformance.check.ordering import ordered
from conformance.check.story import Story, replay, story_of
from conformance.forms.circles import Link, circle_of
from conformance.trace.header import Header
from conformance.trace.open import Parquet, Trace
from spec.language.outcomes import Violation
from spec.language.rule import Rule
from spec.reports.report import Report
from spec.reports.text import place_words
from spec.verdicts import RuleVerdict

STORIES_MAX: Final = 100
"""Violations that are told of one trace, of all rules together; all are counted."""


@dataclass(frozen=True)
class ToldViolation:
    """One violation, told.

    Attributes:
        said: what its rule says of the trace.
        violation: the row.
        place: where it is, in words.
        story: what happened.
        replay: the line that tells it again.
        circle: where the rule says that something came before itself: how.
    """

    said: RuleVerdict
    violation: Violation
    place: str
    story: Story
    replay: str
    circle: tuple[Link, ...] = ()


@dataclass(frozen=True)
class Told:
    """A report, and the stories of some of its violations.

    Attributes:
        report: what was found.
        header: of the trace.
        violations: those that are told, rule by rule.
    """

    report: Report
    header: Header
    violations: tuple[ToldViolation, ...]

    @property
    def untold(self) -> int:
        """How many violations there are that are not told, nor in a row with one that is."""
        told = sum(one.said.in_a_row[one.violation] for one in self.violations)
        return sum(said.violated for said in self.report.verdict.rules) - told


def told_of(
    trace: Trace,
    called: str,
    rules: Sequence[Rule] | None = None,
    engine: str = "columns",
    *,
    shown: int = checking.SHOWN,
    progress: Progress = silent,
) -> Told:
    """Judge a trace, and tell its violations.

    Args:
        trace: a trace in any form.
        called: what reports and lines to paste call it.
        rules: the rules that are asked for; None: all.
        engine: ``columns`` or ``python``.
        shown: violations of each rule that are told, as long as there are no more than ``STORIES_MAX`` in all.
        progress: told now and then how far the work is.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
        ColumnsMistake: a value in it cannot be judged.
    """
    with ordered(trace, progress) as copy:
        kept = max(shown, checking.KEPT)
        report = checking.check(copy, rules, engine, kept=kept, shown=shown, progress=progress)
        stories = tuple(_stories(report, copy, called, shown))
        return Told(replace(report, trace=called), copy.header, stories)


def _stories(report: Report, copy: Parquet, called: str, shown: int) -> Iterator[ToldViolation]:
    left = STORIES_MAX
    for said in report.verdict.judged:
        for violation in said.violations[: min(shown, left)]:
            left -= 1
            yield ToldViolation(
                said,
                violation,
                place_words(said, violation, report.names),
                story_of(copy, called, said.rule, violation.key),
                replay(called, said.rule, violation.key, report.names),
                circle_of(copy, said.rule, violation.key),
            )

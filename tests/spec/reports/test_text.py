"""The report as text says as much as was counted, and no more: all figures are those of the verdict (goal 1: true)."""

from __future__ import annotations

from collections.abc import Mapping

from spec.language.outcomes import Verdict, Violation
from spec.registry import BY_ID
from spec.reports.report import Report
from spec.reports.text import last_line, place_words, render
from spec.verdicts import RuleVerdict, Standing, TraceVerdict

COPIES, ONCE = BY_ID["log.append.acked_has_copies"], BY_ID["client.append.once"]


def broken(violated: int, runs: Mapping[int, int]) -> RuleVerdict:
    """A rule that is broken so often; some of it is kept: how many in a row from each of these LSNs."""
    kept = {Violation(COPIES.id, (1, lsn)): times for lsn, times in runs.items()}
    return RuleVerdict(COPIES, Verdict.VIOLATED, Standing.JUDGED, 90, violated, 0, violations=(*kept,), in_a_row=kept)


def places(said: RuleVerdict) -> list[str]:
    """Where a rule is broken, in words."""
    names = Report("run", "columns", TraceVerdict((said,))).names
    return [place_words(said, violation, names).partition(": ")[2] for violation in said.violations]


def test_only_the_last_run_that_was_kept_may_go_on() -> None:
    """Violations are kept in the order of keys, so what comes after the last one kept is what nobody looked at."""
    assert places(broken(9, {1: 3, 10: 2})) == ["3 in a row, told once", "at least 2 in a row, told once"]
    assert places(broken(5, {1: 3, 10: 2})) == ["3 in a row, told once", "2 in a row, told once"]


def test_the_last_line_counts_rules_times_and_instances() -> None:
    unsure = RuleVerdict(ONCE, Verdict.UNKNOWN, Standing.JUDGED, 10, 0, 4)
    left_out = RuleVerdict(ONCE, Verdict.UNKNOWN, Standing.NOT_RECORDED, 0, 0, 0)
    report = Report("run", "columns", TraceVerdict((broken(9, {1: 9}), unsure, left_out)))
    told = "verdict: violated (2 rules judged on 100 instances; 1 violated, 9 times in all; 1 unknown)"
    assert last_line(report) == told
    assert render(report).splitlines()[-1] == told

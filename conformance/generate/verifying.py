"""Verifying: does what a check found agree with what was planted?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.generate.found import Found, FoundOfRule, read, table_beside
from conformance.generate.truth import Truth
from spec.language.outcomes import Judgement, Violation
from spec.registry import BY_ID
from spec.verdicts import Recording, RuleVerdict, TraceVerdict, conclude, in_force

SHOWN: Final = 3
"""Violations that are named where some are missed or false."""


@dataclass(frozen=True)
class Verified:
    """What came of it.

    Attributes:
        rules: how many rules of the report are in force for the trace.
        planted: how many violations of the report's rules are planted.
        faults: where the report is not what is true, in a sentence each.
        left_out: how many violations are planted of each rule that the report does not name.
    """

    rules: int
    planted: int
    faults: tuple[str, ...]
    left_out: Counter[str]


def verified(truth: Truth, recording: Recording, found: Path) -> Verified:
    """Hold a report to the truth: all counts and verdicts, and the violations that it names.

    Args:
        truth: of the generated trace.
        recording: what the header of the generated trace declares.
        found: a report in JSON, or the folder that ``check --output`` wrote. If it says that a table of all violations
            was written, that is beside it.

    Raises:
        NotReadable, NoReport: there is no report, or not the table.
        TraceError: another of its kinds, for what is wrong with the log of the table.
    """
    report = read(found)
    said = sorted(report.rules, key=lambda rule: rule.id)
    rules = [BY_ID[rule.id] for rule in said]
    ids = {rule.id for rule in rules}
    planted = {violation for violation in truth.judgement.violations if violation.rule in ids}
    others = Counter(violation.rule for violation in truth.judgement.violations - planted)
    true = conclude(rules, Judgement(truth.judgement.counts, planted), recording)
    faults = [fault for one, right in zip(said, true.rules, strict=True) for fault in _misjudged(one, right)]
    faults += _misjudged_whole(report, true, truth.events)
    named = [violation for rule in said for violation in rule.named()]
    faults += _told("reported, and none", set(named) - planted)
    faults += _told("reported twice", _twice(named))
    judged = in_force(rules, recording)
    if report.output and judged:
        faults += _mistold(table_beside(found), planted)
    return Verified(len(judged), len(planted), tuple(faults), others)


def _misjudged(said: FoundOfRule, true: RuleVerdict) -> Iterator[str]:
    """What of a rule's counts, verdict and standing is wrong."""
    for name in ("judged", "violated", "unknown"):
        counted, number = getattr(said, name), getattr(true, name)
        if counted != number:
            yield f"{said.id}: {counted:,} {name}, and in truth {number:,}"
    if said.verdict is not true.verdict:
        yield f"{said.id}: the verdict is {said.verdict}, and in truth {true.verdict}"
    if said.standing is not true.standing:
        yield f"{said.id}: the standing is {said.standing.value!r}, and in truth {true.standing.value!r}"


def _misjudged_whole(report: Found, true: TraceVerdict, events: int) -> Iterator[str]:
    """What is wrong of that which the report says of the trace, and not of one rule."""
    if report.events not in (None, events):
        yield f"{report.events:,} events were judged, and {events:,} were generated"
    if report.verdict is not true.verdict:
        yield f"the verdict of the whole is {report.verdict}, and of these rules in truth {true.verdict}"
    if report.exit_code != true.exit_code:
        yield f"the exit code is {report.exit_code}, and of these rules in truth {int(true.exit_code)}"


def _mistold(written: list[Violation], planted: set[Violation]) -> Iterator[str]:
    """What is wrong with a table of all violations; where no rule is in force, none is written."""
    yield from _told("in the table, and none", set(written) - planted)
    yield from _told("in the table twice", _twice(written))
    yield from _told("planted, and not in the table", planted - set(written))


def _twice(violations: list[Violation]) -> set[Violation]:
    """Those that stand there more than once."""
    return {violation for violation, times in Counter(violations).items() if times > 1}


def _told(what: str, violations: set[Violation]) -> Iterator[str]:
    """The first few of some violations, and how many more there are."""
    for violation in sorted(violations)[:SHOWN]:
        row = dict(zip(BY_ID[violation.rule].view.key, violation.key, strict=True))
        yield f"{violation.rule}: {', '.join(f'{name} {value}' for name, value in row.items())}: {what}"
    if len(violations) > SHOWN:
        yield f"{len(violations) - SHOWN:,} more are {what}"

"""Verifying: does what a check found agree with what was planted?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from conformance.generate.found import FoundOfRule, read, table_of
from conformance.generate.truth import Truth
from spec.language.outcomes import Outcome, Verdict, Violation
from spec.registry import BY_ID

SHOWN: Final = 3
"""Violations that are named where some are missed or false."""


@dataclass(frozen=True)
class Verified:
    """What came of it.

    Attributes:
        rules: how many rules of the report were judged, and so compared.
        planted: how many violations of them are planted.
        faults: where the report is not what is true, in a sentence each.
        left_out: how many violations are planted of each rule that the report does not judge.
    """

    rules: int
    planted: int
    faults: tuple[str, ...]
    left_out: Counter[str]


def verified(truth: Truth, found: Path) -> Verified:
    """Hold a report to the truth: all counts and verdicts, and the violations that it names.

    Args:
        truth: of the generated trace.
        found: a report in JSON, or the folder that ``check --output`` wrote, which may have a table of all violations.

    Raises:
        NotReadable, NoReport: there is no report.
    """
    report = read(found)
    judged = report.judged
    rules = {rule.id for rule in judged}
    planted = {violation for violation in truth.judgement.violations if violation.rule in rules}
    others = Counter(violation.rule for violation in truth.judgement.violations - planted)
    faults = [fault for rule in sorted(judged, key=lambda rule: rule.id) for fault in _misjudged(truth, rule)]
    if report.events not in (None, truth.events):
        faults.append(f"{report.events:,} events were judged, and {truth.events:,} were generated")
    if (report.verdict is Verdict.VIOLATED) != any(rule.violated for rule in judged):
        faults.append(f"the verdict of the whole is {report.verdict}, which does not follow from those of the rules")
    named = [violation for rule in judged for violation in rule.named()]
    faults += _told("reported, and none", set(named) - planted)
    faults += _told("reported twice", _twice(named))
    written = table_of(found) if found.is_dir() else None
    if written is not None:
        faults += _told("in the table, and none", set(written) - planted)
        faults += _told("in the table twice", _twice(written))
        faults += _told("planted, and not in the table", planted - set(written))
    return Verified(len(judged), len(planted), tuple(faults), others)


def _misjudged(truth: Truth, rule: FoundOfRule) -> Iterator[str]:
    """What of a rule's counts and verdict is wrong."""
    counts = {outcome: truth.judgement.counts[rule.id, outcome] for outcome in Outcome}
    true = {"judged": sum(counts.values()), "violated": counts[Outcome.VIOLATED], "unknown": counts[Outcome.UNKNOWN]}
    for name, number in true.items():
        said = getattr(rule, name)
        if said != number:
            yield f"{rule.id}: {said:,} {name}, and in truth {number:,}"
    if (rule.verdict is Verdict.VIOLATED) != bool(rule.violated):
        yield f"{rule.id}: {rule.violated:,} violated, and the verdict is {rule.verdict}"


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

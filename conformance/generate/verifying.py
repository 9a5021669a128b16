"""Verifying: does what a check found agree with what was planted?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from conformance.generate.truth import Truth, violations_of
from conformance.trace.errors import TraceError
from conformance.trace.files import placed, readable
from conformance.trace.json_text import decode
from spec.language.outcomes import Outcome, Violation
from spec.registry import BY_ID
from spec.verdicts import Standing

REPORT: Final = "report.json"
TABLE: Final = "violations"
LEFT_OUT: Final = (Standing.NOT_PROMISED.value, Standing.NOT_RECORDED.value)
"""Standings of rules that are not judged."""

SHOWN: Final = 3
"""Violations that are named where some are missed or false."""


class NoReport(TraceError):
    """A file is no report of a check."""


@dataclass(frozen=True)
class Verified:
    """What came of it.

    Attributes:
        rules: how many rules of the report were judged, and so compared.
        planted: how many violations of them are planted.
        faults: where the report is not what is true, in a sentence each.
    """

    rules: int
    planted: int
    faults: tuple[str, ...]


def verified(truth: Truth, found: Path) -> Verified:
    """Hold a report to the truth: all counts, and the violations that it names.

    Args:
        truth: of the generated trace.
        found: a report in JSON, or the folder that ``check --output`` wrote, which may have a table of all violations.

    Raises:
        NotReadable, NoReport: there is no report.
    """
    report = _report(found)
    judged = {rule["id"]: rule for rule in report["rules"] if rule["standing"] not in LEFT_OUT}
    planted = {violation for violation in truth.judgement.violations if violation.rule in judged}
    faults = [fault for rule in sorted(judged) for fault in _miscounted(truth, judged[rule])]
    if report["events"] not in (None, truth.events):
        faults.append(f"{report['events']:,} events were judged, and {truth.events:,} were generated")
    named = [{"rule": name, "row": one["row"]} for name, rule in judged.items() for one in rule["violations"]]
    faults += _told("reported, and none", violations_of(named) - planted)
    if found.is_dir() and (found / TABLE).exists():
        written = set(_written(found / TABLE))
        faults += _told("in the table, and none", written - planted)
        faults += _told("planted, and not in the table", planted - written)
    return Verified(len(judged), len(planted), tuple(faults))


def _report(found: Path) -> dict[str, Any]:
    file = found / REPORT if found.is_dir() else found
    with placed(file), readable():
        said = decode(file.read_text(encoding="utf-8", errors="replace"))
        if not isinstance(said, dict) or "quorate_report" not in said or "error" in said:
            raise NoReport("no report", "it is not what `quorate check --format json` prints of one trace", "--output")
    return said


def _miscounted(truth: Truth, rule: dict[str, Any]) -> Iterator[str]:
    """Which of a rule's counts are wrong."""
    counts = {outcome: truth.judgement.counts[rule["id"], outcome] for outcome in Outcome}
    true = {"judged": sum(counts.values()), "violated": counts[Outcome.VIOLATED], "unknown": counts[Outcome.UNKNOWN]}
    for name, number in true.items():
        if rule[name] != number:
            yield f"{rule['id']}: {rule[name]:,} {name}, and in truth {number:,}"


def _written(table: Path) -> Iterator[Violation]:
    """The violations of a table that Spark wrote."""
    columns = pq.read_table(table).to_pydict()
    keys = zip(*(column for name, column in columns.items() if name != "rule"), strict=True)
    for rule, key in zip(columns["rule"], keys, strict=True):
        yield Violation(rule, tuple(part for part in key if part is not None))


def _told(what: str, violations: set[Violation]) -> Iterator[str]:
    """The first few of some violations, and how many more there are."""
    for violation in sorted(violations)[:SHOWN]:
        row = dict(zip(BY_ID[violation.rule].view.key, violation.key, strict=True))
        yield f"{violation.rule}: {', '.join(f'{name} {value}' for name, value in row.items())}: {what}"
    if len(violations) > SHOWN:
        yield f"{len(violations) - SHOWN:,} more are {what}"

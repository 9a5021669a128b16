"""Found: what a check said of a trace, read back from its report, and from the table of violations beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from conformance.trace import delta
from conformance.trace.errors import TraceError
from conformance.trace.files import placed, readable
from spec.language.outcomes import Verdict, Violation
from spec.registry import BY_ID
from spec.reports.json_form import FORM
from spec.verdicts import Standing

REPORT: Final = "report.json"
TABLE: Final = "violations"


class NoReport(TraceError):
    """A file is no report of a check."""


class NamedViolation(msgspec.Struct):
    """A violation that a report names: the row's key, by column."""

    row: dict[str, int]


class FoundOfRule(msgspec.Struct):
    """What a report says of one rule; see ``spec.verdicts.RuleVerdict``."""

    id: str
    verdict: Verdict
    standing: Standing
    judged: int
    violated: int
    unknown: int
    violations: list[NamedViolation]

    def named(self) -> list[Violation]:
        """The violations that are named.

        Raises:
            NoReport: a row is not one of the rule's view.
        """
        key = BY_ID[self.id].view.key
        if wrong := [one.row for one in self.violations if one.row.keys() != set(key)]:
            raise _no_report(f"{self.id} is about rows of {', '.join(key)}, and not {', '.join(wrong[0])}")
        return [Violation(self.id, tuple(one.row[name] for name in key)) for one in self.violations]


class Found(msgspec.Struct):
    """What a report says of one trace.

    Attributes:
        output: where all violations were written, in the words of whoever asked for it; None: nowhere.
    """

    quorate_report: str
    verdict: Verdict
    exit_code: int
    events: int | None
    output: str | None
    rules: list[FoundOfRule]


def read(found: Path) -> Found:
    """The report in a file, or in the folder that ``check --output`` wrote.

    Raises:
        NotReadable, NoReport: there is no report of one trace.
    """
    file = _report_in(found)
    with placed(file), readable():
        try:
            said = msgspec.json.decode(file.read_bytes(), type=Found)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise _no_report(str(error)) from None
        if said.quorate_report != FORM:
            raise _no_report(f"it has version {said.quorate_report}, and this quorate reads {FORM}")
        ids = [rule.id for rule in said.rules]
        if unknown := set(ids) - BY_ID.keys():
            raise _no_report(f"there is no rule {min(unknown)}")
        if len(set(ids)) < len(ids):
            raise _no_report(f"{max(ids, key=ids.count)} is there twice")
        return said


def _report_in(found: Path) -> Path:
    """The file of a report, which itself or whose folder is named."""
    return found / REPORT if found.is_dir() else found


def table_beside(found: Path) -> list[Violation]:
    """The violations in the table that Spark wrote beside a report, wherever both were moved since.

    Raises:
        TraceError: one of its kinds, where there is no such table, or it cannot be read.
    """
    table = _report_in(found).with_name(TABLE)
    with placed(table), readable():
        try:
            return [one for file in _files_of(table) for one in _written(pq.ParquetFile(file).read().to_pydict())]
        except pa.ArrowException as error:
            raise _no_report(" ".join(str(error).split())[:200]) from None


def _files_of(table: Path) -> list[Path]:
    """The files of a table that Spark wrote; of a Delta table, those that it has after its last commit."""
    if files := delta.files_now(table):
        return files
    advice = "the whole folder that `quorate check --output` wrote"
    raise NoReport("no table of violations", "the report says that one was written beside it", advice)


def _written(columns: dict[str, list[Any]]) -> Iterator[Violation]:
    if unknown := set(columns.get("rule", [None])) - BY_ID.keys():
        raise _no_report(f"there is no rule {', '.join(map(str, unknown))} in the table of violations")
    keys = zip(*(column for name, column in columns.items() if name != "rule"), strict=True)
    for rule, parts in zip(columns["rule"], keys, strict=True):
        key = tuple(part for part in parts if part is not None)
        if len(key) != len(BY_ID[rule].view.key):
            raise _no_report(f"a row of {rule} in the table of violations has {len(key)} parts of a key")
        yield Violation(rule, key)


def _no_report(why: str) -> NoReport:
    return NoReport("no report", why, "what `quorate check --format json` prints of one trace, or --output writes")

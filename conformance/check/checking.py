"""Checking one trace in this process: which rules are in force, what they say, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from conformance.check.at_once import judged_at_once
from conformance.check.engines import ENGINES, Progress, by_columns, silent
from conformance.check.ordering import ordered, size_of
from conformance.check.witness import witnesses
from conformance.trace.header import Header
from conformance.trace.keeping import with_books
from conformance.trace.open import Parquet, Trace
from spec.language.outcomes import Judgement, Violation
from spec.language.reference import ReferenceEvaluator
from spec.language.rule import Rule
from spec.reports.names import names_of
from spec.reports.report import Report
from spec.verdicts import TraceVerdict, conclude, in_force

KEPT: Final = 20
"""Violations of each rule that a report keeps; all are counted."""

SHOWN: Final = 3
"""Violations of each rule for which a report has a witness."""


def check(
    trace: Trace,
    rules: Sequence[Rule] | None = None,
    engine: str = "columns",
    *,
    kept: int = KEPT,
    shown: int = SHOWN,
    progress: Progress = silent,
) -> Report:
    """Judge a trace by the rules that are in force for it.

    Args:
        trace: a trace in any form; one that is not sorted Parquet is sorted into a temporary copy.
        rules: the rules that are asked for, in force or not, of which those of the trace's family are; None: all.
        engine: ``columns`` or ``python``.
        kept: how many violations of each rule the report keeps.
        shown: how many of them get a witness.
        progress: told now and then how far the work is.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
        ColumnsMistake: a value in it cannot be judged.
        KeyError: there is no such engine.
    """
    judge, mine = ENGINES[engine], trace.header.family.among(rules)
    asked = in_force(mine, trace.header)
    found = judged_at_once(asked, trace, progress) if judge is by_columns else None
    if found is not None and not found.judgement.violations:
        verdict = conclude(mine, found.judgement, trace.header)
        return _report(trace, found.events, verdict, engine)
    with ordered(trace, progress) as copy:
        events = size_of(copy)
        judgement = found.judgement if found else judge(asked, copy, events, progress) if asked else Judgement()
        verdict = conclude(mine, judgement, trace.header, keep_violations=kept)
        progress("explaining", events, events)
        return report_of(trace, copy, verdict, engine, shown=shown)


def verdict_in_memory(trace: Trace, rules: Sequence[Rule] | None = None) -> TraceVerdict:
    """The verdict on a small trace, by plain Python alone: no report, and no sorted copy.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    return verdict_of_events(trace.header, trace.events(), rules)


def verdict_of_events(
    header: Header, events: Iterable[Mapping[str, Any]], rules: Sequence[Rule] | None = None
) -> TraceVerdict:
    """The same of a header and its events, in any order."""
    whole, told = with_books(header, events)
    mine = header.family.among(rules)
    return conclude(mine, ReferenceEvaluator(told, whole.parameters()).judge(in_force(mine, whole)), whole)


def report_of(trace: Trace, copy: Parquet, verdict: TraceVerdict, engine: str, *, shown: int = SHOWN) -> Report:
    """The report on a verdict, with witnesses from a sorted copy of the trace."""
    chosen: dict[Violation, Rule] = {
        violation: said.rule for said in verdict.judged for violation in said.violations[:shown]
    }
    return replace(_report(trace, size_of(copy), verdict, engine), witnesses=witnesses(copy, chosen))


def _report(trace: Trace, events: int, verdict: TraceVerdict, engine: str) -> Report:
    """The report on a verdict, without witnesses."""
    return Report(
        trace=str(trace.path),
        engine=engine,
        verdict=verdict,
        names=names_of(trace.header),
        system=system_of(trace.header),
        events=events,
        promises=trace.header.promises,
        notes=trace.notes(),
    )


def system_of(header: Header) -> str:
    """The recorded system's name and version."""
    return " ".join(filter(None, (header.system.name, header.system.version)))

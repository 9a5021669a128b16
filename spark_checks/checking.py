"""Check a trace with Spark: choose a plan, judge, and report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from conformance.trace.file_order import as_one
from conformance.trace.open import JsonLines, Parquet, Trace, open_trace
from spark_checks import block_check, sql_check
from spark_checks.any_order import judging as any_order
from spark_checks.line_ranges import as_parquet
from spark_checks.session import runs_here
from spec.columns.plan import needed_columns
from spec.events import Passed
from spec.language.bookkeeping import BOOKS
from spec.language.outcomes import Judgement, Verdict
from spec.language.rule import Rule
from spec.reports.names import names_of
from spec.reports.report import Report
from spec.verdicts import RuleVerdict, TraceVerdict, conclude, in_force

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Plan = Literal["auto", "sql", "blocks"]
KEPT: Final = 20
"""Violations of each rule that a report keeps; all are counted."""

SORT: Final = "sort the trace first, which works out what clients knew: quorate trace sort"


def check(
    session: SparkSession,
    path: Path | str,
    rules: Sequence[Rule] | None = None,
    *,
    plan: Plan = "auto",
    kept: int = KEPT,
    output: str | None = None,
) -> Report:
    """Judge a trace by the rules that are in force for it.

    Args:
        session: where to run.
        path: a trace in any form, at a path that all workers can read.
        rules: the rules that are asked for, in force or not, of which those of the trace's family are; None: all.
        plan: ``blocks`` for Parquet, and where workers run on this machine for JSON lines, too; ``sql`` for anything;
            ``auto`` chooses. Where rules ask for another order than the trace's, blocks are shuffled.
        kept: how many violations of each rule the report keeps.
        output: a folder for a Parquet table ``violations`` of all of them.

    Raises:
        TraceError, ColumnsMistake: as in one process.
        sql_check.NotJudged: SQL found values that no trace may have.
        NotForBlocks: blocks were asked for and do not fit the trace.
    """
    with prepared(session, path, plan) as trace:
        return check_prepared(session, trace, rules, kept=kept, output=output)


class Prepared(NamedTuple):
    """A trace, made ready for a plan.

    Attributes:
        path: where it lies, as it was asked for.
        trace: the trace as it lies there.
        plan: how it is judged.
        read: what is read: of JSON lines that are judged by blocks their events as Parquet, else the trace itself.
    """

    path: str
    trace: Trace
    plan: Literal["sql", "blocks"]
    read: Trace


@contextmanager
def prepared(session: SparkSession, path: Path | str, plan: Plan = "auto") -> Iterator[Prepared]:
    """Make a trace ready for a plan, for as long as the block lasts; arguments and errors are those of ``check``."""
    trace = open_trace(path)
    chosen = chosen_plan(trace, plan, here=runs_here(session))
    if chosen == "blocks" and isinstance(trace, JsonLines):
        with as_parquet(session, trace) as read:
            yield Prepared(str(path), trace, chosen, read)
    else:
        yield Prepared(str(path), trace, chosen, trace)


def check_prepared(
    session: SparkSession,
    prepared: Prepared,
    rules: Sequence[Rule] | None = None,
    *,
    kept: int = KEPT,
    output: str | None = None,
) -> Report:
    """Judge a trace that is ready; arguments and errors are those of ``check``."""
    trace, read = prepared.trace, prepared.read
    header = trace.header
    mine = header.family.among(rules)
    asked, judgement = in_force(mine, header), Judgement()
    if prepared.plan == "blocks" and isinstance(read, Parquet):
        judgement = _by_blocks(session, read, asked, kept, output)
    elif asked:
        judgement = sql_check.judge(session, trace, asked, kept=kept, output=output)
    return Report(
        trace=prepared.path,
        engine=f"spark ({prepared.plan})",
        verdict=_as_sorted(conclude(mine, judgement, header, keep_violations=kept), trace),
        names=names_of(header),
        system=" ".join(filter(None, (header.system.name, header.system.version))),
        events=sum(part.rows for part in read.parts) if isinstance(read, Parquet) else None,
        promises=header.promises,
        notes=(header.note,) if header.note else (),
        output="" if output is None else f"{output}/violations",
    )


def _by_blocks(
    session: SparkSession, trace: Parquet, rules: Sequence[Rule], kept: int, output: str | None
) -> Judgement:
    """Judge by the rules that ask for the trace's own order, if it has one, and then by the others."""
    judgement, one = Judgement(), as_one(trace)
    there = [rule for rule in rules if one is not None and rule.view.sorted_by == trace.header.sorted_by]
    if one is not None and there:
        judgement = block_check.judge(session, one, there, kept=kept, output=output)
    if rest := [rule for rule in rules if rule not in there]:
        judgement.merge(any_order.judge(session, trace, rest, kept=kept, output=output, beside=bool(there)))
    return judgement


def _as_sorted(verdict: TraceVerdict, trace: Trace) -> TraceVerdict:
    """The verdict of a trace of which nobody kept books, which is done in sorting.

    Nothing holds that asks for events that books add, and what is unknown and hangs on what they fill in says so.
    """
    if trace.sorted or BOOKS in trace.header.recorders:
        return verdict
    books = trace.header.family.books
    filled = frozenset({*books.fills, *books.fills_sets})
    return TraceVerdict(tuple(_unsure(said, filled) for said in verdict.rules))


def _unsure(said: RuleVerdict, filled: frozenset[str]) -> RuleVerdict:
    lacks = said.verdict is Verdict.HOLDS and Passed in said.rule.needs
    if lacks or (said.verdict is Verdict.UNKNOWN and said.unknown and filled & needed_columns([said.rule])):
        return replace(said, verdict=Verdict.UNKNOWN, reason="; ".join(filter(None, (said.reason, SORT))))
    return said


class NotForBlocks(ValueError):
    """The block plan reads Parquet, and JSON lines only where workers run on this machine."""


def chosen_plan(trace: Trace, plan: Plan, *, here: bool) -> Literal["sql", "blocks"]:
    """The plan that fits a trace.

    Args:
        trace: the trace.
        plan: the one that was asked for.
        here: whether workers run on this machine.

    Raises:
        NotForBlocks: blocks were asked for and do not fit.
    """
    fits = here or isinstance(trace, Parquet)
    if plan == "blocks" and not fits:
        raise NotForBlocks(f"{trace.path} is not Parquet: `quorate trace sort` makes it so, or use --plan sql")
    return "blocks" if fits and plan != "sql" else "sql"

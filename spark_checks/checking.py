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
from spec.language.family import Family
from spec.language.outcomes import Judgement, Verdict
from spec.language.rule import Rule
from spec.reports.names import names_of
from spec.reports.report import Report
from spec.verdicts import RuleVerdict, Standing, TraceVerdict, conclude, in_force

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Plan = Literal["auto", "sql", "blocks"]
KEPT: Final = 20
"""Violations of each rule that a report keeps; all are counted."""

HANDED_ON: Final = 256
"""Violations of each rule that tasks hand on at least, so that it shows which are in a row."""

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
    if output is not None and runs_here(session):
        Path(output).mkdir(parents=True, exist_ok=True)
    header = trace.header
    mine = header.family.among(rules)
    asked, judgement = in_force(mine, header), Judgement()
    sure, handed_on = _sure(asked, trace), max(kept, HANDED_ON)
    if prepared.plan == "blocks" and isinstance(read, Parquet):
        judgement = _by_blocks(session, read, sure, handed_on, output)
    elif sure:
        judgement = sql_check.judge(session, trace, sure, kept=handed_on, output=output)
    return Report(
        trace=prepared.path,
        engine=f"spark ({prepared.plan})",
        verdict=_as_sorted(conclude(mine, judgement, header, keep_violations=kept), trace, sure, asked),
        names=names_of(header),
        system=" ".join(filter(None, (header.system.name, header.system.version))),
        events=sum(part.rows for part in read.parts) if isinstance(read, Parquet) else None,
        promises=header.promises,
        notes=read.notes() if isinstance(read, Parquet) else tuple(filter(None, (header.note,))),
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


def _sure(rules: Sequence[Rule], trace: Trace) -> list[Rule]:
    """The rules that can be judged: books that were kept of more events than are here, or fewer, say what is not so."""
    if trace.has_books or BOOKS not in trace.header.recorders:
        return list(rules)
    return [rule for rule in rules if not _hangs_on_books(rule, trace.header.family)]


def _as_sorted(verdict: TraceVerdict, trace: Trace, judged: Sequence[Rule], asked: Sequence[Rule]) -> TraceVerdict:
    """The verdict of a trace of which nobody kept books, or only of more or fewer events: sorting keeps them.

    Nothing holds that asks for events that books add, and what is unknown and hangs on what they fill in says so.
    """
    if trace.has_books:
        return verdict
    left_out, family = {rule.id for rule in asked} - {rule.id for rule in judged}, trace.header.family
    return TraceVerdict(
        tuple(
            replace(said, standing=Standing.JUDGED, reason=SORT) if said.rule.id in left_out else _unsure(said, family)
            for said in verdict.rules
        )
    )


def _unsure(said: RuleVerdict, family: Family) -> RuleVerdict:
    lacks = said.verdict is Verdict.HOLDS and Passed in said.rule.needs
    if lacks or (said.verdict is Verdict.UNKNOWN and said.unknown and _hangs_on_books(said.rule, family)):
        return replace(said, verdict=Verdict.UNKNOWN, reason="; ".join(filter(None, (said.reason, SORT))))
    return said


def _hangs_on_books(rule: Rule, family: Family) -> bool:
    """Whether a rule looks at what books fill in or add."""
    filled = {*family.books.fills, *family.books.fills_sets}
    return Passed in rule.needs or not filled.isdisjoint(needed_columns([rule]))


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

"""Merging on Spark: parts of a trace that tasks judged, joined in a tree, sixty-four at a time, into one judgement."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from spark_checks.tasks import Row, from_part, in_groups, parts_of, to_part, unpacked
from spark_checks.violations import COLUMNS, first_of, write
from spark_checks.violations import SCHEMA as VIOLATIONS_SCHEMA
from spec.columns.blocks import merge
from spec.columns.dimensions import Gathered, Tables
from spec.columns.partitions import needed_by, together
from spec.columns.parts import BlockSummary
from spec.language.orders import Order
from spec.language.outcomes import Judgement, Violation
from spec.language.parameters import Parameters
from spec.language.rule import Rule

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FAN: Final = 64
"""Parts that are merged at once."""


class Left(NamedTuple):
    """What a range of a trace leaves behind.

    Attributes:
        part: its rows that wait, and what is settled.
        tables: what these may look up about their own partitions.
    """

    part: BlockSummary
    tables: Gathered


@dataclass(frozen=True)
class Judging:
    """What every task knows that judges.

    Attributes:
        rules: the rules in force, which ask for one order.
        order: that order.
        parameters: what the trace's header fixes.
        tables: what rows look up, whatever their partition.
        kept: how many violations of each rule to hand on.
        all_violations: whether to give a row for each violation too.
    """

    rules: Sequence[Rule]
    order: Order
    parameters: Parameters
    tables: Tables
    kept: int
    all_violations: bool

    def merged(self, several: Sequence[Left], *, close: bool = False) -> Left:
        """Neighbouring parts as one; ``close``: there is no more trace on either side."""
        tables = together([one.tables for one in several], self.parameters)
        parts = [one.part for one in several]
        whole = merge(self.rules, parts, self.parameters, {**self.tables, **tables}, close=close)
        return self.left(whole, tables)

    def left(self, part: BlockSummary, tables: Tables) -> Left:
        """A part, and what of some tables by partition it may still look up."""
        return Left(part, needed_by(part, self.rules, tables, self.order))

    def settled(self, part: BlockSummary) -> Iterator[Row]:
        """Rows for a part's violations if all are wanted; the part keeps no more than it must."""
        if self.all_violations:
            yield from map(_row, part.judgement.violations)
            part.judgement.violations.clear()
        else:
            trimmed(part, self.kept)


def concluded(
    session: SparkSession,
    judged: DataFrame,
    branches: int,
    places: int,
    judging: Judging,
    *,
    output: str | None,
    beside: bool = False,
) -> Judgement:
    """The judgement of all parts.

    Args:
        session: where to run.
        judged: rows of tasks: parts, each with its place, and violations.
        branches: how many parts there are at most.
        places: a number that all places are below.
        judging: as the tasks knew it.
        output: a folder for a Parquet table ``violations`` of all of them; see ``Judging.all_violations``.
        beside: that table has violations of other rules already, which stay.

    Raises:
        Exception: what a task raised.
    """
    levels = [judged]
    while branches > FAN:
        branches = -(-branches // FAN)
        levels.append(_merged(levels[-1].persist(), judging, branches, places))
    if output is not None:
        levels[-1] = levels[-1].persist()
    try:
        for level in levels[:-1]:
            parts_of(level.where("error IS NOT NULL"))
        parts = [from_part(row.part) for row in parts_of(levels[-1])]
        whole = judging.merged(parts, close=True).part
        if output is not None:
            _write(session, levels, whole, output, judging.kept, beside=beside)
        return trimmed(whole, judging.kept).judgement
    finally:
        for level in levels:
            level.unpersist()


def _merged(level: DataFrame, judging: Judging, branches: int, places: int) -> DataFrame:
    """Merge neighbouring parts into so many."""
    packed = pickle.dumps(judging)

    def work(branch: Any) -> Iterator[Row]:
        judging: Judging = unpacked(packed)
        found = [from_part(part) for part in branch["part"].to_pylist()]
        whole = judging.merged(found)
        yield from judging.settled(whole.part)
        yield {"place": min(branch["place"].to_pylist()), "part": to_part(whole)}

    parts = level.where("part IS NOT NULL").select("place", "part")
    return in_groups(parts.selectExpr("*", f"place * {branches} div {places} AS branch"), "branch", work)


def trimmed(part: BlockSummary, kept: int) -> BlockSummary:
    """The part with only the first violations of each rule, in the order of their keys."""
    by_rule: dict[str, list[Violation]] = {}
    for violation in sorted(part.judgement.violations):
        by_rule.setdefault(violation.rule, []).append(violation)
    part.judgement.violations = {violation for some in by_rule.values() for violation in some[:kept]}
    return part


def _row(violation: Violation) -> Row:
    return {"rule": violation.rule} | {f"k{number}": value for number, value in enumerate(violation.key)}


def _write(
    session: SparkSession, levels: list[DataFrame], whole: BlockSummary, output: str, kept: int, *, beside: bool
) -> None:
    """All violations as a table: those that tasks found, and those that only the last merge could see."""
    last = [tuple(_row(violation).get(name) for name in COLUMNS) for violation in sorted(whole.judgement.violations)]
    table = session.createDataFrame(last, VIOLATIONS_SCHEMA)
    for level in levels:
        table = table.unionByName(level.where("rule IS NOT NULL").select(*COLUMNS))
    whole.judgement.violations |= first_of(write(table, output, beside=beside), kept)

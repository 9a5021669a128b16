"""The block plan for a sorted trace: each task reads its own row groups and judges them with numpy.

No event passes through Spark. A task gives a few rows: what its row groups leave behind, pickled, and, where all
violations are wanted, one row for each.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from conformance.trace import parquet
from conformance.trace.open import Parquet
from spark_checks.looking import Group, files_of, groups_of, look
from spark_checks.merging import Judging, concluded
from spark_checks.tasks import Row, over, tasks_for, to_part, unpacked
from spec.columns.blocks import check_run
from spec.columns.dimensions import Tables, gather
from spec.columns.partitions import dimensions_beyond, dimensions_by_partition
from spec.columns.parts import BlockSummary
from spec.columns.plan import needed_columns, needed_of_kinds
from spec.language.declare import Dimension
from spec.language.outcomes import Judgement
from spec.language.parameters import Parameters
from spec.language.rule import Rule, rules_about

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERY: Final = (-(1 << 63), (1 << 63) - 1)
"""Partitions that a row group may have whose file does not tell."""


def judge(
    session: SparkSession, trace: Parquet, rules: Sequence[Rule], *, kept: int, output: str | None = None
) -> Judgement:
    """Judge a sorted trace; the judgement counts all violations and names ``kept`` of each rule.

    Args:
        session: where to run.
        trace: sorted Parquet, at a path that all workers can read.
        rules: the rules in force.
        kept: how many violations of each rule to hand on.
        output: a folder for a Parquet table ``violations`` of all of them.

    Raises:
        Empty: the trace has no event.
        TraceError, ColumnsMistake: as in this process.
    """
    groups, order = groups_of(trace), trace.header.sorted_by
    by_partition = dimensions_by_partition(rules, order)
    seen = look(session, trace, dimensions_beyond(rules, order))
    rules = rules_about(rules, seen.kinds) or tuple(rules)
    judging = Judging(rules, order, trace.header.parameters(), seen.tables, kept, output is not None)
    packed = pickle.dumps((judging, groups, needed_columns(rules), by_partition))

    def work(numbers: Iterator[int]) -> Iterator[Row]:
        judging, groups, columns, by_partition = unpacked(packed)
        mine = list(numbers)
        if not mine:
            return
        raws = parquet.read_raws(files_of(groups[number] for number in mine), columns, in_order=False)
        tables = _tables(by_partition, groups, mine, judging.parameters)
        whole, every = BlockSummary(()), {**judging.tables, **tables}
        for whole in check_run(judging.rules, raws, judging.parameters, every, begins=mine[0] == 0):
            yield from judging.settled(whole)
        yield {"place": mine[0], "part": to_part(judging.left(whole, tables))}

    judged, count = over(session, len(groups), work), len(groups)
    return concluded(session, judged, tasks_for(session, count), count, judging, output=output)


def _tables(
    dimensions: Sequence[type[Dimension]], groups: Sequence[Group], mine: Sequence[int], parameters: Parameters
) -> Tables:
    """What is about the partitions of some row groups, from all row groups that may have events of one of them."""
    spans = [span or EVERY for span in (group.partitions for group in groups)]
    low, high = min(spans[number][0] for number in mine), max(spans[number][1] for number in mine)
    around = [group for group, (least, most) in zip(groups, spans, strict=True) if least <= high and low <= most]
    return gather(dimensions, parquet.read_kinds(files_of(around), needed_of_kinds(dimensions)), parameters)

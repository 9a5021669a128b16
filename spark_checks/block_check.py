"""The block plan for a sorted trace: each task reads its own row groups and judges them with numpy.

No event passes through Spark. A task gives a few rows: what its row groups leave behind, pickled, and, where all
violations are wanted, one row for each.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from conformance.trace.blocks import Blocks
from conformance.trace.open import Parquet
from spark_checks.looking import groups_of, look
from spark_checks.merging import Judging, concluded, unpacked
from spark_checks.tasks import Row, over, tasks_for
from spec.columns.blocks import check_run
from spec.columns.parts import BlockSummary
from spec.columns.plan import needed_columns
from spec.language.outcomes import Judgement
from spec.language.rule import Rule, rules_about

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    groups, seen = groups_of(trace), look(session, trace, rules)
    rules = rules_about(rules, seen.kinds) or tuple(rules)
    judging = Judging(rules, trace.header.parameters(), seen.tables, kept, output is not None)
    packed = pickle.dumps((judging, groups, Blocks(trace.header, needed_columns(rules))))

    def work(numbers: Iterator[int]) -> Iterator[Row]:
        judging, groups, blocks = unpacked(packed)
        mine = list(numbers)
        if not mine:
            return
        raws = (groups[number].read(blocks) for number in mine)
        whole = BlockSummary(())
        for whole in check_run(judging.rules, raws, judging.parameters, judging.tables, begins=mine[0] == 0):
            yield from judging.settled(whole)
        yield {"place": mine[0], "part": pickle.dumps(whole)}

    judged, count = over(session, len(groups), work), len(groups)
    return concluded(session, judged, tasks_for(session, count), count, judging, output=output)

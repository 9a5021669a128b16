"""The block plan for a trace in any order: tasks cut it into ranges, Spark shuffles them, tasks sort and judge them.

Spark sees pieces of a range as bytes, never an event. Each order that rules ask for takes a shuffle of its own, and so
does the question whether an event stands twice, where that is not known. In memory of a task: one range, which is some
``RANGE`` events, unless more stand at one place of the order, and what ``spec.columns.blocks`` says.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from conformance.trace.open import Parquet
from spark_checks.any_order.cutting import Cut
from spark_checks.any_order.pieces import Parcel, together
from spark_checks.any_order.ranges import Ranges
from spark_checks.any_order.uniqueness import refuse_repetition
from spark_checks.looking import Group, InOrder, groups_of, look
from spark_checks.merging import Judging, concluded
from spark_checks.tasks import Row, a_few_for_each_core, from_part, in_places, over, to_part, unpacked
from spec.columns.blocks import check_run
from spec.columns.dimensions import join_gathered
from spec.columns.partitions import dimensions_beyond, dimensions_by_partition
from spec.columns.parts import BlockSummary
from spec.columns.plan import by_order, needed_columns
from spec.language.events import kinds
from spec.language.outcomes import Judgement
from spec.language.rule import Rule, rules_about

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RANGE: Final = 1 << 20
"""Events of one range, about."""

LEAST: Final = 1 << 14
"""Events of a range that is not cut further, though there be a core without one."""


def judge(
    session: SparkSession,
    trace: Parquet,
    rules: Sequence[Rule],
    *,
    kept: int,
    output: str | None = None,
    beside: bool = False,
) -> Judgement:
    """Judge a trace in any order; the judgement counts all violations and names ``kept`` of each rule.

    Args:
        session: where to run.
        trace: Parquet, at a path that all workers can read.
        rules: the rules in force.
        kept: how many violations of each rule to hand on.
        output: a folder for a Parquet table ``violations`` of all of them.
        beside: that table has violations of other rules already, which stay.

    Raises:
        Empty: the trace has no event.
        Duplicated: an event stands twice.
        TraceError, ColumnsMistake: as in this process.
    """
    groups, header = groups_of(trace), trace.header
    asked = {order: InOrder(order, _kinds(mine)) for order, mine in by_order(rules).items()}
    beyond = [one for order, mine in by_order(rules).items() for one in dimensions_beyond(mine, order)]
    seen = look(session, trace, [*dict.fromkeys(beyond)], tuple(asked.values()))
    count = _ranges(session, sum(group.rows for group in groups))
    ranges = {order: Ranges(sample, count) for order, sample in zip(asked, seen.samples, strict=True)}
    if not (trace.sorted and len(trace.parts) == 1):
        refuse_repetition(session, groups, header)
    whole, looked_at = Judgement(), False
    for order, mine in by_order(rules_about(rules, seen.kinds) or rules).items():
        of_partitions = dimensions_by_partition(mine, order)
        cut = Cut(header, asked[order], needed_columns(mine), ranges[order], of_partitions, looks_at_all=not looked_at)
        judging = Judging(tuple(mine), order, header.parameters(), seen.tables, kept, output is not None)
        judged = _judged(session, groups, cut, judging)
        size = len(cut.ranges)
        whole.merge(concluded(session, judged, size, size, judging, output=output, beside=beside or looked_at))
        looked_at = True
    return whole


def _kinds(rules: Sequence[Rule]) -> frozenset[int]:
    """The kinds of event that rows are made of which rules judge."""
    return frozenset(kind for rule in rules for kind in kinds(rule.view.events))


def _ranges(session: SparkSession, events: int) -> int:
    """How many ranges so many events are cut into."""
    return max(-(-events // RANGE), min(a_few_for_each_core(session), -(-events // LEAST)))


def _judged(session: SparkSession, groups: Sequence[Group], cut: Cut, judging: Judging) -> DataFrame:
    """A part for each range, and violations if all are wanted."""
    packed = pickle.dumps((cut, groups, judging))

    def pieces(numbers: Iterator[int]) -> Iterator[Row]:
        cut, groups, _ = unpacked(packed)
        yield from cut.pieces([groups[number] for number in numbers])

    def of_range(number: int, parts: list[bytes]) -> Iterator[Row]:
        cut, _, judging = unpacked(packed)
        parcels: list[Parcel] = [from_part(part) for part in parts]
        events = [parcel.events for parcel in parcels if parcel.events is not None]
        if not events:
            return
        raws, parameters = [together(events, judging.order.stored)], judging.parameters
        tables = join_gathered(cut.dimensions, [parcel.tables for parcel in parcels], parameters)
        whole, every = BlockSummary(()), {**judging.tables, **tables}
        for whole in check_run(judging.rules, raws, parameters, every, begins=number == 0):
            yield from judging.settled(whole)
        yield {"place": number, "part": to_part(judging.left(whole, tables))}

    return in_places(over(session, len(groups), pieces), len(cut.ranges), of_range)

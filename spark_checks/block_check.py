"""The block plan: Spark schedules row groups of a sorted trace; each task reads its own and judges with numpy.

No event passes through Spark. A task gives a few rows: what its row groups leave behind, pickled, and, where all
violations are wanted, one row for each. What tasks leave behind is merged in a tree, sixty-four at a time.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa

from conformance.trace import parquet
from conformance.trace.blocks import Blocks
from conformance.trace.errors import Empty
from conformance.trace.files import placed
from conformance.trace.open import Parquet
from spark_checks.session import cores_of
from spark_checks.violations import COLUMNS, KEY_PARTS, first_of, write
from spark_checks.violations import SCHEMA as VIOLATIONS_SCHEMA
from spec.columns.blocks import check_run, merge
from spec.columns.column import Raw
from spec.columns.dimensions import Gathered, Tables, dimensions_of, gather_piece, join_gathered
from spec.columns.parts import BlockSummary
from spec.columns.piece import kinds_of
from spec.columns.plan import needed_columns, needed_of_kinds
from spec.language.outcomes import Judgement, Violation
from spec.language.parameters import Parameters
from spec.language.rule import Rule, rules_about

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FAN: Final = 64
"""Parts that are merged at once."""

SCHEMA: Final = f"place BIGINT, part BINARY, error BINARY, {VIOLATIONS_SCHEMA}"
"""What tasks give: a part with the place of its first row group, an error, or a violation."""

Group: TypeAlias = tuple[parquet.Part, int]
"""One row group of one file."""

_TYPES: Final = {"place": pa.int64(), "part": pa.binary(), "error": pa.binary(), "rule": pa.string()} | {
    f"k{number}": pa.int64() for number in range(KEY_PARTS)
}


@dataclass(frozen=True)
class Task:
    """What every task knows.

    Attributes:
        rules: the rules in force.
        groups: the row groups of the trace that have events, in order.
        parameters: what the trace's header fixes.
        tables: what rows look up.
        kept: how many violations of each rule to hand on.
        all_violations: whether to give a row for each violation too.
    """

    rules: Sequence[Rule]
    groups: Sequence[Group]
    parameters: Parameters
    tables: Tables
    kept: int
    all_violations: bool


@lru_cache(maxsize=1)
def _unpacked(packed: bytes) -> Task:
    """The task of a job, unpickled once for each worker and not for each run of row groups."""
    task: Task = pickle.loads(packed)  # noqa: S301 - from our own driver
    return task


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
    groups = [(part, number) for part in trace.parts for number, rows in enumerate(part.groups) if rows]
    if not groups:
        raise Empty("no event", "the trace has no rows", "check whether the recorders were on").at(trace.path)
    parameters = trace.header.parameters()
    tables, here = _tables(session, rules, groups, parameters)
    rules = rules_about(rules, here) or rules
    task = Task(tuple(rules), groups, parameters, tables, kept, output is not None)
    bound = tasks_for(session, len(groups))
    levels = [_over_groups(session, groups, _judging(task))]
    while bound > FAN:
        bound = -(-bound // FAN)
        levels.append(_merged_level(levels[-1].persist(), task, bound))
    if output is not None:
        levels[-1] = levels[-1].persist()
    try:
        for level in levels[:-1]:
            _checked(level.where("error IS NOT NULL"))
        parts = [pickle.loads(row.part) for row in _checked(levels[-1])]  # noqa: S301 - from our own tasks
        whole = merge(rules, parts, parameters, tables, close=True)
        if output is not None:
            _write(session, levels, whole, output, kept)
        return trimmed(whole, kept).judgement
    finally:
        for level in levels:
            level.unpersist()


def _tables(
    session: SparkSession, rules: Sequence[Rule], groups: Sequence[Group], parameters: Parameters
) -> tuple[Tables, frozenset[int]]:
    """What rows look up, gathered by tasks, and the kinds of event that occur."""
    dimensions = dimensions_of(rules)
    wanted = needed_of_kinds(dimensions)

    def gather(numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
        for number in numbers:
            here = frozenset(kinds_of(read(groups[number], frozenset({"kind"}))["kind"].value))
            part, group = groups[number]
            raws = parquet.read_kinds((part.only(group),), wanted) if not here.isdisjoint(wanted) else ()
            yield {"part": pickle.dumps((here, [gather_piece(dimensions, raw, parameters) for raw in raws]))}

    rows = _over_groups(session, groups, gather)
    found: list[tuple[frozenset[int], list[Gathered]]] = [
        pickle.loads(row.part)  # noqa: S301 - from our own tasks
        for row in _checked(rows)
    ]
    gathered = [one for _, several in found for one in several]
    return join_gathered(dimensions, gathered, parameters), frozenset().union(*(here for here, _ in found))


def read(group: Group, columns: frozenset[str]) -> Raw:
    """Some columns of one row group, checked.

    Raises:
        TraceError: one of its kinds, with the place, for whatever is wrong.
    """
    part, number = group
    blocks = Blocks(part.header, columns)
    with placed(f"{part.path}, row group {number}"):
        return blocks.of(parquet.read_group(part, number, blocks.names))


def _judging(task: Task) -> Callable[[Iterator[int]], Iterator[dict[str, Any]]]:
    """Judge a run of row groups and give what they leave behind as one part."""
    packed = pickle.dumps(task)

    def run(numbers: Iterator[int]) -> Iterator[dict[str, Any]]:
        task, mine = _unpacked(packed), list(numbers)
        if not mine:
            return
        columns = needed_columns(task.rules)
        raws = (read(task.groups[number], columns) for number in mine)
        whole = BlockSummary(())
        for whole in check_run(task.rules, raws, task.parameters, task.tables, begins=mine[0] == 0):
            yield from _settled(whole, task)
        yield {"place": mine[0], "part": pickle.dumps(whole)}

    return run


def _settled(part: BlockSummary, task: Task) -> Iterator[dict[str, Any]]:
    """Rows for a part's violations if all are wanted; the part keeps no more than it must."""
    if task.all_violations:
        yield from map(_row, part.judgement.violations)
        part.judgement.violations.clear()
    else:
        trimmed(part, task.kept)


def _row(violation: Violation) -> dict[str, Any]:
    return {"rule": violation.rule} | {f"k{number}": value for number, value in enumerate(violation.key)}


def trimmed(part: BlockSummary, kept: int) -> BlockSummary:
    """The part with only the first violations of each rule, in the order of their keys."""
    by_rule: dict[str, list[Violation]] = {}
    for violation in sorted(part.judgement.violations):
        by_rule.setdefault(violation.rule, []).append(violation)
    part.judgement.violations = {violation for some in by_rule.values() for violation in some[:kept]}
    return part


def _over_groups(
    session: SparkSession, groups: Sequence[Group], work: Callable[[Iterator[int]], Iterator[dict[str, Any]]]
) -> DataFrame:
    """Let tasks work on runs of neighbouring row groups."""

    def task(batches: Iterator[Any]) -> Iterator[Any]:
        pa.set_cpu_count(1)
        numbers = (number for batch in batches for number in batch.column(0).to_pylist())
        return _batches(work(numbers))

    return session.range(0, len(groups), 1, tasks_for(session, len(groups))).mapInArrow(task, SCHEMA)


def tasks_for(session: SparkSession, groups: int) -> int:
    """How many tasks share the row groups: a few for each core, so that a slow one does not hold up the rest."""
    return min(groups, max(1, 4 * cores_of(session)))


def _merged_level(level: DataFrame, task: Task, branches: int) -> DataFrame:
    """Merge neighbouring parts into so many."""
    packed = pickle.dumps(task)
    parts = level.where("part IS NOT NULL").select("place", "part")

    def work(branch: Any) -> Any:
        pa.set_cpu_count(1)
        task = _unpacked(packed)

        def merged() -> Iterator[dict[str, Any]]:
            found = [pickle.loads(part) for part in branch["part"].to_pylist()]  # noqa: S301 - from our own tasks
            whole = merge(task.rules, found, task.parameters, task.tables)
            yield from _settled(whole, task)
            yield {"place": min(branch["place"].to_pylist()), "part": pickle.dumps(whole)}

        return pa.Table.from_batches(list(_batches(merged())))

    near = parts.selectExpr("*", f"place * {branches} div {len(task.groups)} AS branch")
    return near.groupBy("branch").applyInArrow(work, SCHEMA)


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[Any]:
    """Rows as record batches; an error becomes the last row, so that it keeps its name."""
    waiting: list[dict[str, Any]] = []
    try:
        for row in rows:
            waiting.append(row)
            if len(waiting) >= 4096:  # noqa: PLR2004 - rows of one batch
                yield _batch(waiting)
                waiting = []
    except Exception as error:  # noqa: BLE001 - raised again, with its name, by the driver
        waiting.append({"error": pickle.dumps(error)})
    if waiting:
        yield _batch(waiting)


def _batch(rows: list[dict[str, Any]]) -> Any:
    return pa.RecordBatch.from_arrays(
        [pa.array([row.get(name) for row in rows], kind) for name, kind in _TYPES.items()], list(_TYPES)
    )


def _checked(rows: DataFrame) -> list[Any]:
    """The parts, after raising what a task raised."""
    found = rows.where("part IS NOT NULL OR error IS NOT NULL").select("place", "part", "error").collect()
    for row in found:
        if row.error is not None:
            raise pickle.loads(row.error)  # noqa: S301 - from our own tasks
    return found


def _write(session: SparkSession, levels: list[DataFrame], whole: BlockSummary, output: str, kept: int) -> None:
    """All violations as a table: those that tasks found, and those that only the last merge could see."""
    last = [tuple(_row(violation).get(name) for name in COLUMNS) for violation in sorted(whole.judgement.violations)]
    table = session.createDataFrame(last, VIOLATIONS_SCHEMA)
    for level in levels:
        table = table.unionByName(level.where("rule IS NOT NULL").select(*COLUMNS))
    whole.judgement.violations |= first_of(write(table, output), kept)

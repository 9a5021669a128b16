"""Traces as tables of an SQL engine, and what the SQL reading says of them there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import duckdb
import pyarrow as pa

from conformance.trace.open import Parquet
from spec.events import Event
from spec.language.outcomes import Judgement
from spec.language.parameters import Parameters, mask, pack_factors
from spec.language.rule import Rule, rules_about
from spec.language.schema import StorageColumn, storage
from spec.language.sql.dialects import DUCKDB, SPARK
from spec.language.sql.guard import findings, guard_statement
from spec.language.sql.plan import statement
from spec.language.sql.verdicts import decode
from tests.support.random_traces import parameters_for, random_events

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MISLEADING: Final = (0, 1, None)
"""What may stand in a column of a kind that does not fill it; writers leave 0, and no reading may look."""

NODES: Final = (5, 70, 64)
"""So many have random traces: sets that share a number, sets of two numbers, and sets that fill one."""


class Drawn(NamedTuple):
    """The trace of a seed: its events in the order of a sorted trace, and the same as a shuffled table."""

    events: list[dict[str, Any]]
    parameters: Parameters
    table: Any


def drawn(seed: int, *, sizes: tuple[int, ...] = (40, 80, 120), nodes: int | None = None) -> Drawn:
    """Draw the number of logs, and of nodes if it is not given, the events, their order and what misleads."""
    rng, nodes = Random(seed), nodes or NODES[seed % len(NODES)]
    said = random_events(rng, rng.choice(sizes), nodes=nodes, logs=rng.choice((1, 2, 3)))
    unfilled = MISLEADING[seed // len(NODES) % len(MISLEADING)]
    parameters = parameters_for(nodes)
    return Drawn(said, parameters, table_of(shuffled(said, rng), parameters, unfilled=unfilled))


def table_of(events: Sequence[Mapping[str, Any]], parameters: Parameters, *, unfilled: int | None = 0) -> pa.Table:
    """Events as the stored columns, in the order in which they are given."""
    columns = [column for column in storage(Event, parameters) if column.bits]
    arrays = {
        column.name: pa.array([_stored(event, column, parameters, unfilled) for event in events], f"int{column.bits}")
        for column in columns
    }
    return pa.table(arrays)


def _stored(event: Mapping[str, Any], column: StorageColumn, parameters: Parameters, unfilled: int | None) -> Any:
    if event["kind"] not in column.kinds:
        return unfilled
    value = event.get(column.column)
    if column.sort == "set":
        return None if value is None else mask(value, parameters.words)[column.word]
    return pack_factors(value) if isinstance(value, Mapping) else value


def stored_columns(trace: Parquet) -> pa.Table:
    """The whole trace, without the columns that are computed from others."""
    stored = [column.name for column in storage(Event, trace.parameters()) if column.bits]
    return pa.concat_tables(trace.tables()).select(stored)


def shuffled(events: Sequence[Mapping[str, Any]], rng: Random) -> list[Mapping[str, Any]]:
    """The same events in another order."""
    return rng.sample(list(events), len(events))


@contextmanager
def quiet_duckdb() -> Iterator[duckdb.DuckDBPyConnection]:
    """A DuckDB of one thread, which is enough for small traces."""
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        yield connection


def judged_by_duckdb(
    connection: duckdb.DuckDBPyConnection,
    rules: Sequence[Rule],
    events: pa.Table,
    parameters: Parameters,
    **told_of: Any,
) -> Judgement:
    """What the SQL text says in DuckDB, once its guard has told where NULLs are, and the test what else is known."""
    connection.register("trace", events)
    told = connection.execute(guard_statement("trace", DUCKDB, parameters, base=Event)).fetchall()[0]
    found = findings(told, parameters, base=Event)
    assert not found.faults, found
    text = statement(rules, "trace", DUCKDB, parameters, nullable=found.nullable, **told_of)
    return decode(rules, connection.execute(text).fetchall())


def spark_frame(session: SparkSession, events: pa.Table, parts: int) -> DataFrame:
    """The table in Spark, in several partitions."""
    return session.createDataFrame(events).repartition(parts)


def judged_by_spark(
    session: SparkSession, rules: Sequence[Rule], events: pa.Table, parameters: Parameters
) -> Judgement:
    """What the SQL text says in Spark; it is written for the kinds that occur, and run, as in a check of a trace."""
    from spark_checks.sql_check import few_partitions

    spark_frame(session, events, 3).createOrReplaceTempView("random_trace")
    told = session.sql(guard_statement("random_trace", SPARK, parameters, base=Event)).collect()[0]
    found = findings(tuple(told), parameters, base=Event)
    assert not found.faults, found
    here = frozenset(events["kind"].unique().to_pylist())
    rules = rules_about(rules, here) or rules
    text = statement(rules, "random_trace", SPARK, parameters, nullable=found.nullable, here=here)
    with few_partitions(session, len(events)):
        return decode(rules, [tuple(row) for row in session.sql(text).collect()])

"""Contenders: every way in which the same trace can be judged by the same rules, and the bare scan beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.big_trace import BigTrace
from conformance.check.engines import by_columns, silent
from conformance.trace.blocks import Blocks
from conformance.trace.open import Parquet, open_trace
from conformance.trace.parquet import read_tables
from spec.columns.plan import needed_columns
from spec.language.outcomes import Judgement
from spec.language.reference import ReferenceEvaluator
from spec.registry import RULES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ALL: Final = 10**9
"""How many violations of each rule are asked for: every one, so that they can be compared."""

SPARK_MEMORY: Final = "6g"
DUCKDB_MEMORY: Final = "6GB"


@dataclass(frozen=True)
class Contender:
    """One way to judge.

    Attributes:
        name: what the table calls it.
        group: what ``--only`` calls it.
        events: how many events one run is given.
        run: judges once.
        truth: what it must say; None: it says nothing.
        once: it is too slow to be run again.
    """

    name: str
    group: str
    events: int
    run: Callable[[], Judgement | None]
    truth: Judgement | None
    once: bool = False


GROUPS: Final = ("scan", "columns", "blocks", "sql", "duckdb", "polars", "reference")


def contenders(trace: BigTrace, wanted: frozenset[str], cores: int, open_until: ExitStack) -> Iterator[Contender]:
    """The wanted contenders, one after another; what they hold open is closed with the stack."""
    if "scan" in wanted:
        yield Contender("bare scan, sorted", "scan", trace.events, lambda: _scan(trace), None)
    if "columns" in wanted:
        yield Contender("columns, sorted", "columns", trace.events, lambda: _columns(trace), trace.truth)
    if "duckdb" in wanted:
        for name, folder in (("sorted", trace.in_order), ("by time", trace.by_time)):
            run = _duckdb(f"{folder}/*.parquet", open_trace(trace.by_time), cores, open_until)
            yield Contender(f"DuckDB, {name}", "duckdb", trace.events, run, trace.truth)
    if "polars" in wanted:
        for name, folder in (("sorted", trace.in_order), ("by time", trace.by_time)):
            yield Contender(f"Polars, {name}", "polars", trace.events, _polars(folder), trace.truth)
    if wanted & {"blocks", "sql"}:
        from spark_checks.session import spark_session  # noqa: PLC0415 - only those who ask for Spark need Java

        session = open_until.enter_context(spark_session("quorate bench", cores=cores, memory=SPARK_MEMORY))
        if "blocks" in wanted:
            yield Contender("Spark blocks, sorted", "blocks", trace.events, _blocks(session, trace), trace.truth)
            yield Contender("Spark blocks, by time", "blocks", trace.events, _shuffled(session, trace), trace.truth)
        if "sql" in wanted:
            yield Contender("Spark SQL, by time", "sql", trace.events, _sql(session, trace), trace.truth)
    if "reference" in wanted:
        size = sum(part.rows for part in _parquet(trace.sample).parts)
        yield Contender(
            "Python reference, sample", "reference", size, lambda: _reference(trace), trace.sample_truth, once=True
        )


def _parquet(path: Any) -> Parquet:
    trace = open_trace(path)
    assert isinstance(trace, Parquet)
    return trace


def _scan(trace: BigTrace) -> None:
    """Read the columns that the rules need, and nothing else."""
    parts = _parquet(trace.in_order).parts
    for _ in read_tables(parts, Blocks(parts[0].header, needed_columns(RULES)).names):
        pass


def _columns(trace: BigTrace) -> Judgement:
    return by_columns(RULES, _parquet(trace.in_order), trace.events, silent)


def _blocks(session: SparkSession, trace: BigTrace) -> Callable[[], Judgement]:
    from spark_checks import block_check  # noqa: PLC0415 - as above

    return lambda: block_check.judge(session, _parquet(trace.in_order), RULES, kept=ALL)


def _shuffled(session: SparkSession, trace: BigTrace) -> Callable[[], Judgement]:
    from spark_checks.any_order import judging  # noqa: PLC0415 - as above

    return lambda: judging.judge(session, _parquet(trace.by_time), RULES, kept=ALL)


def _sql(session: SparkSession, trace: BigTrace) -> Callable[[], Judgement]:
    from spark_checks import sql_check  # noqa: PLC0415 - as above

    return lambda: sql_check.judge(session, _parquet(trace.by_time), RULES, kept=ALL)


def _duckdb(files: str, trace: Any, cores: int, open_until: ExitStack) -> Callable[[], Judgement]:
    """The SQL that is derived for DuckDB, without the scan that guards Spark's: it may take every value for sound."""
    import duckdb  # noqa: PLC0415 - a tool of this benchmark only

    from conformance.trace.spark_schema import parquet_select  # noqa: PLC0415 - as above
    from spec.language.sql.dialects import DUCKDB  # noqa: PLC0415 - as above
    from spec.language.sql.plan import statement  # noqa: PLC0415 - as above
    from spec.language.sql.verdicts import decode  # noqa: PLC0415 - as above

    database = open_until.enter_context(duckdb.connect(config={"threads": cores, "memory_limit": DUCKDB_MEMORY}))
    quoted = files.replace("'", "''")
    source = parquet_select(trace.header, f"read_parquet('{quoted}')", '"')
    text = statement(RULES, f"({source})", DUCKDB, trace.parameters())
    return lambda: decode(RULES, database.execute(text).fetchall())


def _polars(folder: Path) -> Callable[[], Judgement]:
    """Polars' streaming engine; it takes every value for sound, as DuckDB does."""
    import polars as pl  # noqa: PLC0415 - a tool of this benchmark only

    from benchmarks.in_polars.gathering import Events  # noqa: PLC0415 - as above
    from benchmarks.in_polars.judging import Reading  # noqa: PLC0415 - as above
    from conformance.trace.by_field import made_of  # noqa: PLC0415 - as above
    from spec.language.sql.verdicts import decode  # noqa: PLC0415 - as above

    trace = _parquet(folder)
    events = Events(pl.scan_parquet(folder / "*.parquet"), made_of(trace.header), trace.parameters())
    return lambda: decode(RULES, Reading(events, RULES).rows())


def _reference(trace: BigTrace) -> Judgement:
    sample = _parquet(trace.sample)
    return ReferenceEvaluator(sample.events(), sample.parameters()).judge(RULES)

"""The SQL plan: any trace, in any order and form, judged by one statement; only counts and few violations come back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from functools import reduce
from typing import TYPE_CHECKING

from conformance.trace.blocks import Blocks
from conformance.trace.errors import Damaged, Oversized, TraceError
from conformance.trace.extremes import extremes_of
from conformance.trace.open import Parquet, Trace
from conformance.trace.spark_schema import parquet_schema, parquet_select, stored_schema
from spark_checks import lines
from spark_checks.guard import guarded
from spark_checks.paths import literal
from spark_checks.session import EVENTS_PER_PARTITION, cores_of
from spark_checks.violations import KEY_PARTS, first_of, write
from spec.columns.dimensions import dimensions_of
from spec.columns.plan import needed_of_kinds
from spec.language.outcomes import Judgement, Outcome
from spec.language.rule import Rule, rules_about
from spec.language.sql.dialects import SPARK
from spec.language.sql.events import kind_is
from spec.language.sql.plan import statement
from spec.language.sql.verdicts import decode
from spec.language.sql.views import Shape, sheets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

EVENTS = "quorate_events"
FIELDS = "quorate_fields"
FACTS = "quorate_facts"
PARTITIONS = "spark.sql.shuffle.partitions"
UNREADABLE = ("FAILED_READ_FILE", "MALFORMED_RECORD", "CANNOT_READ_FILE", "BAD_RECORD", "CANNOT_PARSE_JSON_FIELD")
"""What Spark says of bytes and lines that it cannot read."""


def judge(
    session: SparkSession,
    trace: Trace,
    rules: Sequence[Rule],
    *,
    kept: int,
    output: str | None = None,
    beside: bool = False,
) -> Judgement:
    """Judge a trace; the judgement counts all violations and names ``kept`` of each rule.

    Args:
        session: where to run.
        trace: in any form, at a path that all workers can read.
        rules: the rules in force.
        kept: how many violations of each rule to hand on.
        output: a folder for a Parquet table ``violations`` of all of them.
        beside: that table has violations of other rules already, which stay.

    Raises:
        TraceError: one of its kinds, for values that no trace may have.
    """
    with _named(trace):
        told = register(session, trace)
        unique = isinstance(trace, Parquet) and trace.sorted and len(trace.parts) == 1
        known = extremes_of(trace.parts) if isinstance(trace, Parquet) else {}
        seen = guarded(session, trace.header, EVENTS, unique=unique, told=told, extremes=known)
        rules = rules_about(rules, seen.kinds) or rules
        facts = _facts(session, trace, rules, seen.kinds)
        parameters = trace.header.parameters()
        text = statement(rules, EVENTS, SPARK, parameters, nullable=seen.nullable, here=seen.kinds, facts=FACTS)
        with few_partitions(session, seen.events):
            result = session.sql(text).persist()
        try:
            judgement = decode(rules, [tuple(row) for row in _counts(result, rules).collect()])
            judgement.violations.clear()
            if any(outcome is Outcome.VIOLATED and times for (_, outcome), times in judgement.counts.items()):
                broken = _broken(result, rules)
                judgement.violations |= first_of(
                    broken if output is None else write(broken, output, beside=beside), kept
                )
            elif output is not None:
                write(_broken(result, rules), output, beside=beside)
            return judgement
        finally:
            result.unpersist()
            facts.unpersist()


@contextmanager
def few_partitions(session: SparkSession, events: int) -> Iterator[None]:
    """Plan fewer partitions for a small trace, in a session that allows it: one for each core at least."""
    share, before = session.conf.get(EVENTS_PER_PARTITION, None), session.conf.get(PARTITIONS)
    if share is None or before is None:
        yield
        return
    wanted = max(cores_of(session), -(-events // int(share)))
    session.conf.set(PARTITIONS, min(int(before), wanted))
    try:
        yield
    finally:
        session.conf.set(PARTITIONS, before)


def register(session: SparkSession, trace: Trace) -> int | None:
    """Make the stored columns a view; gives the number of events, if the trace tells it."""
    if not isinstance(trace, Parquet):
        return lines.register(session, trace, EVENTS)
    reduce(lambda one, other: one.unionAll(other), _tables(session, trace)).createOrReplaceTempView(EVENTS)
    return None


def _tables(session: SparkSession, trace: Parquet) -> Iterator[DataFrame]:
    """The shared columns of the files that keep fields, and of those that keep shared columns themselves."""
    header, read = trace.header, session.read
    if paths := [literal(part.path) for part in trace.parts if part.by_field]:
        read.schema(parquet_schema(header)).parquet(*paths).createOrReplaceTempView(FIELDS)
        yield session.sql(parquet_select(header, FIELDS))
    if paths := [literal(part.path) for part in trace.parts if not part.by_field]:
        yield read.schema(stored_schema(header)).parquet(*paths)


def _facts(session: SparkSession, trace: Trace, rules: Sequence[Rule], here: frozenset[int]) -> DataFrame:
    """Make the few events that tables are made of a view, read once for all tables; on disk where memory is short."""
    wanted = needed_of_kinds(dimensions_of(rules))
    names = Blocks(trace.header, frozenset({"kind"}.union(*wanted.values()))).names
    facts = session.sql(f"SELECT {', '.join(names)} FROM {EVENTS} WHERE {kind_is(sorted(here & wanted.keys()))}")
    facts.persist().createOrReplaceTempView(FACTS)
    return facts


@contextmanager
def _named(trace: Trace) -> Iterator[None]:
    """Give Spark's complaints about bytes, lines and numbers a name, and all errors the trace's path.

    Raises:
        Damaged, Oversized: Spark cannot read the trace.
    """
    from py4j.protocol import Py4JJavaError  # noqa: PLC0415 - comes with Spark, which is loaded only where it runs
    from pyspark.errors import PySparkException  # noqa: PLC0415 - as above

    try:
        yield
    except TraceError as error:
        raise error.at(trace.path) from None
    except (PySparkException, Py4JJavaError) as error:
        said, advice = " ".join(str(error).split()), "`quorate trace show` tells more"
        if any(word in said for word in UNREADABLE):
            raise Damaged("Spark cannot read it", said[:300], advice).at(trace.path) from None
        if "OVERFLOW" in said:
            raise Oversized("a number beyond its column", said[:300], advice).at(trace.path) from None
        raise


def _counts(result: DataFrame, rules: Sequence[Rule]) -> DataFrame:
    """How many rows were judged in each way, without their keys."""
    from pyspark.sql import functions as f  # noqa: PLC0415 - as above

    shape = Shape.of(sheets_of(rules))
    words = [f"o{number}" for number in range(shape.words)]
    keys = [f.lit(None).cast("bigint").alias(f"k{number}") for number in range(shape.width)]
    return result.groupBy("view", *words).agg(f.sum("n").alias("n")).select("view", *words, *keys, "n")


def _broken(result: DataFrame, rules: Sequence[Rule]) -> DataFrame:
    """One row for each row of a view and each rule that it breaks."""
    sheets = sheets_of(rules)
    width = Shape.of(sheets).width
    cases = [
        f"CASE WHEN view = '{sheet.label}' AND (shiftright(o{number}, {2 * place}) & 3) = 3 THEN '{rule.id}' END"
        for sheet in sheets
        for number, here in enumerate(sheet.words)
        for place, rule in enumerate(here)
    ]
    keys = [f"k{number}" if number < width else f"CAST(NULL AS BIGINT) AS k{number}" for number in range(KEY_PARTS)]
    rows = result.where("k0 IS NOT NULL")
    return rows.selectExpr(f"explode(filter(array({', '.join(cases)}), x -> x IS NOT NULL)) AS rule", *keys)

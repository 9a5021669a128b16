"""JSON lines for Spark: read with an explicit schema, after a look at what Spark's parser lets pass.

Spark takes the last of two fields of one name and drops what its schema does not have; both must be refused. That a
trace which calls itself sorted is sorted is not looked at: SQL judges events in any order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from conformance.trace.errors import Duplicated, Mistyped, Oversized, TraceError, Truncated
from conformance.trace.header import Header
from conformance.trace.header_json import VERSION_KEY
from conformance.trace.jsonl import END, LIMIT, read_first_line
from conformance.trace.open import Trace
from conformance.trace.spark_schema import json_schema, json_select
from spark_checks.paths import literal
from spec.language.scopes import SCOPES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LINES: Final = "quorate_lines"
TEXT: Final = "quorate_text"


def register(session: SparkSession, trace: Trace, view: str) -> int | None:
    """Make the stored columns of a trace in JSON lines a view; gives the number of events, if the trace tells it.

    Raises:
        TraceError: one of its kinds, for what Spark's parser would let pass.
    """
    session.read.text(literal(trace.path)).createOrReplaceTempView(TEXT)
    lines = session.read.schema(json_schema(trace.header)).option("mode", "FAILFAST").json(literal(trace.path))
    lines.createOrReplaceTempView(LINES)
    _refuse(session, TEXT, _of_text())
    _refuse(session, LINES, _of_sets(trace.header))
    session.sql(json_select(trace.header, LINES)).createOrReplaceTempView(view)
    count = f"SELECT count({VERSION_KEY}) AS headers, count({END}) AS ends, max({END}) AS told FROM {LINES}"
    row = session.sql(count).collect()[0]
    if row.headers > 1 or row.ends > 1:
        what = f"{row.headers} headers and {row.ends} last lines"
        raise Duplicated(what, "a trace has one of each", "one trace per file")
    told: int | None = row.told
    if told is None and read_first_line(trace.path).counted:
        raise Truncated("the last line is missing", "the header says that one counts the events", "copy it again")
    return told


def _of_text() -> dict[str, TraceError]:
    keys = "json_object_keys(value)"
    scopes = ", ".join(f"'{scope}'" for scope in SCOPES)
    within = "json_object_keys(get_json_object(value, '$.replication'))"
    return {
        f"octet_length(value) >= {LIMIT}": Oversized(
            f"a line of more than {LIMIT} bytes", "no event is as large", "record a hash of the payload"
        ),
        f"trim(value) <> '' AND {keys} IS NULL": Mistyped("no object", "each line must be one", "one event a line"),
        f"size({keys}) <> size(array_distinct({keys}))": Duplicated(
            "a field stands twice", "one object may say a thing once", "keep one of the two"
        ),
        f"size(array_except({within}, array({scopes}))) > 0": Mistyped(
            "a replication property has an unknown scope", f"the scopes are {', '.join(SCOPES)}", "one of these"
        ),
    }


def _of_sets(header: Header) -> dict[str, TraceError]:
    found: dict[str, TraceError] = {}
    fields = (field for shape in header.shapes.values() for field in shape.fields if field.sort == "set")
    for name, universe in {field.name: field.universe for field in fields if field.universe is not None}.items():
        word, size = universe.one, header.parameters().size_of(universe)
        outside = f"exists(`{name}`, n -> n IS NULL OR n < 0 OR n >= {size})"
        found[outside] = Oversized(f"{name} names a {word} that is not listed", "the header has fewer", "check it")
        repeated = f"size(`{name}`) <> size(array_distinct(`{name}`))"
        found[repeated] = Duplicated(f"a {word} stands twice in {name}", "it is a set", f"name each {word} once")
    return found


def _refuse(session: SparkSession, view: str, faults: dict[str, TraceError]) -> None:
    counts = "".join(f", count_if({condition}) AS f{number}" for number, condition in enumerate(faults))
    row = session.sql(f"SELECT count(*){counts} FROM {view}").collect()[0]
    for number, error in enumerate(faults.values()):
        if lines := row[f"f{number}"]:
            raise error.at(f"{lines} lines")

"""Spark's schemas are derived: what Spark reads from JSON lines is what Parquet keeps (architecture, The trace)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.trace import jsonl
from conformance.trace.arrow import schema_of
from conformance.trace.commands import convert
from conformance.trace.fields import shapes_of
from conformance.trace.header import Header, Member, Recorder, System
from conformance.trace.open import open_trace
from conformance.trace.spark_schema import json_projection, json_schema, json_select, stored_schema
from spec.log.family import LOG
from tests.support.traces import HEADER, small_events, write_small

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.together("spark")

ARROW_TYPES = {"TINYINT": "int8", "SMALLINT": "int16", "INT": "int32", "BIGINT": "int64"}


def test_stored_columns_are_those_of_arrow() -> None:
    columns = dict(re.findall(r"`(\w+)` (\w+)", stored_schema(HEADER)))
    schema = schema_of(HEADER)
    assert list(columns) == schema.names == list(json_projection(HEADER))
    types = {name: str(schema.field(name).type) for name in schema.names if name != "recorder"}
    assert {name: ARROW_TYPES[columns[name]] for name in types} == types
    assert columns["recorder"] == "STRING"


def test_every_field_of_json_lines_has_a_type(tmp_path: Path) -> None:
    """The first line but for its version, and all fields of all kinds."""
    names = set(re.findall(r"`(\w+)` ", json_schema(HEADER)))
    assert {field.name for shape in shapes_of(LOG).values() for field in shape.fields} <= names
    for line in write_small(tmp_path / "t.jsonl").read_text(encoding="utf-8").splitlines()[1:]:
        assert set(json.loads(line)) <= names


def rows_of(spark: SparkSession, path: Path, header: Header) -> list[dict[str, Any]]:
    """Read JSON lines with Spark, as the stored columns."""
    table = spark.read.schema(json_schema(HEADER)).option("mode", "FAILFAST").json(str(path))
    table.createOrReplaceTempView("lines")
    found = spark.sql(json_select(header, "lines"))
    wanted = re.findall(r"`(\w+)` (\w+)", stored_schema(header))
    assert [(field.name, field.dataType.simpleString().upper()) for field in found.schema] == wanted
    return [row.asDict() for row in found.collect()]


def test_spark_reads_json_lines_as_parquet_keeps_them(tmp_path: Path, spark: SparkSession) -> None:
    nodes = tuple(Member(f"n{number}") for number in range(70))
    big = Header(
        system=System("big"), members={"nodes": nodes}, recorders={"r": Recorder("node", {})}, clock_bound_ns=0
    )
    stores = [
        {**small_events()[3], "recorder": "r", "seq": number, "nodes": copyset}
        for number, copyset in enumerate([frozenset({0, 63, 64, 69}), frozenset({63}), frozenset[int](), None])
    ]
    for name, header, events in [("small", HEADER, small_events()), ("big", big, stores)]:
        source, target = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.parquet"
        jsonl.write_events(source, header, events)
        convert(source, target)
        (kept,) = open_trace(target).tables()
        expected = kept.select(schema_of(header).names).to_pylist()
        assert rows_of(spark, source, header) == expected

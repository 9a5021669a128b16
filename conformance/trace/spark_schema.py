"""Schemas and projections as text for Spark, derived from the event classes; Spark itself is not imported here.

Parquet is read with ``parquet_schema`` and turned into the shared columns by ``parquet_select``; files of before have
these themselves. JSON lines are read with ``json_schema`` and turned into them by ``json_projection``. That decodes
sets with a higher-order function, several times slower than reading masks: convert a trace that is judged often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Final

from conformance.trace.arrow import stored
from conformance.trace.by_field import field_columns, made_of
from conformance.trace.errors import Mistyped
from conformance.trace.fields import PAYLOAD, EventShape
from conformance.trace.header import Header
from conformance.trace.header_json import VERSION_KEY
from conformance.trace.jsonl import END
from spec.language.parameters import FACTOR_BITS, WORD
from spec.language.schema import StorageColumn
from spec.language.scopes import SCOPES
from spec.language.sql.events import kind_is
from spec.language.terms import Sort

_TYPES: Final = {0: "STRING", 8: "TINYINT", 16: "SMALLINT", 32: "INT", 64: "BIGINT"}
_JSON_TYPES: Final[dict[Sort, str]] = {
    "int": "BIGINT",
    "set": "ARRAY<INT>",
    "factors": f"STRUCT<{', '.join(f'`{scope}`: INT' for scope in SCOPES)}>",
}


def stored_schema(header: Header) -> str:
    """The stored columns, as the text of a Spark schema."""
    return ", ".join(f"`{column.name}` {_TYPES[column.bits]}" for column in stored(header))


def parquet_schema(header: Header) -> str:
    """The columns of Parquet by field, as the text of a Spark schema."""
    return ", ".join(f"`{column.name}` {_TYPES[column.bits]}" for column in field_columns(header))


def parquet_select(header: Header, source: str, quote: str = "`") -> str:
    """The query that turns a table of columns by field into the shared ones, for Spark or with another quote."""
    bits = {column.name: column.bits for column in field_columns(header)}
    columns = ", ".join(f"{_of_fields(column, header, bits, quote)} AS {column.name}" for column in stored(header))
    return f"SELECT {columns} FROM {source}"


def _of_fields(column: StorageColumn, header: Header, bits: Mapping[str, int], quote: str) -> str:
    """One shared column: each field in the events that have it, 0 in all others."""
    fields = {name: f"{quote}{name}{quote}" for name in made_of(header)[column.name]}
    if len(fields) == 1 and bits[name := next(iter(fields))] == column.bits:
        return fields[name]
    cases = " ".join(
        f"WHEN {kind_is(kinds)} THEN {fields[name]}" for name, kinds in made_of(header)[column.name].items()
    )
    return f"CAST(CASE {cases} ELSE 0 END AS {_TYPES[column.bits]})"


def json_schema(header: Header) -> str:
    """The fields of JSON lines, as the text of a Spark schema; the first and the last line have fields of their own.

    Raises:
        Mistyped: two kinds of event use one name for fields of different sorts.
    """
    sorts: dict[str, Sort] = {}
    for field in (field for shape in header.shapes.values() for field in shape.fields):
        if sorts.setdefault(field.name, field.sort) != field.sort:
            raise Mistyped(f"field {field.name!r}", "two kinds of event give it different sorts", "rename one of them")
    fields = {name: _JSON_TYPES[sort] for name, sort in sorts.items()}
    named = {VERSION_KEY: "STRING", END: "BIGINT", "kind": "STRING", "recorder": "STRING", **fields, PAYLOAD: "STRING"}
    return ", ".join(f"`{name}` {kind}" for name, kind in named.items())


def json_projection(header: Header) -> dict[str, str]:
    """For each stored column, its expression in Spark SQL over the fields of ``json_schema``.

    A column that a kind does not fill is 0. An unknown kind gives NULL, which no trace may have in ``kind``.
    """
    return {column.name: _expression(column, header.shapes.values()) for column in stored(header)}


def json_select(header: Header, source: str) -> str:
    """The query that turns a table of JSON lines into the stored columns, without the first and the last line."""
    columns = ", ".join(f"{expression} AS `{name}`" for name, expression in json_projection(header).items())
    return f"SELECT {columns} FROM {source} WHERE `{VERSION_KEY}` IS NULL AND `{END}` IS NULL"


def _expression(column: StorageColumn, shapes: Collection[EventShape]) -> str:
    kind = _TYPES[column.bits]
    if not column.bits:
        return f"`{column.name}`"
    if column.name == "kind":
        cases = " ".join(f"WHEN '{shape.word}' THEN {shape.kind}" for shape in shapes)
        return f"CAST(CASE `kind` {cases} END AS {kind})"
    words: dict[str, list[str]] = defaultdict(list)
    for shape in shapes:
        for field in shape.fields:
            if field.column == column.column:
                words[field.name].append(f"'{shape.word}'")
    cases = " ".join(f"WHEN `kind` IN ({', '.join(some)}) THEN {_value(column, name)}" for name, some in words.items())
    return f"CAST(CASE {cases} ELSE 0 END AS {kind})"


def _value(column: StorageColumn, name: str) -> str:
    """One field as the number that keeps it."""
    if column.sort == "set":
        low, high = WORD * column.word, WORD * (column.word + 1)
        bit = f"CASE WHEN n >= {low} AND n < {high} THEN shiftleft(1L, n - {low}) ELSE 0L END"
        return f"aggregate(`{name}`, 0L, (found, n) -> found | {bit})"
    if column.sort == "factors":
        scopes = (
            f"shiftleft(CAST(coalesce(`{name}`.`{scope}`, 0) AS BIGINT), {FACTOR_BITS * place})"
            for place, scope in enumerate(SCOPES)
        )
        return f"CASE WHEN `{name}` IS NOT NULL THEN {' | '.join(scopes)} END"
    return f"`{name}`"

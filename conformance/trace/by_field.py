"""Parquet by field: there, each field has a column of its own name; in memory, kinds of event share columns.

A field's column holds 0 in events that do not have the field; what other writers leave there, NULL or anything, nobody
looks at. Files of before have the shared columns themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from conformance.trace.arrow import stored, type_of
from conformance.trace.blocks import numbers
from conformance.trace.fields import shapes_of
from conformance.trace.header import Header
from conformance.trace.kinds_here import KindsHere
from spec.columns.column import Column, both
from spec.language.family import Family
from spec.language.schema import StorageColumn, word_name

ALWAYS: Final = ("kind", "recorder")
"""Columns of every event, which no event class declares."""

Kinds: TypeAlias = tuple[int, ...]


class FieldColumn(NamedTuple):
    """The column of one field, or of one mask word of a set.

    Attributes:
        name: the field's name, or that of the word.
        bits: how many bits its numbers have, with sign: as the widest shared column that keeps it; 0 for text.
        type: its Arrow type.
        optional: it may hold NULL in some kind of event that has the field.
        kept: the shared columns that keep the field in memory, each with the kinds of event of which it does.
    """

    name: str
    bits: int
    type: Any
    optional: bool
    kept: Mapping[str, Kinds]


def field_columns(header: Header) -> tuple[FieldColumn, ...]:
    """The columns of a trace by field, in the order in which fields are declared."""
    return _field_columns(header.family, stored(header))


@cache
def _field_columns(family: Family, shared: tuple[StorageColumn, ...]) -> tuple[FieldColumn, ...]:
    words = defaultdict[str, list[StorageColumn]](list)
    for column in shared:
        words[column.column].append(column)
    kept = defaultdict[str, dict[StorageColumn, list[int]]](dict)
    for name in ALWAYS:
        kept[name][words[name][0]] = list(shapes_of(family))
    for shape in shapes_of(family).values():
        for field in shape.fields:
            for column in words[field.column]:
                kept[word_name(field.name, column.word)].setdefault(column, []).append(shape.kind)
    return tuple(_field_column(name, columns) for name, columns in kept.items())


def _field_column(name: str, kept: Mapping[StorageColumn, list[int]]) -> FieldColumn:
    optional = any(not set(kinds).isdisjoint(column.optional) for column, kinds in kept.items())
    widest = max(kept, key=lambda column: column.bits)
    of_columns = {column.name: tuple(kinds) for column, kinds in kept.items()}
    return FieldColumn(name, widest.bits, type_of(widest), optional, of_columns)


def made_of(header: Header) -> Mapping[str, Mapping[str, Kinds]]:
    """For each shared column, the columns by field that it is made of, each with its kinds of event."""
    return _made_of(header.family, stored(header))


@cache
def _made_of(family: Family, shared: tuple[StorageColumn, ...]) -> Mapping[str, Mapping[str, Kinds]]:
    found: dict[str, dict[str, Kinds]] = {column.name: {} for column in shared}
    for column in _field_columns(family, shared):
        for name, kinds in column.kept.items():
            found[name][column.name] = kinds
    return found


def schema_by_field(header: Header) -> Any:
    """The Arrow schema of a file by field without texts; columns that are always known cannot hold NULL."""
    return pa.schema([pa.field(one.name, one.type, nullable=one.optional) for one in field_columns(header)])


def is_by_field(names: Iterable[str], header: Header) -> bool:
    """Whether a file with these columns keeps fields, and not shared columns: whichever it lacks fewer of."""
    there = set(names)
    return len({one.name for one in field_columns(header)} - there) <= len(made_of(header).keys() - there)


def names_by_field(header: Header, shared: Iterable[str], kinds: Iterable[int] | None = None) -> list[str]:
    """The columns by field that these shared ones are made of in some kinds of event, and the kind itself."""
    of, here = made_of(header), frozenset(header.shapes if kinds is None else kinds)
    wanted = {"kind", *(name for column in shared for name, kinds in of[column].items() if not here.isdisjoint(kinds))}
    return [column.name for column in field_columns(header) if column.name in wanted]


def stirring(metadata: Any, groups: list[int], names: list[str]) -> list[str]:
    """Those of some columns that do not hold 0 in all rows of some row groups, as far as these tell."""
    places = {name: place for place, name in enumerate(metadata.schema.names)}
    rows = [metadata.row_group(group) for group in groups]
    return [
        name
        for name in names
        if name in ALWAYS or not all(_is_zero(row.column(places[name]).statistics) for row in rows)
    ]


def _is_zero(said: Any) -> bool:
    if said is None or not said.has_min_max or not said.has_null_count or said.null_count:
        return False
    return bool(said.min == said.max == 0)


def shared(table: Any, header: Header, names: Sequence[str], *, is_clean: bool = False) -> Any:
    """The shared columns with these names, and whatever no field keeps; of columns that are not there, 0 is read.

    A clean table is known to hold 0 in events that do not have the field.
    """
    fields, types = made_of(header), {column.name: type_of(column) for column in stored(header)}
    masks = Masks(table)
    clean = {column.name for column in field_columns(header) if is_clean and len(column.kept) == 1}
    columns = {name: _joined(table, masks, fields[name], types[name], clean) for name in names}
    of_fields = {column.name for column in field_columns(header)}
    return pa.table(columns | {name: table[name] for name in table.column_names if name not in of_fields})


def by_field(table: Any, header: Header) -> Any:
    """The columns by field of a table of shared ones; whatever no field keeps stays as it is."""
    fields, masks = made_of(header), Masks(table)
    columns = {one.name: _apart(table, masks, one, fields) for one in field_columns(header)}
    return pa.table(columns | {name: table[name] for name in table.column_names if name not in fields})


class Masks:
    """Which events of a table are of which kinds; each is asked once."""

    def __init__(self, table: Any) -> None:
        kind = numbers(table["kind"]).value
        self.size = len(kind)
        self.of = KindsHere(kind).are

    def joined(self, said: Iterable[tuple[Column, Kinds | None]], wanted: Any) -> Any:
        """One column of several, each with the kinds of event of which it is read; None: it holds 0 in all others."""
        value, known = np.zeros(self.size, wanted.to_pandas_dtype()), None
        for column, kinds in said:
            if kinds is None:
                np.bitwise_or(value, column.value, out=value, casting="same_kind")
                known = both(known, column.known)
                continue
            rows = np.flatnonzero(self.of(kinds))
            value[rows] = column.value[rows]
            if column.known is not None:
                known = np.ones(self.size, np.bool_) if known is None else known.copy()
                known[rows] &= column.known[rows]
        return pa.array(value, mask=None if known is None else ~known)


def _joined(table: Any, masks: Masks, fields: Mapping[str, Kinds], wanted: Any, clean: Collection[str]) -> Any:
    """One shared column; where only one field has more than 0, what it holds in other events does not matter."""
    here = {name: kinds for name, kinds in fields.items() if name in table.column_names}
    if len(here) == 1 and (table[name := next(iter(here))].type == wanted or not pa.types.is_integer(wanted)):
        return table[name]
    some = ((name, kinds) for name, kinds in here.items() if name in clean or masks.of(kinds).any())
    return masks.joined(((numbers(table[name]), None if name in clean else kinds) for name, kinds in some), wanted)


def _apart(table: Any, masks: Masks, column: FieldColumn, fields: Mapping[str, Mapping[str, Kinds]]) -> Any:
    """One column by field; a shared column that keeps no other field is that already."""
    if len(column.kept) == 1 and len(fields[name := next(iter(column.kept))]) == 1:
        return table[name]
    here = ((name, kinds) for name, kinds in column.kept.items() if masks.of(kinds).any())
    return masks.joined(((numbers(table[name]), kinds) for name, kinds in here), column.type)

"""What Parquet's own statistics say of whole columns: enough to know that no value is NULL or out of bounds.

A value that the statistics already settle need not be looked at again. They are written with the values; a file whose
statistics lie about its values is no Parquet file.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from typing import Any, TypeAlias

from conformance.trace.by_field import made_of
from conformance.trace.files import placed
from conformance.trace.header import Header
from conformance.trace.parquet import TraceFile, metadata_of


@dataclass(frozen=True)
class Extremes:
    """What is known of all values of one column of whole numbers.

    Attributes:
        least, most: the extremes of those that are known.
        nulls: how many are not.
    """

    least: int
    most: int
    nulls: int

    def within(self, low: int, high: int) -> bool:
        """Whether every known value lies between these."""
        return low <= self.least and self.most <= high

    def joined(self, other: Extremes) -> Extremes:
        """What is known of both columns together."""
        return Extremes(min(self.least, other.least), max(self.most, other.most), self.nulls + other.nulls)


Known: TypeAlias = dict[str, Extremes]
"""Columns by name; one of which the files do not tell all is not there."""


def extremes_of(parts: Iterable[TraceFile]) -> Known:
    """The extremes of the shared columns of a trace in Parquet, as far as every row group of every file tells them.

    Raises:
        TraceError: one of its kinds, if a file cannot be read.
    """
    found: Known | None = None
    for part in parts:
        with placed(part.path):
            metadata = metadata_of(part)
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            if group.num_rows:
                told = _of_group(group)
                told = _of_shared(told, part.header) if part.by_field else told
                found = told if found is None else _joined(found, told)
    return found or {}


def _of_group(group: Any) -> Known:
    columns = map(group.column, range(group.num_columns))
    told = ((column.path_in_schema, column.statistics) for column in columns)
    return {
        name: Extremes(said.min, said.max, said.null_count)
        for name, said in told
        if said is not None and said.has_min_max and said.has_null_count and isinstance(said.min, int)
    }


def _of_shared(told: Known, header: Header) -> Known:
    """What is known of shared columns, each of which holds a field's values, or 0, in each event."""
    whole = {name: fields for name, fields in made_of(header).items() if fields.keys() <= told.keys()}
    return {name: reduce(Extremes.joined, (told[field] for field in fields)) for name, fields in whole.items()}


def _joined(one: Known, other: Known) -> Known:
    return {name: one[name].joined(other[name]) for name in one.keys() & other.keys()}

"""Tables of what is about no partition: gathered by the columns reading, and read by the reference evaluator.

There may be millions of such rows, of which a few are looked up: these alone become plain Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from conformance.check.ordering import NOT_THERE
from conformance.trace import parquet
from conformance.trace.header import Header
from conformance.trace.open import Parquet
from spec.columns.column import Column
from spec.columns.dimensions import Table, gather
from spec.columns.plan import needed_of_kinds
from spec.language.declare import Dimension
from spec.language.events import kinds
from spec.language.meaning import Value
from spec.language.parameters import members, unpack_factors
from spec.language.reference import Row
from spec.language.terms import Col
from spec.language.vocabulary import sort_of


class PlainRows(Mapping[tuple[Value, ...], Row]):
    """The rows of a table by key, each as the reference evaluator writes it."""

    def __init__(self, table: Table) -> None:
        self.table = table
        terms = table.dimension.base | table.dimension.derived
        self.columns = [Col(name, sort_of(term)) for name, term in terms.items()]

    def __getitem__(self, key: tuple[Value, ...]) -> Row:
        """The row under a key.

        Raises:
            KeyError: there is none.
        """
        if None in key:
            raise KeyError(key)
        found = self.table.find([Column(np.array([part])) for part in key])
        if found.value[0] == self.table.size:
            raise KeyError(key)
        return {column.name: _plain(self.table.take(column, found), column.sort) for column in self.columns}

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        parts = (self.table.base[name].value.tolist() for name in self.table.dimension.key)
        return zip(*parts, strict=True)

    def __len__(self) -> int:
        return self.table.size


def _plain(column: Column, sort: str) -> Value:
    if column.known is not None and not column.known[0]:
        return None
    value = column.value[..., 0]
    if sort == "set":
        return members(tuple(np.atleast_1d(value).tolist()))
    return unpack_factors(value.item()) if sort == "factors" else value.item()


def of_no_partition(dimensions: Iterable[type[Dimension]], header: Header) -> tuple[type[Dimension], ...]:
    """Those of which all events are about no partition of a trace."""
    column = header.sorted_by.partition
    return tuple(
        dimension
        for dimension in dict.fromkeys(dimensions)
        if all(column not in header.shapes[kind].columns for kind in kinds(dimension.events))
    )


def plain_rows(trace: Parquet, dimensions: Iterable[type[Dimension]]) -> dict[type[Dimension], PlainRows]:
    """The rows of dimensions that are of no partition.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with what is read.
    """
    wanted = tuple(dimensions)
    if not wanted:
        return {}
    parts = tuple(part.with_partitions(frozenset({NOT_THERE})) for part in trace.parts)
    raws = parquet.read_kinds(parts, needed_of_kinds(wanted))
    return {dimension: PlainRows(table) for dimension, table in gather(wanted, raws, trace.header.parameters()).items()}

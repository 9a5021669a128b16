"""Order: a sorted trace in Parquet, in which no event stands twice, is what can be read fast, twice, and in part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyarrow.compute as pc

from conformance.check.engines import Progress, silent
from conformance.trace import parquet
from conformance.trace.arrow import to_rows
from conformance.trace.file_order import as_one
from conformance.trace.header import Header
from conformance.trace.open import Parquet, Trace
from conformance.trace.rows import EventRow
from conformance.trace.sort import sort

NOT_THERE: Final = 0
"""What stands in a column in events whose kind has no such field."""


@contextmanager
def ordered(trace: Trace, progress: Progress = silent) -> Iterator[Parquet]:
    """The trace itself if it is one sorted Parquet file; otherwise a sorted copy that lasts as long as the block.

    Files of a folder may overlap, though each is sorted; only sorting shows an event that stands in two of them.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    if isinstance(trace, Parquet) and trace.sorted and len(trace.parts) == 1:
        yield trace
        return
    with TemporaryDirectory(prefix="quorate-") as folder:
        copy = Path(folder) / "sorted.parquet"
        progress("putting in order", 0, 0)
        sort(trace.path, copy, as_promised=True)
        yield Parquet(copy)


@contextmanager
def to_tell_from(trace: Trace) -> Iterator[Parquet]:
    """A sorted trace to explain from; a folder of sorted files that are one trace is read as it is.

    It was judged before: events that stand twice, which show only in sorting, were looked for then.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    one = as_one(trace) if isinstance(trace, Parquet) else None
    with nullcontext(one) if one is not None else ordered(trace) as found:
        yield found


def size_of(trace: Parquet) -> int:
    """How many events a trace has, from its metadata alone."""
    return sum(part.rows for part in trace.parts)


@dataclass(frozen=True)
class Asked:
    """Which events are asked for.

    Attributes:
        kinds: they are of one of these.
        where: for some columns, the numbers one of which an event has there, if its kind has the column at all.
    """

    kinds: frozenset[int]
    where: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def may_be_in(self, part: parquet.TraceFile, group: int) -> bool:
        """Whether a row group may have such events, as far as the file tells."""
        named = self.where.get(part.header.sorted_by.partition)
        here = named is None or _meets(part.partitions[group], named | {NOT_THERE})
        return here and _meets(part.kinds[group], self.kinds)

    def formula(self, header: Header) -> Any:
        """Which rows of a trace's tables are such events, as Arrow's expression."""
        kind, found = pc.field("kind"), pc.field("kind").isin(list(self.kinds))
        for column, numbers in self.where.items():
            lacking = [one for one in self.kinds if column not in header.shapes[one].columns]
            found &= pc.field(column).isin(list(numbers)) | kind.isin(lacking)
        return found


def any_of(asked: Sequence[Asked]) -> Asked:
    """The least that includes all of these and is as simple as one of them."""
    columns = set.intersection(*({*one.where} for one in asked))
    where = {column: frozenset[int]().union(*(one.where[column] for one in asked)) for column in columns}
    return Asked(frozenset[int]().union(*(one.kinds for one in asked)), where)


def events_of(trace: Parquet, asked: Sequence[Asked]) -> Iterator[EventRow]:
    """The events that are asked for by any of these, in order; row groups that have none are not read.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with what is read.
    """
    for part in trace.parts:
        for group in range(len(part.groups)):
            here = [one for one in asked if one.may_be_in(part, group)]
            if not here:
                continue
            table: Any = parquet.read_group(part, group)
            for wanted in ([any_of(here)], here):  # the many are asked of the few rows that one question leaves
                table = table.filter(reduce(or_, (one.formula(trace.header) for one in wanted)))
            yield from to_rows(table, trace.header)


def in_partition(trace: Parquet, kinds: Iterable[int], partition: int | None) -> Asked:
    """The events of some kinds that are of a partition or of none; with None, those of all partitions."""
    named = {} if partition is None else {trace.header.sorted_by.partition: frozenset({partition})}
    return Asked(frozenset(kinds), named)


def _meets(span: tuple[int, int] | None, numbers: Iterable[int]) -> bool:
    """Whether numbers that span this may be among these; None: what they span is not known."""
    return span is None or any(span[0] <= one <= span[1] for one in numbers)

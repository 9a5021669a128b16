"""Order: a sorted trace in Parquet, in which no event stands twice, is what can be read fast, twice, and in part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from conformance.check.engines import Progress, silent
from conformance.trace import parquet
from conformance.trace.arrow import to_rows
from conformance.trace.open import Parquet, Trace
from conformance.trace.rows import EventRow
from conformance.trace.sort import sort


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


def size_of(trace: Parquet) -> int:
    """How many events a trace has, from its metadata alone."""
    return sum(part.rows for part in trace.parts)


def events_of(trace: Parquet, kinds: Iterable[int], partitions: Iterable[int] | None) -> Iterator[EventRow]:
    """The events of some kinds that are of one of these partitions or of none, in order; other row groups are not read.

    With None for the partitions, those of all.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with what is read.
    """
    named = None if partitions is None else frozenset(partitions)
    here = None if named is None else sorted({0, *named})
    wanted, partition = sorted(set(kinds)), trace.header.sorted_by.partition
    for part in trace.parts:
        for group, span in enumerate(part.partitions):
            if here is not None and span is not None and not _meets(span, here):
                continue
            table: Any = parquet.read_group(part, group)
            keep = np.isin(table["kind"].to_numpy(), wanted)
            if here is not None:
                keep &= np.isin(table[partition].to_numpy(), here)
            if (table := table.filter(pa.array(keep))).num_rows:
                yield from (event for event in to_rows(table, trace.header) if _is_of(event, partition, named))


def _is_of(event: EventRow, partition: str, named: frozenset[int] | None) -> bool:
    """Whether an event is of one of these partitions or of none; what is of partition 0 is not of none."""
    return named is None or partition not in event or event[partition] in named


def _meets(span: tuple[int, int], here: list[int]) -> bool:
    """Whether a row group may have events of one of these partitions; events of none stand as partition 0."""
    least, greatest = span
    return any(least <= one <= greatest for one in here)

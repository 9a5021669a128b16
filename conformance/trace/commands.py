"""What ``quorate trace`` does: convert, sort, show."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from conformance.trace import jsonl, parquet_writing
from conformance.trace.arrow import batches_of
from conformance.trace.errors import Mistyped
from conformance.trace.files import is_parquet_name
from conformance.trace.open import Parquet, Trace, open_trace
from conformance.trace.show import Teller
from conformance.trace.sort import sort as sort_trace


def convert(source: Path | str, target: Path | str) -> int:
    """Write a trace in the form that the target's name asks for, in the order it has; gives the number of events.

    Parquet if the name ends with ``.parquet``; JSON lines otherwise, as zstd if it ends with ``.zst``. Unknown fields
    are kept. From Parquet to Parquet, columns are copied as they are; a folder becomes one file.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the source or the target.
    """
    trace, target = open_trace(source), Path(target)
    if not is_parquet_name(target):
        return jsonl.write_events(target, trace.header, trace.events(), in_order=trace.sorted)
    count = 0
    books_of = trace.parts[0].books_of if isinstance(trace, Parquet) and trace.has_books else None
    with parquet_writing.appending(target, trace.header, in_order=trace.sorted, books_of=books_of) as append:
        for table in _tables(trace):
            append(table)
            count += len(table)
    return count


def _tables(trace: Trace) -> Iterator[Any]:
    """All events as Arrow tables; those of JSON lines are looked at one by one on the way."""
    if isinstance(trace, Parquet):
        return trace.tables(in_order=trace.sorted)
    return (pa.Table.from_batches([batch]) for batch in batches_of(trace.events(), trace.header))


def sort(source: Path | str, target: Path | str) -> int:
    """Write a trace in order of partition, position and sequence number; gives the number of events.

    Raises:
        Duplicated: the same recorder says the same number twice.
        TraceError: another of its kinds, for whatever is wrong with the source or the target.
    """
    return sort_trace(Path(source), Path(target))


def show(
    source: Path | str, *, partition: int | str | None = None, position: str | None = None, limit: int | None = None
) -> Iterator[str]:
    """The trace as lines of text: what the header says, then its events in the order they have.

    Args:
        source: a trace in any form.
        partition: only events of this partition, by number or name.
        position: only events that speak of this position, as it is written; answers for a range speak of all of it.
        limit: at most this many events.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the source, or a position that is none.
    """
    trace = open_trace(source)
    teller = Teller(trace.header)
    wanted = None if position is None else teller.position(position)
    found = trace.events() if partition is None else trace.events_of(_partitions(trace, partition))
    yield from teller.heading()
    events = (event for event in found if wanted is None or teller.speaks_of(event, wanted))
    yield from map(teller.event, islice(events, limit))


def _partitions(trace: Trace, wanted: int | str) -> frozenset[int]:
    """The numbers of a partition that people name or number."""
    named = frozenset(number for number, name in trace.header.partitions.items() if name == wanted)
    if named or not str(wanted).isdecimal():
        if not named:
            known = ", ".join(trace.header.partitions.values()) or "none"
            raise Mistyped(
                f"{trace.header.sorted_by.partition} {wanted!r}", f"the header names {known}", "its number"
            ).at(trace.path)
        return named
    return frozenset({int(wanted)})

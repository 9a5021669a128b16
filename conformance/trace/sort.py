"""Sorting a trace of any size by log, LSN and sequence number; in passing, no event may stand twice.

In memory at any time: about two million rows, and sixteen thousand for each two million rows of the trace. On disk,
beside the target: the trace once more, until the target is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

from conformance.trace import jsonl, parquet_writing
from conformance.trace.arrow import to_rows, whole
from conformance.trace.blocks import numbers
from conformance.trace.errors import NotWritable
from conformance.trace.files import is_parquet_name
from conformance.trace.header import Header
from conformance.trace.open import Trace, open_trace
from conformance.trace.runs import RUN, Runs
from conformance.trace.watch import twice
from spec.columns.column import Array


def sort(source: Path, target: Path, *, run: int = RUN) -> int:
    """Write a trace in order, whole or not at all; gives the number of events.

    Args:
        source: a trace in any form.
        target: Parquet if its name ends with ``.parquet``; JSON lines otherwise, as zstd if it ends with ``.zst``.
        run: rows that are sorted in memory at once.

    Raises:
        Duplicated: the same recorder says the same number twice.
        TraceError: another of its kinds, for whatever is wrong with the source or the target.
    """
    trace = open_trace(source)
    count = 0
    with _scratch(target) as folder, _appending(target, trace.header) as append:
        for table in sorted_tables(trace, folder, run):
            append(table)
            count += len(table)
    return count


def sorted_tables(trace: Trace, folder: Path, run: int = RUN) -> Iterator[Any]:
    """The rows of a trace in trace order, in tables of bounded size; ``folder`` takes what memory does not hold.

    Raises:
        TraceError: as ``sort``.
    """
    folders = [folder / name for name in ("rows", "numbers")]
    for one in folders:
        one.mkdir()
    rows = Runs(folders[0], lambda table: trace_keys(table, trace.header), run)
    said = Runs(folders[1], lambda table: [numbers(table[name]).value for name in ("recorder", "seq")], 4 * run)
    for table in trace.tables():
        rows.add(table)
        recorder = whole(table["recorder"]).indices
        said.add(pa.table({"recorder": recorder, "seq": table["seq"]}))
    _check_unique(said, trace)
    yield from rows.merged()


def trace_keys(table: Any, header: Header) -> Sequence[Array]:
    """Log, LSN, sequence number and recorder of each row: the last only to settle what order leaves open."""
    log, epoch, esn, seq = (numbers(table[name]).value for name in ("log", "epoch", "esn", "seq"))
    recorder = whole(table["recorder"])
    codes = recorder.indices.to_numpy()
    return log, (epoch << header.esn_bits) + esn, seq, codes


def _check_unique(said: Runs, trace: Trace) -> None:
    """Refuse two events of one name; they have the same key, so they stand side by side in one table."""
    for table in said.merged():
        recorder, seq = (numbers(table[name]).value for name in ("recorder", "seq"))
        same = (recorder[1:] == recorder[:-1]) & (seq[1:] == seq[:-1])
        if same.any():
            row = int(same.argmax())
            raise twice(list(trace.header.recorders)[recorder[row]], int(seq[row])).at(trace.path)


@contextmanager
def _scratch(target: Path) -> Iterator[Path]:
    """A folder beside the target that vanishes with the block."""
    try:
        with TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            yield Path(folder)
    except OSError as error:
        why = error.strerror or str(error)
        raise NotWritable(
            "cannot be written", why, "a folder that exists, is writable and has room", str(target)
        ) from None


@contextmanager
def _appending(target: Path, header: Header) -> Iterator[Callable[[Any], None]]:
    """A function that appends sorted tables to the target, in the form that its name asks for."""
    if is_parquet_name(target):
        with parquet_writing.appending(target, header, in_order=True) as append:
            yield append
        return
    with jsonl.appending(target, header, in_order=True) as append_event:

        def append_rows(table: Any) -> None:
            for event in to_rows(table, header):
                append_event(event)

        yield append_rows

"""Sorting a trace of any size by partition, position and sequence number; in passing, no event may stand twice.

In memory at any time: about two million rows, sixteen thousand for each two million rows of the trace, and what the
books of clients need (``conformance.trace.at_once``; in passing, ``spec.client.bookkeeping.Books``). On disk, beside
the target: the trace twice more, until the target is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from conformance.trace import jsonl, parquet, parquet_writing
from conformance.trace.arrow import to_rows, whole, with_recorders
from conformance.trace.at_once import kept_at_once
from conformance.trace.blocks import Blocks, numbers
from conformance.trace.errors import NotWritable
from conformance.trace.files import is_parquet_name, placed
from conformance.trace.header import Header
from conformance.trace.keeping import Keeper
from conformance.trace.open import Parquet, Trace, open_trace
from conformance.trace.runs import RUN, Runs, repeated
from conformance.trace.watch import twice
from spec.columns.column import Array, Raw
from spec.columns.piece import BLOCK
from spec.language.orders import Order


def sort(source: Path, target: Path, *, run: int = RUN, as_promised: bool = False) -> int:
    """Write a trace in order, whole or not at all; gives the number of events.

    Args:
        source: a trace in any form.
        target: Parquet if its name ends with ``.parquet``; JSON lines otherwise, as zstd if it ends with ``.zst``.
        run: rows that are sorted in memory at once.
        as_promised: refuse JSON lines that say that they are sorted and are not.

    Raises:
        Duplicated: the same recorder says the same number twice.
        NotSorted: a promise of order is broken.
        TraceError: another of its kinds, for whatever is wrong with the source or the target.
    """
    trace = open_trace(source)
    count = 0
    with _scratch(target) as folder:
        header, tables = in_order(trace, folder, run, as_promised=as_promised)
        with _appending(target, header) as append:
            for table in tables:
                append(with_recorders(table, header))
                count += len(table)
    return count


def in_order(trace: Trace, folder: Path, run: int = RUN, *, as_promised: bool = False) -> tuple[Header, Iterator[Any]]:
    """The rows of a trace in trace order, in tables of bounded size; ``folder`` takes what memory does not hold.

    On the way, by each recorder's own order, the books of clients are kept; the header names them if they add events.

    Raises:
        TraceError: as ``sort``.
    """
    folders = [folder / name for name in ("own", "rows")]
    for one in folders:
        one.mkdir()
    keeper = Keeper(trace.header)
    rows = Runs(folders[1], lambda table: trace_keys(table, trace.header), run)
    tables = partial(trace.tables, in_order=as_promised and trace.sorted and not isinstance(trace, Parquet))
    if (kept := kept_at_once(keeper, tables)) is not None:
        for table in kept:
            rows.add(table)
        return keeper.whole_header(), rows.merged()
    own = Runs(folders[0], own_keys, run)
    for table in tables():
        own.add(keeper.look(table))
    for table in own.merged():
        _check_unique(table, trace)
        for noted in keeper.note(table):
            rows.add(noted)
    for table in keeper.waited():
        rows.add(table)
    return keeper.whole_header(), keeper.attributed(rows.merged())


def own_keys(table: Any) -> Sequence[Array]:
    """Recorder and sequence number of each row."""
    return whole(table["recorder"]).indices.to_numpy(), numbers(table["seq"]).value


def trace_keys(table: Any, header: Header) -> Sequence[Array]:
    """The order of the trace and the recorder of each row: that only to settle what order leaves open."""
    codes = whole(table["recorder"]).indices.to_numpy()
    return *place_keys(table, header.sorted_by, header.low_bits), codes


def place_keys(table: Any, order: Order, low_bits: int) -> Sequence[Array]:
    """The place of each row in an order."""
    partition, *parts, own = (numbers(table[name]).value for name in order.stored)
    return partition, (parts[0] << low_bits) + parts[1] if order.position.low else parts[0], own


def in_another_order(
    trace: Parquet, order: Order, columns: Iterable[str], kinds: Collection[int], folder: Path, run: int = RUN
) -> Iterator[Raw]:
    """The events of some kinds that have a place in an order, in that order, as blocks of some columns.

    ``folder`` takes what memory does not hold.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    blocks = Blocks(trace.header, {*columns, *order.stored})
    rows = Runs(folder, lambda table: place_keys(table, order, trace.header.low_bits), run)
    for place, table in parquet.read_tables(trace.parts, blocks.names, together=BLOCK):
        with placed(place):
            blocks.of(table)
        keep = np.isin(numbers(table["kind"]).value, list(kinds))
        for name in (order.partition, *order.position.parts):
            keep &= np.asarray(table[name].is_valid())
        rows.add(table.filter(pa.array(keep)))
    return (blocks.of(table) for table in rows.merged() if len(table))


def _check_unique(table: Any, trace: Trace) -> None:
    """Refuse two events of one name."""
    recorder, seq = own_keys(table)
    if len(rows := repeated(recorder, seq)):
        row = int(rows[0])
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

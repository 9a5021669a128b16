"""Sorting more rows than memory holds: sorted runs on disk, merged range by range.

A range lies between keys that stand at the borders of the runs' batches, so how many rows it has is known beforehand.
In memory at any time: one run while runs are made; then one run's worth of rows and one batch of each run.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from conformance.trace.errors import Mistyped
from spec.columns.column import Array, Mask

Key: TypeAlias = tuple[int, ...]
KeysOf: TypeAlias = Callable[[Any], Sequence[Array]]
"""The sort keys of a table's rows, the most important first."""

RUN: Final = 1 << 21
"""Rows that are sorted in memory at once."""

RUN_BYTES: Final = 1 << 29
"""Bytes of a run: long payloads make it shorter."""

BATCH: Final = 1 << 14
"""Rows of one batch of a run on disk."""


class Runs:
    """Tables of one schema or of several, sorted by a key.

    Args:
        folder: an empty folder for runs, if there is more than one.
        keys_of: gives the keys of a table.
        run: rows of one run.
        batch: rows of one batch of a run.
    """

    def __init__(self, folder: Path, keys_of: KeysOf, run: int = RUN, batch: int = BATCH) -> None:
        self.folder, self.keys_of, self.run, self.batch = folder, keys_of, run, batch
        self.waiting: list[Any] = []
        self.starts: list[list[Key]] = []

    def add(self, table: Any) -> None:
        """Add rows; whole runs go to disk."""
        self.waiting.append(table)
        if sum(map(len, self.waiting)) >= self.run or sum(one.nbytes for one in self.waiting) >= RUN_BYTES:
            self._spill()

    def merged(self) -> Iterator[Any]:
        """All rows in the order of their keys, in tables of bounded size."""
        if not self.starts:
            yield from [self._sorted(self.waiting)] if self.waiting else []
            return
        if self.waiting:
            self._spill()
        per_range = max(map(len, self.starts))
        inner = sorted(key for run in self.starts for key in run)[per_range::per_range]
        borders: list[Key | None] = [None, *inner, None]
        for low, high in pairwise(borders):
            pieces = [piece for run in range(len(self.starts)) for piece in self._between(run, low, high)]
            if pieces:
                yield self._sorted(pieces)

    def _sorted(self, tables: list[Any]) -> Any:
        try:
            whole = pa.concat_tables(tables, promote_options="default").combine_chunks()
        except pa.ArrowException as error:
            raise Mistyped("a column changes its type within the trace", str(error), "cast it before") from None
        keys = self.keys_of(whole)
        order = np.lexsort(tuple(reversed(keys)))
        return whole if (order[1:] > order[:-1]).all() else whole.take(pa.array(order))

    def _spill(self) -> None:
        table, self.waiting = self._sorted(self.waiting), []
        keys = [key[:: self.batch] for key in self.keys_of(table)]
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        with pa.ipc.new_file(self._path(len(self.starts)), table.schema, options=options) as file:
            file.write_table(table, max_chunksize=self.batch)
        self.starts.append([tuple(map(int, key)) for key in zip(*keys, strict=True)])

    def _path(self, run: int) -> str:
        return str(self.folder / f"run{run}.arrow")

    def _between(self, run: int, low: Key | None, high: Key | None) -> Iterator[Any]:
        """The rows of a run from one key up to, but without, another."""
        starts = self.starts[run]
        first = 0 if low is None else max(0, bisect_left(starts, low) - 1)
        last = len(starts) if high is None else bisect_left(starts, high)
        if first == last:
            return
        with pa.ipc.open_file(self._path(run)) as file:
            table = pa.Table.from_batches([file.get_batch(number) for number in range(first, last)])
        keys = self.keys_of(table)
        begin = 0 if low is None else int(before(keys, low).sum())
        end = len(table) if high is None else int(before(keys, high).sum())
        if begin < end:
            yield table.slice(begin, end - begin)


def repeated(recorder: Array, seq: Array) -> Array:
    """The rows that have the name of the row before, in rows sorted by it: none of these events may stand twice."""
    return np.flatnonzero((recorder[1:] == recorder[:-1]) & (seq[1:] == seq[:-1])) + 1


def before(keys: Sequence[Array], bound: Key) -> Mask:
    """Where a row's key is smaller than a bound."""
    found = np.zeros(len(keys[0]), bool)
    for key, least in zip(reversed(keys), reversed(bound), strict=True):
        found = (key < least) | ((key == least) & found)
    return found

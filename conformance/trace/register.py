"""A register of events by name, recorder and number, on disk where memory is too small: which of them stand twice."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from conformance.trace.errors import TraceError
from conformance.trace.runs import RUN, Runs, repeated
from conformance.trace.watch import twice
from spec.columns.column import Array

COLUMNS: Final = ("recorder", "seq", "place")
BATCH: Final = 1 << 16
"""Events that are gathered before they become a table."""


class Register:
    """The names of events, each with the place where it stands: the number of its line or row.

    Args:
        folder: an empty folder for what memory does not hold.
        run: events that are sorted in memory at once.
    """

    def __init__(self, folder: Path, run: int = RUN) -> None:
        self.runs = Runs(folder, _names, run)
        self.gathered = tuple(array("q") for _ in COLUMNS)
        self.events = 0

    def add(self, recorder: int, seq: int, place: int) -> None:
        """Enter one event, by its recorder's place in the header."""
        self.events += 1
        for column, value in zip(self.gathered, (recorder, seq, place), strict=True):
            column.append(value)
        if len(self.gathered[0]) >= BATCH:
            self._flush()

    def add_rows(self, recorder: Array, seq: Array, first: int) -> None:
        """Enter the events of a block, of which the first stands at this place."""
        self.events += len(seq)
        self._enter((recorder.astype(np.int64), seq, np.arange(first, first + len(seq))))

    def repeated(self, recorders: Sequence[str], where: Callable[[int], str]) -> Iterator[tuple[int, TraceError]]:
        """The places of all events that stand somewhere before, with what is wrong.

        Args:
            recorders: their names, in the header's order.
            where: says a place as people do.
        """
        self._flush()
        for table in self.runs.merged():
            recorder, seq, place = (table[name].to_numpy() for name in COLUMNS)
            for row in repeated(recorder, seq).tolist():
                here, before = int(place[row]), int(place[row - 1])
                yield here, twice(recorders[int(recorder[row])], int(seq[row]), where(before)).at(where(here))

    def _flush(self) -> None:
        if self.gathered[0]:
            self._enter(tuple(np.array(column, np.int64) for column in self.gathered))
            self.gathered = tuple(array("q") for _ in COLUMNS)

    def _enter(self, columns: Sequence[Array]) -> None:
        self.runs.add(pa.table(dict(zip(COLUMNS, columns, strict=True))))


def _names(table: Any) -> Sequence[Array]:
    return table["recorder"].to_numpy(), table["seq"].to_numpy()

"""The faults of the rows of Parquet: a block that is refused is halved, until its faulty rows stand alone."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import accumulate
from typing import Any

from conformance.trace import parquet
from conformance.trace.arrow import to_rows
from conformance.trace.blocks import OrderCheck, whole_blocks
from conformance.trace.errors import TraceError
from conformance.trace.faults import Faults
from conformance.trace.open import Parquet
from conformance.trace.register import Register
from conformance.trace.watch import not_sorted
from spec.columns.column import Raw


class FaultyRows:
    """Looks for the faults of all rows of a trace; a row's place counts from 0, over all files.

    Args:
        trace: a file, or a folder of files.
        register: where sound events are entered.
        faults: where faults are noted.
    """

    def __init__(self, trace: Parquet, register: Register, faults: Faults) -> None:
        self.trace, self.register, self.faults = trace, register, faults
        self.blocks, self.order = whole_blocks(trace.header), OrderCheck(trace.header.sorted_by)
        self.groups = [(part, group, rows) for part in trace.parts for group, rows in enumerate(part.groups) if rows]
        self.starts = list(accumulate((rows for _, _, rows in self.groups), initial=0))

    def look(self) -> None:
        """Look at every row.

        Raises:
            Enough: as many faults were found as are to be named.
            Empty: there is no row.
        """
        parquet.refuse_empty(self.trace.parts)
        for (part, group, _), first in zip(self.groups, self.starts, strict=False):
            try:
                table = parquet.read_group(part, group)
            except TraceError as error:
                self.faults.add(first, error)
            else:
                self._look_at(table, first)

    def where(self, place: int) -> str:
        """File, row group and row, counted from 1."""
        number = bisect_right(self.starts, place) - 1
        part, group, _ = self.groups[number]
        return f"{part.path}, row group {group}, row {place - self.starts[number] + 1}"

    def unknown_fields(self) -> Counter[str]:
        """How many times each field occurs that this version does not know."""
        return self.trace.unknown_fields()

    def _look_at(self, table: Any, first: int) -> None:
        try:
            raw = self._checked(table)
        except TraceError as error:
            if len(table) == 1:
                error.where = ""
                self.faults.add(first, error.at(self.where(first)))
                return
            half = len(table) // 2
            self._look_at(table.slice(0, half), first)
            self._look_at(table.slice(half), first + half)
            return
        if self.trace.sorted:
            for row in self.order.falls(raw).tolist():
                self.faults.add(first + row, not_sorted().at(self.where(first + row)))
        self.register.add_rows(raw["recorder"].value, raw["seq"].value, first)

    def _checked(self, table: Any) -> Raw:
        """The block of a table; where there are unknown fields, they are looked at too.

        Raises:
            TraceError: one of its kinds, for the first thing that is wrong.
        """
        raw = self.blocks.of(table)
        if any(part.unknown for part in self.trace.parts):
            for _ in to_rows(table, self.trace.header):
                pass
        return raw

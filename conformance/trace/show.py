"""Events as lines of text for people: logs and nodes by name, LSNs as ``e1n3``, words instead of their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from conformance.trace.errors import Mistyped
from conformance.trace.fields import EXTRA, FOR_PEOPLE, PAYLOAD, EventShape, FieldShape
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.language.names import hash_text
from spec.reports.names import names_of

_PLACED: Final = frozenset({"seq", "time_ns", "log", "epoch", "esn", "upto_epoch", "upto_esn"})
"""Columns that have a place of their own in the line."""

UNKNOWN: Final = "?"
"""What the recorder did not know."""


def lsn_text(epoch: int, esn: int) -> str:
    """An LSN as people write it."""
    return f"e{epoch}n{esn}"


def read_lsn(text: str) -> tuple[int, int]:
    """Epoch and ESN of an LSN as people write it.

    Raises:
        Mistyped: it is none.
    """
    found = re.fullmatch(r"e(\d{1,19})n(\d{1,19})", text, re.ASCII)
    if found is None:
        raise Mistyped(f"LSN {text!r:.40}", "it must name an epoch and a number", "e1n3").at("lsn")
    return int(found[1]), int(found[2])


def span_of(row: EventRow) -> tuple[tuple[int, int], tuple[int, int]]:
    """The first and the last LSN that an event speaks of, as epoch and ESN; a read speaks of where it began."""
    first = row["epoch"], row["esn"]
    return first, max(first, (row.get("upto_epoch", 0), row.get("upto_esn", 0)))


class Teller:
    """Tells events of one trace.

    Args:
        header: names those of whom events speak.
    """

    def __init__(self, header: Header) -> None:
        self.header, self.names = header, names_of(header)

    def heading(self) -> Iterator[str]:
        """What the header says, in a few lines."""
        header = self.header
        yield f"{header.system.name} {header.system.version}".rstrip() + (f": {header.note}" if header.note else "")
        for universe in header.family.listed:
            members = ", ".join(member.name for member in header.list_of(universe))
            yield f"{universe.section}: {members or 'none'}"
        for name, recorder in header.recorders.items():
            records = (word if how == "complete" else f"some {word}" for word, how in recorder.records.items())
            yield f"{name} ({recorder.role}) records {', '.join(records) or 'nothing'}"
        promises = (name if value is True else f"{name} {value}" for name, value in header.promises.items())
        yield f"promises: {', '.join(promises) or 'none'}"
        yield f"clocks differ by at most {header.clock_bound_ns} ns"

    def event(self, row: EventRow) -> str:
        """One event in one line."""
        shape = self.header.shapes[row["kind"]]
        time = UNKNOWN if row["time_ns"] is None else f"{row['time_ns'] / 1e9:.6f}"
        said = [time, f"{row['recorder']}#{row['seq']}", shape.word, *self._place(row), *self._fields(shape, row)]
        if PAYLOAD in row:
            said.append(f"payload={row[PAYLOAD]!r}")
        said += [_extra_text(name, value) for name, value in row.get(EXTRA, {}).items()]
        return "  ".join(said)

    def _place(self, row: EventRow) -> Iterator[str]:
        partition, position = self.header.sorted_by.partition, self.header.sorted_by.position
        if partition in row:
            yield self.header.partitions.get(row[partition], f"{partition} {row[partition]}")
        if not position.low:
            yield from (f"{position.column} {row[position.column]}" for _ in row.keys() & {position.column})
        elif position.high in row:
            first, last = span_of(row)
            yield lsn_text(*first) if first == last else f"{lsn_text(*first)} to {lsn_text(*last)}"

    def _fields(self, shape: EventShape, row: EventRow) -> Iterator[str]:
        for field in shape.fields:
            value = row[field.column]
            if (
                field.column not in _PLACED
                and field.column not in self.header.sorted_by.stored
                and not (field.by_books and value is None)
            ):
                yield f"{field.name}={UNKNOWN if value is None else self._value(field, value)}"

    def _value(self, field: FieldShape, value: Any) -> str:
        if field.sort == "factors":
            return "{" + ", ".join(f"{scope}: {count}" for scope, count in value.items()) + "}"
        if field.sort == "set":
            return "{" + ", ".join(self._one(field, one) for one in sorted(value)) + "}"
        return field.words.get(value) or self._one(field, value)

    def _one(self, field: FieldShape, number: int) -> str:
        universe = field.universe
        if universe is None:
            return str(number)
        return hash_text(number) if universe.hashed else self.names.given(universe, number) or str(number)


def _extra_text(name: str, value: object) -> str:
    return f"{name}={value!r}" + ("" if name in FOR_PEOPLE else " (unknown field)")

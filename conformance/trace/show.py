"""Events as lines of text for people: partitions and members by name, positions as they are written, words as such."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from conformance.trace.errors import Mistyped
from conformance.trace.fields import EXTRA, FOR_PEOPLE, PAYLOAD, EventShape, FieldShape
from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from spec.language.names import hash_text
from spec.reports.names import names_of

UNKNOWN: Final = "?"
"""What the recorder did not know."""


class Teller:
    """Tells events of one trace.

    Args:
        header: names those of whom events speak.
    """

    def __init__(self, header: Header) -> None:
        self.header, self.names = header, names_of(header)
        self.reach = header.family.story.plot.reach
        partition, position = header.sorted_by.partition, header.sorted_by.position
        reach = () if self.reach is None else self.reach.parts
        self.placed = {header.sorted_by.own, "time_ns", partition, *position.parts, *reach}

    def position(self, text: str) -> tuple[int, int]:
        """The parts of a position as people write it.

        Raises:
            Mistyped: it is none.
        """
        home = self.header.sorted_by.position
        found = home.read(text)
        if found is None:
            name = home.called or home.column
            raise Mistyped(f"{name} {text!r:.40}", f"it must name {home.high} and {home.low}", home.write(1, 3)).at(
                text
            )
        return found

    def span(self, row: EventRow) -> tuple[tuple[int, int], tuple[int, int]]:
        """The first and the last position that an event speaks of; where it only reaches back, it speaks of its own."""
        first = self.header.sorted_by.position.of(row)
        return first, first if self.reach is None or self.reach.high not in row else max(first, self.reach.of(row))

    def speaks_of(self, row: EventRow, wanted: tuple[int, int]) -> bool:
        """Whether an event is about a position, given by its parts."""
        if self.header.sorted_by.position.high not in row:
            return False
        first, last = self.span(row)
        return first <= wanted <= last

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
        if position.high in row:
            first, last = self.span(row)
            yield position.write(*first) if first == last else f"{position.write(*first)} to {position.write(*last)}"

    def _fields(self, shape: EventShape, row: EventRow) -> Iterator[str]:
        for field in shape.fields:
            value = row[field.column]
            if field.column not in self.placed and not (field.by_books and value is None):
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

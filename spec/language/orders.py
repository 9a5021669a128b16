"""Orders: where an event stands in a trace. A family declares them with its events, and every reading follows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from spec.language.refusals import AuthorMistake


class Position(NamedTuple):
    """A column that no trace keeps, made of two that it does: the low part begins anew in each high one.

    Or a column that it keeps, and that is a position as it stands: then it is the high part itself, without a low one.

    Attributes:
        column: the column that is made.
        high: the column of its high part.
        low: the column of its low part, of as many bits as the trace's header says; empty where it has none.
        form: how it is written; between parts that are numbers something must stand that is none.
        spelt: how it is told where there is room.
        called: what stands before it in a sentence; empty where it is told by its spelling.
    """

    column: str
    high: str
    low: str
    form: str = "{}:{}"
    spelt: str = ""
    called: str = ""

    def write(self, high: int, low: int) -> str:
        """A position as people write it."""
        return self.form.format(high, low)

    def read(self, text: str) -> tuple[int, int] | None:
        """The parts of a position as people write it; None if the text is none."""
        found = re.fullmatch(re.escape(self.form).replace(r"\{\}", r"(\d{1,19})"), text, re.ASCII)
        return None if found is None else (int(found[1]), int(found[2]) if self.low else 0)

    def of(self, event: Mapping[str, Any]) -> tuple[int, int]:
        """The high and the low part of an event's position; what speaks of a whole high part has low part 0."""
        return event[self.high], event.get(self.low, 0) if self.low else 0

    @property
    def parts(self) -> tuple[str, ...]:
        """The columns that a trace keeps of it."""
        return (self.high, self.low) if self.low else (self.high,)

    def end(self, high: int) -> str:
        """Where a high part ends, in words."""
        return f"the end of {self.spell(high, 0).partition(',')[0]}"

    def spell(self, high: int, low: int) -> str:
        """A position in words."""
        return (self.spelt or f"{self.high} {{}}, {self.low} {{}}").format(high, low)


class Order(NamedTuple):
    """How a trace is sorted: partition by partition, in each by position, and at one position as recorders saw it.

    Attributes:
        partition: the column of the partition.
        position: the position in it.
        own: the column of a recorder's own order.
    """

    partition: str
    position: Position
    own: str = "seq"

    @property
    def place(self) -> str:
        """The column of the position."""
        return self.position.column

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns by which a trace is sorted, the first one first."""
        return (self.partition, *self.position.parts, self.own)

    @property
    def places(self) -> tuple[str, ...]:
        """The columns that place an event: in a sorted trace every event knows them."""
        return (self.partition, *dict.fromkeys((self.place, *self.position.parts)))

    @property
    def after(self) -> dict[str, tuple[frozenset[str], ...]]:
        """What must come before a column in a key for a sorted trace to be sorted by that key as well."""
        partition, (position, high, low, *_) = self.partition, self.position
        found = {
            partition: (frozenset[str](),),
            high: (frozenset({partition}),),
            position: (frozenset({partition}),),
            self.own: (frozenset({partition, position}), frozenset({partition, *self.position.parts})),
        }
        return found | ({low: (frozenset({partition, high}), frozenset({partition, position}))} if low else {})

    def __str__(self) -> str:
        """The order as it is told: ``(partition, position, seq)``."""
        return f"({self.partition}, {self.place}, {self.own})"


def plain(column: str) -> Position:
    """The position that one column is."""
    return Position(column, column, "", form=f"{column} {{}}")


POSITIONS: Final[dict[str, Position]] = {}
"""Every position that a vocabulary declares, by the column that is made."""


def declared(position: Position) -> Position:
    """Make a position known to all readings.

    Raises:
        AuthorMistake: the column is made of others already, or of one alone; or parts that are written cannot be told.
    """
    if position.low in (position.high, position.column):
        what = f"{position.column} is made of {position.high} and {position.low}"
        raise AuthorMistake(what, "Make it of two other columns, or say plain(column)")
    between = position.form.split("{}")[1:-1] if position.low else ["-"]
    if len(between) != 1 or not between[0].strip() or position.form.count("{") != position.form.count("{}"):
        what = f"{position.column} is written as {position.form!r}"
        raise AuthorMistake(what, "Write {} for each part, and between them what is no number, such as {}:{}")
    if POSITIONS.setdefault(position.column, position) != position:
        there = POSITIONS[position.column]
        raise AuthorMistake(f"{position.column} is made of {there.high} and {there.low} already", "Choose another name")
    return position


def parts_of(column: str) -> tuple[str, ...]:
    """The columns that a trace keeps of a column: the two of a position, itself of any other."""
    position = POSITIONS.get(column)
    return (column,) if position is None else (position.high, position.low)

"""Events as SQL text: which stored columns a view reads, and how the fields of an event are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spec.language.events import WHOLE, AnyEvent, fields_of, kinds
from spec.language.orders import POSITIONS, parts_of
from spec.language.parameters import Parameters
from spec.language.schema import word_name
from spec.language.sql.dialects import Dialect
from spec.language.sql.terms import Leaf, Words, Writer
from spec.language.terms import Field, Term


@dataclass(frozen=True)
class Trace:
    """Where events lie and how they are written.

    Attributes:
        source: a table, a view, or a subquery in parentheses.
        nullable: stored columns that may hold NULL in a kind that fills them.
        here: the kinds of event that may occur; None: any.
    """

    source: str
    dialect: Dialect
    parameters: Parameters
    nullable: frozenset[str]
    here: frozenset[int] | None = None

    def kinds(self, event: type[AnyEvent]) -> tuple[int, ...]:
        """The kinds of event below a class that may occur."""
        return tuple(kind for kind in kinds(event) if self.here is None or kind in self.here)

    def may_be_null(self, field: Field) -> bool:
        """May a recorder not have known this field of an event that has it?"""
        return not self.nullable.isdisjoint(self.stored(field))

    def stored(self, field: Field) -> Words:
        """The stored columns that a field is made of."""
        return parts_of(field.column) if field.column in POSITIONS else self.columns(field)

    def columns(self, field: Field) -> Words:
        """The columns in which a field is read: a set's words one by one."""
        words = self.parameters.words if field.sort == "set" else 1
        return tuple(word_name(field.column, word) for word in range(words))

    def reading(self, field: Field) -> list[str]:
        """The items of a select that read a field; narrow columns are widened, so that no sum overflows."""
        match field.column:
            case column if column in POSITIONS:
                _, high, low, *_ = POSITIONS[column]
                return [f"{high} * {1 << self.parameters.low_bits} + {low} AS {column}"]
            case column if fields_of(field.event)[field.name].bits < WHOLE:
                return [f"CAST({column} AS BIGINT) AS {column}"]
            case _:
                return list(self.columns(field))


class EventWriter(Writer):
    """Writes terms over an event of certain kinds: a field of other kinds is NULL, whatever its column holds."""

    def __init__(self, trace: Trace, within: Iterable[int]) -> None:
        super().__init__(trace.dialect, trace.parameters)
        self.trace, self.within = trace, frozenset(within)

    def leaf(self, term: Leaf) -> Words:
        """The columns of a field, each in a CASE where some of the kinds do not fill them."""
        if not isinstance(term, Field):
            raise TypeError(f"{term} is a column of a row, not a field of an event")
        columns, filled = self.trace.columns(term), kinds(term.event)
        if self.within.issubset(filled):
            return columns
        return tuple(f"CASE WHEN {kind_is(filled)} THEN {column} END" for column in columns)

    def leaf_may_be_null(self, term: Leaf) -> bool:
        """Whether some of the kinds do not have the field, or a recorder may not have known it."""
        return isinstance(term, Field) and (not self.within.issubset(kinds(term.event)) or self.trace.may_be_null(term))


def kind_is(wanted: Iterable[int]) -> str:
    """The condition that an event is of one of these kinds."""
    found = tuple(wanted)
    if not found:
        return "FALSE"
    return f"kind = {found[0]}" if len(found) == 1 else f"kind IN ({', '.join(map(str, found))})"


def is_null(term: Term, writer: Writer) -> str:
    """The condition that a term is NULL: one of the parts is that make it so."""
    return " OR ".join(sorted({f"{writer.words(part)[0]} IS NULL" for part in writer.unknown_by(term)}))

"""The guard: one scan that says whether a source without statistics can be judged, and where its NULLs are.

What it looks for is ``spec.language.limits``, and what event classes demand of their fields.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spec.language.events import AnyEvent, all_events, demands_of
from spec.language.limits import NUMBER_MAX, Limit, limits
from spec.language.parameters import Parameters
from spec.language.schema import word_name
from spec.language.sql.dialects import SPARK, Dialect
from spec.language.sql.events import kind_is
from spec.language.sql.stages import select
from spec.language.sql.terms import Leaf, Words, Writer
from spec.language.terms import Field, Term


@dataclass(frozen=True, slots=True)
class Fault:
    """Something for which a trace cannot be judged.

    Attributes:
        what: the fault, in one clause.
        events: how many events have it.
    """

    what: str
    events: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What the guard found in a source.

    Attributes:
        events: how many events the source has.
        nullable: stored columns that hold NULL in a kind that fills them; what ``statement`` must be told.
        faults: why the source cannot be judged; none if it can.
    """

    events: int
    nullable: frozenset[str]
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class _Question:
    """A condition on events; if ``fault`` is empty, it is no fault but a NULL that may be."""

    condition: str
    fault: str
    column: str = ""


def guard_statement(source: str, dialect: Dialect, parameters: Parameters, *, base: type[AnyEvent] = AnyEvent) -> str:
    """The text of one scan, whose single row ``findings`` decodes.

    Args:
        source: a table, a view, or a subquery in parentheses, with the columns that ``spec.language.schema`` derives.
        dialect: the SQL that is spoken.
        parameters: what the trace's header fixes.
        base: the class above all events of the trace.
    """
    asked = [f"count(CASE WHEN {question.condition} THEN 1 END)" for question in _questions(base, parameters, dialect)]
    return select(["count(*)", *asked], source) + "\n"


def findings(row: Sequence[Any], parameters: Parameters, *, base: type[AnyEvent] = AnyEvent) -> Findings:
    """What the row of ``guard_statement`` says of the source, for the same parameters and base."""
    events, *counts = row
    found = [(question, n) for question, n in zip(_questions(base, parameters, SPARK), counts, strict=True) if n]
    nullable = frozenset(question.column for question, _ in found if question.column)
    return Findings(events, nullable, tuple(Fault(question.fault, n) for question, n in found if question.fault))


def _questions(base: type[AnyEvent], parameters: Parameters, dialect: Dialect) -> Iterator[_Question]:
    """NULL where a recorder may not have known or every one knows, and values that do not fit, or contradict others."""
    every = tuple(sorted(event.kind for event in all_events(base) if event.kind is not None))
    yield _Question(f"kind IS NULL OR kind NOT IN ({', '.join(map(str, every))})", "events of an unknown kind")
    for limit in limits(base, parameters):
        column = limit.column
        if column.optional:
            yield _Question(f"{kind_is(column.optional)} AND {column.name} IS NULL", "", column.name)
        if limit.needed:
            yield _Question(is_unknown(limit), f"column {column.name} is NULL in an event that must have it")
        if column.word:
            fault = f"columns {column.column} and {column.name} are words of one set, and only one of them is NULL"
            yield _Question(is_torn(limit), fault)
        if limit.bounds:
            low, high = limit.bounds
            yield _Question(is_beyond(limit), f"column {column.name} holds a number that is not within {low} to {high}")
        elif limit.bits is not None:
            yield _Question(is_beyond(limit), f"column {column.name} has bits that stand for nothing")
    for event in all_events(base):
        for demand in demands_of(event):
            condition = is_broken(event.kind or 0, demand.term(event), dialect, parameters)
            yield _Question(condition, f"{event.word} contradicts itself: {demand.sentence.rstrip('.')}")


def is_broken(kind: int, demanded: Term, dialect: Dialect, parameters: Parameters) -> str:
    """The condition that an event of a kind is not what is demanded of its fields."""
    return f"{kind_is([kind])} AND NOT {_Stored(dialect, parameters).scalar(demanded)}"


class _Stored(Writer):
    """Writes terms over the stored columns of an event of one kind."""

    def leaf(self, term: Leaf) -> Words:
        """The columns of a field."""
        if not isinstance(term, Field):
            raise TypeError(f"{term} is a column of a row, not a field of an event")
        words = self.parameters.words if term.sort == "set" else 1
        return tuple(word_name(term.column, word) for word in range(words))

    def leaf_may_be_null(self, term: Leaf) -> bool:  # noqa: ARG002 - no leaf is better known than another
        """Any may be."""
        return True


def is_unknown(limit: Limit) -> str:
    """The condition that an event holds NULL where there must be a value."""
    return f"{kind_is(sorted(limit.needed))} AND {limit.column.name} IS NULL"


def is_torn(limit: Limit) -> str:
    """The condition that only a part of an event's set is NULL."""
    column = limit.column
    return f"{kind_is(column.kinds)} AND ({column.name} IS NULL) <> ({column.column} IS NULL)"


def is_beyond(limit: Limit) -> str:
    """The condition that a value does not fit; none does where there is no limit."""
    name, bits = limit.column.name, limit.bits
    if limit.bounds:
        beyond = f"{name} < {limit.bounds[0]} OR {name} > {limit.bounds[1]}"
    elif bits is None:
        return "FALSE"
    else:
        # The complement of 63 bits is the sign alone, which is no number that SQL can write.
        beyond = f"{name} < 0" if bits == NUMBER_MAX else f"({name} & {~bits}) <> 0"
    return f"{kind_is(limit.column.kinds)} AND ({beyond})"

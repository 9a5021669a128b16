"""The fields of each kind of event as JSON lines name them, derived from the event classes.

People read and write names of fields; in memory, events keep columns, which kinds share. This table leads from one to
the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final, TypeAlias

from spec.language.events import Recorded, all_events, demands_of, fields_of
from spec.language.family import Family
from spec.language.limits import bounds_of, bounds_of_field
from spec.language.parameters import Parameters
from spec.language.terms import Field, Sort, Term, leaves
from spec.language.universes import Universe

PAYLOAD: Final = "payload"
"""A field of any event: the payload as text, kept for explanations and read by no rule."""

SERVED_BY: Final = "served_by"
"""A field of any event that shows what a client was given or told: who answered it, as text, for explanations."""

BEGAN_UNKNOWN: Final = "began_unknown"
"""Marks the beginning of an append that nobody recorded: an importer put it before everything."""

DUPLICATE: Final = "duplicate"
"""Marks an acknowledgement of what was stored before."""

EPOCH_INFERRED: Final = "epoch_inferred"
"""Marks an acknowledgement whose epoch nobody told: an importer worked it out."""

INFERRED: Final = "inferred"
"""Marks a gap of which nobody told: an importer saw that a reader went on."""

FOR_PEOPLE: Final = frozenset({SERVED_BY, BEGAN_UNKNOWN, DUPLICATE, EPOCH_INFERRED, INFERRED})
"""Fields of any event that this version knows though no column keeps them, for explanations; no rule reads them."""

EXTRA: Final = "extra"
"""Where an event keeps the fields that no column does: ``FOR_PEOPLE``, and those that this version does not know."""

COMMON: Final = ("kind", "recorder", PAYLOAD)
"""Fields of every event that no event class declares."""


Bounds: TypeAlias = Mapping[str, tuple[int, int]]
"""The least and the greatest number that each column may hold."""


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One stored field of one kind of event.

    Attributes:
        name: what JSON lines call it.
        column: the column that keeps it.
        optional: a recorder may not know it.
        bounds: the least and the greatest number that it may be, where it says more of that than its column.
        by_books: it is not recorded, but worked out by bookkeeping.
        universe: what its numbers stand for, or those of its members; None where they are mere numbers.
        words: what its numbers are called, where they are called something.
        what: what it says, in words.
    """

    name: str
    column: str
    sort: Sort
    optional: bool
    bounds: tuple[int, int] | None
    by_books: bool
    what: str
    universe: Universe | None
    words: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class EventDemand:
    """What the fields of one kind of event must be to each other.

    Attributes:
        sentence: in words.
        term: as a formula.
        columns: the columns that it speaks of.
    """

    sentence: str
    term: Term
    columns: frozenset[str]


@dataclass(frozen=True, slots=True)
class EventShape:
    """One kind of event: its number and word, what happened, its stored fields as declared, and what is demanded."""

    kind: int
    word: str
    what: str
    fields: tuple[FieldShape, ...]
    demands: tuple[EventDemand, ...]

    @property
    def columns(self) -> frozenset[str]:
        """The columns that keep its fields."""
        return frozenset(field.column for field in self.fields)


def _shape_of(field: Recorded[Any]) -> FieldShape:
    return FieldShape(
        field.written,
        field.column,
        field.sort,
        field.optional,
        bounds_of_field(field),
        field.told is not None,
        field.what,
        field.universe,
        field.words,
    )


def _demand_of(sentence: str, term: Term) -> EventDemand:
    return EventDemand(sentence, term, frozenset(field.column for field in leaves(term, Field)))


@cache
def shapes_of(family: Family) -> Mapping[int, EventShape]:
    """Every kind of event of a family, by its number."""
    return {
        event.kind: EventShape(
            event.kind,
            event.word,
            (event.__doc__ or "").strip(),
            tuple(map(_shape_of, (field for field in fields_of(event).values() if not field.computed))),
            tuple(_demand_of(demand.sentence, demand.term(event)) for demand in demands_of(event)),
        )
        for event in all_events(family.events)
        if event.kind is not None
    }


@lru_cache(256)
def shapes_within(family: Family, parameters: Parameters) -> Mapping[int, EventShape]:
    """The same, each number bounded by what a trace's header fixes, too."""
    bounds = bounds_of(family.events, parameters)
    return {kind: _within(shape, bounds) for kind, shape in shapes_of(family).items()}


def _within(shape: EventShape, bounds: Bounds) -> EventShape:
    fields = (replace(field, bounds=narrower(field.bounds, bounds.get(field.column))) for field in shape.fields)
    return replace(shape, fields=tuple(fields))


def narrower(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    """The bounds that keep to both; None where there are none."""
    if one is None or other is None:
        return one or other
    return max(one[0], other[0]), min(one[1], other[1])


@cache
def by_word(family: Family) -> Mapping[str, EventShape]:
    """Every kind of event of a family, by its word."""
    return {shape.word: shape for shape in shapes_of(family).values()}

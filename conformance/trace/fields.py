"""The fields of each kind of event as JSON lines name them, derived from the event classes.

People read ``copyset`` and ``reader``; traces keep ``nodes`` and ``actor``. This table leads from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from spec.events import Event
from spec.language.events import all_events, fields_of
from spec.language.terms import Sort

UNITS: Final = ("_ns", "_ms", "_bytes")
"""Units that a column's name may end with; JSON lines name the unit too."""

PAYLOAD: Final = "payload"
"""A field of any event: the payload as text, kept for explanations and read by no rule."""

EXTRA: Final = "extra"
"""Where an event keeps the fields that this version does not know."""

COMMON: Final = ("kind", "recorder", PAYLOAD)
"""Fields of every event that no event class declares."""


@dataclass(frozen=True, slots=True)
class FieldShape:
    """One stored field of one kind of event.

    Attributes:
        name: what JSON lines call it.
        column: the column that keeps it.
        optional: a recorder may not know it.
    """

    name: str
    column: str
    sort: Sort
    optional: bool


@dataclass(frozen=True, slots=True)
class EventShape:
    """One kind of event: its number, its word, and its stored fields in the order of their declaration."""

    kind: int
    word: str
    fields: tuple[FieldShape, ...]


def _json_name(name: str, column: str) -> str:
    return column if column in {name + unit for unit in UNITS} else name


def _shapes() -> dict[int, EventShape]:
    return {
        event.kind: EventShape(
            event.kind,
            event.word,
            tuple(
                FieldShape(_json_name(field.name, field.column), field.column, field.sort, field.optional)
                for field in fields_of(event).values()
                if not field.computed
            ),
        )
        for event in all_events(Event)
        if event.kind is not None
    }


SHAPES: Final = _shapes()
"""Every kind of event by its number."""

BY_WORD: Final = {shape.word: shape for shape in SHAPES.values()}
"""Every kind of event by its word."""

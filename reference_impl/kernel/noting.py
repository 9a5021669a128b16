"""Notes: events of any family by the names of their fields, in the columns of its vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from reference_impl.kernel.step import Event, Note
from spec.language.events import AnyEvent, fields_of


@cache
def columns_of(event: type[AnyEvent]) -> Mapping[str, str]:
    """The columns of an event's fields."""
    if event.kind is None:
        raise TypeError(f"{event.__name__} stands for the events below it; record one of them")
    return {name: field.column for name, field in fields_of(event).items()}


def event_of(event: type[AnyEvent], **said: Any) -> Event:
    """An event of a kind, by the names of its fields; who records it adds order and time.

    Raises:
        KeyError: it has no such field.
    """
    columns = columns_of(event)  # type: ignore[arg-type]  # mypy takes a class for its rows
    return {"kind": event.kind, **{columns[name]: value for name, value in said.items()}}


def note(event: type[AnyEvent], **said: Any) -> Note:
    """Record an event of a kind, by the names of its fields."""
    return Note(event_of(event, **said))

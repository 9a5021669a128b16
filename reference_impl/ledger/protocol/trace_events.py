"""Notes: the events of ledgers, in the columns of their vocabulary."""

from __future__ import annotations

from typing import Any, Final

from reference_impl.kernel.step import Event, Note
from spec.language.events import AnyEvent, all_events, fields_of
from spec.ledger.events import Event as LedgerEvent

COLUMNS: Final = {
    event.kind: {name: field.column for name, field in fields_of(event).items()} for event in all_events(LedgerEvent)
}
"""The columns of the fields of each kind."""


def event_of(event: type[AnyEvent], **said: Any) -> Event:
    """An event of a kind, by the names of its fields; who records it adds order and time."""
    columns = COLUMNS[event.kind]
    return {"kind": event.kind, **{columns[name]: value for name, value in said.items()}}


def note(event: type[AnyEvent], **said: Any) -> Note:
    """Record an event of a kind, by the names of its fields."""
    return Note(event_of(event, **said))

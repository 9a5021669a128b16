"""Events in the vocabulary's own words: ``store.copyset`` instead of a column of a row.

What the books of clients add is left out: the machine is held to what recorders saw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from spec.events import Event, Positioned
from spec.language.events import AnyEvent, all_events, fields_of

TraceEvent: TypeAlias = Any
"""One event: the fields of its class are attributes, and ``recorder`` and ``word``; None is what nobody knew."""

Reader: TypeAlias = Callable[[Mapping[str, Any]], TraceEvent]
"""Makes an event of a row."""


@cache
def readings(esn_bits: int) -> Mapping[int, Reader]:
    """How rows are read, by kind of event."""
    return {event.kind: _reader(event, esn_bits) for event in all_events(Event) if event.kind is not None}


def _reader(event: type[AnyEvent], bits: int) -> Reader:
    """Named tuples are made from rows by column, in one step each, which is as fast as Python gets."""
    fields = {name: field for name, field in fields_of(event).items() if not field.computed and field.told is None}
    columns = ["recorder", *(field.column for field in fields.values())]
    names = ["recorder", *fields]
    has_upto = "upto" in fields_of(event)
    computed = ["lsn"] * issubclass(event, Positioned) + ["upto"] * has_upto
    fields_and_sorts: Any = [(name, Any) for name in [*names, *computed]]
    tuples: Any = NamedTuple
    base: Any = tuples(event.__name__, fields_and_sorts)
    named: Any = type(event.__name__, (base,), {"__slots__": (), "word": event.word})
    new: Any = tuple.__new__
    pick: Callable[[Mapping[str, Any]], tuple[Any, ...]] = itemgetter(*columns)

    def some(row: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(map(row.get, columns))

    def outcome(row: Mapping[str, Any]) -> TraceEvent:
        lsn, upto = row["epoch"] << bits | row["esn"], row["upto_epoch"] << bits | row["upto_esn"]
        try:
            return new(named, (*pick(row), lsn, upto))
        except KeyError:
            return new(named, (*some(row), lsn, upto))

    def positioned(row: Mapping[str, Any]) -> TraceEvent:
        lsn = row["epoch"] << bits | row["esn"]
        try:
            return new(named, (*pick(row), lsn))
        except KeyError:
            return new(named, (*some(row), lsn))

    def plain(row: Mapping[str, Any]) -> TraceEvent:
        try:
            return new(named, pick(row))
        except KeyError:
            return new(named, some(row))

    if has_upto:
        return outcome
    return positioned if issubclass(event, Positioned) else plain

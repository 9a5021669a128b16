"""Events in the vocabulary's own words: ``store.copyset`` instead of a column of a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from spec.events import Event, Positioned
from spec.language.events import AnyEvent, all_events, fields_of

Said: TypeAlias = Any
"""One event: the fields of its class are attributes, and ``recorder`` and ``word``; None is what nobody knew."""

Reader: TypeAlias = Callable[[Mapping[str, Any]], Said]
"""Makes an event of a row."""


def readings(esn_bits: int) -> dict[int, Reader]:
    """How rows are read, by kind of event."""
    return {event.kind: _reader(event, esn_bits) for event in all_events(Event) if event.kind is not None}


def _reader(event: type[AnyEvent], bits: int) -> Reader:
    """Named tuples are made from rows by column, which is as fast as Python gets."""
    fields = {name: field for name, field in fields_of(event).items() if not field.computed}
    columns = ["recorder", *(field.column for field in fields.values())]
    names = ["recorder", *fields]
    pick = itemgetter(*columns)
    computed = ["lsn"] * issubclass(event, Positioned) + ["upto"] * ("upto" in fields_of(event))
    fields_and_sorts: Any = [(name, Any) for name in [*names, *computed]]
    tuples: Any = NamedTuple
    base: Any = tuples(event.__name__, fields_and_sorts)
    named: Any = type(event.__name__, (base,), {"__slots__": (), "word": event.word})
    make = named._make

    def values(row: Mapping[str, Any]) -> tuple[Any, ...]:
        try:
            found: tuple[Any, ...] = pick(row)
        except KeyError:
            return tuple(map(row.get, columns))
        return found

    def outcome(row: Mapping[str, Any]) -> Said:
        upto = row["upto_epoch"] << bits | row["upto_esn"]
        return make((*values(row), row["epoch"] << bits | row["esn"], upto))

    def positioned(row: Mapping[str, Any]) -> Said:
        return make((*values(row), row["epoch"] << bits | row["esn"]))

    if "upto" in computed:
        return outcome
    return positioned if issubclass(event, Positioned) else lambda row: make(values(row))

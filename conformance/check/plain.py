"""Events of families that have no sentences of their own, told by their kinds and fields."""

from __future__ import annotations

from collections.abc import Iterable

from conformance.trace.header import Header
from conformance.trace.rows import EventRow
from conformance.trace.watch import place_of
from spec.events import Event


def has_sentences(header: Header) -> bool:
    """Whether the events of a trace have sentences of their own, and pictures."""
    return header.family.events is Event


def by_time(events: Iterable[EventRow], header: Header) -> list[EventRow]:
    """Events by the clock; where one of them has no time, in the order of the trace."""
    placed = sorted(events, key=lambda event: place_of(event, header.sorted_by))
    if any(event.get("time_ns") is None for event in placed):
        return placed
    return sorted(placed, key=lambda event: int(event["time_ns"]))


def sentence(event: EventRow, header: Header) -> str:
    """One event: who saw what, and what it says of it."""
    shape = header.shapes[event["kind"]]
    said = ", ".join(
        f"{field.name} {'unknown' if event[field.column] is None else event[field.column]}"
        for field in shape.fields
        if field.column not in {header.sorted_by.own, "time_ns"}
    )
    return f"{event['recorder']}: {shape.word} ({said})."

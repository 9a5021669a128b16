"""One altered event: every field of every kind of event of a run, with another value that could stand there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from reference_impl.plan import SimulationPlan
from spec.events import GAP_KINDS, Event, Gap
from spec.language.events import AnyEvent, all_events, fields_of

Row = dict[str, Any]

EVENTS: dict[int, type[AnyEvent]] = {event.kind: event for event in all_events(Event) if event.kind is not None}


class Alteration(NamedTuple):
    """An event with one other value.

    Attributes:
        event: the class of the event.
        field: the name of the field that is altered, or ``recorder``.
        row: the altered event.
    """

    event: type[AnyEvent]
    field: str
    row: Row


def alterations(
    row: Row, plan: SimulationPlan, recorders: Sequence[str], before: Sequence[Row], rng: Random
) -> Iterator[Alteration]:
    """One alteration of each field of an event; times aside, which order events and say nothing else.

    Args:
        row: the event.
        plan: the run.
        recorders: everyone who records in it.
        before: events before this one, from which other values are taken.
        rng: chooses among values.
    """
    event = EVENTS[row["kind"]]
    yield Alteration(
        event, "recorder", {**row, "recorder": rng.choice([one for one in recorders if one != row["recorder"]])}
    )
    for name, field in fields_of(event).items():
        value = row.get(field.column)
        if field.computed or name == "time" or value is None:
            continue
        others = [other for other in _others(event, name, value, row, plan, before) if other != value]
        if others:
            yield Alteration(event, name, {**row, field.column: rng.choice(others)})


def _others(
    event: type[AnyEvent], name: str, value: Any, row: Row, plan: SimulationPlan, before: Sequence[Row]
) -> list[Any]:
    """Values that could stand there."""
    nodes = range(len(plan.topology.locations))
    if isinstance(value, frozenset):
        return [value ^ {node} for node in nodes] + [
            value ^ {one, other} for one in value for other in set(nodes) - value
        ]
    if isinstance(value, dict):
        return [{scope: copies + step for scope, copies in value.items()} for step in (-1, 1)]
    match name:
        case "node" | "sequencer":
            return list(nodes)
        case "writer":
            return list(range(plan.clients))
        case "reader":
            return list(range(plan.readers))
        case "log":
            return list(range(plan.number_of_logs))
        case "digest":
            return [value ^ 1, *(one["digest"] for one in before if one.get("digest"))]
        case "becomes":
            return [0, 1, 2]
        case "what":
            return list(range(1, 7))
        case "reason" if event is Gap:
            return list(GAP_KINDS.values())
    return [value + 1, value - 1] if value > 0 else [value + 1]

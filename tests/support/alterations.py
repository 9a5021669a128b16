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


HUGE = (1 << 31) - 1
"""More than any number of these runs, and a number that every column can hold."""


class Alteration(NamedTuple):
    """An event with one other value.

    Attributes:
        event: the class of the event.
        field: the name of the field that is altered, or ``recorder``.
        row: the altered event.
        how: in which way.
    """

    event: type[AnyEvent]
    field: str
    row: Row
    how: str = "other"


def alterations(
    row: Row, plan: SimulationPlan, recorders: Sequence[str], before: Sequence[Row], rng: Random
) -> Iterator[Alteration]:
    """Several alterations of each field of an event; times aside, which order events and say nothing else.

    What no trace may say there is left out: it is damage, which readers refuse.

    Numbers become one more, one less, 0, huge, another number that could stand there, and one that an earlier event
    has in its place; sets have a node more or less, or another one, or become empty, or everybody.

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
        tried = [value]
        for how, other in _others(event, name, row, plan, before, rng):
            may_stand = field.among is None or field.among[0] <= other <= field.among[1]
            if may_stand and other not in tried:
                tried.append(other)
                yield Alteration(event, name, {**row, field.column: other}, how)


def _others(
    event: type[AnyEvent], name: str, row: Row, plan: SimulationPlan, before: Sequence[Row], rng: Random
) -> Iterator[tuple[str, Any]]:
    """Values that are to stand there, and how they were found."""
    column = fields_of(event)[name].column
    value = row[column]
    same = [one[column] for one in before if one["kind"] == row["kind"] and one.get(column) is not None]
    if same:
        yield "seen before", rng.choice(same)
    if isinstance(value, frozenset):
        yield from _sets(value, range(len(plan.topology.locations)), rng)
    elif isinstance(value, dict):
        yield from (("one more or less", {scope: n + step for scope, n in value.items()}) for step in (-1, 1))
    else:
        likely = [other for other in _likely(event, name, value, plan, before) if other != value]
        if likely:
            yield "other", rng.choice(likely)
        yield "one more", value + 1
        if value > 0:
            yield "one less", value - 1
        yield "zero", 0
        if name not in ("node", "sequencer", "donor", "log"):  # headers say how many there are
            yield "huge", HUGE


def _sets(value: frozenset[int], nodes: range, rng: Random) -> Iterator[tuple[str, frozenset[int]]]:
    yield "a node more or less", value ^ {rng.choice(nodes)}
    rest = sorted(set(nodes) - value)
    if value and rest:
        yield "other", value ^ {rng.choice(sorted(value)), rng.choice(rest)}
    yield "nobody", frozenset()
    yield "everybody", frozenset(nodes)


def _likely(event: type[AnyEvent], name: str, value: Any, plan: SimulationPlan, before: Sequence[Row]) -> Sequence[int]:
    """Numbers that could stand there."""
    match name:
        case "node" | "sequencer" | "donor":
            return range(len(plan.topology.locations))
        case "writer":
            return range(plan.clients)
        case "reader":
            return range(plan.readers)
        case "log":
            return range(plan.number_of_logs)
        case "digest":
            return [value ^ 1, *(one["digest"] for one in before if one.get("digest"))]
        case "becomes" | "mode":
            return range(3)
        case "what" | "delta":
            return range(1, 7)
        case "reason" if event is Gap:
            return list(GAP_KINDS.values())
    return ()

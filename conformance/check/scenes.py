"""Scenes: the events of a record that a story about one row needs, found in two passes over the row's log.

They are about the same LSNs, the same payloads, the same nodes. Where a reader passed over an LSN and numbers go on
across epochs, the LSN that took its number belongs to the story too: the record there stands in the lost one's place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from conformance.check.chronology import in_order
from conformance.check.neighbourhood import Neighbourhood, key_columns
from conformance.check.ordering import events_of
from conformance.check.values import denotes
from conformance.check.witness import neighbourhoods, partition_of, telling
from conformance.trace.open import Parquet
from conformance.trace.rows import EventRow
from spec.events import (
    BAD_CHECKSUM,
    CRASH,
    PARTITION,
    PAUSE,
    READ_ONLY,
    SKIPPED,
    SLOW,
    AtEnd,
    Deliver,
    Event,
    Fault,
    Gap,
    NewEpoch,
    Passed,
    Read,
    Seal,
    Ship,
)
from spec.language.events import kinds
from spec.language.outcomes import Violation
from spec.language.rule import Rule
from spec.language.terms import Col

Position: TypeAlias = tuple[int, int]
"""Epoch and ESN."""

MOST: Final = 200
"""Events that a story may have; a row that needs more is told by its witness alone."""

MOST_CONTEXT: Final = 10_000
"""Faults, seals and beginnings among which those that belong to a story are chosen."""

_READ: Final = frozenset({Read.kind, Deliver.kind, Gap.kind, Passed.kind, AtEnd.kind})
"""What readers are given and told."""

_COMPARED: Final = {"after": 0, "perhaps_after": 0, "since": 1}
"""Columns that hold an LSN which others showed, and how far it lies beyond that."""

_LASTING: Final = frozenset({CRASH, PAUSE, PARTITION, SLOW, BAD_CHECKSUM, READ_ONLY})
"""Faults that go on until something ends them."""


@dataclass
class Scenes:
    """What a story is told from.

    Attributes:
        near: what decides the verdict.
        focus: the LSNs that the row is about.
        rivals: the LSNs that took the numbers of these.
        events: what happened, in the order of telling.
    """

    near: Neighbourhood
    focus: set[Position] = field(default_factory=set)
    rivals: set[Position] = field(default_factory=set)
    events: list[EventRow] = field(default_factory=list)


def scenes_of(trace: Parquet, rule: Rule, violation: Violation) -> Scenes:
    """The scenes of one violation.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    near = neighbourhoods(trace, {violation: rule})[violation]
    _, rows = near.fold()
    row = next((row for row in rows if tuple(row[name] for name in rule.view.key) == near.key), None)
    scenes = Scenes(near)
    decisive = [] if row is None else list(telling(near, rows, row))
    scenes.focus = _focus(near, decisive, trace.header.esn_bits)
    log = partition_of(rule.view, violation.key)
    here = None if log is None else [log]
    digests = {event["digest"] for event in near.own if _has_payload(event)}
    for event in events_of(trace, kinds(Event), here):
        if _is_at(event, scenes.focus):
            digests |= {event["digest"]} if _has_payload(event) else set()
            scenes.rivals |= set(_rivals(event, scenes.focus))
    places = scenes.focus | scenes.rivals | set(_known_before(near, trace.header.esn_bits))
    epochs = {epoch for epoch, _ in places}
    found: dict[tuple[str, int], EventRow] = {(event["recorder"], event["seq"]): event for event in decisive}
    context: list[EventRow] = []
    for event in events_of(trace, kinds(Event), here):
        if _is_at(event, places) or event.get("digest") in digests:
            if len(found) < MOST:
                found[event["recorder"], event["seq"]] = event
        elif _is_context(event, epochs) and len(context) < MOST_CONTEXT:
            context.append(event)
    story = list(found.values())
    scenes.events = in_order([*story, *_meanwhile(context, story, _nodes([*near.own, *story]))])
    return scenes


def _known_before(near: Neighbourhood, esn_bits: int) -> Iterator[Position]:
    """The LSNs that the rule compares the row with: what a client knew, and where a read stood."""
    fields = (denotes(Col(name, "int"), near.rule.view) for name in near.rule.columns)
    columns = _COMPARED.keys() & {one.column for one in fields if one is not None}
    for event in near.own:
        for column in columns:
            if (lsn := event.get(column)) is not None and (lsn := lsn - _COMPARED[column]) >= 0:
                yield lsn >> esn_bits, lsn & (1 << esn_bits) - 1


def _has_payload(event: EventRow) -> bool:
    """Whether an event tells of a record that a client wrote; plugs and bridges all have digest 0."""
    return bool(event.get("digest"))


def _meanwhile(context: Iterable[EventRow], story: list[EventRow], nodes: set[int]) -> Iterator[EventRow]:
    """Faults and seals count only while something is written, and faults that last until then.

    The beginnings of epochs always count; faults of nodes only if these have a part in the story, or no node has.
    """
    written = [event for event in story if event["kind"] not in _READ]
    timed = bool(written) and all(event["time_ns"] is not None for event in written)
    times = [event["time_ns"] for event in (written if timed else story) if event["time_ns"] is not None]
    down: dict[int, EventRow] = {}
    for event in context:
        time, fault = event["time_ns"], event["kind"] == Fault.kind
        if fault and nodes and event["node"] not in nodes:
            continue
        if event["kind"] == NewEpoch.kind or time is None or not times or min(times) <= time <= max(times):
            yield event
        elif fault and time < min(times):
            down[event["node"]] = event
    yield from (event for event in down.values() if event["arg"] in _LASTING)


def _focus(near: Neighbourhood, decisive: Iterable[EventRow], esn_bits: int) -> set[Position]:
    columns = key_columns(near.rule.view)
    if "lsn" in columns:
        lsn = near.key[columns.index("lsn")]
        return {(lsn >> esn_bits, lsn & (1 << esn_bits) - 1)}
    return {(event["epoch"], event["esn"]) for event in decisive if event.get("esn")}


def _is_at(event: EventRow, places: set[Position]) -> bool:
    """Whether an event speaks of one of these LSNs; what is sent is one record, whatever else may be sent."""
    if "esn" not in event:
        return False
    first = (event["epoch"], event["esn"])
    if "upto_esn" not in event or event["kind"] == Ship.kind:
        return first in places
    return any(first <= place <= (event["upto_epoch"], event["upto_esn"]) for place in places)


def _rivals(event: EventRow, focus: set[Position]) -> Iterator[Position]:
    """The LSNs whose records a reader was given in place of these, where numbers go on across epochs."""
    if event["kind"] == Gap.kind and event["arg"] == SKIPPED and event["upto_esn"] + 1 == event["esn"]:
        yield from ((event["upto_epoch"], esn) for epoch, esn in focus if epoch < event["upto_epoch"])


def _nodes(events: Iterable[EventRow]) -> set[int]:
    return {event["node"] for event in events if event.get("node") is not None}


def _is_context(event: EventRow, epochs: set[int]) -> bool:
    """Beginnings of the epochs, seals in them, and what befell nodes."""
    match event["kind"]:
        case NewEpoch.kind | Seal.kind:
            return event["epoch"] in epochs
        case kind:
            return bool(kind == Fault.kind)

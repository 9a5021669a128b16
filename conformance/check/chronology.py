"""Chronology: events as people are told them, by the clock where there is one, else by what comes before what."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Final, TypeAlias

from conformance.trace.rows import EventRow
from spec.language.bookkeeping import BOOKS
from spec.language.family import Family

Stage: TypeAlias = tuple[bool, int, int]
"""Where an event is told that has no time: after all high parts or not, in which of them, and its place there."""

OPENING: Final = 1
"""The stage right after the first of all."""


def in_order(found: Iterable[EventRow], family: Family) -> list[EventRow]:
    """Events by the clock, and what has no time before the first that comes after it by nature.

    What a recorder saw at unknown times is told in its own order.
    """
    events = sorted(found, key=lambda event: event["seq"])
    stages = _Stages(events, family)
    untimed: list[tuple[Stage, EventRow]] = []
    latest: dict[str, Stage] = {}
    for event in (event for event in events if event["time_ns"] is None):
        stage = stages.of(event)
        stage = latest[event["recorder"]] = max(stage, latest.get(event["recorder"], stage))
        untimed.append((stage, event))
    waiting = deque(sorted(untimed, key=lambda one: (one[0], one[1]["recorder"], one[1]["seq"])))
    told: list[EventRow] = []
    for event in sorted((event for event in events if event["time_ns"] is not None), key=_by_clock):
        while waiting and waiting[0][0] < stages.of(event):
            told.append(waiting.popleft()[1])
        told.append(event)
    return [*told, *(event for _, event in waiting)]


def _by_clock(event: EventRow) -> tuple[int, bool]:
    """What books add comes after what they conclude it from."""
    return event["time_ns"], event["recorder"] == BOOKS


class _Stages:
    """Where events are told: those of one high part of positions together, in the order of the family's table."""

    def __init__(self, events: list[EventRow], family: Family) -> None:
        self.story, position = family.story, family.events.sorted_by.position
        self.high, self.low = position.high, position.low
        self.identity = self.story.plot.identity
        placed = [event for event in events if self.high in event]
        self.homes = {event[self.identity]: event[self.high] for event in placed if self.identity in event}
        timed = (event for event in placed if event["time_ns"] is not None)
        self.times = sorted((event["time_ns"], event[self.high]) for event in timed)

    def of(self, event: EventRow) -> Stage:
        """Where it is told."""
        late, place = self.story.stages[event["kind"]]
        if self.story.by_position:
            return late, self._home(event), event.get(self.low, 0)
        if late:
            return late, 0, place
        home = self._home(event)
        here, when = [time for time, high in self.times if high == home], event["time_ns"]
        opens = self.story.of_kind[event["kind"]].opens and (not here or (when is not None and when < here[0]))
        return late, home, OPENING if opens else place

    def _home(self, event: EventRow) -> int:
        """The high part to which an event belongs, also where it names none."""
        if self.high in event:
            return int(event[self.high])
        if event.get(self.identity) in self.homes:
            return int(self.homes[event[self.identity]])
        when = event["time_ns"]
        return max((high for time, high in self.times if when is not None and time <= when), default=0)

"""Scenes: the events of a record that a story about one row needs, found in two passes over the row's partition.

They are about the same positions, the same things, the same members; and about what took the place of these, where the
family says what does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from conformance.check.chronology import in_order
from conformance.check.neighbourhood import Neighbourhood, key_columns
from conformance.check.ordering import events_of, in_partition
from conformance.check.sentences import ToldEvent
from conformance.check.values import denotes
from conformance.check.witness import partition_of, telling
from conformance.trace.open import Parquet
from conformance.trace.rows import EventRow
from spec.language.events import kinds
from spec.language.story import Scenes, SplitPosition
from spec.language.terms import Col
from spec.reports.names import names_of

MOST: Final = 200
"""Events that a story may have; a row that needs more is told by its witness alone."""

MOST_CONTEXT: Final = 10_000
"""Events that belong to no position, among which those that belong to a story are chosen."""


class Finder:
    """Finds the scenes of one violation.

    Args:
        trace: a sorted trace.
        near: what decides the verdict.
    """

    def __init__(self, trace: Parquet, near: Neighbourhood) -> None:
        self.trace, self.near, self.header = trace, near, trace.header
        self.story, self.order = self.header.family.story, self.header.sorted_by
        self.plot, self.position = self.story.plot, self.order.position

    def scenes(self) -> Scenes:
        """The scenes, in two passes over the partition.

        Raises:
            TraceError: one of its kinds, for whatever is wrong with the trace.
        """
        near, identity = self.near, self.plot.identity
        _, rows = near.evaluated()
        row = next((row for row in rows if tuple(row[name] for name in near.rule.view.key) == near.key), None)
        decisive = [] if row is None else list(telling(near, rows, row))
        scenes = Scenes(self._focus(decisive))
        about = {event[identity] for event in near.own if event.get(identity)}
        for event in self._events():
            if self._is_at(event, scenes.focus):
                about |= {event[identity]} if event.get(identity) else set()
                scenes.rivals |= set(self.plot.rivals(event, scenes.focus))
        places = scenes.focus | scenes.rivals | set(self._known_before())
        found = {(event["recorder"], event["seq"]): event for event in decisive}
        context: list[EventRow] = []
        for event in self._events():
            if self._is_at(event, places) or event.get(identity) in about:
                if len(found) < MOST:
                    found[event["recorder"], event["seq"]] = event
            elif self._is_context(event, {high for high, _ in places}) and len(context) < MOST_CONTEXT:
                context.append(event)
        story = list(found.values())
        around = self._meanwhile(context, story, self._members([*near.own, *story]))
        scenes.events = in_order([*story, *around], self.header.family)
        return scenes

    def _events(self) -> Iterator[EventRow]:
        """The events of the row's partition, and those of none."""
        partition = partition_of(self.near.rule.view, self.near.key)
        return events_of(self.trace, [in_partition(self.trace, kinds(self.header.family.events), partition)])

    def _focus(self, decisive: Iterable[EventRow]) -> set[SplitPosition]:
        columns, name = key_columns(self.near.rule.view), self.position.column
        if name in columns:
            return {self._parts(self.near.key[columns.index(name)])}
        places = {self.position.of(event) for event in decisive if event.get(self.position.high) is not None}
        return {(high, low) for high, low in places if low >= self.plot.first_low}

    def _known_before(self) -> Iterator[SplitPosition]:
        """The positions with which the rule compares the row: what a client knew, and where a read stood."""
        rule = self.near.rule
        fields = (denotes(Col(name, "int"), rule.view) for name in rule.columns)
        columns = self.plot.compared.keys() & {one.column for one in fields if one is not None}
        for event in self.near.own:
            for column in columns:
                at = event.get(column)
                if at is not None and at - self.plot.compared[column] >= 0:
                    yield self._parts(at - self.plot.compared[column])

    def _parts(self, position: int) -> SplitPosition:
        bits = self.header.low_bits if self.position.low else 0
        return position >> bits, position & (1 << bits) - 1

    def _is_at(self, event: EventRow, places: set[SplitPosition]) -> bool:
        """Whether an event speaks of one of these positions."""
        if self.position.high not in event:
            return False
        first, reach = self.position.of(event), self.plot.reach
        if reach is None or self.story.of_kind[event["kind"]].at == "one":
            return first in places
        last = reach.of(event)
        return any(first <= place <= last for place in places)

    def _is_context(self, event: EventRow, highs: set[int]) -> bool:
        """Whether an event may belong to the story though it is about none of its positions."""
        scene = self.story.of_kind[event["kind"]].scene
        return scene == "member" or (scene != "" and event[self.position.high] in highs)

    def _meanwhile(self, context: Iterable[EventRow], story: list[EventRow], members: set[int]) -> Iterator[EventRow]:
        """What happened while something changed, and what happened to members and lasts until then.

        What happened to a member counts only if it has a part in the story, or no member has.
        """
        changes = [event for event in story if not self._only_looks(event)]
        timed = bool(changes) and all(event["time_ns"] is not None for event in changes)
        times = [event["time_ns"] for event in (changes if timed else story) if event["time_ns"] is not None]
        before: dict[int, EventRow] = {}
        for event in context:
            time, scene = event["time_ns"], self.story.of_kind[event["kind"]].scene
            member = self._member(event) if scene == "member" else None
            if member is not None and members and member not in members:
                continue
            if scene == "always" or time is None or not times or min(times) <= time <= max(times):
                yield event
            elif member is not None and time < min(times):
                before[member] = event
        yield from (event for event in before.values() if self._mark(event) in self.story.lanes.lasting)

    def _only_looks(self, event: EventRow) -> bool:
        onlookers = self.story.lanes.onlookers
        return onlookers is not None and self.story.of_kind[event["kind"]].lane == onlookers

    def _mark(self, event: EventRow) -> str:
        said = ToldEvent(event, names_of(self.header), self.story)
        return said.fill(said.telling.mark)

    def _member(self, event: EventRow) -> int | None:
        own = self.story.lanes.own
        home = None if own is None else self.story.of_kind[event["kind"]].field_of(own)
        return None if home is None else event.get(home.column)

    def _members(self, events: Iterable[EventRow]) -> set[int]:
        return {member for event in events if (member := self._member(event)) is not None}

"""Steps: events that several members did alike are one step of a story, and each step has its sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeAlias

from conformance.check.sentences import ToldEvent
from conformance.trace.rows import EventRow
from spec.language.names import Names
from spec.language.story import Scenes, Step, Story

Steps: TypeAlias = Sequence[tuple[EventRow, ...]]


def steps_of(events: Sequence[EventRow], story: Story) -> Iterator[tuple[EventRow, ...]]:
    """The steps that events make, in their order."""
    step: list[EventRow] = []
    for event in events:
        if step and _alike(step[-1], event, story):
            step.append(event)
            continue
        if step:
            yield tuple(step)
        step = [event]
    if step:
        yield tuple(step)


def _alike(one: EventRow, other: EventRow, story: Story) -> bool:
    telling = story.of_kind[one["kind"]]
    if one["kind"] != other["kind"] or not telling.together:
        return False
    partition, (_, high, low, *_), _ = telling.event.sorted_by
    columns = (partition, high, low, story.plot.identity, *(telling.fields[name].column for name in telling.alike))
    return all(one.get(name) == other.get(name) for name in columns)


def sentences_of(steps: Steps, scenes: Scenes, names: Names, story: Story) -> Iterator[Iterator[str]]:
    """The sentences of each step, with what of it matters beyond the events themselves."""
    for place, step in enumerate(steps):
        tell = partial(_tell, step, names, story)
        remark = story.plot.remarks.get(story.of_kind[step[0]["kind"]].event)
        yield iter([tell()]) if remark is None else remark(Step(step, steps[:place], scenes, tell, names))


def _tell(step: Sequence[EventRow], names: Names, story: Story, template: str = "", **more: str) -> str:
    said = ToldEvent(step[0], names, story, _members(step, story), more)
    return said.begun(template) if template else said.sentence()


def _members(step: Sequence[EventRow], story: Story) -> frozenset[int]:
    """The members that did alike; none where it is one event."""
    own = story.lanes.own
    home = None if own is None else story.of_kind[step[0]["kind"]].field_of(own)
    return frozenset() if home is None or len(step) == 1 else frozenset(event[home.column] for event in step)

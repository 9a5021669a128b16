"""A space-time picture as text: one lane for each who did or saw something, time down the page.

Positions are letters there, so that a mark in a narrow lane says which one it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Final, TypeAlias

from conformance.check.sentences import ToldEvent
from conformance.trace.rows import EventRow
from spec.language.names import Names
from spec.language.story import Story

WIDTH: Final = 78
LANE: Final = 9
"""The least columns that a lane needs."""
STEPS: Final = 30
"""The most rows of a picture."""
LETTERS: Final = 6
"""The most positions that get a letter; marks about others say only what happened."""
STEERING: Final = "control"
"""The lane of whoever steers."""

Steps: TypeAlias = Sequence[Sequence[EventRow]]


def draw(steps: Steps, names: Names, story: Story) -> list[str]:
    """The picture's lines: one row for each step of the story; a message instead where it would not fit.

    Args:
        steps: the events of each step.
        names: what the trace calls those of whom it speaks.
        story: how its family tells events.
    """
    lanes = lanes_of(steps, names, story)
    room = WIDTH - 4
    if len(steps) > STEPS or LANE * len(lanes) > room:
        return [f"(no picture: {len(steps)} steps in {len(lanes)} lanes do not fit {WIDTH} columns)"]
    width, letters = min(room // max(1, len(lanes)), 18), Letters(steps, names, story)
    lines, down = ["    " + "".join(f"{_title(lane, width - 1):{width}}" for lane in lanes)], set[str]()
    for number, step in enumerate(steps, start=1):
        first = ToldEvent(step[0], names, story)
        if first.telling.across:
            across = f"--- {first.fill(first.telling.across)} "
            lines.append(f"{number:>3} " + across.ljust(width * (len(lanes) - 1) + 1, "-"))
            continue
        said = [ToldEvent(event, names, story) for event in step]
        marks = {lane_of(one).name: mark_of(one, letters, width - 2) for one in said}
        cells = (f"*{marks[lane]}" if lane in marks else ":" if lane in down else "|" for lane in lanes)
        lines.append(f"{number:>3} " + "".join(f"{cell[: width - 1]:{width}}" for cell in cells))
        down |= {lane for lane in marks if marks[lane] in story.lanes.down}
        down -= {lane for lane in marks if marks[lane] in story.lanes.up}
    return [line.rstrip() for line in [*lines, *letters.legend()]]


class Letters:
    """The letter of each position that a story speaks of, and what was seen to be there.

    Args:
        steps: the events of the story.
    """

    def __init__(self, steps: Steps, names: Names, story: Story) -> None:
        self.plot = story.plot
        said = [ToldEvent(event, names, story) for step in steps for event in step]
        single = [one for one in said if self._is_of_one(one)]
        places = sorted({self._place(one) for one in single})
        self.of_place = dict(zip(places, ascii_uppercase, strict=False)) if len(places) <= LETTERS else {}
        self.of_identity: dict[int, str] = {}
        self.said: dict[str, str] = {}
        for one in single:
            letter, identity = self.of_place.get(self._place(one)), one.event.get(self.plot.identity)
            if letter is None or (self.plot.identity and identity is None):
                continue
            if identity is not None:
                self.of_identity.setdefault(identity, letter)
            what, where = (
                one.fill(self.plot.legend),
                one.telling.event.sorted_by.position.write(*self._place(one)),
            )
            self.said.setdefault(letter, f"{what} at {where}" if what else where)

    def about(self, said: ToldEvent) -> str:
        """The letters of what an event is about; empty where it has none."""
        event = said.event
        if said.telling.event.sorted_by.position.high not in event:
            return self.of_identity.get(event.get(self.plot.identity, ""), "")
        first = self._place(said)
        if said.telling.at == "span" and self.plot.reach is not None:
            last = self.plot.reach.of(event)
            return "".join(letter for place, letter in self.of_place.items() if first <= place <= last)
        return self.of_place.get(first, "")

    def legend(self) -> Iterator[str]:
        """What each letter stands for."""
        if self.said:
            yield ""
            yield from (f"    {letter}: {said}"[:WIDTH] for letter, said in sorted(self.said.items()))

    def _place(self, said: ToldEvent) -> tuple[int, int]:
        return said.telling.event.sorted_by.position.of(said.event)

    def _is_of_one(self, said: ToldEvent) -> bool:
        is_placed = said.event.get(said.telling.event.sorted_by.position.high) is not None
        return said.telling.at == "one" and is_placed and self._place(said)[1] >= self.plot.first_low


@dataclass(frozen=True, order=True)
class Lane:
    """One lane: its place among those of its sort, and its name."""

    sort: int
    number: int
    name: str


def lane_of(said: ToldEvent) -> Lane:
    """In whose lane an event stands: of whoever did or saw it, or of whoever steers."""
    lanes = said.story.lanes
    if not lanes.order:
        return Lane(0, 0, str(said.event["recorder"]))
    universe = said.telling.lane or lanes.own
    home = None if universe is None else said.telling.field_of(universe)
    number = None if home is None else said.event.get(home.column)
    if universe is None or number is None:
        return Lane(lanes.order.index(None), 0, STEERING)
    return Lane(lanes.order.index(universe), number if universe.listed else 0, said.names.of(universe, number))


def mark_of(said: ToldEvent, letters: Letters, room: int) -> str:
    """What happened, and to which position if there is room to say it."""
    word = said.fill(said.telling.mark) if said.telling.mark else said.telling.event.word
    placed = f"{word} {letters.about(said)}".rstrip()
    return placed if len(placed) <= room else word


def lanes_of(steps: Steps, names: Names, story: Story) -> list[str]:
    """The names of lanes from left to right; one who is in two sorts stands with the first."""
    said = (ToldEvent(event, names, story) for step in steps for event in step)
    found = sorted({lane_of(one) for one in said if not one.telling.across})
    return list(dict.fromkeys(lane.name for lane in found))


def _title(lane: str, room: int) -> str:
    """A lane's name; of one that is too long its end, which tells it from others."""
    return lane if len(lane) <= room else f"..{lane[len(lane) - room + 2 :]}"

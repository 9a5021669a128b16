"""A space-time picture as SVG: one lane for each who did or saw something, time down the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from conformance.check.picture import Letters, Steps, lane_of, lanes_of, mark_of
from conformance.check.sentences import ToldEvent
from spec.language.names import Names
from spec.language.story import Story

LANE: Final = 130
ROW: Final = 26
LEFT: Final = 48
TOP: Final = 44
MARK: Final = 18
"""Characters of a mark at most."""

STEPS_MAX: Final = 60
"""Steps that are drawn at most; the sentences beside the picture have all."""


def draw(steps: Steps, names: Names, story: Story) -> str:
    """The picture.

    Args:
        steps: the events of each step.
        names: what the trace calls those of whom it speaks.
        story: how its family tells events.
    """
    lanes, letters = lanes_of(steps, names, story), Letters(steps, names, story)
    legend = [line.strip() for line in letters.legend() if line]
    drawn = steps[:STEPS_MAX]
    bottom = TOP + ROW * len(drawn) + ROW // 2
    height, width = bottom + 20 * (len(legend) + (len(steps) > STEPS_MAX)) + 12, LEFT + LANE * max(1, len(lanes))
    parts = [*_lanes(lanes, bottom), *_rows(drawn, lanes, letters, names, story), *_notes(legend, bottom)]
    if len(steps) > STEPS_MAX:
        parts.append(_text(LEFT, height - 8, f"{len(steps) - STEPS_MAX} later steps are not drawn", "legend"))
    label = f"Who did what: {', '.join(lanes)}"
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def _x(lane: int) -> int:
    return LEFT + LANE * lane + 12


def _lanes(lanes: Sequence[str], bottom: int) -> Iterator[str]:
    for place, lane in enumerate(lanes):
        x = _x(place)
        yield _text(x - 6, TOP - 22, lane, "lane")
        yield f'<line class="lane" x1="{x}" y1="{TOP - 14}" x2="{x}" y2="{bottom}"/>'


def _rows(steps: Steps, lanes: Sequence[str], letters: Letters, names: Names, story: Story) -> Iterator[str]:
    down: dict[str, int] = {}
    for number, step in enumerate(steps, start=1):
        y = TOP + ROW * number - ROW // 2
        yield _text(6, y + 4, str(number), "number")
        said = [ToldEvent(event, names, story) for event in step]
        if said[0].telling.across:
            yield f'<line class="across" x1="{LEFT}" y1="{y}" x2="{LEFT + LANE * max(1, len(lanes))}" y2="{y}"/>'
            yield _text(LEFT + 8, y - 4, said[0].fill(said[0].telling.across), "across")
            continue
        for one in said:
            lane, mark = lane_of(one).name, mark_of(one, letters, MARK)
            yield _mark(_x(lanes.index(lane)), y, mark)
            if mark in story.lanes.down:
                down[lane] = y
            elif mark in story.lanes.up and lane in down:
                yield _absence(_x(lanes.index(lane)), down.pop(lane), y)
    last = TOP + ROW * len(steps)
    yield from (_absence(_x(lanes.index(lane)), since, last) for lane, since in down.items())


def _mark(x: int, y: int, mark: str) -> str:
    return f'<circle class="mark" cx="{x}" cy="{y}" r="4"/>' + _text(x + 9, y + 4, mark, "mark")


def _absence(x: int, since: int, until: int) -> str:
    """Whoever is away does nothing."""
    return f'<line class="away" x1="{x}" y1="{since + 4}" x2="{x}" y2="{until - 4}"/>'


def _notes(legend: Sequence[str], bottom: int) -> Iterator[str]:
    for place, line in enumerate(legend, start=1):
        yield _text(LEFT, bottom + 20 * place - 2, line, "legend")


def _text(x: int, y: int, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x}" y="{y}">{escape(text)}</text>'

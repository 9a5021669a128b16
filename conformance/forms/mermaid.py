"""Mermaid: each violation as a sequence diagram, and circles of order as a graph, for documents that draw these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conformance.check.picture import Letters, lane_of, lanes_of, mark_of
from conformance.check.sentences import ToldEvent
from conformance.forms.circles import Link
from conformance.forms.told import Told, ToldViolation
from spec.reports.text import last_line

ROOM = 60
"""Characters of a mark at most."""

_SPECIAL = str.maketrans({"#": "#35;", ";": "#59;", "\n": " ", "<": "#lt;", ">": "#gt;"})
"""What Mermaid would take for its own. Source: Mermaid, Sequence diagrams, Entity codes."""


def render(every: Sequence[Told]) -> str:
    """The diagrams, each as a block of Markdown with its rule and place above it."""
    lines = list[str]()
    for told in every:
        for one in told.violations:
            lines += [f"**{one.said.rule.id}** at {one.place}: {one.said.rule.sentence}", "", "```mermaid"]
            lines += [*_diagram(told, one), "```", ""]
            if one.circle:
                lines += ["```mermaid", *_graph(one.circle), "```", ""]
        lines += [f"{told.report.trace}: {last_line(told.report)}", ""]
    return "\n".join(lines)


def _diagram(told: Told, one: ToldViolation) -> Iterator[str]:
    steps, names, story = one.story.steps, told.report.names, told.header.family.story
    lanes, letters = lanes_of(steps, names, story), Letters(steps, names, story)
    yield "sequenceDiagram"
    yield from (f"    participant L{place} as {_plain(lane)}" for place, lane in enumerate(lanes))
    for step in steps:
        said = [ToldEvent(event, names, story) for event in step]
        if said[0].telling.across and lanes:
            across = _plain(said[0].fill(said[0].telling.across))
            over = "L0" if len(lanes) == 1 else f"L0,L{len(lanes) - 1}"
            yield f"    Note over {over}: {across}"
            continue
        for event in said:
            yield f"    Note over L{lanes.index(lane_of(event).name)}: {_plain(mark_of(event, letters, ROOM))}"
    yield from (f"    %% {_plain(line.strip())}" for line in letters.legend() if line)


def _graph(circle: Sequence[Link]) -> Iterator[str]:
    """What came before what, in a circle."""
    places = {link.one: place for place, link in enumerate(circle)}
    yield "flowchart LR"
    yield from (f'    E{place}["{_quoted(one)}"]' for one, place in places.items())
    yield from (f'    E{places[link.one]} -->|"{_quoted(link.why)}"| E{places[link.other]}' for link in circle)


def _quoted(text: str) -> str:
    return _plain(text).replace('"', "#quot;")


def _plain(text: str) -> str:
    return text.translate(_SPECIAL)

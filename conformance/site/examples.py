"""Traces that show a rule: one that keeps it and one that breaks it, drawn and told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from conformance.check.chronology import in_order
from conformance.check.steps import steps_of
from conformance.forms import svg
from conformance.forms.html import beside_its_picture
from conformance.forms.told import told_of
from conformance.trace.open import open_trace
from spec.language.rule import Rule
from spec.reports.names import names_of

INDEX: Final = "index.json"
"""What a folder of published traces says of each: its file, the verdict that is right, of which rule, and why."""

SHOWN: Final = "rules/"
"""What the ids of traces begin with that are there to show a rule."""


class Example(NamedTuple):
    """A published trace.

    Attributes:
        file: where it is.
        verdict: what it is to be judged.
        reason: why, in a sentence.
    """

    file: Path
    verdict: str
    reason: str


def examples_in(folder: Path) -> Mapping[str, Sequence[Example]]:
    """The traces that show a rule, by the rule's id."""
    found: dict[str, list[Example]] = {}
    for said in json.loads((folder / INDEX).read_text(encoding="utf-8"))["vectors"]:
        if said["id"].startswith(SHOWN):
            example = Example(folder / said["file"], said["verdict"], said["reason"])
            found.setdefault(said["rule"], []).append(example)
    return found


def drawn(example: Example, rule: Rule) -> Iterator[str]:
    """A trace as Markdown: its story beside its picture where it breaks the rule, else a picture of all that happens.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    trace = open_trace(example.file)
    names, family = names_of(trace.header), trace.header.family
    told = told_of(trace, trace.path.name, [rule], shown=1)
    if not told.violations:
        steps = tuple(steps_of(in_order(trace.events(), family), family.story))
        yield f"<div class=told><figure>{svg.draw(steps, names, family.story)}</figure></div>"
        return
    story = told.violations[0].story
    yield from (story.opening, "", beside_its_picture(story, names, family), "")
    if story.witness is not None:
        seen = ", ".join(f"{name} = {value}" for name, value in story.witness.seen.items())
        yield from (f"- *demanded*: `{story.witness.expected}`", f"- *seen*: `{seen}`")

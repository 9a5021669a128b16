"""Traces that show a rule: one that keeps it and one that breaks it, drawn and told."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from conformance.check.checking import check
from conformance.check.chronology import in_order
from conformance.check.picture import draw
from conformance.check.steps import steps_of
from conformance.check.story import explain
from conformance.trace.open import Trace, open_trace
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


def drawn(example: Example, rule: Rule) -> str:
    """A trace as text: its story where it breaks the rule, else a picture of all that happens in it.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    trace = open_trace(example.file)
    broken = [said for said in check(trace, [rule], shown=0).verdict.judged if said.violations]
    if not broken:
        return picture_of(trace)
    return explain(trace, rule, broken[0].violations[0].key).text.partition("\nReplay:")[0]


def picture_of(trace: Trace) -> str:
    """All events of a small trace as a space-time picture.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with the trace.
    """
    family = trace.header.family
    steps = tuple(steps_of(in_order(trace.events(), family), family.story))
    return "\n".join(draw(steps, names_of(trace.header), family.story))

"""The reference page of guards, in Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Final

from reference_impl.replay.guard import Guard, guards_of
from reference_impl.replay.machine import CHAPTERS
from spec.events import Event
from spec.language.events import all_events

INTRODUCTION: Final = """\
# Guards of replay

`quorate replay` takes the events of a trace as steps of a machine. These guards are asked of each event, in this order;
the first that objects refuses it. A guard uses what was recorded before, and nothing else. Where what it needs is not
recorded completely, or its promise is not made, it is not asked.
"""


def page() -> str:
    """All guards, by what they are about."""
    lines = [INTRODUCTION]
    for module in CHAPTERS:
        title = inspect.cleandoc(module.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        lines += [f"## {title.removeprefix('Guards of ').rstrip('.').capitalize()}", ""]
        for guard in guards_of(module):
            lines += _section(guard)
    return "\n".join(lines)


def _section(guard: Guard) -> Iterator[str]:
    yield from (f"### {guard.id}", "", guard.sentence, "")
    words = [event.word for event in all_events(Event) if event.kind in guard.kinds]
    every = len(words) == len(all_events(Event))
    yield f"- Asked of: {'every event' if every else ', '.join(words)}"
    if guard.needs:
        yield f"- Needs, recorded completely: {', '.join(guard.needs)}"
    if guard.promise:
        yield f"- Needs the promise: {guard.promise}"
    if not guard.ordered:
        yield "- Certain without an order among recorders"
    yield from ("", f"*{guard.cite}*", "")

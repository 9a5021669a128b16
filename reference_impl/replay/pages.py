"""The reference page of guards, in Markdown."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Final

from reference_impl.replay.guard import Guard, guards_of
from reference_impl.replay.machine import CHAPTERS
from reference_impl.replay.open_choices import LATER, OPEN_CHOICES, OpenChoice
from reference_impl.replay.undetectable_edits import DOUBLED, LEFT_OUT
from spec.events import Event
from spec.language.events import all_events

INTRODUCTION: Final = """\
# Guards of replay

`quorate replay` takes the events of a trace as steps of a machine. These guards are asked of each event, in this order;
the first that objects refuses it. A guard uses what was recorded before, and nothing else. Where what it needs is not
recorded completely, or its promise is not made, it is not asked.
"""

NOTICED_LATER: Final = """\
## What is noticed later

Any other value of a field is refused at the event itself, with these exceptions: the machine leaves them open, so
nothing before the event contradicts another value. A recorder's first event may have any number, and a time may be
moved as long as the order stays. The tests alter every field of every event of three runs, with all variants and trims,
in up to six ways (one more or less, 0, huge, a value of another entity or of an earlier event; sets by a node, to
nobody and to everybody): of each field that is not named here at least 99 of 100 such values are refused at once, and
of all fields together 97 of 100.

Every altered event that is taken is replayed with all that follows. Either a later event is refused, which happens to
most of them, to half of those within forty events; or nothing is, and then no rule is violated by the whole trace
either: it is what another run would say. Why the machine may do so is one of its freedoms, each with a test:

"""


UNNOTICED: Final = """\
## Events that were left out, said twice or exchanged

A recorder numbers its events, so an event that is missing or doubled is refused at its recorder's next one. These
tables are about recorders that number anew, so that only what events say is left. The tests leave out, double and
exchange with the next one some events of each kind, on every topology, with and without all variants: all rules hold of
what nothing refuses. Two neighbours are refused if one is the other's cause; events of different logs and recorders
commute.

### What may be left out

Any other event is missed by a later one.
"""

TWICE: Final = """\
### What may be said twice

Any other event is refused at once when it comes a second time.
"""


def page() -> str:
    """All guards, by what they are about."""
    lines = [INTRODUCTION]
    for module in CHAPTERS:
        title = inspect.cleandoc(module.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        lines += [f"## {title.removeprefix('Guards of ').rstrip('.').capitalize()}", ""]
        for guard in guards_of(module):
            lines += _section(guard)
    lines += [NOTICED_LATER, *(f"- *{one.value}*: {OPEN_CHOICES[one]}" for one in OpenChoice), ""]
    lines += ["| event | field | freedom | why |", "|---|---|---|---|"]
    for event, fields in LATER.items():
        lines += [f"| {event.word} | `{name}` | {later.freedom} | {later.why} |" for name, later in fields.items()]
    for introduction, free in ((UNNOTICED, LEFT_OUT), (TWICE, DOUBLED)):
        lines += ["", introduction, "| event | freedom | why |", "|---|---|---|"]
        lines += [f"| {event.word} | {later.freedom} | {later.why} |" for event, later in free.items()]
    return "\n".join(lines) + "\n"


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

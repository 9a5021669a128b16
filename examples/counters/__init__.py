"""A family of two events, one view and two rules: counters that only rise, and what their readers are told of them.

It is the smallest that shows what a family is, and what follows from it without a line elsewhere: the format of its
traces, and all that judges, explains and documents them.
"""

from __future__ import annotations

from typing import Final

from spec.language.declare import View, along, max_of, min_of
from spec.language.events import AnyEvent, number
from spec.language.family import Family
from spec.language.handles import Bool, known
from spec.language.orders import Order, Position, declared
from spec.language.rule import rule
from spec.language.story import Story, Telling

MOMENT: Final = declared(Position("moment", "term", "step"))


class Event(AnyEvent):
    """Anything about one counter, at a moment: so many steps into the term of whoever keeps it."""

    sorted_by = Order("counter", MOMENT)

    seq = number("seq", "the recorder's own order")
    time = number("time_ns", "the recorder's clock, in nanoseconds", optional=True)
    counter = number("counter", "the counter's number")
    term = number("term", "the term")
    step = number("step", "the step within the term")
    moment = number("moment", "both in one number", computed=True)
    total = number("total", "what the counter stands at", optional=True)


class Raised(Event, kind=1, word="raised"):
    """Whoever keeps the counter raised it."""


class Told(Event, kind=2, word="told"):
    """A reader was told what the counter stands at."""


class Moment(View, one_per=(Event.counter, Event.moment)):
    """What became of one counter at one moment."""

    raised_to = max_of(Raised.total)
    told_least, told_most = min_of(Told.total), max_of(Told.total)
    stood_at = along(Event.counter).highest(raised_to)


@rule("counter.rises", cite="this example: a counter only rises")
def counter_rises(moment: Moment) -> Bool:
    """A counter is raised to no less than it ever stood at before."""
    return known(moment.raised_to).implies(moment.stood_at <= moment.raised_to)


@rule("counter.told_as_it_stands", cite="this example: readers are told the latest value")
def readers_are_told_what_it_stands_at(moment: Moment) -> Bool:
    """Readers are told what the counter stands at."""
    stands = (moment.stood_at <= moment.told_least) & (moment.told_most <= moment.stood_at)
    return known(moment.told_most).implies(stands)


STORY: Final = Story(
    (
        Telling(Raised, "{recorder} raised counter {counter} to {total}."),
        Telling(Told, "{recorder} was told that counter {counter} stands at {total}."),
    ),
    by_position=True,
)
"""How they are told."""

COUNTERS: Final = Family(
    name="counters",
    what="counters that only rise",
    events=Event,
    story=STORY,
    chapters={"Counters": (counter_rises, readers_are_told_what_it_stands_at)},
    roles={"keeper": "raises counters", "reader": "is told what they stand at"},
)

"""Well declared: what the order, the rules and the universes of a family must be for all that follows from them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from spec.language.events import AnyEvent, Recorded, concrete, layout
from spec.language.orders import POSITIONS
from spec.language.refusals import AuthorMistake
from spec.language.rule import Rule
from spec.language.universes import Universe

HEADER: Final = ("quorate_trace", "system", "recorders", "clock_bound_ns", "promises", "family", "note")
"""The fields that every header of a trace has, or may have."""

TIME: Final = "time_ns"
"""The column of the recorder's clock, by which stories are told."""


def refuse_unplaced(name: str, events: type[AnyEvent]) -> None:
    """Make sure that every event has a clock and a place in the order of its traces, and that positions are known.

    Raises:
        AuthorMistake: one has not.
    """
    columns, order = layout(events), events.sorted_by
    for column in (*order.stored, TIME):
        if column not in columns:
            what = f"no event of {name} has {column}"
            raise AuthorMistake(what, "Give every event a field of this column, or say another in sorted_by")
    for column in order.stored:
        if columns[column].optional:
            what = f"{column} may be unknown, and traces of {name} are sorted by it"
            raise AuthorMistake(what, "Leave out optional=True, or sort by another column")
    if order.position.low and POSITIONS.get(order.place) != order.position:
        raise AuthorMistake(f"nothing knows the position {order.place}", "Make it known: declared(Position(...))")
    for made, laid_out in columns.items():
        if laid_out.computed and made not in POSITIONS:
            raise AuthorMistake(f"nothing says how {made} is computed", "Only positions are: declared(...)")


def refuse_rules(name: str, events: type[AnyEvent], chapters: Mapping[str, Sequence[Any]]) -> None:
    """Make sure that chapters have rules over these events, each once.

    Raises:
        AuthorMistake: they have not.
    """
    for title, chapter in chapters.items():
        if not isinstance(chapter, tuple | list) or not all(isinstance(one, Rule) for one in chapter):
            raise AuthorMistake(f"chapter {title!r} of {name} holds what is no rule", "Write (rule,) for a single one")
    rules: list[Rule] = [one for chapter in chapters.values() for one in chapter]
    own = concrete(events)
    for one in rules:
        if own.isdisjoint(concrete(one.view.events)):
            raise AuthorMistake(f"{one.id} is about no event of {name}", "Put it into the family of its events")
    for identifier, times in Counter(one.id for one in rules).items():
        if times > 1:
            raise AuthorMistake(f"{times} rules of {name} are called {identifier}", "Give each an id of its own")


def refuse_left_out(name: str, events: type[AnyEvent], rules: Sequence[Rule]) -> None:
    """Make sure that no rule over these events stands beside those of a family, in their modules, and is none of them.

    Raises:
        AuthorMistake: one does: nobody would ever judge by it.
    """
    own = concrete(events)
    for found in (value for module in {one.module for one in rules} for value in _in_module(module)):
        if isinstance(found, Rule) and found not in rules and not own.isdisjoint(concrete(found.view.events)):
            raise AuthorMistake(f"{found.id} stands in no chapter of {name}", "Put it into one, or delete it")


def _in_module(name: str) -> list[object]:
    """What a module has, as far as it was read."""
    return [*vars(sys.modules[name]).values()] if name in sys.modules else []


def refuse_universe(event: type[AnyEvent], field: Recorded[Any], universes: Sequence[Universe]) -> None:
    """Make sure that headers have what a field speaks of, and nothing that is called as it is.

    Raises:
        AuthorMistake: they have not.
    """
    what = f"{event.__name__}.{field.name}"
    if field.written in {universe.section for universe in universes}:
        mistake = f"{what} is called as a section of headers, which are lines like events"
        raise AuthorMistake(mistake, "Choose another name for the field")
    universe = field.universe
    if universe is None:
        return
    if universe.section and universe not in universes:
        mistake = f"{what} has numbers of {universe.section}, which is none of the universes"
        raise AuthorMistake(mistake, "Name it in universes=")
    if universe.section in HEADER:
        mistake = f"{what} has numbers of {universe.section}, which headers have for another use"
        raise AuthorMistake(mistake, "Choose another section")
    if universe.closed and field.column != event.sorted_by.partition:
        mistake = f"{what} has numbers of {universe.section}, which is closed, and is no partition"
        raise AuthorMistake(mistake, "Leave out closed=True: only partitions are held to the names of a header")

"""Guards: what must hold for an event to be the machine's next step, one short named function each.

A guard may use what was recorded before the event, and nothing else: messages between recorders are hidden. It gives
None where it has no objection, also where the recorder did not know a value that it would need.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from reference_impl.replay.trace_events import TraceEvent
from spec.events import Event, InLog
from spec.language.events import AnyEvent, all_events, kinds


class Against(NamedTuple):
    """An objection: what the machine would have done, and what the record says."""

    expected: str
    seen: str


Check: TypeAlias = Callable[[Any, TraceEvent], Against | None]
"""Asks the book of a log (of the cluster, for events of no log) about an event."""

Update: TypeAlias = Callable[[Any, TraceEvent], None]
"""Writes an event into a book."""


@dataclass(frozen=True)
class Guard:
    """One guard.

    Attributes:
        id: how reports and people name it.
        events: the events that it guards.
        sentence: what it demands.
        cite: where that comes from.
        needs: kinds of event, by word, of which it must have seen all; where they are recorded in part it is not asked.
        promise: the promise of a header without which it is not asked; "" where none is needed.
        ordered: it needs to know the order of events of different recorders.
    """

    id: str
    events: tuple[type[AnyEvent], ...]
    sentence: str
    cite: str
    check: Check
    needs: tuple[str, ...]
    promise: str
    ordered: bool

    @property
    def of_log(self) -> bool:
        """It asks the book of a log, not that of the cluster."""
        return all(issubclass(event, InLog) for event in self.events)

    @property
    def kinds(self) -> tuple[int, ...]:
        """The numbers of the kinds of event that it guards."""
        return tuple(kind for event in self.events for kind in kinds(event))


@dataclass(frozen=True)
class Change:
    """What an event changes in a book."""

    events: tuple[type[AnyEvent], ...]
    update: Update

    @property
    def of_log(self) -> bool:
        """It changes the book of a log, not that of the cluster."""
        return all(issubclass(event, InLog) for event in self.events)

    @property
    def kinds(self) -> tuple[int, ...]:
        """The numbers of the kinds of event that make this change."""
        return tuple(kind for event in self.events for kind in kinds(event))


def guard(
    name: str,
    *events: type[Any],
    cite: str,
    needs: tuple[type[AnyEvent], ...] = (),
    promise: str = "",
    ordered: bool = True,
) -> Callable[[Check], Guard]:
    """Read a function as the guard of some events.

    Raises:
        TypeError: it does not say in a sentence what it demands.
    """

    def read(check: Check) -> Guard:
        sentence = inspect.cleandoc(check.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
        if not sentence.endswith("."):
            raise TypeError(f"{check.__name__} does not say in a sentence what it demands")
        words = tuple(event.word for event in all_events(Event) for needed in needs if issubclass(event, needed))
        return Guard(name, events, sentence, cite, check, words, promise, ordered)

    return read


def change(*events: type[Any]) -> Callable[[Update], Change]:
    """Read a function as what some events change."""

    def read(update: Update) -> Change:
        return Change(events, update)

    return read


def guards_of(module: ModuleType) -> Iterator[Guard]:
    """The guards that a module defines, in the order in which they are written and asked."""
    return (value for value in vars(module).values() if isinstance(value, Guard))


def changes_of(module: ModuleType) -> Iterator[Change]:
    """The changes that a module defines."""
    return (value for value in vars(module).values() if isinstance(value, Change))


def differ(one: object, other: object) -> bool:
    """Two values are known and not the same."""
    return one is not None and other is not None and one != other

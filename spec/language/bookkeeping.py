"""Bookkeeping: what follows from the events of a trace together, and is worked out once, while the trace is sorted.

A family declares what its books read, fill in and add. They are kept in passing: every event is looked at, then noted
in its recorder's order, and those of one place are looked at together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

BOOKS: Final = "books"
"""The recorder of what is added when a trace is sorted: a name and a role that nobody else may have."""

Event: TypeAlias = dict[str, Any]
"""One event, by column of the trace; ``recorder`` is a name."""

Seen: TypeAlias = Iterable[tuple[tuple[int, ...], object]]
"""Whose steps were seen, and by which recorder."""


class Recorder(Protocol):
    """Who writes events down."""

    @property
    def records(self) -> Mapping[str, str]:
        """For each kind of event it records, by word, whether it records all of them."""
        ...


class Heading(Protocol):
    """What a trace's header says that books are kept by."""

    @property
    def recorders(self) -> Mapping[str, Recorder]:
        """Everyone who writes events down, by name."""
        ...

    @property
    def clock_bound_ns(self) -> int:
        """The most by which two recorders' clocks may differ."""
        ...

    @property
    def low_bits(self) -> int:
        """How many low bits of a position are its low part."""
        ...

    @property
    def promises(self) -> Mapping[str, bool | int]:
        """What the system promises."""
        ...

    def completeness(self, word: str) -> str:
        """Whether the trace has all events of a kind."""
        ...


class Books:
    """The books of one trace; these keep nothing, and pass events on as they are.

    First ``look`` at every event that is noted, in any order; then ``note`` each, in its recorder's order, and take
    those that ``waited``; last go through all events ``at_place`` after place.

    Args:
        heading: what the trace's header says.

    Attributes:
        added: how many events were added.
    """

    added = 0

    def __init__(self, heading: Heading) -> None:
        self.heading = heading

    def look(self, event: Event) -> None:
        """Learn what must be known beforehand."""

    def note(self, event: Event) -> Event | None:
        """The event with what is known of it; None if it must wait until all are known."""
        return event

    def waited(self) -> Iterator[Event]:
        """The events that had to wait."""
        return iter(())

    def concluded(self, events: Iterable[Event]) -> Iterator[Event]:  # noqa: ARG002 - what books that add need
        """The events to add that follow from some that were noted or waited."""
        return iter(())

    def unordered(self, *seen: Seen) -> Iterator[Event]:  # noqa: ARG002 - as above
        """The events to add because several recorders saw steps of one; for each that is watched, who saw whose."""
        return iter(())

    def at_place(self, events: Sequence[Event]) -> list[Event]:
        """The events at one place, with what they say together; when all were noted."""
        return list(events)


class Watched(NamedTuple):
    """Whose steps several recorders may see: kinds of event, and the columns that say whose they are."""

    kinds: frozenset[int]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class AtOnce:
    """How books say the same of a whole trace at once, in columns, where nothing about it is odd.

    Attributes:
        without: the kinds of event of which such a trace has none.
        said: what books say of all events that are noted or looked at together, in whatever order: the columns that
            they fill in, and the events that they add (``spec.columns.books.Said``); None where something is odd.
            It is given the columns that books read and fill in; ``recorder`` holds places in the heading.
    """

    without: frozenset[int]
    said: Callable[[Mapping[str, Any], Heading], Any]


@dataclass(frozen=True)
class Bookkeeping:
    """What the books of a family's traces read, fill in and add.

    Attributes:
        noted: the kinds of which books are kept.
        together: the kinds that are looked at together where they are at one place.
        watched: whose steps several recorders may see.
        reads: the columns of numbers that are read, besides the recorder.
        sets: the columns of sets that are read, each with the kinds of which.
        fills: the columns of numbers that are filled in.
        fills_sets: the columns of sets that are filled in.
        adds: the kinds of event, by word, that are added, and that nobody may tell.
        opened: new books for a trace.
        kept: all events of a trace in memory, with what its books say, in trace order; None where they say nothing.
        at_once: the books of a whole trace in columns; None where there are none.
    """

    noted: frozenset[int] = frozenset()
    together: frozenset[int] = frozenset()
    watched: tuple[Watched, ...] = ()
    reads: tuple[str, ...] = ()
    sets: Mapping[str, frozenset[int]] = field(default_factory=dict)
    fills: tuple[str, ...] = ()
    fills_sets: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    opened: Callable[[Heading], Books] = Books
    kept: Callable[[Iterable[Mapping[str, Any]], Heading], list[Event]] | None = None
    at_once: AtOnce | None = None


NO_BOOKS: Final = Bookkeeping()
"""Nothing follows from events together."""

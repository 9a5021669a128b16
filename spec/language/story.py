"""Stories: how the events of a family are told to people. A family declares it in one table, in the order of telling.

A sentence names fields of its event, and phrases of its family, in braces. What stands in brackets is said only where
all that it names is known and is something; behind a bar stands what is said otherwise:
``[Recovery {recovery}|A recovery] decided what holds.``
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Protocol, TypeAlias

from spec.language.events import AnyEvent, Recorded, fields_of
from spec.language.names import Names
from spec.language.orders import Position
from spec.language.universes import Universe

EventRow: TypeAlias = Mapping[str, Any]
"""One event by column of the vocabulary, with ``kind`` as a number and ``recorder`` as a name."""

SplitPosition: TypeAlias = tuple[int, int]
"""The high and the low part of a position."""

StoryScope: TypeAlias = Literal["", "always", "meanwhile", "member"]
"""Which events belong to a story though they are not about what it is about: none; all of the same high parts; of
these those that happened meanwhile; those that happened to members who have a part in it, in any high part."""


OF_RECORDERS: Final = ("recorder", "server", "stretch")
"""What any sentence may name besides: who wrote the event down, who answered, and the positions of which it speaks."""

NAMED: Final = re.compile(r"\{(\w+)\}")
"""What a sentence names."""


class Saying(Protocol):
    """One event that is being told."""

    @property
    def event(self) -> EventRow:
        """The event."""
        ...

    @property
    def names(self) -> Names:
        """What the trace calls those of whom it speaks."""
        ...

    @property
    def text(self) -> str | None:
        """The payload as text, where it was recorded so."""
        ...

    def get(self, name: str) -> Any:
        """The value of a field, by its name; None where it is unknown, or events of this kind have none."""
        ...


Phrase: TypeAlias = Callable[[Saying], str]
"""Words for a part of an event; empty where there is nothing to say."""


@dataclass(frozen=True)
class Telling:
    """How events of one kind are told.

    Attributes:
        event: the kind.
        sentence: the sentence, or what chooses it.
        lane: in whose lane of a picture it stands; None: in that of the story's own universe.
        mark: what stands there; the kind's word where it is empty.
        across: what stands across all lanes, in place of a mark.
        at: whether it is about one position, about all from its own to the one that it reaches (a span), or says
            something up to there without being about each (a window).
        together: the sentence where several members did alike, one after the other; empty where each is told alone.
        alike: the fields, beside place and identity, that are equal where they did.
        scene: which of them belong to a story though they are not about what it is about.
        opens: where it has no time and comes before all of its high part, it is told right after the first of all.
    """

    event: type[AnyEvent]
    sentence: str | Phrase
    lane: Universe | None = None
    mark: str = ""
    across: str = ""
    at: Literal["one", "span", "window"] = "one"
    together: str = ""
    alike: tuple[str, ...] = ()
    scene: StoryScope = ""
    opens: bool = False

    @cached_property
    def fields(self) -> Mapping[str, Recorded[Any]]:
        """The fields of the kind by name."""
        return fields_of(self.event)

    @property
    def named(self) -> frozenset[str]:
        """What its sentences name, as far as they are written down."""
        return frozenset(NAMED.findall(f"{self.together} {self.sentence if isinstance(self.sentence, str) else ''}"))

    def field_of(self, universe: Universe) -> Recorded[Any] | None:
        """Its field for one of a universe; None where it has none."""
        return next((one for one in self.fields.values() if one.universe == universe and one.sort == "int"), None)


@dataclass(frozen=True)
class Lanes:
    """The lanes of a picture.

    Attributes:
        order: whose lanes stand there, from left to right; None is the place of whoever steers. Where it is empty, each
            recorder has a lane.
        own: in whose lane events stand of which nothing else is said.
        onlookers: in whose lanes events stand that change nothing; None where there are none.
        down: marks after which a lane is down.
        up: marks after which it is not.
        lasting: marks of what goes on until something ends it.
    """

    order: tuple[Universe | None, ...] = ()
    own: Universe | None = None
    onlookers: Universe | None = None
    down: frozenset[str] = frozenset()
    up: frozenset[str] = frozenset()
    lasting: frozenset[str] = frozenset()


@dataclass
class Scenes:
    """What a story is told from.

    Attributes:
        focus: the positions that the row is about.
        rivals: the positions whose events took the place of these.
        events: what happened, in the order of telling.
    """

    focus: set[SplitPosition] = field(default_factory=set)
    rivals: set[SplitPosition] = field(default_factory=set)
    events: list[EventRow] = field(default_factory=list)


@dataclass(frozen=True)
class Step:
    """One step of a story: one event, or several that members did alike.

    Attributes:
        events: these events.
        earlier: the steps before.
        scenes: what the story is told from.
        tell: the sentence for the step, or for another text than the table's, with more words by name.
        names: what the trace calls those of whom it speaks.
    """

    events: tuple[EventRow, ...]
    earlier: Sequence[tuple[EventRow, ...]]
    scenes: Scenes
    tell: Callable[..., str]
    names: Names


def _none(event: EventRow, focus: set[SplitPosition]) -> Iterable[SplitPosition]:  # noqa: ARG001 - what plots without rivals say
    return ()


@dataclass(frozen=True)
class Plot:
    """What belongs to a story.

    Attributes:
        identity: the column of what events are about, such as a payload; events with one value of it belong together.
        reach: the position up to which events with a span or a window speak.
        first_low: the least low part of a place; what has less speaks of the whole high part.
        compared: columns that hold a position which others showed, and how far it lies beyond that.
        legend: what is seen to be at a position, in words; empty where a position says it all.
        rivals: the positions that took the place of those that a story is about, as an event shows it.
        remarks: kinds of which more is to be said than the table says: all sentences of a step.
    """

    identity: str = ""
    reach: Position | None = None
    first_low: int = 0
    compared: Mapping[str, int] = field(default_factory=dict)
    legend: str = ""
    rivals: Callable[[EventRow, set[SplitPosition]], Iterable[SplitPosition]] = _none
    remarks: Mapping[type[AnyEvent], Callable[[Step], Iterator[str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Story:
    """How the events of a family are told.

    Attributes:
        first: the kinds in the order in which they are told where no clock tells, high part by high part.
        then: the kinds that are told after all of these, in order.
        phrases: words for parts of events, which sentences name like fields.
        by_position: where no clock tells, the events of one high part are told by their low parts, not by kind.
        asking: roles of recorders that are clients themselves.
        serving: roles of recorders that serve clients: what they record that a client was told, they told it.
    """

    first: tuple[Telling, ...]
    then: tuple[Telling, ...] = ()
    phrases: Mapping[str, Phrase] = field(default_factory=dict)
    lanes: Lanes = Lanes()
    plot: Plot = Plot()
    by_position: bool = False
    asking: frozenset[str] = frozenset()
    serving: frozenset[str] = frozenset()

    @cached_property
    def of_kind(self) -> Mapping[int, Telling]:
        """How each kind is told, by its number."""
        return {one.event.kind: one for one in (*self.first, *self.then) if one.event.kind is not None}

    def unknown(self, telling: Telling) -> list[str]:
        """What the sentences of a kind name, and neither its fields nor a phrase says."""
        return sorted(telling.named - telling.fields.keys() - self.phrases.keys() - set(OF_RECORDERS))

    @cached_property
    def stages(self) -> Mapping[int, tuple[bool, int]]:
        """Of each kind, whether it is told after all high parts, and its place among others."""
        return {
            one.event.kind: (late, place)
            for late, tellings in ((False, self.first), (True, self.then))
            for place, one in enumerate(tellings)
            if one.event.kind is not None
        }

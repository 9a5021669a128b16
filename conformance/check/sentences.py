"""Sentences: an event is told as the table of its family says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from conformance.trace.fields import EXTRA, PAYLOAD, SERVED_BY
from conformance.trace.rows import EventRow
from spec.language.events import Recorded
from spec.language.names import Names
from spec.language.orders import Position
from spec.language.story import NAMED, Story, Telling
from spec.language.universes import Universe

_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")


def tell(event: EventRow, names: Names, story: Story) -> str:
    """The sentence for one event."""
    return ToldEvent(event, names, story).sentence()


@dataclass(frozen=True)
class ToldEvent:
    """One event that is being told: what its fields and phrases are in words.

    Attributes:
        several: the members that did alike, where it stands for all their events; otherwise none.
        more: more words by name.
    """

    event: EventRow
    names: Names
    story: Story
    several: frozenset[int] = frozenset()
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def telling(self) -> Telling:
        """How events of its kind are told."""
        return self.story.of_kind[self.event["kind"]]

    @property
    def text(self) -> str | None:
        """The payload as text, where it was recorded so."""
        text = self.event.get(PAYLOAD)
        return None if text is None else str(text)

    def get(self, name: str) -> Any:
        """The value of a field, by its name; None where it is unknown, or events of this kind have none."""
        home = self.telling.fields.get(name)
        return None if home is None else self.event.get(home.column)

    def sentence(self) -> str:
        """The sentence for the event, or for all that did alike."""
        if self.several:
            return self.begun(self.telling.together)
        said = self.telling.sentence
        return self.begun(said if isinstance(said, str) else said(self))

    def begun(self, template: str) -> str:
        """A template with everything in words; what stands first is written as people begin a sentence."""
        return self.fill(template, begins=True)

    def fill(self, template: str, *, begins: bool = False) -> str:
        """A template with everything in words."""
        chosen = _CHOICE.sub(lambda found: self._chosen(found[1].split("|")), template)
        return NAMED.sub(lambda found: self._word(found[1], begins=begins and not found.start()), chosen)

    def _chosen(self, texts: list[str]) -> str:
        return next((text for text in texts if all(map(self._is_something, NAMED.findall(text)))), "")

    def _is_something(self, name: str) -> bool:
        """Whether a part of the sentence is known, and neither 0 nor an empty set."""
        said = self._said(name)
        if said is not None:
            return bool(said)
        home, value = self._home(name), self.get(name)
        if home.computed or home.universe is None or home.sort == "set":
            return home.computed or bool(value)
        return value is not None

    def _word(self, name: str, *, begins: bool) -> str:
        said = self._said(name)
        if said is not None:
            return _begun(said) if begins else said
        home, value = self._home(name), self.get(name)
        universe = home.universe
        if begins and universe is not None and not self.several and home.sort == "int" and _is_client(universe):
            return self._subject(universe, value)
        word = self._value(home, value)
        return _begun(word) if begins and not self.several else word

    def _said(self, name: str) -> str | None:
        """What a phrase says; None where there is none of this name."""
        if name in self.more:
            return self.more[name]
        phrase = self.story.phrases.get(name)
        if phrase is not None:
            return phrase(self)
        match name:
            case "recorder":
                return str(self.event["recorder"])
            case "server":
                return self._server()
            case "stretch":
                return self._stretch()
            case _:
                return None

    def _home(self, name: str) -> Recorded[Any]:
        return self.telling.fields[name]

    def _value(self, home: Recorded[Any], value: Any) -> str:
        """The value of a field in words."""
        universe, position = home.universe, home.position
        if universe is not None and home.sort == "set":
            return f"{universe.section} that were not recorded" if value is None else self.names.all_of(universe, value)
        if universe is not None:
            if self.several and universe == self.story.lanes.own:
                return self.names.all_of(universe, self.several)
            return f"an unnamed {universe.one}" if value is None else self.names.of(universe, value)
        if position is not None and home.computed:
            return self._at(position)
        if value is None:
            return "an unknown number"
        if position is not None and home.column not in position.parts:
            return self.names.position(position, value)
        return home.words.get(value, str(value))

    def _at(self, position: Position) -> str:
        high, low = position.of(self.event)
        return position.end(high) if low == self.names.last else position.write(high, low)

    def _stretch(self) -> str:
        """The positions of which an event speaks."""
        first, reach = self.telling.event.sorted_by.position, self.story.plot.reach
        start = first.of(self.event)
        here = first.write(*start)
        return here if reach is None or reach.of(self.event) == start else f"{here} to {self._at(reach)}"

    def _subject(self, universe: Universe, number: int) -> str:
        """Who asks, at the beginning of a sentence.

        As the header calls him; where it has no name, but a client recorded the event, by that recorder and the number
        there: one recorder may tell of many clients.
        """
        called, given = self.names.of(universe, number), self.names.given(universe, number)
        if given == called:
            return called
        recorder = str(self.event.get("recorder", ""))
        words = "|".join({*self.story.asking, universe.one, universe.section.removesuffix("s")})
        adds = not re.fullmatch(rf"({words})\W?{number}", recorder)
        if adds and given is None and self.names.roles.get(recorder) in self.story.asking:
            return f"{recorder} ({called})"
        return called[:1].upper() + called[1:]

    def _server(self) -> str:
        """Who answered a client, as far as the event tells; empty if it does not."""
        said = self.event.get(EXTRA, {}).get(SERVED_BY)
        recorder = str(self.event.get("recorder", ""))
        return str(said) if said else recorder if self.names.roles.get(recorder) in self.story.serving else ""


def _is_client(universe: Universe) -> bool:
    return not (universe.listed or universe.closed or universe.hashed)


def _begun(text: str) -> str:
    """The beginning of a sentence; what has digits is a name."""
    return text if any(sign.isdigit() for sign in text) else text[:1].upper() + text[1:]

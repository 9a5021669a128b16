"""Families: what is declared once of a family of systems. Registry, traces, reports and pages follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType

from spec.language.bookkeeping import NO_BOOKS, Bookkeeping
from spec.language.events import AnyEvent, all_events, fields_of
from spec.language.prose import Prose
from spec.language.refusals import AuthorMistake, refuse_name
from spec.language.rule import Rule
from spec.language.story import Story
from spec.language.universes import Universe
from spec.language.well_declared import refuse_rules, refuse_universe, refuse_unplaced
from spec.near import did_you_mean


def chapters_of(modules: Mapping[str, Sequence[ModuleType]]) -> dict[str, tuple[Rule, ...]]:
    """The rules of each chapter: those in its modules, in the order in which they stand there."""
    return {
        title: tuple(value for module in every for value in vars(module).values() if isinstance(value, Rule))
        for title, every in modules.items()
    }


@dataclass(frozen=True, eq=False)
class Family:
    """A family of systems: a vocabulary, the order of its traces, and the rules over it.

    Attributes:
        name: what headers of traces call it.
        what: what they are, in a phrase.
        events: the class above all its events, which says how its traces are sorted.
        story: how its events are told: every kind of them.
        universes: what the numbers in its events stand for, where a trace's header has a section for it. Locations are
            those of the first that is listed.
        chapters: its rules by chapter, in reading order.
        prose: how its formulas are written.
        promises: what a system may promise, by name, and what each promise means.
        annotations: promises that settings weaken, and what reports say of each beside a broken rule.
        roles: who may write events down, and what each is.
        books: what is worked out of its events together when a trace is sorted, and added to them.

    Raises:
        AuthorMistake: its order, its rules or its universes are such that readings could not follow them, it has
            events of which nobody says how they are told, or whose sentence names what they do not have, or a rule
            under a promise that is none.
    """

    name: str
    what: str
    events: type[AnyEvent]
    chapters: Mapping[str, tuple[Rule, ...]]
    story: Story
    universes: tuple[Universe, ...] = ()
    prose: Prose = field(default_factory=Prose)
    promises: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    roles: Mapping[str, str] = field(default_factory=dict)
    books: Bookkeeping = NO_BOOKS

    def __post_init__(self) -> None:
        refuse_name(self.name, "the family")
        refuse_unplaced(self.name, self.events)
        refuse_rules(self.name, self.events, self.chapters)
        for event in all_events(self.events):
            telling = None if event.kind is None else self.story.of_kind.get(event.kind)
            if telling is None:
                raise AuthorMistake(f"nobody says how {event.__name__} is told", "Give it a sentence in the story")
            for name in self.story.unknown(telling):
                what = f"the sentence for {event.__name__} names {name}, which is no field of it and no phrase"
                raise AuthorMistake(what, did_you_mean(name, [*fields_of(event), *self.story.phrases]))
            for one in fields_of(event).values():
                refuse_universe(event, one, self.universes)
        for rule in self.rules:
            if rule.promise and rule.promise not in self.promises:
                what = f"{rule.id} is asked of whoever promises {rule.promise}"
                raise AuthorMistake(f"{what}, which the family does not know", "Say what it means in promises=")

    @property
    def added(self) -> tuple[str, ...]:
        """The kinds of event, by word, that are added when a trace is sorted, and that nobody may tell."""
        return self.books.adds

    @cached_property
    def listed(self) -> tuple[Universe, ...]:
        """The universes whose members headers list."""
        return tuple(universe for universe in self.universes if universe.listed)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """All its rules, in reading order."""
        return tuple(rule for chapter in self.chapters.values() for rule in chapter)

    @cached_property
    def chapter_of(self) -> Mapping[str, str]:
        """The chapter in which a rule stands, by its id."""
        return {rule.id: title for title, chapter in self.chapters.items() for rule in chapter}

    def among(self, rules: Sequence[Rule] | None) -> Sequence[Rule]:
        """Of these rules those of this family; without any, all that it has."""
        return self.rules if rules is None else [rule for rule in rules if issubclass(rule.view.events, self.events)]

    def rules_with(self, promise: str) -> list[Rule]:
        """The rules that a promise brings into force; with "" those that are asked of any system."""
        return [rule for rule in self.rules if rule.promise == promise]

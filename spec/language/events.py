"""Event classes: what a recorder may say, one class for each kind.

A field is declared once, with the column that keeps it in memory; kinds share columns, so that rows stay narrow. What
people read and write has the field's own name. A class without a kind of its own means all the classes below it.
Schemas for JSON lines, Arrow, Parquet and Spark are derived.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Final, Generic, NamedTuple, ParamSpec, TypeVar, cast

from spec.language.handles import Bool, Factors, Handle, Int, Set
from spec.language.orders import POSITIONS, Order, Position
from spec.language.refusals import AuthorMistake, refuse_name
from spec.language.terms import Agg, Along, Col, Field, Lookup, Sort, Term, walk
from spec.language.universes import Universe

H = TypeVar("H", bound=Handle)
P = ParamSpec("P")
R = TypeVar("R")

WHOLE: Final = 64
"""Bits of a number of which nothing else is said."""

MEMBER: Final = 16
"""Bits of the number of a member."""

ANSWERS: Final = 1000
"""So many answers are kept of each question about event classes."""

RENAME: Final = "Choose another name"

MOST_KINDS: Final = 127
"""The greatest number of a kind: traces keep it in a byte with sign."""

TAKEN: Final = ("kind", "recorder", "extra", "payload")
"""What every event of a trace has besides its own fields, in lines and as columns."""

UNITS: Final = ("_ns", "_ms", "_bytes")
"""Units that a column's name may end with; JSON lines name the unit too."""


class Told(NamedTuple):
    """How bookkeeping works a field out.

    Attributes:
        by: from the events of which kinds, by word.
        raised: more events of these kinds can only make the number, or the set, greater.
        settled: where these kinds are recorded in part, it is unknown unless more of them could not change it.
    """

    by: tuple[str, ...]
    raised: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()


class Recorded(Generic[H]):
    """A field of an event class: ``Raised.total`` is a handle on the field of a Raised.

    Attributes:
        column: where events in memory keep the field.
        optional: a recorder may not know it; NULL then, and what depends on it is unknown.
        computed: not kept, but derived from other columns when a trace is read.
        told: how bookkeeping works it out; None where only the recorder can say it.
        among: the least and the greatest number that it may be; None where any fits.
        least: the least number that it may be; None where any fits.
        bits: how many bits its column has, with sign: fewer are less to read, and faster to sort.
        of: what its numbers stand for; None where they are mere numbers.
        words: what its numbers are called, where they are called something; none is less or greater than all of these.

    Raises:
        AuthorMistake: its numbers are of nothing that numbers can be of.
    """

    name: str

    def __init__(  # noqa: PLR0913 - all that is said of a field where it is declared
        self,
        sort: type[H],
        column: str,
        what: str,
        *,
        optional: bool,
        computed: bool = False,
        told: Told | None = None,
        among: tuple[int, int] | None = None,
        least: int | None = None,
        bits: int = WHOLE,
        of: Universe | Position | None = None,
        words: Mapping[str, int] | None = None,
    ) -> None:
        self.handle, self.column, self.what = sort, column, what
        self.optional, self.computed, self.told = optional, computed, told
        self.least, self.bits, self.of = least, bits, of
        self.words = {number: word for word, number in (words or {}).items()}
        self.among = (min(self.words), max(self.words)) if self.words else among
        _refuse_shared_numbers(column, words or {})
        if not isinstance(of, Universe | Position | None):
            raise AuthorMistake(f"column {column} has numbers of {of!r}", "Say of which Universe or Position they are")

    @property
    def sort(self) -> Sort:
        """The sort of the field's value."""
        return self.handle.sort

    @property
    def written(self) -> str:
        """What JSON lines call the field: its name, with the unit if the column has one."""
        return self.column if self.column in {self.name + unit for unit in UNITS} else self.name

    @property
    def universe(self) -> Universe | None:
        """The universe that its numbers are of, or its sets; None where they are of none."""
        return self.of if isinstance(self.of, Universe) else None

    @property
    def position(self) -> Position | None:
        """The position that its numbers are; None where they are none."""
        return self.of if isinstance(self.of, Position) else POSITIONS.get(self.column)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, _: object, owner: type) -> H:
        return self.handle(Field(owner, self.name, self.column, self.sort))


def _refuse_shared_numbers(column: str, words: Mapping[str, int]) -> None:
    """Make sure that every word has a number of its own.

    Raises:
        AuthorMistake: one has none, or one that another has.
    """
    if any(type(number) is not int for number in words.values()) or len({*words.values()}) < len(words):
        what = f"the words of column {column} stand for {', '.join(map(repr, words.values()))}"
        raise AuthorMistake(what, "Give each a number of its own")


def column(field: Handle) -> str:
    """The column that holds a field of events, as ``event[column(Store.wave)]``.

    Raises:
        TypeError: it is no field.
    """
    if not isinstance(field.term, Field):
        raise TypeError(f"{field.term} is no field of events")
    return field.term.column


def number(column: str, what: str, *, optional: bool = False, **said: Any) -> Recorded[Int]:
    """A whole number of 64 bits with sign; what else may be said of it see ``Recorded``."""
    return Recorded(Int, column, what, optional=optional, **said)


def small(column: str, what: str, *, optional: bool = False, **said: Any) -> Recorded[Int]:
    """A whole number of 32 bits with sign."""
    return Recorded(Int, column, what, optional=optional, bits=32, **said)


def member(column: str, what: str, of: Universe, *, optional: bool = False, **said: Any) -> Recorded[Int]:
    """The number of a member of a universe that the header lists: its place there."""
    return Recorded(Int, column, what, optional=optional, bits=MEMBER, of=of, **said)


def members(column: str, what: str, of: Universe, *, optional: bool = False, told: Told | None = None) -> Recorded[Set]:
    """A set of members of a universe that the header lists."""
    return Recorded(Set, column, what, optional=optional, told=told, of=of)


def factors(column: str, what: str, *, optional: bool = False) -> Recorded[Factors]:
    """A replication property: copies for each location scope."""
    return Recorded(Factors, column, what, optional=optional)


class Demand:
    """What the fields of one event must be to each other; where they are not, the event is damage and is not judged.

    Attributes:
        name: the name of the function that says it.
        sentence: the same in English, beginning with the names of fields.
    """

    def __init__(self, function: Callable[[Any], Bool]) -> None:
        self.function, self.name = function, function.__name__
        self.sentence = inspect.cleandoc(function.__doc__ or "").replace("\n", " ")
        if not self.sentence:
            raise AuthorMistake(f"{self.name} has no docstring", "Say in one sentence what the fields must be")

    def term(self, event: type[AnyEvent]) -> Term:
        """The formula over the fields of an event class; unknown is no damage."""
        return self.function(event).term


_forget: list[Callable[[], None]] = []


def worked_out_once(work: Callable[P, R]) -> Callable[P, R]:
    """Keep what a function works out of event classes, until another class is defined; its arguments are hashable."""
    kept = lru_cache(ANSWERS)(work)
    _forget.append(kept.cache_clear)
    return cast("Callable[P, R]", kept)


def demand(function: Callable[[Any], Bool]) -> Demand:
    """Hold all events of a class, and of those below it, to a formula over their fields.

    Raises:
        AuthorMistake: it has no docstring.
    """
    return Demand(function)


class AnyEvent:
    """Base of all event classes.

    Attributes:
        sorted_by: how a trace of these events is sorted; said once, by the class above all of a family's.
        kind: the number that traces keep; None for a class that stands for all classes below it.
        word: the name of the kind in JSON lines.
    """

    sorted_by: ClassVar[Order]
    kind: int | None = None
    word: str = ""

    def __init_subclass__(cls, kind: int | None = None, word: str = "") -> None:
        if kind is not None and (type(kind) is not int or not 0 <= kind <= MOST_KINDS):
            raise AuthorMistake(f"{cls.__name__} is of kind {kind!r}", f"Kinds are numbers from 0 to {MOST_KINDS}")
        if not isinstance(word, str):
            raise AuthorMistake(f"{cls.__name__} has the word {word!r}", "Say word= as text")
        if kind is not None and any(kind == other.kind for other in all_events(root_of(cls))):
            raise AuthorMistake(f"kind {kind} of {cls.__name__} is taken", "Choose the next free number")
        if kind is not None and (not word or any(word == other.word for other in all_events(root_of(cls)))):
            raise AuthorMistake(f"event {cls.__name__} has no word of its own", "Say word=, which no other kind has")
        if not (cls.__doc__ or "").strip():
            raise AuthorMistake(f"event {cls.__name__} has no docstring", "Say in one sentence what was seen to happen")
        _refuse_shared(cls)
        cls.kind, cls.word = kind, word
        for one in demands_of(cls):
            _refuse_strange_demand(one, cls)
        for forget in _forget:
            forget()


def _refuse_shared(event: type[AnyEvent]) -> None:
    """Make sure that each field of an event has a name and a column of its own.

    Raises:
        AuthorMistake: one has not.
    """
    by_column: dict[str, str] = {}
    for name, field in fields_of(event).items():
        for called in (name, field.column, field.written):
            refuse_name(called, f"{event.__name__}.{name}", TAKEN)
        other = by_column.setdefault(field.column, name)
        if other != name:
            raise AuthorMistake(f"{event.__name__}.{name} has the column of {other}, {field.column}", RENAME)


def _refuse_strange_demand(demand: Demand, event: type[AnyEvent]) -> None:
    """Make sure that a demand is a formula over fields of the event.

    Raises:
        AuthorMistake: it is none.
    """
    said: object = demand.function(event)
    if not isinstance(said, Bool) or any(isinstance(part, Agg | Along | Col | Lookup) for part in walk(said.term)):
        raise AuthorMistake(f"{event.__name__}.{demand.name} is no formula over fields", "Compare fields of the event")


def root_of(event: type[AnyEvent]) -> type[AnyEvent]:
    """The class above all events of the same family."""
    return next(above for above in reversed(event.__mro__) if issubclass(above, AnyEvent) and above is not AnyEvent)


def all_events(base: type[Any]) -> list[type[AnyEvent]]:
    """Every event class below a class that has a kind of its own, by kind."""
    found: dict[int, type[AnyEvent]] = {}
    for below in base.__subclasses__():
        found |= {event.kind: event for event in all_events(below) if event.kind is not None}
        if below.kind is not None:
            found[below.kind] = below
    return [found[kind] for kind in sorted(found)]


@worked_out_once
def kinds(event: type[Any]) -> tuple[int, ...]:
    """The numbers of all kinds that a class stands for, in order."""
    below = {kind for sub in event.__subclasses__() for kind in kinds(sub)}
    return tuple(sorted(below | ({event.kind} if event.kind is not None else set())))


@worked_out_once
def concrete(event: type[Any]) -> frozenset[type[AnyEvent]]:
    """The classes that a class stands for: those at or below it that have a kind of their own."""
    below = frozenset[type[AnyEvent]]().union(*map(concrete, event.__subclasses__()))
    return below if event.kind is None else below | {event}


def told_by(field: Field) -> tuple[type[AnyEvent], ...]:
    """The classes from whose events bookkeeping works a field out."""
    told = fields_of(field.event)[field.name].told
    return () if told is None else tuple(event for event in all_events(root_of(field.event)) if event.word in told.by)


def is_raised(field: Field, event: type[AnyEvent]) -> bool:
    """Whether more events of a class can only make the field greater."""
    told = fields_of(field.event)[field.name].told
    return told is not None and event.word in told.raised


def is_settled(field: Field, event: type[AnyEvent]) -> bool:
    """Whether the field is unknown, or what it is, whatever more events of a class would say."""
    told = fields_of(field.event)[field.name].told
    return told is not None and event.word in told.settled


def fields_of(event: type[AnyEvent]) -> dict[str, Recorded[Any]]:
    """The fields of one event class by name, inherited ones first."""
    found: dict[str, Recorded[Any]] = {}
    for above in reversed(event.__mro__):
        found.update({name: value for name, value in vars(above).items() if isinstance(value, Recorded)})
    return found


def demands_of(event: type[AnyEvent]) -> tuple[Demand, ...]:
    """What is demanded of one event class, inherited demands first."""
    return tuple(
        value for above in reversed(event.__mro__) for value in vars(above).values() if isinstance(value, Demand)
    )


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """One column of a recorded trace, as all kinds together use it.

    Attributes:
        kinds: the kinds that fill it; in a row of another kind it holds 0.
        optional: the kinds in which it may hold NULL: the recorder did not know.
        computed: it is not kept, but derived when a trace is read.
        bits: how many bits its numbers have, with sign.
        of: the universe of whose members alone it is, where it is one that the header lists.
    """

    name: str
    sort: Sort
    kinds: tuple[int, ...]
    optional: tuple[int, ...]
    computed: bool
    bits: int
    of: Universe | None


def layout(base: type[AnyEvent]) -> dict[str, ColumnLayout]:
    """The columns that keep all kinds below a class, in the order in which fields are declared.

    Raises:
        AuthorMistake: two fields of different sorts, widths or universes share a column.
    """
    found: dict[str, ColumnLayout] = {}
    for event in all_events(base):
        for field in fields_of(event).values():
            known = found.get(field.column)
            of = _members_of(field)
            if known is not None and (known.sort, known.bits, known.of) != (field.sort, field.bits, of):
                there, here = _held(known.sort, known.bits, known.of), _held(field.sort, field.bits, of)
                raise AuthorMistake(
                    f"column {field.column} holds a {there} and, in {event.__name__}.{field.name}, a {here}",
                    "Give the field a column of its own",
                )
            filled, unsure = (known.kinds, known.optional) if known else ((), ())
            own = kinds(event)
            found[field.column] = ColumnLayout(
                field.column,
                field.sort,
                filled + own,
                unsure + (own if field.optional else ()),
                field.computed,
                field.bits,
                of,
            )
    return found


def _members_of(field: Recorded[Any]) -> Universe | None:
    """The universe of whose members alone a column is; None where it also has room for other numbers."""
    universe = field.universe
    is_narrow = field.sort == "set" or field.bits == MEMBER
    return universe if universe is not None and universe.listed and is_narrow else None


def _held(sort: Sort, bits: int, of: Universe | None) -> str:
    return f"{sort} of {bits} bits" + ("" if of is None else f", of {of.section}")

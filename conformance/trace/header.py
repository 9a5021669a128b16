"""The header of a trace: what system was recorded, on which topology, how completely, and what it promises.

Domains of a location scope are told apart by name alone: two racks in two regions need two names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from conformance.trace.errors import Duplicated, Mistyped, Oversized, UnknownKind, UnknownPromise, UnknownRole
from conformance.trace.fields import EventShape, by_word, shapes_of
from spec.language.bookkeeping import BOOKS
from spec.language.family import Family
from spec.language.limits import TIME_MAX
from spec.language.orders import Order
from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES
from spec.language.universes import Universe
from spec.registry import DEFAULT

VERSION: Final = (1, 0)
"""Major and minor version of the format that is written here. A minor version only adds fields."""

MAX_MEMBERS: Final = 1 << 15
"""Numbers of members are kept in 16 bits with sign."""

MAX_TIME: Final = TIME_MAX
"""The most that a clock or a clock bound may say."""

Completeness: TypeAlias = Literal["complete", "partial", "absent"]
"""Whether a trace has all events of a kind, some that happened to be seen, or none."""

Unknown: TypeAlias = Mapping[str, Any]
"""Fields of a later minor version: kept, written back, and counted."""


@dataclass(frozen=True)
class System:
    """What was recorded."""

    name: str
    version: str = ""
    extra: Unknown = field(default_factory=dict)


@dataclass(frozen=True)
class Member:
    """One of those that the header lists, such as a shard, which stores.

    Attributes:
        name: how people call it.
        location: the domain it lies in, by location scope.
    """

    name: str
    location: Mapping[str, str] = field(default_factory=dict)
    extra: Unknown = field(default_factory=dict)


@dataclass(frozen=True)
class Recorder:
    """Who writes events down, each in an order of its own.

    Attributes:
        role: what it is in the system, by a word of its family.
        records: for each kind of event it records, by word, whether it records all of them.
    """

    role: str
    records: Mapping[str, Literal["complete", "partial"]]
    extra: Unknown = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Header:
    """What the events of a trace do not say and rules need.

    Attributes:
        recorders: everyone who writes events down, by name.
        clock_bound_ns: the most by which two recorders' clocks may differ; 0 if they share one.
        members: for each universe that is listed, by its section, its members; events name them by their places here.
        named: for each other universe of the family, by its section, the names of some of its numbers.
        low_bits: how many low bits of a position are its low part.
        promises: what the system promises, by the names of its family: True, or a number.
        family: what kind of system it is, and so which events it has and which rules are asked.
        version: major and minor version of the format.
        extra: fields of a later minor version.

    Raises:
        TraceError: one of its kinds, if the header contradicts itself or the vocabulary.
    """

    system: System
    recorders: Mapping[str, Recorder]
    clock_bound_ns: int
    members: Mapping[str, tuple[Member, ...]] = field(default_factory=dict)
    named: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    low_bits: int = 32
    promises: Mapping[str, bool | int] = field(default_factory=dict)
    family: Family = DEFAULT
    note: str = ""
    version: tuple[int, int] = VERSION
    extra: Unknown = field(default_factory=dict)

    def __post_init__(self) -> None:
        for universe in self.family.universes:
            if universe.listed:
                _check_members(universe, self.list_of(universe))
            else:
                _check_named(universe, self.names_of(universe))
        _check_names(self.family, self.recorders, self.promises)
        if not 1 <= self.low_bits <= 62:  # noqa: PLR2004 - a position has 63 bits, and each half needs one
            what, name = f"{low_bits_of(self.family)} is {self.low_bits}", self.sorted_by.position
            raise Oversized(what, f"{name.column} has 63 bits for {name.high} and {name.low}", "32 suits most")
        if not 0 <= self.clock_bound_ns <= MAX_TIME:
            raise Oversized(
                f"clock_bound_ns is {self.clock_bound_ns}",
                f"it must lie between 0 and {MAX_TIME}",
                "0 if all recorders share one clock",
            )

    @property
    def shapes(self) -> Mapping[int, EventShape]:
        """The kinds of event that the trace may have, by number."""
        return shapes_of(self.family)

    @property
    def sorted_by(self) -> Order:
        """The order of a sorted trace."""
        return self.family.events.sorted_by

    def list_of(self, universe: Universe) -> tuple[Member, ...]:
        """The members of a universe that is listed."""
        return self.members.get(universe.section, ())

    def names_of(self, universe: Universe) -> Mapping[int, str]:
        """The names of some numbers of a universe that is not listed."""
        return self.named.get(universe.section, {})

    @property
    def partitions(self) -> Mapping[int, str]:
        """Names of the partitions by number; if there are any, events are about these alone."""
        return next((self.names_of(universe) for universe in self.family.universes if universe.closed), {})

    def parameters(self) -> Parameters:
        """The numbers and domains that rules use."""
        sizes = {universe.section: len(self.list_of(universe)) for universe in self.family.listed}
        located = self.list_of(self.family.listed[0]) if self.family.listed else ()
        whole = {SCOPES[0]: tuple(frozenset({place}) for place in range(len(located)))} if len(sizes) > 1 else {}
        return Parameters(
            size=max(sizes.values(), default=0),
            domains=whole | domains_of(located),
            low_bits=self.low_bits,
            clock_bound_ns=self.clock_bound_ns,
            copies=0 if (copies := self.promises.get("copies", 0)) is True else copies,
            sizes=sizes if len(sizes) > 1 else {},
        )

    def completeness(self, word: str) -> Completeness:
        """Whether the trace has all events of a kind: some recorder lists it, and all that do say complete.

        Raises:
            UnknownKind: there is no such kind.
        """
        _check_word(self.family, word)
        return self._recorded.get(word, "absent")

    @cached_property
    def _recorded(self) -> Mapping[str, Completeness]:
        """How far each kind is recorded that some recorder lists."""
        said: dict[str, set[Completeness]] = defaultdict(set)
        for recorder in self.recorders.values():
            for word, how in recorder.records.items():
                said[word].add(how)
        return {word: "complete" if hows == {"complete"} else "partial" for word, hows in said.items()}

    def unknown_fields(self) -> Iterator[str]:
        """The names of all fields that this version does not know, where each stands."""
        yield from (f"header.{name}" for name in self.extra)
        yield from (f"header.system.{name}" for name in self.system.extra)
        for section, members in self.members.items():
            yield from (f"header.{section}.{name}" for one in members for name in one.extra)
        yield from (f"header.recorders.{name}" for recorder in self.recorders.values() for name in recorder.extra)


def low_bits_of(family: Family) -> str:
    """The header's field that says how many low bits of a position are its low part."""
    return f"{family.events.sorted_by.position.low or 'low'}_bits"


def domains_of(members: Sequence[Member]) -> dict[str, tuple[frozenset[int], ...]]:
    """The domains of each location scope.

    A member that names no host is one of its own; one without a location at another scope is in no domain of it.
    LogDevice, common/NodeLocation.h.
    """
    domains: dict[str, dict[str | int, set[int]]] = {}
    for place, member in enumerate(members):
        alone: dict[str, str | int] = {SCOPES[1]: place}
        for scope, domain in (alone | dict(member.location)).items():
            domains.setdefault(scope, {}).setdefault(domain, set()).add(place)
    return {scope: tuple(map(frozenset, named.values())) for scope, named in domains.items()}


def _check_members(universe: Universe, members: tuple[Member, ...]) -> None:
    section, word = universe.section, universe.one
    if len(members) > MAX_MEMBERS:
        raise Oversized(
            f"{len(members)} {section}", f"a trace has at most {MAX_MEMBERS}", "record a part of the cluster"
        )
    for name, times in Counter(member.name for member in members).items():
        if times > 1:
            what = f"{word} {name!r} stands {times} times"
            raise Duplicated(what, f"{section} are told apart by name", "rename one")
    for member in members:
        for scope in member.location:
            if scope not in SCOPES[1:]:
                what = f"{word} {member.name!r} has a location at scope {scope!r}"
                raise Mistyped(what, _known(SCOPES[1:]), "rename it")
            if not member.location[scope]:
                what = f"the {scope} of {word} {member.name!r} has no name"
                raise Mistyped(what, "domains are told apart by name", "leave the scope out where it is not known")


def _check_named(universe: Universe, named: Mapping[int, str]) -> None:
    low, high = universe.numbers
    for number in named:
        if not low <= number <= high:
            why = f"numbers of {universe.section} lie between {low} and {high}"
            raise Oversized(f"{universe.one} {number} has a name", why, "the number that events have")
    if universe.closed:
        return
    for name, times in Counter(named.values()).items():
        if times > 1:
            what = f"{times} {universe.section} are called {name!r:.60}"
            raise Duplicated(what, "people tell them apart by name", "rename one")


def _check_names(family: Family, recorders: Mapping[str, Recorder], promises: Mapping[str, bool | int]) -> None:
    for name, recorder in recorders.items():
        _check_role(family, name, recorder.role)
        for word in recorder.records:
            _check_word(family, word)
            _check_books(family, name, word)
    for name, value in promises.items():
        if name not in family.promises:
            raise UnknownPromise(f"promise {name!r}", _known(family.promises), _nearest(name, family.promises))
        if not value:
            raise Mistyped(
                f"promise {name!r} is {str(value).lower()}", "a header lists what is promised", "leave it out"
            )


def _check_role(family: Family, name: str, role: str) -> None:
    if role not in family.roles:
        what = f"recorder {name!r:.60} has role {role!r:.40}"
        raise UnknownRole(what, _known(family.roles), _nearest(role, family.roles))
    if (name == BOOKS) != (role == BOOKS):
        raise UnknownRole(
            f"recorder {name!r:.60} has role {role!r}",
            f"the name {BOOKS!r} and the role of this name are kept for what quorate adds itself",
            "another name, or another role",
        )


def _check_books(family: Family, name: str, word: str) -> None:
    if (name == BOOKS) != (word in family.added):
        what = f"recorder {name!r:.60} records {word!r}"
        why = f"{BOOKS!r} adds {' and '.join(family.added) or 'nothing'}, and nobody else"
        raise UnknownRole(what, why, "leave it out: it is added when a trace is sorted")


def _check_word(family: Family, word: str) -> None:
    known = by_word(family)
    if word not in known:
        raise UnknownKind(f"kind {word!r}", _known(known), _nearest(word, known))


def _known(names: Iterable[str]) -> str:
    return f"the vocabulary has {', '.join(names)}"


def _nearest(name: str, names: Iterable[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f"{near[0]!r}" if near else "a name from the vocabulary"

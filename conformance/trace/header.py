"""The header of a trace: what system was recorded, on which topology, how completely, and what it promises.

Domains of a location scope are told apart by name alone: two racks in two regions need two names.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from conformance.trace.errors import Duplicated, Mistyped, Oversized, UnknownKind, UnknownPromise, UnknownRole
from conformance.trace.fields import EventShape, by_word, shapes_of
from spec.language.family import BOOKS, Family
from spec.language.limits import TIME_MAX
from spec.language.orders import Order
from spec.language.parameters import Parameters
from spec.language.vocabulary import SCOPES
from spec.log.family import LOG

VERSION: Final = (1, 0)
"""Major and minor version of the format that is written here. A minor version only adds fields."""

MAX_NODES: Final = 1 << 15
"""Node numbers are kept in 16 bits with sign."""

CLIENTS: Final = (-(1 << 31), (1 << 31) - 1)
"""The least and the greatest number of a writer or a reader."""

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
class Node:
    """One shard: what stores, and the unit of a nodeset.

    Attributes:
        name: how people call it.
        location: the domain it lies in, by location scope; ``node`` groups the shards of one host.
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
        nodes: the shards of the topology; events name them by their place here.
        recorders: everyone who writes events down, by name.
        clock_bound_ns: the most by which two recorders' clocks may differ; 0 if they share one.
        logs: names of logs by number; if there are any, events are about these logs alone.
        writers: names of those who append, by number; some may have none.
        readers: names of those who read, by number; some may have none.
        esn_bits: how many low bits of an LSN are its ESN.
        promises: what the system promises, by the names of its family: True, or a number.
        family: what kind of log it is, and so which events it has and which rules are asked.
        version: major and minor version of the format.
        extra: fields of a later minor version.

    Raises:
        TraceError: one of its kinds, if the header contradicts itself or the vocabulary.
    """

    system: System
    nodes: tuple[Node, ...]
    recorders: Mapping[str, Recorder]
    clock_bound_ns: int
    logs: Mapping[int, str] = field(default_factory=dict)
    writers: Mapping[int, str] = field(default_factory=dict)
    readers: Mapping[int, str] = field(default_factory=dict)
    esn_bits: int = 32
    promises: Mapping[str, bool | int] = field(default_factory=dict)
    family: Family = LOG
    note: str = ""
    version: tuple[int, int] = VERSION
    extra: Unknown = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_nodes(self.nodes)
        _check_names(self.family, self.recorders, self.promises)
        _check_clients("writer", self.writers)
        _check_clients("reader", self.readers)
        if not 1 <= self.esn_bits <= 62:  # noqa: PLR2004 - an LSN has 63 bits, and each half needs one
            raise Oversized(f"esn_bits is {self.esn_bits}", "an LSN has 63 bits for epoch and ESN", "32 suits most")
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

    def parameters(self) -> Parameters:
        """The numbers and domains that rules use.

        A shard that names no ``node`` is a node of its own; one without a location at another scope is in no domain of
        it. LogDevice, common/NodeLocation.h.
        """
        domains: dict[str, dict[str | int, set[int]]] = {}
        for number, node in enumerate(self.nodes):
            alone: dict[str, str | int] = {"node": number}
            for scope, domain in (alone | dict(node.location)).items():
                domains.setdefault(scope, {}).setdefault(domain, set()).add(number)
        return Parameters(
            nodes=len(self.nodes),
            domains={scope: tuple(map(frozenset, named.values())) for scope, named in domains.items()},
            low_bits=self.esn_bits,
            clock_bound_ns=self.clock_bound_ns,
            copies=0 if (copies := self.promises.get("copies", 0)) is True else copies,
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
        yield from (f"header.nodes.{name}" for node in self.nodes for name in node.extra)
        yield from (f"header.recorders.{name}" for recorder in self.recorders.values() for name in recorder.extra)


def _check_nodes(nodes: tuple[Node, ...]) -> None:
    if len(nodes) > MAX_NODES:
        raise Oversized(f"{len(nodes)} nodes", f"a trace has at most {MAX_NODES}", "record a part of the cluster")
    for name, times in Counter(node.name for node in nodes).items():
        if times > 1:
            raise Duplicated(f"node {name!r} stands {times} times", "nodes are told apart by name", "rename one")
    for node in nodes:
        for scope in node.location:
            if scope not in SCOPES[1:]:
                raise Mistyped(f"node {node.name!r} has a location at scope {scope!r}", _known(SCOPES[1:]), "rename it")
            if not node.location[scope]:
                what = f"the {scope} of node {node.name!r} has no name"
                raise Mistyped(what, "domains are told apart by name", "leave the scope out where it is not known")


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


def _check_clients(word: str, named: Mapping[int, str]) -> None:
    low, high = CLIENTS
    for number in named:
        if not low <= number <= high:
            why = f"numbers of clients lie between {low} and {high}"
            raise Oversized(f"{word} {number} has a name", why, "the number that events have")
    for name, times in Counter(named.values()).items():
        if times > 1:
            raise Duplicated(f"{times} {word}s are called {name!r:.60}", "people tell them apart by name", "rename one")


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

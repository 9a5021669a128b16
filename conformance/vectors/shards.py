"""Shards of a case: their numbers, where they are, what is known of them, and how records are replicated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from conformance.vectors.fields import NODE_MAX, Fields
from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES
from spec.log.status import Status
from spec.log.topology import Topology

_SCOPES: Final = {name: scope for scope in SCOPES for name in (scope.upper(), scope)}
"""Scopes as cases write them."""


class Shards:
    """The shards of a case, numbered in the order in which it names them.

    Attributes:
        names: all names.
        parameters: where the shards are.
    """

    def __init__(self, names: Iterable[str], places: Fields) -> None:
        self.names = list(dict.fromkeys(names))
        self._number = {name: number for number, name in enumerate(self.names)}
        self.parameters = _parameters(self.names, places)

    @staticmethod
    def of(fields: Fields) -> Shards:
        """The shards that a case lists with their places."""
        return Shards(fields.below("shards"), fields.below("shards"))

    def number(self, fields: Fields, name: str) -> int:
        """The number of the shard that a part names.

        Raises:
            DamagedVectors: there is none of that name.
        """
        return fields.choice(name, self._number)

    def numbers(self, fields: Fields, name: str, default: tuple[()] | None = None) -> frozenset[int]:
        """The numbers of the shards that a list names."""
        return frozenset(fields.every(name, self.number, default))

    def everyone(self) -> frozenset[int]:
        """All shards."""
        return frozenset(range(len(self.names)))

    def names_of(self, shards: Iterable[int]) -> list[str]:
        """The names of some shards, in order."""
        return [self.names[number] for number in sorted(shards)]

    def statuses(self, fields: Fields) -> dict[int, Status]:
        """The statuses that a case names; all other shards are fully authoritative.

        Raises:
            DamagedVectors: one is of no shard, or no status.
        """
        said = fields.below("authoritative_status", {})
        return {self.named(name, said): said.one_of(name, Status) for name in said}

    def named(self, name: str, fields: Fields) -> int:
        """The number of a shard by its name, which these fields use.

        Raises:
            DamagedVectors: there is none of that name.
        """
        if name not in self._number:
            raise fields.refuse_name("no such shard", name, f"one of {', '.join(self.names)}")
        return self._number[name]


def replication_of(fields: Fields, name: str = "replication") -> Mapping[str, int]:
    """A replication property: in how many domains of each scope a record must lie.

    Raises:
        DamagedVectors: it names no scope, or no number of copies.
    """
    said = fields.below(name)
    if not said or not _SCOPES.keys() >= set(said):
        raise fields.refuse_part("no replication property", name, f"copies for some of {', '.join(SCOPES).upper()}")
    return {_SCOPES[scope]: said.number(scope, most=NODE_MAX) for scope in said}


def _parameters(names: Iterable[str], places: Fields) -> Parameters:
    """The topology of some shards; of those that have no place, each is on the node in its name."""
    locations = []
    for name in names:
        if places.has(name):
            place = places.below(name)
            locations.append({"node": _node(place), **place.location("location")})
        else:
            locations.append({"node": name.partition(":")[0]})
    return Topology(tuple(locations)).parameters()


def _node(place: Fields) -> str:
    node = place.raw("node")
    return node if isinstance(node, str) and node else str(place.number("node"))

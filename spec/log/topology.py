"""Topology: where nodes are, from the shard up to the region.

Source: LogDevice, include/node_location_scopes.inc and common/NodeLocation.h. A location may leave out scopes; a node
without a location at a scope is in no domain of that scope, but counts at all others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES

Location: TypeAlias = Mapping[str, str]
"""The name of a shard's domain at each scope that its location gives; ``node`` names its host."""


@dataclass(frozen=True)
class Topology:
    """The shards of a cluster, numbered in order, and where each of them is."""

    locations: tuple[Location, ...]

    @staticmethod
    def flat(nodes: int) -> Topology:
        """A cluster of single-shard nodes with no location at all."""
        return Topology(tuple({"node": f"n{number}"} for number in range(nodes)))

    @staticmethod
    def of(locations: Sequence[str]) -> Topology:
        """A cluster of single-shard nodes at locations such as ``"region.dc.cluster.row.rack"``; parts may be empty."""
        return Topology(tuple({"node": f"n{number}", **read_location(at)} for number, at in enumerate(locations)))

    def domains(self) -> dict[str, tuple[frozenset[int], ...]]:
        """The sets of shards that share a domain, for each scope; two domains are one only if all around them is."""
        found: dict[str, tuple[frozenset[int], ...]] = {}
        for depth, scope in enumerate(SCOPES[1:], start=1):
            members: dict[tuple[str | None, ...], set[int]] = defaultdict(set)
            for shard, location in enumerate(self.locations):
                if location.get(scope):
                    around = () if scope == "node" else tuple(location.get(above) for above in SCOPES[depth + 1 :])
                    members[(location[scope], *around)].add(shard)
            found[scope] = tuple(frozenset(shards) for shards in members.values())
        return found

    def parameters(self, *, clock_bound_ns: int = 0, low_bits: int = 32) -> Parameters:
        """What rules need to know of this cluster."""
        return Parameters(len(self.locations), self.domains(), low_bits, clock_bound_ns)


def read_location(text: str) -> dict[str, str]:
    """A location written from the region down to the rack, with dots between; empty parts are not given.

    Raises:
        ValueError: it has more parts than there are scopes.
    """
    scopes = tuple(reversed(SCOPES[2:]))
    parts = text.split(".")
    if len(parts) > len(scopes):
        raise ValueError(f"location {text!r} has {len(parts)} parts; write at most {'.'.join(scopes)}")
    return {scope: part for scope, part in zip(scopes, parts, strict=False) if part}

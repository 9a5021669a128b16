"""Small clusters for protocol texts: their copysets and f-majorities, by the definitions that rules use.

A text knows one axiom about these sets, that each f-majority meets each copyset. Proofs show it of the definitions, for
clusters of every size; a world of a few nodes lists the sets that the definitions allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations

from spec.language.meaning import Value
from spec.language.parameters import Parameters
from spec.log.quorum import is_f_majority
from spec.log.replication import is_exact_copyset


@dataclass(frozen=True)
class SmallCluster:
    """A few storage nodes, numbered from 0.

    Attributes:
        nodes: how many there are.
        replication: how many copies a record has.
        racks: over how many racks they are spread, as evenly as can be; copies must then lie in two racks. 0 is flat.
    """

    nodes: int
    replication: int
    racks: int = 0

    @cached_property
    def rack_sets(self) -> tuple[frozenset[int], ...]:
        """The nodes of each rack; in a flat cluster each node by itself."""
        racks = self.racks or self.nodes
        return tuple(frozenset(range(rack, self.nodes, racks)) for rack in range(racks))

    @cached_property
    def parameters(self) -> Parameters:
        """Where the nodes are."""
        everyone = range(self.nodes)
        racks = self.rack_sets if self.racks else ()
        return Parameters(self.nodes, {"node": tuple(frozenset({node}) for node in everyone), "rack": racks})

    @property
    def property(self) -> dict[str, int]:
        """The replication property."""
        return {"node": self.replication} | ({"rack": min(2, self.racks)} if self.racks else {})

    @cached_property
    def copysets(self) -> tuple[frozenset[int], ...]:
        """Every set of nodes that is just enough for a record."""
        return tuple(nodes for nodes in self._sets() if self._says(is_exact_copyset.value, copyset=nodes))

    @cached_property
    def f_majorities(self) -> tuple[frozenset[int], ...]:
        """Every set of nodes whose answers are enough, when all nodes are up."""
        everyone = frozenset(range(self.nodes))
        return tuple(
            nodes
            for nodes in self._sets()
            if self._says(is_f_majority.value, heard=nodes, nonempty=everyone, authoritative=everyone)
        )

    def _sets(self) -> Iterator[frozenset[int]]:
        sizes = (combinations(range(self.nodes), size) for size in range(self.nodes + 1))
        return map(frozenset, chain.from_iterable(sizes))

    def _says(self, definition: Callable[[Parameters, Mapping[str, Value]], Value], **sets: Value) -> bool:
        return definition(self.parameters, {**sets, "replication": self.property}) is True

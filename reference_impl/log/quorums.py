"""Quorums: what the specification says of sets of nodes, asked over and over for the same few sets, so remembered."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import combinations, islice
from random import Random
from typing import Final

from reference_impl.kernel.mix import mix
from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.shuffle import FIXED_SEEDS, shuffled
from reference_impl.log.statuses import Statuses
from spec.language.parameters import Parameters
from spec.log.quorum import is_f_majority_as_written
from spec.log.tally import Layout, Tally

CANDIDATES: Final = 64
"""Copysets that a selector chooses among; more add nothing but time."""

REMEMBERED: Final = 1 << 14
"""What is remembered at most of one kind of question about one cluster."""

CLUSTERS: Final = 1 << 6
"""Clusters of which something is remembered."""


class Quorums:
    """What sets of nodes can do, for one topology and one replication property.

    Attributes:
        layout: where nodes are, and in how many domains a record must lie.
        required: the members of a copyset.
        everyone: all nodes.
    """

    def __init__(self, parameters: Parameters, factors: Mapping[str, int]) -> None:
        self._parameters, self._factors = parameters, factors
        self.layout = Layout.of(parameters, factors)
        self.required = max(factors.values())
        self.everyone = frozenset(range(parameters.size))
        self.can_replicate = lru_cache(REMEMBERED)(self._can_replicate)
        self.copysets = lru_cache(REMEMBERED)(self._copysets)
        self.wide_copysets = lru_cache(REMEMBERED)(self._wide_copysets)
        self._f_majority = lru_cache(REMEMBERED)(self._is_f_majority)
        self._f_majority_as_written = lru_cache(REMEMBERED)(self._is_f_majority_as_written)

    def is_f_majority(self, heard: Nodes, nodeset: Nodes, statuses: Statuses) -> bool:
        """No copyset of the nodeset lies among nodes that have not answered, or whose answers do not count."""
        return self._f_majority(heard - statuses.gone, nodeset - statuses.empty)

    def loss_is_proved(self, heard: Nodes, nodeset: Nodes, statuses: Statuses) -> bool:
        """Both the document and the code of LogDevice let a reader conclude that nothing is there to be read."""
        counting = nodeset - statuses.gone
        full = counting - statuses.unavailable
        shipped = counting <= heard or self.is_f_majority(heard, nodeset, statuses)
        return shipped and (full <= heard or self._f_majority_as_written(heard & full, nodeset - statuses.empty))

    def _can_replicate(self, nodes: Nodes) -> bool:
        """The nodes can hold a whole copyset: a record could hide among them, if none of them had answered."""
        return not Tally(self.layout, nodes).is_f_majority()

    def _is_f_majority(self, heard: Nodes, nonempty: Nodes) -> bool:
        tally = Tally(self.layout, nonempty)
        for node in heard:
            tally.hear(node)
        return tally.is_f_majority()

    def _is_f_majority_as_written(self, heard: Nodes, nodeset: Nodes) -> bool:
        said = {"heard": heard, "nodeset": nodeset, "replication": self._factors}
        return bool(is_f_majority_as_written.value(self._parameters, said))

    def _copysets(self, nodes: Nodes) -> tuple[Nodes, ...]:
        """Valid copysets of these nodes: all of them, or a fixed choice where there are very many."""
        every = combinations(sorted(nodes), self.required)
        found = list(islice(filter(self._can_replicate, map(frozenset, every)), 16 * CANDIDATES))
        Random(len(found)).shuffle(found)
        return tuple(found[:CANDIDATES])

    def _wide_copysets(self, nodes: Nodes, extras: int) -> tuple[Nodes, ...]:
        """Copysets with so many extras: the members that readers are served by first are a copyset by themselves."""
        every = map(frozenset, combinations(sorted(nodes), self.required + extras))
        found = list(islice(filter(self._leads, every), 16 * CANDIDATES))
        Random(len(found)).shuffle(found)
        return tuple(found[:CANDIDATES])

    def _leads(self, copyset: Nodes) -> bool:
        order = shuffled(tuple(sorted(copyset)), FIXED_SEEDS)
        return self._can_replicate(frozenset(order[: self.required]))

    def choose_wide(self, extras: int, nodes: Nodes, avoid: Nodes, *key: int) -> Nodes | None:
        """A copyset with so many extras, or with as many as there are nodes for that are not to be avoided."""
        for free in (nodes - avoid, nodes):
            for more in range(extras, -1, -1):
                if candidates := self.wide_copysets(free, more):
                    return candidates[mix(*key) % len(candidates)]
        return None

    def choose(self, nodes: Nodes, avoid: Nodes, *key: int) -> Nodes | None:
        """A valid copyset of these nodes, without those to avoid if that is possible; None if there is none."""
        candidates = self.copysets(nodes - avoid) or self.copysets(nodes)
        return candidates[mix(*key) % len(candidates)] if candidates else None

    def choose_with(self, members: Nodes, nodes: Nodes, avoid: Nodes, *key: int) -> Nodes:
        """These members, and of the nodes as many more as make a copyset, without those to avoid if that is possible.

        As many members as can be are part of the copyset. All nodes where they cannot hold one.
        """
        if self.can_replicate(members - avoid):
            return members
        candidates = self.copysets(nodes - avoid) or self.copysets(nodes)
        if not candidates:
            return nodes
        first = mix(*key) % len(candidates)
        turned = candidates[first:] + candidates[:first]
        return (members - avoid) | max(turned, key=lambda one: len(one & members))


def quorums_of(parameters: Parameters, factors: Mapping[str, int]) -> Quorums:
    """Quorums that several machines may share, so that what one has found out serves all."""
    return _quorums(parameters, tuple(sorted(factors.items())))


@lru_cache(CLUSTERS)
def _quorums(parameters: Parameters, factors: tuple[tuple[str, int], ...]) -> Quorums:
    return Quorums(parameters, dict(factors))

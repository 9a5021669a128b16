"""Partitions: sets of nodes and clients that the network keeps apart for a while."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import Final

from reference_impl.environment.world import World
from reference_impl.kernel.simulator import Cut, Endpoint
from spec.events import HEAL, PARTITION

SHARE: Final = 3
"""One node in so many, and at least one, may be in the smaller part."""


def some(world: World) -> frozenset[Endpoint]:
    """A few nodes, and each client, reader and epoch store of an open log with a chance of a half."""
    healthy = sorted(world.healthy())
    most = max(1, len(world.nodes) // SHARE)
    nodes = world.rng.sample(healthy, min(len(healthy), world.rng.randint(1, most)))
    others = [address for address, entity in world.simulator.entities.items() if entity.host is None]
    return frozenset(nodes).union(address for address in others if world.rng.random() < 1 / 2)


def divide(world: World, part: AbstractSet[Endpoint], for_ns: int, *, both_ways: bool = True) -> bool:
    """Cut a part of the cluster off from the rest for a while; says whether there was anything to cut."""
    nodes = sorted(node for node in part if isinstance(node, int))
    if not nodes:
        return False
    there = [address for address, entity in world.simulator.entities.items() if entity.host is None]
    rest = frozenset[Endpoint](world.nodes).union(there) - part
    cuts = [Cut(frozenset(part), rest), *([Cut(rest, frozenset(part))] if both_ways else [])]

    def heal() -> None:
        for cut in cuts:
            world.simulator.cuts.remove(cut)
        world.fault(nodes, HEAL)

    world.simulator.cuts.extend(cuts)
    world.fault(nodes, PARTITION)
    world.simulator.at(for_ns, None, heal)
    return True

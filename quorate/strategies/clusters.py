"""Strategies of clusters: where nodes are, and how many copies must lie how far apart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from quorate.strategies.drawn import Drawn
from spec.language.scopes import SCOPES
from spec.log.replication import can_replicate
from spec.log.topology import Topology

DOMAINS_MAX: Final = 3
"""Domains of each scope within the one above it."""

ABOVE: Final = SCOPES[2:]
"""Scopes above the node, the narrowest first."""


@st.composite
def topologies(draw: DrawFn, *, least: int = 1, most: int = 9) -> Topology:
    """Clusters: flat, in uneven racks or regions, with several shards on a node, with nodes that have no location.

    Args:
        draw: given by Hypothesis.
        least: shards at least.
        most: shards at most.
    """
    chance = Drawn(draw)
    shards, on_a_node = chance.number(least, most), chance.one_of((1, 1, 1, 2))
    scopes = draw(st.sets(st.sampled_from(ABOVE), max_size=2))
    locations: dict[int, dict[str, str]] = {}
    for node in range(-(-shards // on_a_node)):
        located = chance.one_of((True, True, True, True, False))
        around = {scope: f"{scope[0]}{chance.number(0, DOMAINS_MAX - 1)}" for scope in ABOVE if scope in scopes}
        locations[node] = {"node": f"n{node}", **(around if located else {})}
    return Topology(tuple(locations[shard // on_a_node] for shard in range(shards)))


@st.composite
def replications(draw: DrawFn, topology: Topology) -> Mapping[str, int]:
    """Replication properties that a cluster can keep: copies on so many nodes, perhaps across so many wider domains.

    Args:
        draw: given by Hypothesis.
        topology: the cluster.
    """
    chance, domains = Drawn(draw), topology.domains()
    copies = chance.number(1, len(domains["node"]))
    wider = [scope for scope in ABOVE if domains[scope]]
    replication = {"node": copies}
    if wider and (scope := chance.one_of(("", *wider))):
        replication[scope] = chance.number(1, min(copies, len(domains[scope])))
    nodes = frozenset(range(len(topology.locations)))
    asked = {"nodes": nodes, "replication": replication}
    return replication if can_replicate.value(topology.parameters(), asked) is True else {"node": copies}

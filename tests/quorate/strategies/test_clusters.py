"""Clusters are such as operators build, and each replication property can be kept by its cluster.

Justified by docs/reference/strategies.md; LogDevice, include/node_location_scopes.inc.
"""

from __future__ import annotations

from hypothesis import find, given, settings
from hypothesis import strategies as st

from quorate.strategies import replications, topologies
from spec.log.replication import can_replicate
from spec.log.topology import Topology


@settings(max_examples=50)
@given(st.data(), topologies())
def test_a_cluster_can_keep_its_replication_property(data: st.DataObject, topology: Topology) -> None:
    replication = data.draw(replications(topology))
    nodes = frozenset(range(len(topology.locations)))
    assert can_replicate.value(topology.parameters(), {"nodes": nodes, "replication": replication}) is True


def test_clusters_are_of_many_kinds() -> None:
    find(topologies(), lambda one: any(len(shards) > 1 for shards in one.domains()["node"]))
    find(topologies(), lambda one: len(one.domains()["rack"]) > 1)
    find(topologies(), lambda one: bool(one.domains()["region"]) and any("region" not in at for at in one.locations))
    find(topologies(), lambda one: not any(one.domains()[scope] for scope in ("rack", "region", "cluster")))

"""Electorates: the shards of a read set with the places where they are, as those who confirm gaps.

LogDevice, common/client_read_stream/ClientReadStream.h, GapFailureDomain. The same few questions are asked over and
over while a stream reads one epoch, so answers are remembered.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias

from reference_impl.log.copies import Nodes
from reference_impl.log.stream.surroundings import ShardLocation
from spec.log.quorum import Authority, is_f_majority_as_written
from spec.log.status import Status
from spec.log.tally import Layout, Tally
from spec.log.topology import Topology, read_location

REMEMBERED = 1 << 10
"""Answers, and electorates, that are remembered at most."""

Factors: TypeAlias = tuple[tuple[str, int], ...]
"""A replication property: copies by scope."""


class Electorate:
    """The shards of a read set under a replication property.

    Attributes:
        shards: the shards, ascending.
    """

    def __init__(self, shards: tuple[int, ...], places: tuple[ShardLocation, ...], factors: Factors) -> None:
        locations = tuple({"node": place.node, **read_location(place.location)} for place in places)
        self.shards = shards
        self._at = {shard: at for at, shard in enumerate(shards)}
        self._factors = dict(factors)
        self._parameters = Topology(locations).parameters()
        self._layout = Layout.of(self._parameters, self._factors)
        self.authority = lru_cache(REMEMBERED)(self._authority)
        self.is_f_majority_as_written = lru_cache(REMEMBERED)(self._is_f_majority_as_written)

    def _authority(self, statuses: tuple[Status, ...], heard: Nodes) -> Authority:
        """How far these shards speak for all, where each shard has a status."""
        tally = Tally(self._layout, range(len(statuses)), dict(enumerate(statuses)))
        for shard in heard:
            if shard in self._at:
                tally.hear(self._at[shard])
        return tally.authority()

    def _is_f_majority_as_written(self, heard: Nodes, nodeset: Nodes) -> bool:
        """These shards are an f-majority of a part of the read set by the document's formula."""
        said = {
            "heard": frozenset(self._at[shard] for shard in heard),
            "nodeset": frozenset(self._at[shard] for shard in nodeset),
            "replication": self._factors,
        }
        return bool(is_f_majority_as_written.value(self._parameters, said))


NOBODY = Electorate((), (), ())
"""Before anything is known of an epoch."""


def electorate_of(shards: Nodes, places: Mapping[int, ShardLocation], replication: Mapping[str, int]) -> Electorate:
    """The electorate of a read set; a shard without a place is on a node of its own."""
    ordered = tuple(sorted(shards))
    where = tuple(places.get(shard, ShardLocation(f"the node of shard {shard}")) for shard in ordered)
    return _electorate(ordered, where, tuple(sorted(replication.items())))


@lru_cache(REMEMBERED)
def _electorate(shards: tuple[int, ...], places: tuple[ShardLocation, ...], factors: Factors) -> Electorate:
    return Electorate(shards, places, factors)

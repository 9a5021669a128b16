"""How far a set of shards of the read set can be trusted: the f-majority of the epoch that is being read.

LogDevice, Read path, Gap detection algorithm and Authoritative Status; ``spec.log.quorum`` says what an f-majority is.
"""

from __future__ import annotations

from functools import lru_cache

from reference_impl.log.copies import Nodes
from reference_impl.log.stream.state import Stream
from reference_impl.log.stream.surroundings import Place
from spec.log.quorum import Authority
from spec.log.tally import Layout, Tally
from spec.log.topology import Topology, read_location


def authority_of(stream: Stream, heard: Nodes) -> Authority:
    """How far these shards speak for the whole read set.

    LogDevice, common/client_read_stream/ClientReadStream.h, GapFailureDomain: the read set's shards with their
    statuses, under the replication property of the epoch.
    """
    shards = sorted(stream.senders)
    places = tuple(stream.around.places.get(shard, Place(f"the node of shard {shard}")) for shard in shards)
    replication = stream.known.metadata.replication if stream.known.metadata else {}
    layout = _layout(places, tuple(sorted(replication.items())))
    tally = Tally(layout, range(len(shards)), {at: stream.senders[shard].status for at, shard in enumerate(shards)})
    for at, shard in enumerate(shards):
        if shard in heard:
            tally.hear(at)
    return tally.authority()


@lru_cache(256)
def _layout(places: tuple[Place, ...], replication: tuple[tuple[str, int], ...]) -> Layout:
    locations = tuple({"node": place.node, **read_location(place.location)} for place in places)
    return Layout.of(Topology(locations).parameters(), dict(replication))

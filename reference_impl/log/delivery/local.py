"""Local single copy delivery: how close each node is to the client that reads.

LogDevice, Single Copy Delivery, Local SCD. The document gives priorities 0 to 5, by shared location scopes; LogDevice
only tells the client's region from the others. Both are here: the document's is ``shared_scopes``, the code's
``is_in_region``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from spec.language.scopes import SCOPES
from spec.log.topology import Location

Closeness: TypeAlias = Callable[[Location, Location], int]
"""The priority of a node at the second location for a client at the first; 0 for none."""

NAMED_SCOPES: Final = tuple(reversed(SCOPES[2:]))
"""The scopes that a location names, from the region down to the rack."""


def shared_scopes(client: Location, node: Location) -> int:
    """The number of location scopes that a node shares with the client: 5 in its rack, 0 in another region.

    LogDevice, Single Copy Delivery, Local SCD. A scope is shared only within what is around it; one that neither names
    is passed over, as in a topology.
    """
    shared = 0
    for scope in NAMED_SCOPES:
        if client.get(scope) != node.get(scope):
            break
        shared += client.get(scope) is not None
    return shared


def is_in_region(client: Location, node: Location) -> int:
    """1 for a node in the client's region, and 0 for every other.

    LogDevice, Single Copy Delivery, Current implementation; server/locallogstore/LocalLogStore.cpp.
    """
    return int(client.get("region") is not None and client.get("region") == node.get("region"))


def closeness_of(
    client: Location, locations: Mapping[int, Location], closeness: Closeness = is_in_region
) -> dict[int, int]:
    """How close each node is to the client; a node without a location is not close at all.

    LogDevice, Single Copy Delivery, Local SCD: clients can send their location as part of the HELLO message.
    """
    return {node: closeness(client, location) for node, location in locations.items()}

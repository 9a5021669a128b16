"""Shipping: whether a storage node sends the record that it has, or leaves that to another node.

LogDevice, Single Copy Delivery, Primary recipient and Known down list; server/locallogstore/LocalLogStore.cpp,
LocalLogStoreReadFilter. If all copies of a record name the same copyset, at least one node sends it, and only one
outside the known down list. A node that meets itself in that list sends all the same: so the reader sees that it is
back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.shuffle import shuffled
from reference_impl.log.delivery.spooky import Seeds

NOBODY: Final[Nodes] = frozenset()
NOWHERE: Final[Mapping[int, int]] = MappingProxyType({})


class Stored(NamedTuple):
    """What a node's copyset index says of a record: where its copies are, and what kind of record it is.

    Attributes:
        copyset: the nodes that the record names as holders, in stored order.
        drained: the record was copied elsewhere, and this node answers for it no longer.
        hole: a hole plug.
    """

    lsn: int
    copyset: tuple[int, ...]
    drained: bool = False
    hole: bool = False


class Stream(NamedTuple):
    """What a storage node knows of a read stream, mostly from its START.

    Attributes:
        node: the storage node.
        single_copy: whether one node is to send each record; if not, all of them do.
        known_down: the nodes that the reader takes to be down.
        seeds: what copysets are shuffled by; None to take them as they are stored.
        replication: the copies of a record, where nodes behind those in a copyset send as well; 0 where they do not.
        closeness: the priority of nodes that are close to the reader, in local single copy delivery.
        required: if any, records are only of interest that name one of these nodes, as when it is rebuilt.
    """

    node: int
    single_copy: bool = True
    known_down: Nodes = NOBODY
    seeds: Seeds | None = None
    replication: int = 0
    closeness: Mapping[int, int] = NOWHERE
    required: Nodes = NOBODY


def ships(stream: Stream, record: Stored) -> bool:
    """A node sends a record unless it is drained, of no interest, or another node is to send it.

    LogDevice, server/locallogstore/LocalLogStore.cpp, LocalLogStoreReadFilter, in this order. A hole plug comes from
    every node that has it, and the copyset is shuffled whole, before known-down nodes are passed over.

    Raises:
        ValueError: the copyset holds a number that is no number of a node.
    """
    if not (stream.single_copy or stream.required):
        return True
    if record.drained or not is_of_interest(stream, record):
        return False
    if record.hole or not stream.single_copy:
        return True
    copyset = shuffled(record.copyset, stream.seeds)
    closest = closest_recipient(stream, copyset)
    if closest is not None:
        return closest == stream.node
    return is_extra(stream, copyset) or recipient(stream, copyset) in {stream.node, None}


def is_of_interest(stream: Stream, record: Stored) -> bool:
    """A record is of interest to a rebuilding only if one of the nodes that are rebuilt is in its copyset.

    LogDevice, server/locallogstore/LocalLogStore.cpp, required_in_copyset.
    """
    return not stream.required or not stream.required.isdisjoint(record.copyset)


def recipient(stream: Stream, members: Iterable[int]) -> int | None:
    """The first member that is not known to be down is to send; a node takes itself to be up.

    LogDevice, Single Copy Delivery, Known down list. None where all are down and the node is not among them.
    """
    return next((member for member in members if member == stream.node or member not in stream.known_down), None)


def closest_recipient(stream: Stream, copyset: Sequence[int]) -> int | None:
    """The left-most node in the highest priority group that has a node up is to send.

    LogDevice, Single Copy Delivery, Local SCD. None where no node that is close to the reader is up.
    """
    for priority in sorted({stream.closeness.get(member, 0) for member in copyset} - {0}, reverse=True):
        first = recipient(stream, (member for member in copyset if stream.closeness.get(member, 0) == priority))
        if first is not None:
            return first
    return None


def is_extra(stream: Stream, copyset: Sequence[int]) -> bool:
    """A node sends as well if fewer nodes that are up stand behind it than the copyset has above its copies.

    LogDevice, server/locallogstore/LocalLogStore.cpp: the last members of a copyset larger than the replication factor
    may not have the record, and so they send it if they do.
    """
    if not stream.replication or stream.node not in copyset:
        return False
    behind = copyset[copyset.index(stream.node) + 1 :]
    return sum(member not in stream.known_down for member in behind) < len(copyset) - stream.replication


def shippers(stream: Stream, record: Stored) -> Nodes:
    """The nodes of a record's copyset that send it, if all of them are up and have it.

    LogDevice, Single Copy Delivery, Known down list: the primary recipient, and known-down nodes before it.

    Raises:
        ValueError: the copyset holds a number that is no number of a node.
    """
    return frozenset(node for node in record.copyset if ships(stream._replace(node=node), record))

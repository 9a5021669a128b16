"""Messages of rebuilding: deltas of the event log, and what donors, disks and the environment tell each other.

LogDevice, docs/Rebuilding.md and common/event_log/EventLogRecord.h for the names of deltas.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.log.copies import Copy, Nodes

Work = frozenset[tuple[int, int]]
"""Donors, each a storage node, and the logs that they re-replicate."""

# ----------------------------------------------------------------------------------------------- the event log


class NeedsRebuild(NamedTuple):
    """SHARD_NEEDS_REBUILD: what a shard holds is to be re-replicated by donors.

    Attributes:
        relocates: the shard still has its data and is only to be left empty; otherwise its data is lost.
        recoverable: its data may come back.
        time_ranged: only records of some time ranges are missing.
        donors: who re-replicates which logs.
        until: for a shard that relocates, up to which LSN each log has to be moved.
    """

    shard: int
    relocates: bool
    recoverable: bool
    time_ranged: bool
    donors: Work
    until: Mapping[int, int]


class Unrecoverable(NamedTuple):
    """SHARD_UNRECOVERABLE: the data of a shard will not come back.

    Attributes:
        until: up to which LSN each log has to be rebuilt: nothing above it counts on the shard.
    """

    shard: int
    until: Mapping[int, int]


class Donated(NamedTuple):
    """DONOR_PROGRESS: a donor re-replicated its part of a log; after its last log it is SHARD_IS_REBUILT.

    Attributes:
        began: the version of the event log at which the rebuilding began.
        authoritative: nothing was left out.
    """

    shard: int
    began: int
    donor: int
    log: int
    authoritative: bool


class AckRebuilt(NamedTuple):
    """SHARD_ACK_REBUILT: a shard that was rebuilt serves again, with what it is given from now on."""

    shard: int


class Abort(NamedTuple):
    """SHARD_ABORT_REBUILD or SHARD_UNDRAIN: the shard keeps what it has."""

    shard: int


class LogGone(NamedTuple):
    """A log does not exist any more, so nobody has to rebuild it."""

    log: int


class Down(NamedTuple):
    """These nodes are down, as far as anybody can tell."""

    nodes: Nodes


# ----------------------------------------------------------------------------------------------------- donors


class Rebuild(NamedTuple):
    """A donor reads in the event log that it is to re-replicate its part of a log.

    Attributes:
        until: it waits until everything up to this LSN is released, and goes no further.
        nodesets: where copies of each epoch may lie.
    """

    shard: int
    began: int
    until: int
    nodesets: Mapping[int, Nodes]


class Again(NamedTuple):
    """Timer: a donor asks again for what it waits for."""

    began: int


class Lend(NamedTuple):
    """A donor asks the disk beside it for all copies that can count on a shard."""

    shard: int
    began: int
    until: int


class Lent(NamedTuple):
    """What the disk has: released and clean copies, by LSN."""

    began: int
    copies: tuple[tuple[int, Copy], ...]


class Hold(NamedTuple):
    """A donor asks a node to hold copies: STORE with the flag REBUILDING.

    Attributes:
        planned_ns: when the donor chose where copies go; answers to an earlier choice do not count.
    """

    donor: int
    began: int
    planned_ns: int
    copies: tuple[tuple[int, Copy], ...]


class Held(NamedTuple):
    """A node holds all that a donor asked it to."""

    began: int
    planned_ns: int
    node: int


class Amend(NamedTuple):
    """A donor tells a node the new copysets of what it holds: STORE with the flag AMEND."""

    donor: int
    began: int
    planned_ns: int
    copysets: tuple[tuple[int, Nodes], ...]


class Amended(NamedTuple):
    """A node has the new copysets."""

    began: int
    planned_ns: int
    node: int


# ---------------------------------------------------------------------------------------------------- service


class InService(NamedTuple):
    """New nodesets are made of these nodes."""

    members: Nodes


class ComeBack(NamedTuple):
    """A node begins anew with nothing, and takes no appends of epochs up to this one: it may have sealed them once.

    Attributes:
        trimmed: what the log's owner wants no more: the LSN up to which the node may have trimmed it once.
    """

    seal: int
    trimmed: int = 0

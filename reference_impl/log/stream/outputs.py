"""What a read stream does: it gives the application records and gaps, and sends messages to storage shards."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from reference_impl.log.copies import Nodes


class GapKind(StrEnum):
    """What an application is told of LSNs without a record: LogDevice, include/Record.h, GapType."""

    BRIDGE = "BRIDGE"
    HOLE = "HOLE"
    DATALOSS = "DATALOSS"
    TRIM = "TRIM"
    ACCESS = "ACCESS"
    NOTINCONFIG = "NOTINCONFIG"
    FILTERED_OUT = "FILTERED_OUT"


class Delivered(NamedTuple):
    """The application is given a record with the hash of its payload; it may refuse it."""

    lsn: int
    digest: int = 0


class GapDelivered(NamedTuple):
    """The application is told of a gap; it may refuse to hear it.

    Attributes:
        heard: the shards that have answered: for all of the gap, or for its first LSN where that says it all.
    """

    kind: GapKind
    first: int
    upto: int
    heard: Nodes = frozenset()


class SendStart(NamedTuple):
    """Ask a shard for records, from ``first`` to ``until``, but for now only to ``window_high``.

    Attributes:
        version: the filter version; a shard names it when it begins to send by these filters.
        single_copy: one of those who have a record is to send it; with ``local``, one near the reader if possible.
        filtered_out: the shards whose records others should send.
    """

    shard: int
    first: int
    until: int
    window_high: int
    version: int
    single_copy: bool
    local: bool
    filtered_out: Nodes


class SendWindow(NamedTuple):
    """Allow a shard to send what lies in the window."""

    shard: int
    low: int
    high: int


class SendStop(NamedTuple):
    """Tell a shard to send no more."""

    shard: int


class AskMetadata(NamedTuple):
    """Read the metadata of an epoch."""

    epoch: int


class HealthChanged(NamedTuple):
    """The connections suffice for reading, or do no more."""

    healthy: bool


class Disposed(NamedTuple):
    """The stream has nothing more to do."""


Output: TypeAlias = (
    Delivered | GapDelivered | SendStart | SendWindow | SendStop | AskMetadata | HealthChanged | Disposed
)
"""What a stream can do."""

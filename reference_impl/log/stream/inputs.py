"""What a read stream is told: by shards, by the metadata log, by the cluster, by whoever reads, and by timers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from reference_impl.log.copies import Nodes
from reference_impl.log.stream.senders import Connection
from reference_impl.log.stream.surroundings import NOTHING, LogAttributes, Metadata, Settings, Source
from reference_impl.log.stream.timers import Timer
from spec.log.status import Status


class GapReason(StrEnum):
    """Why a storage node has no records to send: LogDevice, common/protocol/GAP_Message.h."""

    TRIM = "TRIM"
    NO_RECORDS = "NO_RECORDS"
    CHECKSUM_FAIL = "CHECKSUM_FAIL"
    UNDER_REPLICATED = "UNDER_REPLICATED"
    FILTERED_OUT = "FILTERED_OUT"


class Start(NamedTuple):
    """Begin to read."""


class Record(NamedTuple):
    """A shard sends a record; what its flags say: LogDevice, common/protocol/RECORD_Message.h.

    Attributes:
        damaged: its checksum is wrong, or its payload cannot be decoded.
        under_replicated: the shard may lack records between the one it sent before and this one.
        digest: the hash of the payload, 64 bits with sign.
    """

    shard: int
    lsn: int
    hole: bool = False
    bridge: bool = False
    epoch_begin: bool = False
    under_replicated: bool = False
    damaged: bool = False
    digest: int = 0


class Gap(NamedTuple):
    """A shard has nothing to send from one LSN to another."""

    shard: int
    first: int
    upto: int
    reason: GapReason


class Batch(NamedTuple):
    """A shard sends records in the order of LSNs, and then a gap: several messages that arrive together."""

    shard: int
    records: tuple[Record, ...]
    gap: Gap


class Started(NamedTuple):
    """A shard answers START; ``status`` is OK or the name of an error."""

    shard: int
    version: int
    status: str
    last_released: int = NOTHING


class StartSent(NamedTuple):
    """START went out to a shard, or did not; ``status`` is OK or the name of an error."""

    shard: int
    status: str


class ConnectionClosed(NamedTuple):
    """The connection to a shard is closed."""

    shard: int
    status: str


class EpochMetadata(NamedTuple):
    """The metadata of an epoch that was asked for, and the last epoch for which they are known to hold."""

    epoch: int
    until: int
    metadata: Metadata
    source: Source


class EpochMetadataFailed(NamedTuple):
    """The metadata of an epoch cannot be read; ``status`` is the name of the error."""

    epoch: int
    status: str


class StatusesChanged(NamedTuple):
    """The event log says something new of shards."""

    statuses: Mapping[int, Status]


class ConfigurationSet(NamedTuple):
    """The configuration is another one; the stream is told by ``ConfigurationChanged``."""

    shards: Nodes
    log: LogAttributes | None


class ConfigurationChanged(NamedTuple):
    """The stream is told that the configuration is another one."""


class SettingsSet(NamedTuple):
    """The client's settings are others."""

    settings: Settings


class Accepting(NamedTuple):
    """The application takes what it is given from now on, or refuses it."""

    value: bool


class MemoryPressure(NamedTuple):
    """The client is short of memory from now on, or no more."""

    value: bool


class StartError(NamedTuple):
    """START can no more be sent to a shard, for a reason; None: it can."""

    shard: int
    error: str | None


class Fired(NamedTuple):
    """A timer fires; ``shard`` is whose it is, where each has its own."""

    timer: Timer
    shard: int = -1


class ConnectionSet(NamedTuple):
    """A connection is put into a state from outside."""

    shard: int
    state: Connection


class HealthSet(NamedTuple):
    """A connection is called healthy or not from outside."""

    shard: int
    healthy: bool


class OutliersChanged(NamedTuple):
    """These nodes, and no others, are much slower than the rest."""

    outliers: Nodes


class Destroyed(NamedTuple):
    """Whoever read needs the stream no longer."""


Input: TypeAlias = (
    Start
    | Record
    | Gap
    | Batch
    | Started
    | StartSent
    | ConnectionClosed
    | EpochMetadata
    | EpochMetadataFailed
    | StatusesChanged
    | ConfigurationSet
    | ConfigurationChanged
    | SettingsSet
    | Accepting
    | MemoryPressure
    | StartError
    | Fired
    | ConnectionSet
    | HealthSet
    | OutliersChanged
    | Destroyed
)
"""What a stream can be told."""

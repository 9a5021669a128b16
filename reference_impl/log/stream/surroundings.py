"""Surroundings: what a read stream is asked to do, and what it sees of the cluster around it.

LogDevice, Read path, How reads happen; common/client_read_stream/ClientReadStream.h for the options.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from reference_impl.log.copies import Nodes
from reference_impl.log.lsn import ESN_BITS
from spec.language.scopes import SCOPES
from spec.log.status import Status
from spec.log.topology import Location

LSN_MAX: Final = (1 << 64) - 1
"""The largest LSN: until here reads whoever reads for ever. LogDevice, include/types.h."""

EPOCH_LAST: Final = LSN_MAX >> ESN_BITS
"""The epoch of the largest LSN: metadata until here are for ever."""

NOTHING: Final = 0
"""No LSN and no epoch: LogDevice, include/types.h, LSN_INVALID and EPOCH_INVALID."""


class Options(NamedTuple):
    """What whoever reads asks for; it stays as it is.

    Attributes:
        start: the first LSN.
        until: the last LSN.
        capacity: how many LSNs the buffer has room for.
        threshold: the part of the window after which it slides, from 0 to 1.
        require_full_read_set: no gap before every node that can answer has answered.
        ignore_released_status: read what is not released, too.
        skip_trimmed: pass over what any node says is trimmed, without asking the others.
        ship_corrupted: deliver records with a bad checksum.
        wait_for_all_copies: deliver a record only when a gap in its place could be.
        trusts_at_once: a shard on the known-down list that sends a record leaves it at once, as shipped; otherwise when
            the window slides, as written in Single Copy Delivery.
        as_written: a gap that an f-majority confirms needs the f-majority of the document, too: by its formula, and by
            what the event log says.
    """

    start: int
    until: int
    capacity: int
    threshold: float
    require_full_read_set: bool = False
    ignore_released_status: bool = False
    skip_trimmed: bool = True
    ship_corrupted: bool = False
    wait_for_all_copies: bool = False
    trusts_at_once: bool = True
    as_written: bool = False


class Settings(NamedTuple):
    """Settings of the client: LogDevice, docs/settings.md.

    Attributes:
        efficiency: deliver gaps in single copy delivery, too: read-stream-guaranteed-delivery-efficiency.
        grace_counter_limit: after how many grace periods a silent node is not waited for; negative for never.
        grace_period: whether there is one before a gap is delivered.
        detects_slow: shards that are slow are looked for: reader-slow-shards-detection.
    """

    efficiency: bool = False
    grace_counter_limit: int = 2
    grace_period: bool = True
    detects_slow: bool = False


class LogAttributes(NamedTuple):
    """What the configuration says of the log: LogDevice, docs/log_configuration.md.

    Attributes:
        sequencer_window: how many records a sequencer may have in flight.
        single_copy: single copy delivery is enabled.
        local: it prefers nodes near the reader.
    """

    sequencer_window: int
    single_copy: bool = False
    local: bool = False


class Source(StrEnum):
    """Where epoch metadata were found: LogDevice, common/MetaDataLogReader.h, RecordSource."""

    LAST = "LAST"
    NOT_LAST = "NOT_LAST"
    CACHED_CONSISTENT = "CACHED_CONSISTENT"
    CACHED_SOFT = "CACHED_SOFT"


class Metadata(NamedTuple):
    """Epoch metadata: where records of some epochs lie.

    Attributes:
        since: the first epoch that they are of.
        shards: the storage set.
        replication: copies by scope.
    """

    since: int
    shards: Nodes
    replication: Mapping[str, int]


class ShardLocation(NamedTuple):
    """Where a shard is: its node, and the node's location from the region down."""

    node: str
    location: str = ""


def place_at(location: Location) -> ShardLocation:
    """The place of a shard, by the names of its domains."""
    return ShardLocation(location.get("node", ""), ".".join(location.get(scope, "") for scope in reversed(SCOPES[2:])))


class Surroundings(NamedTuple):
    """What the stream sees of the world at this moment.

    Attributes:
        shards: the storage shards that the cluster's configuration has.
        places: where they are; a shard that is not named here is a node of its own, without a location.
        log: the log's attributes; None where the configuration has no such log.
        settings: the client's settings.
        statuses: what the event log says of shards; None before it said anything.
        start_errors: why START cannot be sent to a shard, by shard.
        accepting: the application takes what it is given.
        memory_pressure: the client is short of memory.
    """

    shards: Nodes
    places: Mapping[int, ShardLocation]
    log: LogAttributes | None
    settings: Settings = Settings()
    statuses: Mapping[int, Status] | None = None
    start_errors: Mapping[int, str] = {}
    accepting: bool = True
    memory_pressure: bool = False

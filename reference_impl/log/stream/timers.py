"""Timers of a read stream: each either runs or does not; how long, is no affair of the rules."""

from __future__ import annotations

from enum import StrEnum


class Timer(StrEnum):
    """What a stream waits for: LogDevice, common/client_read_stream/ClientReadStream.cpp, one member each."""

    GRACE = "gap grace period"
    """Before a gap that not all nodes confirm."""
    REDELIVERY = "redelivery"
    """After the application refused."""
    REATTEMPT_START = "reattempt to start"
    """After the application refused the gap over epoch 0."""
    STALL_GRACE = "stall grace period"
    """Before the stream is called unhealthy."""
    METADATA_RETRY = "metadata retry"
    """After epoch metadata could not be read."""
    SHARDS_DOWN = "shards down failover"
    """In single copy delivery: who sent nothing for that long is down."""
    ALL_SEND_ALL = "all send all failover"
    """In single copy delivery: without progress for that long, all should send all."""
    REWIND = "rewind"
    """A rewind is due."""
    RECONNECT = "reconnect"
    """One for each shard: after a connection failed."""
    STARTED = "started"
    """One for each shard: while its answer to START is awaited."""

"""Senders: what a stream knows of one storage shard.

LogDevice, common/client_read_stream/ClientReadStreamSenderState.h.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from reference_impl.log.stream.surroundings import NOTHING
from spec.log.status import Status


class Connection(StrEnum):
    """How far a shard is from sending: ClientReadStreamSenderState.h, ConnectionState."""

    INITIAL = "INITIAL"
    CONNECTING = "CONNECTING"
    """START is to be sent."""
    START_SENT = "START_SENT"
    READING = "READING"
    """The shard answered that it sends."""
    RECONNECT_PENDING = "RECONNECT_PENDING"
    """The connection failed, or the shard cannot now."""
    PERSISTENT_ERROR = "PERSISTENT_ERROR"
    """The shard cannot until its connection is closed."""

    @property
    def failed(self) -> bool:
        """Whether nothing is to be expected before something is tried again."""
        return self in (Connection.RECONNECT_PENDING, Connection.PERSISTENT_ERROR)


class Sender(NamedTuple):
    """One shard of the read set.

    Attributes:
        connection: how far it is from sending.
        healthy: whether its connection counts as healthy.
        status: what its silence means.
        next_lsn: it will send nothing before this LSN.
        under_replicated_until: it may lack records before this LSN.
        last_record: the highest LSN of its records since START.
        window_high: up to where it knows that it may send.
        version: the filter version that it acknowledged last.
        grace_counter: how many grace periods ended without a word of it.
        distrusted: gaps were found while it may have lacked records, and it has not left that region since.
        reconnecting: its reconnect timer runs.
        awaited: its answer to START is awaited.
    """

    connection: Connection = Connection.INITIAL
    healthy: bool = False
    status: Status = Status.FULLY_AUTHORITATIVE
    next_lsn: int = NOTHING
    under_replicated_until: int = NOTHING
    last_record: int = NOTHING
    window_high: int = NOTHING
    version: int = 0
    grace_counter: int = 0
    distrusted: bool = False
    reconnecting: bool = False
    awaited: bool = False

    def forgetful(self) -> Sender:
        """The same sender as if it had not sent anything: it is asked anew.

        LogDevice, common/client_read_stream/ClientReadStream.cpp, resetGapParametersForSender.
        """
        return self._replace(next_lsn=NOTHING, under_replicated_until=NOTHING, last_record=NOTHING, grace_counter=0)

    def has_passed(self, lsn: int) -> bool:
        """It answered for this LSN: what it sends next lies beyond. Read path, Gaps sent by storage nodes."""
        return self.next_lsn > lsn

    def may_lack(self, lsn: int) -> bool:
        """It answered for this LSN, and may lack a record of it: GapState UNDER_REPLICATED."""
        return self.has_passed(lsn) and lsn < self.under_replicated_until

"""Messages between readers and storage nodes.

LogDevice, common/protocol/START_Message.h, WINDOW_Message.h, STOP_Message.h, STARTED_Message.h, RECORD_Message.h and
GAP_Message.h. There, both sides speak over one connection that keeps the order of messages: the protocol relies on it.
Here the network repeats, loses and reorders, so a connection is made of numbers: a node numbers what it sends over a
connection, and repeats what the reader says that it lacks; the reader takes it in that order.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from reference_impl.log.copies import Copy, Nodes
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream.inputs import GapReason
from reference_impl.log.stream.timers import Timer


class StartReading(NamedTuple):
    """A reader is to begin at this LSN."""

    lsn: int


class StatusesTold(NamedTuple):
    """The event log tells a reader of a new table of statuses."""

    statuses: Statuses


class Alarm(NamedTuple):
    """Timer: one of the reader's; ``number`` tells it from one that was stopped."""

    timer: Timer
    shard: int
    number: int


class Poll(NamedTuple):
    """Timer: a reader says again what may have been lost."""


# ------------------------------------------------------------------------------------------ from the reader


class StartSending(NamedTuple):
    """A reader asks a node for records: START.

    Attributes:
        stream: the read stream.
        connection: the reader's number of the connection.
        opens: nothing was heard over this connection yet, so it may be new to the node.
        order: the reader's number of this START.
        first: the first LSN.
        until: the last LSN.
        window_high: the last LSN for now.
        version: the filter version.
        single_copy: one of those who have a record is to send it; with ``local``, one near the reader if possible.
        filtered_out: the nodes whose records others should send.
    """

    stream: int
    connection: int
    opens: bool
    order: int
    first: int
    until: int
    window_high: int
    version: int
    single_copy: bool = False
    local: bool = False
    filtered_out: Nodes = frozenset()


class MoveWindow(NamedTuple):
    """A reader allows a node to send further, and says which message it expects next: WINDOW."""

    stream: int
    connection: int
    version: int
    high: int
    expected: int


class StopSending(NamedTuple):
    """A reader needs nothing more of a node: STOP."""

    stream: int
    connection: int


# ------------------------------------------------------------------------------------------- from the nodes


class Began(NamedTuple):
    """A node sends by the filters of this version from now on: STARTED.

    Attributes:
        node: the node.
        life: how often it was started.
        connection: the reader's number of the connection.
        number: the node's number of the message on it, from 0.
        version: the filter version.
        released: the last LSN that the node knows to be released.
    """

    node: int
    life: int
    connection: int
    number: int
    version: int
    released: int


class Shipped(NamedTuple):
    """Records that a node sends, in the order of LSNs, and that it has nothing else up to an LSN: RECORDs and a GAP.

    Attributes:
        first: the first LSN of which the message speaks.
        upto: the last one.
        reason: why the node has nothing after the last of the records.
        frames: the payload of each record, where they are sent compressed.
    """

    node: int
    life: int
    connection: int
    number: int
    records: tuple[tuple[int, Copy], ...]
    first: int
    upto: int
    reason: GapReason = GapReason.NO_RECORDS
    frames: tuple[bytes, ...] = ()


class LookAgain(NamedTuple):
    """A reader looks at its greylist again, unless it chose another time meanwhile."""

    number: int


class Unknown(NamedTuple):
    """A node does not know a connection: it was started anew since."""

    node: int
    connection: int


Answer: TypeAlias = Began | Shipped
"""What a node sends over a connection, in its order."""

"""A read stream as a storage node knows it, and the messages that it sends over one connection.

LogDevice, server/read_path/ServerReadStream.h. A crash forgets it: the reader has to ask anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.log.delivery.shipping import Stream
from reference_impl.log.reading_messages import Answer


class Sending(NamedTuple):
    """One read stream at one node.

    Attributes:
        connection: the reader's number of the connection.
        order: the number of the reader's last START.
        version: the filter version of it.
        next_lsn: everything before it was sent, or is not there.
        until: the last LSN to send.
        high: the last LSN to send for now.
        filters: whose records this node sends.
        number: the number of the next message.
        unheard: what was sent and the reader has not confirmed yet.
    """

    connection: int
    order: int
    version: int
    next_lsn: int
    until: int
    high: int
    filters: Stream
    number: int = 0
    unheard: tuple[Answer, ...] = ()


class Serving(NamedTuple):
    """What a node knows of those who read a log from it.

    Attributes:
        life: how often the node was started; survives a crash.
        streams: the read streams by number; forgotten in a crash.
    """

    life: int = 1
    streams: Mapping[int, Sending] = {}

    def with_stream(self, stream: int, sending: Sending) -> Serving:
        """The same with another state of one stream."""
        return Serving(self.life, {**self.streams, stream: sending})

    def restarted(self) -> Serving:
        """After a crash nobody is known."""
        return Serving(self.life + 1)

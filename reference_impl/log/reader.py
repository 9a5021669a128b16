"""A reader: one read stream through a log, joined with storage nodes, the metadata log, the event log and a clock.

What it hears stands in ``reading``, what it does for its stream in ``driving``. LogDevice, Read path, How reads happen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from reference_impl.log.alarms import Alarms
from reference_impl.log.connections import Link
from reference_impl.log.metadata_reading import Reading
from reference_impl.log.slow_node_detection import Watch
from reference_impl.log.statuses import Statuses
from reference_impl.log.stream.state import Stream


class Reader(NamedTuple):
    """A reader.

    Attributes:
        number: the number of its read stream.
        stream: the read stream; None before it began.
        links: its connections to nodes.
        alarms: the timers that it has set.
        told: the newest table of statuses that it was told of.
        watch: its greylist; None where it has none.
        reading: what it asks the metadata log, if there is one.
    """

    log: int
    number: int
    stream: Stream | None = None
    links: Mapping[int, Link] = {}
    alarms: Alarms = Alarms()
    told: Statuses = Statuses()
    watch: Watch | None = None
    reading: Reading = Reading()

    @property
    def next_lsn(self) -> int:
        """Everything before it was delivered or reported; 0 before the start."""
        return self.stream.cursor if self.stream is not None else 0

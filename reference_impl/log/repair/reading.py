"""What a reader is told of a log that has been recovered: records, and gaps with the reason that it can give.

LogDevice, Read path, Reporting gaps; common/client_read_stream/ClientReadStream.cpp, determineGapType.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from reference_impl.log.lsn import ESN_MAX, epoch_of, esn_of, lsn_of
from reference_impl.log.repair.held import Held

WINDOW_ESNS: Final = 1000
"""How far into an epoch the first record may lie without anything before it being lost: the sequencer's window."""


class Told(StrEnum):
    """What a reader is told of a range of LSNs."""

    RECORD = "RECORD"
    HOLE = "HOLE"
    BRIDGE = "BRIDGE"
    DATALOSS = "DATALOSS"


class Piece(NamedTuple):
    """A range of LSNs, from the first to the last; a record is a range of one."""

    told: Told
    first: int
    last: int


def read(copies: Mapping[int, Held], first: int, upto: int, window_esns: int = WINDOW_ESNS) -> Iterator[Piece]:
    """A reader gets each LSN once, in order: records as they are, holes and bridges as gaps, and the rest as well.

    LogDevice, Read path, Reporting gaps. A bridge takes it to the end of the epoch, whatever lies between; what no
    shard has is one gap up to the next LSN of which some shard has something.
    """
    epochs_read = set[int]()
    marks = [lsn for lsn in sorted(copies) if first <= lsn <= upto]
    cursor = first
    for lsn in marks:
        if lsn < cursor:
            continue
        if lsn > cursor:
            yield Piece(_missing(cursor, lsn, epochs_read, window_esns), cursor, lsn - 1)
        held = copies[lsn]
        last = min(upto, lsn_of(epoch_of(lsn), ESN_MAX)) if held.is_bridge else lsn
        told = Told.BRIDGE if held.is_bridge else Told.HOLE if held.is_hole else Told.RECORD
        if told is Told.RECORD:
            epochs_read.add(epoch_of(lsn))
        yield Piece(told, lsn, last)
        cursor = last + 1
    if cursor <= upto:
        yield Piece(_missing(cursor, upto, epochs_read, window_esns), cursor, upto)


def _missing(cursor: int, end: int, epochs_read: set[int], window_esns: int) -> Told:
    """Loss is told only inside one epoch, and not at its start: there, appends may not have been stored yet.

    LogDevice, ClientReadStream.cpp, determineGapType: so a real loss at either end of an epoch looks like a bridge.
    """
    at_start = esn_of(end) <= window_esns and epoch_of(end) not in epochs_read
    return Told.DATALOSS if epoch_of(cursor) == epoch_of(end) and not at_start else Told.BRIDGE

"""The copyset index: whole blocks of records are read and sent, or skipped.

LogDevice, Read path, Copyset index: with sticky copysets, consecutive records share a copyset, and one decision holds
for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

from reference_impl.log.delivery.shipping import Stored, Stream, ships


class Block(NamedTuple):
    """Consecutive records of a node that differ in their LSNs only.

    Attributes:
        lsns: their LSNs, ascending.
        like: what holds for each of them.
    """

    lsns: tuple[int, ...]
    like: Stored


class Batch(NamedTuple):
    """What a storage node reads for a stream at a time.

    Attributes:
        shipped: the LSNs of the records that it sends.
        decisions: how often it looked whether to send.
        next_lsn: where it goes on.
    """

    shipped: tuple[int, ...]
    decisions: int
    next_lsn: int


def with_record(index: Iterable[Stored], record: Stored) -> tuple[Stored, ...]:
    """The index once a record is stored: in the place of its LSN, and instead of what was there.

    LogDevice, Read path, Copyset index: it is updated as new records arrive. A later wave and a rebuilding change the
    copyset of a record that is there.
    """
    return tuple(sorted([*(one for one in index if one.lsn != record.lsn), record]))


def trimmed(index: Iterable[Stored], upto: int) -> tuple[Stored, ...]:
    """The index once a log is trimmed up to an LSN: LogDevice, Read path, Copyset index."""
    return tuple(record for record in index if record.lsn > upto)


def blocks(index: Iterable[Stored]) -> tuple[Block, ...]:
    """Consecutive records with one copyset, and of one kind, are a block.

    LogDevice, Read path, Sticky copysets: it groups records on storage nodes in large variable size blocks.
    """
    return tuple(
        Block(tuple(record.lsn for record in group), Stored(0, copyset, drained, hole))
        for (copyset, drained, hole), group in groupby(index, lambda record: record[1:])
    )


def read(stream: Stream, index: Sequence[Stored], from_lsn: int = 1, upto: int | None = None) -> Batch:
    """A node decides once for each block, sends it whole or skips it, and goes on behind the last record.

    LogDevice, Read path, Copyset index. The records are in the order of their LSNs. ``upto`` is the last LSN that may
    be read, as what is released and the reader's window allow: then the node goes on behind it, record or no record
    (server/read_path/LocalLogStoreReader.cpp).

    Raises:
        ValueError: a copyset holds a number that is no number of a node.
    """
    ahead = blocks(record for record in index if from_lsn <= record.lsn and (upto is None or record.lsn <= upto))
    shipped = tuple(lsn for block in ahead if ships(stream, block.like) for lsn in block.lsns)
    last = ahead[-1].lsns[-1] if ahead else from_lsn - 1
    return Batch(shipped, len(ahead), 1 + (last if upto is None else max(from_lsn - 1, upto)))

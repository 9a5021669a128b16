"""Big snapshots of a cluster, made of few shapes of ledger, with violations planted in known ledgers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from spark_checks.audit import ledgers
from spark_checks.audit.cluster import Bookie, Cluster
from spark_checks.audit.tables import ANSWERS
from spark_checks.audit.writing import Target
from spec.ledger.availability.encoding import pack
from spec.ledger.availability.shipped import grouped_as_shipped
from spec.ledger.metadata import State
from spec.ledger.schedule import Quorums, striped_to
from spec.ledger.violations import Category

QUORUMS: Final = Quorums(5, 3, 2)
"""Two bookies do not have an entry, so that the shipped search gives up on every ledger that is longer than a few."""

LENGTHS: Final = range(70, 131)
"""How many entries ledgers have: 100 in the mean, so that a ledger has 300 copies."""

PLANTED_EVERY: Final = 1000
"""Of so many ledgers, one has lost the first entry of one bookie, and the next one has lost all."""

VERSION: Final = 1
"""The version of all metadata: it is created with 0, and closed."""

PIECE: Final = 20_000
"""Ledgers that are written together."""


def write(folder: Path, count: int) -> Counter[str]:
    """Write a snapshot of so many ledgers; gives how many have violations of which category."""
    bookies = tuple(Bookie(f"bookie{number}:3181") for number in range(QUORUMS.ensemble))
    shapes = pa.array([one for length in LENGTHS for one in _answers(length)], pa.binary())
    with Target(folder, Cluster(bookies, identity="big")) as target:
        for begin in range(0, count, PIECE):
            number = np.arange(begin, min(begin + PIECE, count))
            target.write(ledgers=_ledgers(number), answers=_told(number, shapes))
    few = {Category.BELOW_WRITE_QUORUM: 0, Category.NO_REPLICA: 1}
    return Counter({kind.name: len(range(first, count, PLANTED_EVERY)) for kind, first in few.items()})


def copies(count: int) -> int:
    """How many copies of entries so many ledgers should have."""
    lengths = np.asarray(LENGTHS)[np.arange(count) % len(LENGTHS)]
    return int(lengths.sum()) * QUORUMS.write


def _answers(length: int) -> list[bytes]:
    """What each member says of a ledger: all members whole, all members without their first entry, and nothing."""
    whole = [striped_to(member, 0, length - 1, QUORUMS) for member in range(QUORUMS.ensemble)]
    told = [*whole, *(entries[1:] for entries in whole), *(() for _ in whole)]
    return [pack(grouped_as_shipped(entries)) for entries in told]


def _ledgers(number: Any) -> Any:
    """Rows of ledgers: each has one segment, whose ensemble begins at another bookie than the last one's."""
    size, many = QUORUMS.ensemble, len(number)
    ensembles = (number[:, None] + np.arange(size)) % size
    lists = pa.ListArray.from_arrays(pa.array(size * np.arange(many + 1, dtype=np.int32)), ensembles.ravel())
    segments = pa.StructArray.from_arrays(
        [pa.array(np.zeros(many, np.int64)), lists.cast(ledgers.SEGMENT["ensemble"].type)], fields=list(ledgers.SEGMENT)
    )
    columns = {
        "ledger": number,
        "state": np.full(many, State.CLOSED),
        "ensemble_size": np.full(many, QUORUMS.ensemble),
        "write_quorum": np.full(many, QUORUMS.write),
        "ack_quorum": np.full(many, QUORUMS.ack),
        "last_entry": np.asarray(LENGTHS)[number % len(LENGTHS)] - 1,
        "segments": pa.ListArray.from_arrays(pa.array(np.arange(many + 1, dtype=np.int32)), segments),
        "version": np.full(many, VERSION),
    }
    return pa.table({name: pa.array(column) for name, column in columns.items()}).cast(ledgers.SCHEMA)


def _told(number: Any, shapes: Any) -> Any:
    """Rows of answers, by ledger and bookie."""
    size = QUORUMS.ensemble
    ledger, bookie = np.repeat(number, size), np.tile(np.arange(size), len(number))
    member = (bookie - ledger) % size
    place = ledger % PLANTED_EVERY
    state = np.where(place == 1, 2, np.where((place == 0) & (member == 0), 1, 0))
    shape = (ledger % len(LENGTHS) * 3 + state) * size + member
    return pa.table({"ledger": ledger, "bookie": bookie, "entries": shapes.take(pa.array(shape))}).cast(ANSWERS)

"""What an earlier audit found sound, in columns, and which of it stands: what changed since is judged again.

The reading in columns of ``reference_impl.ledger.checker.earlier``.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from spark_checks.audit.cluster import Cluster
from spark_checks.audit.ledgers import UNTOLD, Ledgers

Array: TypeAlias = "np.ndarray[Any, Any]"

SOUND: Final = pa.schema([pa.field(name, pa.int64(), nullable=False) for name in ("ledger", "version", "asked_ms")])
"""The table of what is sound: the version of its metadata, and when its bookies were asked."""


class Earlier(NamedTuple):
    """What an earlier audit left.

    Attributes:
        ledger: the ledgers that it found sound, in ascending order.
        version: the versions of their metadata.
        asked_ms: when their bookies were asked.
        present: the bookies that were registered then, and are now.
        oldest_ms: what was asked before is judged again.
    """

    ledger: Array
    version: Array
    asked_ms: Array
    present: frozenset[str] = frozenset()
    oldest_ms: int = 0


NONE: Final = np.zeros(0, np.int64)

NOTHING: Final = Earlier(NONE, NONE, NONE)
"""Where there was no earlier audit."""


def standing(ledgers: Ledgers, earlier: Earlier, cluster: Cluster) -> tuple[Array, Array]:
    """The ledgers that stay sound, and when the bookies of these were asked, by rows.

    The reading in columns of ``reference_impl.ledger.checker.earlier.Earlier.stands``.
    """
    known, row = places_of(ledgers.number, earlier.ledger)
    asked_ms = np.zeros(len(known), np.int64)
    asked_ms[known] = earlier.asked_ms[row]
    same = known.copy()
    same[known] = (ledgers.version[known] == earlier.version[row]) & (ledgers.version[known] != UNTOLD)
    stands = same & (asked_ms >= earlier.oldest_ms) & ledgers.is_closed
    return stands & ~_has_others(ledgers, earlier.present, cluster), asked_ms


def places_of(wanted: Array, ascending: Array) -> tuple[Array, Array]:
    """Which of some numbers are among others in ascending order, and where those are."""
    place = np.searchsorted(ascending, wanted)
    known = place < len(ascending)
    known[known] = ascending[place[known]] == wanted[known]
    return known, place[known]


def _has_others(ledgers: Ledgers, bookies: frozenset[str], cluster: Cluster) -> Array:
    """Whether an ensemble of each ledger names anybody but some bookies; of those with a fault nothing is said."""
    others = np.array([one.name not in bookies for one in cluster.bookies], bool)
    found = np.zeros(len(ledgers.number), bool)
    if others.any():
        sizes = np.diff(np.append(ledgers.member, len(ledgers.bookies)))
        inside = (ledgers.bookies >= 0) & (ledgers.bookies < len(others))
        hit = inside & others[np.where(inside, ledgers.bookies, 0)]
        found[np.repeat(ledgers.of_segment, sizes)[hit]] = True
    return found

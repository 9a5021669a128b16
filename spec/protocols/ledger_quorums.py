"""Small ledgers for protocol texts: their write sets and ack quorums, by the schedule that rules use.

A text knows nothing of these sets; a world of a few bookies lists those that the round robin schedule gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

from spec.ledger.coverage import write_set


def write_sets(ensembles: Iterable[Sequence[int]], size: int) -> tuple[frozenset[int], ...]:
    """The bookies of each write set of these ensembles: neighbours in a round."""
    return _in_order(
        frozenset(ensemble[place] for place in write_set(first, len(ensemble), size))
        for ensemble in ensembles
        for first in range(len(ensemble))
    )


def ack_quorums(sets: Iterable[frozenset[int]], size: int) -> tuple[frozenset[int], ...]:
    """Any so many bookies of one of these write sets."""
    return _in_order(frozenset(few) for one in sets for few in combinations(sorted(one), size))


def _in_order(sets: Iterable[frozenset[int]]) -> tuple[frozenset[int], ...]:
    return tuple(sorted(set(sets), key=sorted))

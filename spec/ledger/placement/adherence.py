"""How far ensembles, and ledgers made of them, adhere to a placement policy.

BookKeeper, client/EnsemblePlacementPolicy.java, PlacementPolicyAdherence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum

from spec.ledger.schedule import Quorums

Ensemble = Sequence[str]
"""The bookies of a segment, by member."""


class Adherence(Enum):
    """How far an ensemble adheres to a policy, the worst first.

    BookKeeper, client/EnsemblePlacementPolicy.java, PlacementPolicyAdherence.
    """

    FAIL = "FAIL"
    MEETS_SOFT = "MEETS_SOFT"
    MEETS_STRICT = "MEETS_STRICT"


Policy = Callable[[Ensemble, Quorums], Adherence]
"""A placement policy: what it says of an ensemble, given the sizes of its ledger."""


def windows(ensemble: Ensemble, write_quorum: int) -> list[list[str]]:
    """The bookies of each write set; one that is larger than its ensemble goes round more than once.

    BookKeeper, client/RackawareEnsemblePlacementPolicyImpl.java: W members from each place on, modulo what there is.
    """
    size = len(ensemble)
    return [[ensemble[(first + step) % size] for step in range(write_quorum)] for first in range(size)]


def anywhere(_ensemble: Ensemble, _quorums: Quorums) -> Adherence:
    """Any bookies will do.

    BookKeeper, client/DefaultEnsemblePlacementPolicy.java.
    """
    return Adherence.MEETS_STRICT


def worst(adherences: Iterable[Adherence]) -> Adherence:
    """A ledger adheres as far as the worst of its segments.

    BookKeeper, replication/AuditorPlacementPolicyCheckTask.java: one category a ledger.
    """
    found = set(adherences)
    return next((adherence for adherence in Adherence if adherence in found), Adherence.MEETS_STRICT)

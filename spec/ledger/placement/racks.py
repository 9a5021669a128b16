"""Rack-aware placement: the bookies of each write set are in several racks.

BookKeeper, client/RackawareEnsemblePlacementPolicyImpl.java.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from spec.ledger.placement.adherence import Adherence, Ensemble, windows
from spec.ledger.schedule import Quorums


@dataclass(frozen=True)
class RackAware:
    """The policy: call it with an ensemble.

    Attributes:
        racks: where each bookie is that was ever known, whether it can be written to now or not.
        least: how many racks a write set has, unless it is smaller.
        default: the rack of bookies that none is known of, which does not count where it is refused.
        refuses_default: no write set has a bookie in the default rack.
    """

    racks: Mapping[str, str]
    least: int
    default: str = ""
    refuses_default: bool = False

    def __call__(self, ensemble: Ensemble, quorums: Quorums) -> Adherence:
        """Each write set has bookies of enough racks, and none of the default rack where that is refused.

        BookKeeper, client/RackawareEnsemblePlacementPolicyImpl.java: minNumRacksPerWriteQuorum, and its enforcement.
        """
        if not ensemble:
            return Adherence.FAIL
        adheres = all(map(self._is_spread, windows(ensemble, quorums.write)))
        return Adherence.MEETS_STRICT if adheres else Adherence.FAIL

    def _is_spread(self, bookies: Ensemble) -> bool:
        racks = {self.racks[bookie] for bookie in bookies if bookie in self.racks}
        return len(racks) >= min(len(bookies), self.least) and not (self.refuses_default and self.default in racks)


def rack_aware_as_shipped(policy: RackAware, writable: Collection[str]) -> RackAware:
    """The policy that only sees bookies that can be written to now: a bookie that is down has no rack.

    BookKeeper, client/TopologyAwareEnsemblePlacementPolicy.java, onClusterChanged: other bookies are forgotten.
    """
    return replace(policy, racks={bookie: rack for bookie, rack in policy.racks.items() if bookie in writable})

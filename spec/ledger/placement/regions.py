"""Region-aware placement as it should be: what is written survives the loss of regions.

BookKeeper, client/RegionAwareEnsemblePlacementPolicy.java: ensembles are chosen so, and none is checked (issue 1898).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from spec.ledger.placement.adherence import Adherence, Ensemble, anywhere, windows, worst
from spec.ledger.schedule import Quorums

region_aware_as_shipped = anywhere
"""BookKeeper, client/RegionAwareEnsemblePlacementPolicy.java, issue 1898: any ensemble will do."""


@dataclass(frozen=True)
class RegionAware:
    """The policy: call it with an ensemble.

    Attributes:
        locations: where each bookie is, as ``/region/rack``.
        least: how many regions hold an entry: reppMinimumRegionsForDurability.
    """

    locations: Mapping[str, str]
    least: int

    def __call__(self, ensemble: Ensemble, quorums: Quorums) -> Adherence:
        """The worst write set counts, and a bookie whose region is not known is in none.

        BookKeeper, client/RegionAwareEnsemblePlacementPolicy.java, newEnsemble: minRegionsForDurability.
        """
        if not ensemble:
            return Adherence.FAIL
        return worst(self._spread(bookies, quorums.ack) for bookies in windows(ensemble, quorums.write))

    def _spread(self, bookies: Ensemble, ack_quorum: int) -> Adherence:
        """Strict where every ack quorum is in enough regions, soft where only the write set is.

        BookKeeper, client/RegionAwareEnsemblePlacementPolicy.java, newEnsemble: an ack quorum is large enough that it
        cannot be in fewer regions.
        """
        known = Counter(region for region in map(self._region, bookies) if region)
        unknown = len(bookies) - known.total()
        fullest = sum(count for _, count in known.most_common(max(self.least - 1, 0)))
        if len(known) < self.least:
            return Adherence.FAIL
        return Adherence.MEETS_STRICT if unknown + fullest < ack_quorum else Adherence.MEETS_SOFT

    def _region(self, bookie: str) -> str:
        """The region of a bookie; empty where it is not known."""
        return self.locations.get(bookie, "").removeprefix("/").partition("/")[0]

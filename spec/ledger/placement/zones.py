"""Zone-aware placement: the bookies of each write set are in several zones, those of one zone in several domains.

BookKeeper, client/ZoneawareEnsemblePlacementPolicyImpl.java.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from spec.ledger.placement.adherence import Adherence, Ensemble, windows, worst
from spec.ledger.schedule import Quorums

_LOCATION: Final = re.compile(r"/([^/]+)/([^/]+)")


class BookieLocation(NamedTuple):
    """Where a bookie is.

    BookKeeper, client/ZoneawareEnsemblePlacementPolicyImpl.java: a location has a zone and an upgrade domain.

    Attributes:
        zone: what fails together.
        upgrade_domain: what is taken down together.
    """

    zone: str
    upgrade_domain: str


@dataclass(frozen=True)
class ZoneAware:
    """The policy: call it with an ensemble.

    Attributes:
        locations: where each bookie is, as ``/zone/upgrade domain``.
        least: how many zones a write set has.
        desired: how many zones it should have, unless it is smaller.
        default: the location that stands for an unknown one.
    """

    locations: Mapping[str, str]
    least: int
    desired: int
    default: str = ""

    def __call__(self, ensemble: Ensemble, quorums: Quorums) -> Adherence:
        """Write sets share out the ensemble and have more bookies than zones at least; then the worst of them counts.

        BookKeeper, client/ZoneawareEnsemblePlacementPolicyImpl.java: minNumZonesPerWriteQuorum, and the desired number.
        """
        if not ensemble or len(ensemble) % quorums.write or quorums.write <= self.least:
            return Adherence.FAIL
        return worst(map(self._spread, windows(ensemble, quorums.write)))

    def _spread(self, bookies: Ensemble) -> Adherence:
        """How far one write set adheres."""
        places = [place for place in map(self._place, bookies) if place]
        zones = {place.zone for place in places}
        if len(places) < len(bookies) or len(zones) < self.least or any(_share_a_domain(places, one) for one in zones):
            return Adherence.FAIL
        return Adherence.MEETS_STRICT if len(zones) >= min(len(bookies), self.desired) else Adherence.MEETS_SOFT

    def _place(self, bookie: str) -> BookieLocation | None:
        """Where a bookie is; None where that is not known."""
        location = self.locations.get(bookie, self.default)
        found = _LOCATION.fullmatch(location)
        return BookieLocation(*found.groups()) if found and location != self.default else None


def _share_a_domain(places: list[BookieLocation], zone: str) -> bool:
    """Several bookies of a zone, all in one upgrade domain."""
    domains = [place.upgrade_domain for place in places if place.zone == zone]
    return len(domains) > 1 and len(set(domains)) == 1

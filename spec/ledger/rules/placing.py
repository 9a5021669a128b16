"""Placement: whether ensembles are spread over racks as the policy asks, and that it is told where they are not.

Source: BookKeeper, BP-34, Intention; client/RackawareEnsemblePlacementPolicyImpl.java.
"""

from __future__ import annotations

from spec.language.handles import Bool
from spec.language.quantifiers import count, domains
from spec.language.rule import rule
from spec.ledger.events.values import FAIL
from spec.ledger.views import Analysis, Placement

RACKS = "BookKeeper, client/RackawareEnsemblePlacementPolicyImpl.java, isEnsembleAdheringToPlacementPolicy: "


@rule(
    "ledger.placement.too_few_racks", cite=RACKS + "each write set covers the least number of racks", variant="written"
)
def too_few_racks_are_a_failure(placement: Placement) -> Bool:
    """An ensemble that lies on fewer racks than each of its write sets has to fails the policy."""
    racks = count(~(rack & placement.ensemble).is_empty() for rack in domains("rack"))
    few = (racks < placement.racks) & (racks < placement.write_quorum)
    return few.implies(placement.adherence == FAIL)


@rule(
    "ledger.placement.racks_apart", cite=RACKS + "of the members' racks, whether they are up or not", variant="written"
)
def bookies_apart_are_no_failure(placement: Placement) -> Bool:
    """An ensemble each bookie of which lies on a rack of its own, no other, meets the policy, whoever of it is down."""
    racks = count(~(rack & placement.ensemble).is_empty() for rack in domains("rack"))
    return (racks == placement.ensemble.size()).implies(placement.adherence > FAIL)


@rule(
    "ledger.placement.failure_is_reported",
    cite="BookKeeper, BP-34, High Level Logic: ensembles agree with the placement policy; any violation is reported",
)
def misplaced_ensembles_are_reported(analysis: Analysis) -> Bool:
    """An ensemble that fails the policy, by the last version that a check read, is reported by it, and no other."""
    return ((analysis.failed & analysis.is_decided) | analysis.misplaced).implies(analysis.failed & analysis.misplaced)

"""Lists of entries: what a bookie tells the checker that it has of a ledger.

Source: BookKeeper, BP-34, Public Interfaces; util/AvailabilityOfEntriesOfLedger.java.
"""

from __future__ import annotations

from spec.language.handles import Bool
from spec.language.rule import rule
from spec.ledger.events import Lost
from spec.ledger.views import BookieList, Holding


@rule(
    "ledger.list.tells_all",
    cite="BookKeeper, BP-34, High Level Logic: a bookie is expected to return the list of entries that it contains",
    spares=(Lost,),
)
def bookies_tell_all_that_they_have(holding: Holding) -> Bool:
    """A bookie that stored a copy, and has not lost it, tells a check that it has it."""
    had_it = holding.stored_first.not_after(holding.denied_first)
    return (holding.denied & holding.stored & had_it).implies(holding.lost)


@rule(
    "ledger.list.tells_no_more",
    cite="BookKeeper, BP-34, High Level Logic: a bookie is expected to return the list of entries that it contains",
)
def bookies_tell_no_more_than_they_have(holding: Holding) -> Bool:
    """A bookie that tells a check that it has a copy has stored it."""
    return holding.claimed.implies(holding.stored)


@rule(
    "ledger.list.is_condensed",
    cite="BookKeeper, BP-34, Public Interfaces: one or two groups of sequences, with no holes and no overreplication",
    variant="written",
)
def lists_are_condensed(told: BookieList) -> Bool:
    """A bookie that has just what the schedule gives it tells that in three groups a segment at most."""
    return ((told.astray == 0) & (told.segments > 0)).implies(
        told.groups <= told.segments + told.segments + told.segments
    )

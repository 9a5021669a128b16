"""Every rule can hold and can be violated: a rule that cannot fail is a defect, and one that cannot hold is a mistake.

Each outcome comes with a row of plain values; ``possible`` itself has the meaning judge that row again.
"""

from __future__ import annotations

from typing import Any

import pytest

from spec.events import Ack, NewEpoch, Positioned, Store
from spec.events.positions import epoch
from spec.language.declare import Dimension, View, along, any_of, max_of, min_of, only_of, set_of, union_of
from spec.language.handles import Bool, known
from spec.language.outcomes import Outcome
from spec.language.rule import Rule, rule
from spec.proof.rows import Witness
from spec.proof.vacuity import possible, says_something
from spec.registry import RULES

pytestmark = pytest.mark.z3

H, U, V = Outcome.HOLDS, Outcome.UNKNOWN, Outcome.VIOLATED


class Metadata(Dimension, by=(NewEpoch.log, NewEpoch.epoch)):
    """The metadata of one epoch."""

    nodeset = only_of(NewEpoch.nodeset)


class Place(View, one_per=(Positioned.log, Positioned.lsn)):
    """What became of one LSN."""

    log, lsn = Positioned.log, Positioned.lsn
    acked, stored = any_of(Ack), any_of(Store)
    copies, claimed = set_of(Store.node), union_of(Ack.copyset)
    earliest, latest = min_of(Store.time), max_of(Store.time)
    nodeset = Metadata.at(Metadata.nodeset, Positioned.log, epoch(Positioned.lsn))
    next_nodeset = Metadata.at(Metadata.nodeset, Positioned.log, epoch(Positioned.lsn) + 1)
    same_nodeset = Metadata.at(Metadata.nodeset, Positioned.log, epoch(Positioned.lsn) + 0)
    next_acked = along(Positioned.log).next(lsn.when(acked))


def said(formula: Any) -> Rule:
    """A rule that says this of a place."""

    def one(place: Place) -> Bool:
        """Something is said."""
        return formula(place)  # type: ignore[no-any-return]  # a formula over a row

    one.__annotations__ = {"place": Place, "return": Bool}
    return rule("test.vacuity", cite="A document: a section")(one)


@pytest.mark.parametrize("found", RULES, ids=lambda found: found.id)
def test_every_rule_can_hold_and_can_be_violated(found: Rule) -> None:
    """And what can be unknown is unknown for want of a value, which the witness lacks."""
    outcomes = possible(found)
    assert says_something(outcomes) if not found.census else set(outcomes) >= {H, U}
    assert {outcome: witness.outcome(found) for outcome, witness in outcomes.items()} == {one: one for one in outcomes}
    if U in outcomes:
        witness = outcomes[U]
        tables = [row for rows in witness.tables.values() for row in rows.values()]
        missing = any(
            dimension not in witness.tables or not witness.tables[dimension] for dimension in found.dimensions
        )
        assert None in witness.row.values() or any(None in row.values() for row in tables) or missing or _clock(witness)


def _clock(witness: Witness) -> bool:
    """Two times so near to each other that clocks cannot order them."""
    return witness.parameters.clock_bound_ns > 0


@pytest.mark.parametrize(
    ("formula", "outcomes"),
    [
        (lambda place: place.acked.implies(place.acked), {H}),
        (lambda place: place.acked & ~place.acked, {V}),
        (lambda place: place.acked.implies(place.stored), {H, V}),
        (lambda place: place.claimed <= place.copies, {H, U, V}),
        (lambda place: place.earliest <= place.latest, {H, U}),
        (lambda place: place.latest < place.earliest, {U, V}),
        (lambda place: known(place.earliest).implies(place.stored), {H}),
        (lambda place: place.stored.implies(~place.copies.is_empty()), {H}),
        (lambda place: (place.copies.size() > 0).implies(place.stored), {H}),
        (lambda place: place.acked.implies(place.next_acked == place.lsn), {H}),
        (lambda place: known(place.next_acked).implies(place.next_acked >= place.lsn), {H}),
        (lambda place: known(place.nodeset).implies(place.nodeset.size() < 7), {H}),
        (
            lambda place: known(place.nodeset) & known(place.next_nodeset) & (place.nodeset <= place.next_nodeset),
            {H, V},
        ),
        (lambda place: known(place.nodeset).implies(place.nodeset <= place.same_nodeset), {H}),
        (lambda place: place.earliest.not_after(place.latest), {H, U}),
        (lambda place: place.latest.not_after(place.earliest), {H, U, V}),
    ],
    ids=range(16),
)
def test_what_cannot_be_is_not_found(formula: Any, outcomes: set[Outcome]) -> None:
    """Rules that are empty, wrong, or true of every row whatever a system does, are told apart."""
    found = possible(said(formula))
    assert set(found) == outcomes
    assert says_something(found) is ({H, V} <= outcomes)


def test_a_witness_can_be_looked_at() -> None:
    """Plain values, by column; dimensions by key."""
    witness = possible(said(lambda place: place.nodeset <= place.copies))[V]
    [(key, row)] = witness.tables[Metadata].items()
    assert key == (witness.row["log"], witness.row["lsn"] >> witness.parameters.low_bits)
    assert row["nodeset"] - witness.row["copies"]

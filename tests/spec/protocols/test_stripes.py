"""Stripes of ledgers: what the texts call covered, missing and replicated is what the schedule of the rules says.

Justified by BookKeeper, client/RoundRobinDistributionSchedule.java; ``spec.ledger.schedule`` answers its vectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations

import pytest

from spec.language.protocol import World
from spec.language.protocol.meaning import after, true
from spec.language.protocol.states import Row, State
from spec.language.protocol.world import BadWorld
from spec.ledger.coverage import write_set
from spec.ledger.schedule import Quorums, is_covered
from spec.protocols.ensemble_change import fragments
from spec.protocols.ledger import ensemble
from spec.protocols.ledger_parts import AckQuorum, WriteSet
from tests.support.stories import goals_broken, last

SIZES = [Quorums(3, 2, 1), Quorums(3, 2, 2), Quorums(3, 3, 2), Quorums(4, 2, 2), Quorums(4, 3, 2), Quorums(5, 3, 2)]


def small(sizes: Quorums) -> World:
    """A world of the text that changes ensembles, without a bookie to spare."""
    return fragments(sizes.ensemble, sizes.ensemble, sizes.write, sizes.ack, entries=1, fragments=1)


def subsets(members: int) -> Iterator[frozenset[int]]:
    """All sets of bookies."""
    return map(frozenset, chain.from_iterable(combinations(range(members), size) for size in range(members + 1)))


def says(world: World, name: str, args: Row, **rows: Sequence[Row]) -> bool:
    """Whether a definition holds of these elements in a state in which nothing else is so."""
    state = State.of({relation: rows.get(relation, []) for relation in world.protocol.relations})
    return true(world.protocol.definitions[name].body, world, state, dict(enumerate(args)))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_the_write_and_ack_quorums_are_those_of_the_schedule(sizes: Quorums) -> None:
    for world in (small(sizes), ensemble(sizes.ensemble, sizes.write, sizes.ack)):
        turns = {frozenset(write_set(entry, sizes.ensemble, sizes.write)) for entry in range(sizes.ensemble)}
        assert set(world.families[WriteSet]) == turns
        assert all(len(acks) == sizes.ack and any(acks <= turn for turn in turns) for acks in world.families[AckQuorum])


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_an_ensemble_is_covered_where_every_write_set_is(sizes: Quorums) -> None:
    """QuorumCoverageSet: of each write set fewer are silent than acknowledge an entry."""
    world, members = small(sizes), [(0, bookie) for bookie in range(sizes.ensemble)]
    for answered in subsets(sizes.ensemble):
        told = [(0, bookie) for bookie in answered]
        assert says(world, "covered", (0, 0), member=members, told=told) == is_covered(answered, sizes), answered
        assert says(ensemble(sizes.ensemble, sizes.write, sizes.ack), "covered", (0,), told=told) == (
            is_covered(answered, sizes)
        )


@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_an_entry_is_missing_or_replicated_by_its_own_write_set(sizes: Quorums) -> None:
    """ReadOpBase: W - A + 1 of the write set say no; AckSet: A of the write set have it. Others do not count."""
    world, mine = small(sizes), frozenset(write_set(1, sizes.ensemble, sizes.write))
    scheduled = [(0, bookie, 0) for bookie in mine]
    for some in subsets(sizes.ensemble):
        denied, accepted = [(0, bookie, 0) for bookie in some], [(bookie, 0) for bookie in some]
        missing = says(world, "missing", (0, 0, 0), scheduled=scheduled, denied=denied)
        assert missing == (len(some & mine) >= sizes.write - sizes.ack + 1), some
        replicated = says(world, "replicated", (0, 0), scheduled=scheduled, accepted=accepted)
        assert replicated == (len(some & mine) >= sizes.ack), some


def test_a_striped_ledger_changes_its_ensemble_and_is_recovered() -> None:
    """Three of four bookies, two for each entry: bookie 1 is replaced by 3, behind what is acknowledged.

    The recovery reads entries of the last fragment only: entry 0 it does not read.
    """
    world = fragments(bookies=4, ensemble=3, write=2, ack=2, entries=3, fragments=2)
    sets = {frozenset(one): number for number, one in enumerate(world.families[WriteSet])}
    two = {pair: sets[frozenset(map(int, pair))] for pair in ("01", "03", "23")}
    first = f"change 0 0 0, lay_out 0 0 {two['01']}, accept 0 0 0 0, accept 1 0 0 0, acknowledge 0 0 {two['01']}"
    then = f"change 1 1 2, lay_out 1 1 {two['23']}, lay_out 1 2 {two['03']}, accept 2 1 1 1"
    recovery = "begin 0, tell 0 0, tell 0 3, read 0 1 2 1, restore 0 1 2 1, restore 0 1 3 1, read 0 1 0 2"
    state = last(world, f"{first}, {then}, {recovery}, finish 0 1 2")
    assert state["ends"] == {(2,)}
    assert goals_broken(world, state) == []
    alone = last(world, f"{first}, {then}, begin 0, tell 0 0")
    assert after(world, alone, world.step("read", 0, 1, 2, 1)) is None


@pytest.mark.parametrize("sizes", [(2, 3, 2, 1), (3, 2, 3, 1), (3, 3, 2, 3), (3, 3, 3, 0)])
def test_sizes_that_do_not_fit_are_refused(sizes: tuple[int, int, int, int]) -> None:
    """BookKeeper, client/LedgerMetadataBuilder.java: E >= W >= A, and bookies for all of them."""
    with pytest.raises(BadWorld, match="bookies >= E >= W >= A >= 1"):
        fragments(*sizes)

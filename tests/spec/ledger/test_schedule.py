"""The distribution schedule of a ledger: Apache BookKeeper, client/RoundRobinDistributionSchedule.java."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spec.ledger.coverage import write_set
from spec.ledger.schedule import (
    Quorums,
    covering_sets,
    ensemble_set,
    has_entry,
    is_covered,
    moved,
    shipped_member,
    striped_to,
)

FIVE = Quorums(5, 3, 2)


def test_who_has_an_entry() -> None:
    """getWriteSet, getEnsembleSet, hasEntry: from the entry's own member on, round robin."""
    assert ensemble_set(8, FIVE) == (3, 4, 0, 1, 2)
    assert [member for member in range(5) if has_entry(8, member, FIVE)] == [0, 3, 4]


def test_what_a_member_has() -> None:
    """getEntriesStripedToTheBookie: three of each five entries, and each entry W times."""
    assert striped_to(0, 0, 0, FIVE) == (0,)
    assert striped_to(1, 4, 12, FIVE) == (4, 5, 6, 9, 10, 11)
    assert (
        sorted(entry for member in range(5) for entry in striped_to(member, 7, 9, FIVE)) == [7] * 3 + [8] * 3 + [9] * 3
    )


@pytest.mark.parametrize(("member", "first", "last"), [(5, 0, 1), (-1, 0, 1), (0, -1, 1), (0, 2, 1)])
def test_what_no_member_has(member: int, first: int, last: int) -> None:
    """Method getEntriesStripedToTheBookie refuses members and ranges that there are not."""
    with pytest.raises(ValueError, match="no entries"):
        striped_to(member, first, last, FIVE)


@pytest.mark.parametrize("sizes", [(3, 4, 2), (3, 2, 3), (3, 2, 0)])
def test_sizes_fit(sizes: tuple[int, int, int]) -> None:
    """LedgerMetadataBuilder.java: E >= W >= A."""
    with pytest.raises(ValueError, match="no ledger"):
        Quorums(*sizes).check()
    with pytest.raises(ValueError, match="no ledger"):
        covering_sets(Quorums(*sizes))


def test_coverage() -> None:
    """QuorumCoverageSet: two silent neighbours can keep an entry with A = 2 from being seen, others cannot."""
    assert is_covered(frozenset({0, 1, 3, 4}), FIVE)
    assert not is_covered(frozenset({0, 1, 4}), FIVE)
    assert not is_covered(frozenset({1, 3, 4}), FIVE)
    assert is_covered(frozenset({0, 2, 4}), Quorums(6, 2, 2)) is True


def test_covering_sets_are_counted() -> None:
    """Where E = W, any E - A + 1 members cover; striped, silent members may be apart."""
    assert covering_sets(Quorums(4, 4, 4)) == (15, 1)
    assert covering_sets(Quorums(4, 4, 1)) == (1, 4)
    assert covering_sets(Quorums(4, 2, 2)) == (1 + 4 + 2, 2)


@given(order=st.permutations(range(5)), place=st.integers(0, 4), to=st.integers(0, 4))
def test_moving_a_member(order: list[int], place: int, to: int) -> None:
    """moveAndShift: it stands where it was sent, the others keep their order, and the way back undoes it."""
    after = moved(order, place, to)
    assert after[to] == order[place]
    assert [member for member in after if member != order[place]] == [*order[:place], *order[place + 1 :]]
    assert list(moved(after, to, place)) == order


@pytest.mark.parametrize(("place", "to"), [(-1, 0), (0, 3), (3, 0)])
def test_places_that_there_are_not(place: int, to: int) -> None:
    """Method moveAndShift refuses them."""
    with pytest.raises(ValueError, match="no place"):
        moved((7, 8, 9), place, to)


def test_the_variant_as_shipped() -> None:
    """Method getWriteSetBookieIndex agrees up to entry 2147483646, and then names members below 0, or others."""
    for entry, step in product((0, 7, 2**31 - 3), range(3)):
        assert shipped_member(entry, step, FIVE) == write_set(entry, 5, 3)[step]
    assert [shipped_member(2**31 - 1, step, FIVE) for step in range(3)] == [2, -3, -2]
    assert [shipped_member(2**32 + 4, step, FIVE) for step in range(3)] == [4, 0, 1]
    assert write_set(2**32 + 4, 5, 3) == (0, 1, 2)

"""Control authority as gates that bid for a region. Synnax, cesium/internal/control."""

from __future__ import annotations

import pytest

from reference_impl.segment.gates import (
    CONTROLLED_TWICE,
    INVALID,
    UNAUTHORIZED,
    Bid,
    Regions,
    bid_anew,
    covered,
    is_authorized,
    opened,
    released,
)
from spec.segment.iterator.times import TimeRange

NEAR, FAR, BOTH = TimeRange(0, 10), TimeRange(20, 30), TimeRange(5, 25)


def after(*bids: Bid) -> Regions:
    regions: Regions = ()
    for bid in bids:
        regions = opened(regions, bid).regions
    return regions


def test_the_highest_authority_holds_and_of_equals_the_first() -> None:
    """Whoever bids more takes over at once, and gives way again."""
    regions = after(Bid("a", 5, NEAR), Bid("b", 5, NEAR), Bid("c", 9, NEAR))
    assert [is_authorized(regions, gate) for gate in "abc"] == [False, False, True]
    given = bid_anew(regions, "c", 1)
    assert (given.before, given.after) == (("c", 9), ("a", 5))
    assert is_authorized(released(regions, "c").regions, "a")


def test_in_a_shared_region_equals_write() -> None:
    """Every gate of at least the holder's authority."""
    regions = after(Bid("a", 5, NEAR), Bid("b", 5, NEAR), Bid("c", 4, NEAR))
    assert [is_authorized(regions, gate, is_shared=True) for gate in "abc"] == [True, True, False]


def test_a_region_covers_all_its_gates_and_ends_with_the_last() -> None:
    """So whoever asks for some of it meets them."""
    regions = after(Bid("a", 5, NEAR), Bid("b", 5, TimeRange(5, 15)))
    assert covered(regions, TimeRange(12, 13))
    ended = released(released(regions, "a").regions, "b")
    assert (ended.regions, ended.before, ended.after) == ((), ("b", 5), None)
    assert not covered(ended.regions, NEAR)


@pytest.mark.parametrize(
    ("bid", "error"),
    [
        (Bid("a", 9, NEAR), INVALID),
        (Bid("c", 9, BOTH), CONTROLLED_TWICE),
        (Bid("c", 5, NEAR, must_hold=True), UNAUTHORIZED),
        (Bid("c", 9, NEAR, must_be_first=True), UNAUTHORIZED),
    ],
)
def test_a_gate_that_is_refused_changes_nothing(bid: Bid, error: str) -> None:
    """Two gates of one name, a range over two regions, and a bid that is too low."""
    regions = after(Bid("a", 5, NEAR), Bid("b", 5, FAR))
    answer = opened(regions, bid)
    assert (answer.error, answer.regions) == (error, regions)


def test_as_shipped_a_gate_that_is_refused_widens_the_region() -> None:
    """Synnax, cesium/internal/control/region.go: the range grows before the authority is looked at."""
    bid = Bid("b", 1, TimeRange(5, 20), must_hold=True)
    wide = [covered(opened(after(Bid("a", 5, NEAR)), bid, refused_widens=flaw).regions, FAR) for flaw in (False, True)]
    assert wide == [False, False]
    assert covered(opened(after(Bid("a", 5, NEAR)), bid, refused_widens=True).regions, TimeRange(15, 16))

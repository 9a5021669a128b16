"""Placement policies: BookKeeper, client/*EnsemblePlacementPolicy*.java, against definitions by brute force."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from spec.ledger.coverage import write_set
from spec.ledger.placement.adherence import Adherence, Ensemble, anywhere, windows, worst
from spec.ledger.placement.racks import RackAware, rack_aware_as_shipped
from spec.ledger.placement.regions import RegionAware, region_aware_as_shipped
from spec.ledger.placement.zones import ZoneAware
from spec.ledger.schedule import Quorums

FAIL, SOFT, STRICT = Adherence
SIZES_MAX = 4
PLACES = {"a": "/x/u", "b": "/x/v", "c": "/y/u", "d": "/z/u"}
"""Three zones or regions, one of them with two domains; a fifth bookie is not known."""

ENSEMBLES = [one for size in range(1, SIZES_MAX + 1) for one in product([*PLACES, "e"], repeat=size)]
QUORUMS = [(write, ack) for write in range(1, SIZES_MAX + 1) for ack in range(1, write + 1)]


def entries_bookies(ensemble: Ensemble, write: int) -> list[list[str]]:
    """Who has each of as many entries as there are members."""
    return [[ensemble[member] for member in write_set(entry, len(ensemble), write)] for entry in range(len(ensemble))]


def regions(bookies: Ensemble | tuple[str, ...]) -> set[str]:
    """Where known ones are."""
    return {PLACES[bookie].split("/")[1] for bookie in bookies if bookie in PLACES}


def test_write_sets_go_round() -> None:
    """As entries do; one that is larger than what there is has bookies twice."""
    assert windows(("a", "b", "c"), 2) == entries_bookies(("a", "b", "c"), 2)
    assert windows(("a", "b"), 3) == [["a", "b", "a"], ["b", "a", "b"]]


@pytest.mark.parametrize("least", [1, 2, 3])
def test_rack_aware_by_brute_force(least: int) -> None:
    """Each entry's bookies are in enough racks."""
    policy = RackAware(PLACES, least)
    for ensemble, (write, ack) in product(ENSEMBLES, QUORUMS):
        if write <= len(ensemble):
            racks = [{PLACES[one] for one in bookies if one in PLACES} for bookies in entries_bookies(ensemble, write)]
            expected = STRICT if all(len(one) >= min(write, least) for one in racks) else FAIL
            assert policy(ensemble, Quorums(len(ensemble), write, ack)) is expected


def test_the_default_rack_may_be_refused() -> None:
    """By enforceMinNumRacksPerWriteQuorum."""
    quorums = Quorums(2, 2, 1)
    assert RackAware(PLACES, 2, default="/x/u")(("a", "b"), quorums) is STRICT
    assert RackAware(PLACES, 2, default="/x/u", refuses_default=True)(("a", "b"), quorums) is FAIL
    assert RackAware(PLACES, 0)((), quorums) is FAIL


def test_a_bookie_that_is_down_keeps_its_rack() -> None:
    """As it should be; as shipped, a good old placement fails once a bookie is down or read-only."""
    policy, quorums = RackAware(PLACES, 2), Quorums(2, 2, 1)
    assert policy(("a", "c"), quorums) is STRICT
    assert rack_aware_as_shipped(policy, {"a", "b"})(("a", "c"), quorums) is FAIL
    assert rack_aware_as_shipped(policy, {"a", "c"})(("a", "c"), quorums) is STRICT


@pytest.mark.parametrize(("least", "desired"), [(1, 2), (1, 3), (2, 3)])
def test_zone_aware_by_brute_force(least: int, desired: int) -> None:
    """Each entry's bookies are in enough zones, and no two of one zone have one upgrade domain to themselves."""
    policy = ZoneAware(PLACES, least, desired)
    for ensemble, (write, ack) in product(ENSEMBLES, QUORUMS):
        if write <= len(ensemble):
            expected = STRICT
            for bookies in entries_bookies(ensemble, write):
                zones = [PLACES[one].split("/")[1] for one in bookies if one in PLACES]
                alike = any(
                    zones.count(zone) > 1 and len({PLACES[one] for one in bookies if PLACES[one][1] == zone}) == 1
                    for zone in zones
                    if "e" not in bookies
                )
                if len(ensemble) % write or write <= least or "e" in bookies or len(set(zones)) < least or alike:
                    expected = FAIL
                elif len(set(zones)) < min(write, desired) and expected is STRICT:
                    expected = SOFT
            assert policy(ensemble, Quorums(len(ensemble), write, ack)) is expected, (ensemble, write)


@pytest.mark.parametrize("location", ["", "/zone", "/zone/ud/rack", "zone/ud", "//ud", "/default/ud"])
def test_a_location_is_a_zone_and_an_upgrade_domain(location: str) -> None:
    """And not the one that stands for an unknown one."""
    policy = ZoneAware(PLACES | {"a": location}, 1, 2, default="/default/ud")
    assert policy(("a", "c"), Quorums(2, 2, 1)) is FAIL
    assert policy(("b", "c"), Quorums(2, 2, 1)) is STRICT
    assert policy((), Quorums(2, 2, 1)) is FAIL


@pytest.mark.parametrize("least", [1, 2, 3])
def test_region_aware_by_brute_force(least: int) -> None:
    """Strict if every ack quorum is in enough regions, soft if every write set is."""
    policy = RegionAware(PLACES, least)
    for ensemble, (write, ack) in product(ENSEMBLES, QUORUMS):
        if write <= len(ensemble):
            sets = entries_bookies(ensemble, write)
            written = all(len(regions(bookies)) >= least for bookies in sets)
            acked = all(len(regions(some)) >= least for bookies in sets for some in combinations(bookies, ack))
            expected = FAIL if not written else STRICT if acked else SOFT
            assert policy(ensemble, Quorums(len(ensemble), write, ack)) is expected, (ensemble, write, ack)


def test_as_shipped_regions_do_not_matter() -> None:
    """Issue 1898: any ensemble will do; the default policy means it."""
    quorums = Quorums(2, 2, 2)
    assert RegionAware(PLACES, 2)(("a", "b"), quorums) is FAIL
    assert RegionAware(PLACES, 2)((), quorums) is FAIL
    assert region_aware_as_shipped(("a", "b"), quorums) is STRICT
    assert anywhere(("a", "a"), quorums) is STRICT


def test_a_ledger_adheres_as_its_worst_segment_does() -> None:
    """replication/AuditorPlacementPolicyCheckTask.java: one category a ledger."""
    assert [worst(one) for one in ([STRICT], [STRICT, SOFT], [SOFT, FAIL, STRICT])] == [STRICT, SOFT, FAIL]

"""f-majority and copysets, by the examples of the sources; each test names the sentence that it rests on.

LogDevice, Read path, Gap detection algorithm and Authoritative Status; common/FailureDomainNodeSet-inl.h and
common/test/FailureDomainTest.cpp for what the document leaves open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from spec.log.quorum import Authority, authority, is_complete, is_f_majority, is_f_majority_as_written
from spec.log.replication import can_replicate, is_exact_copyset
from spec.log.status import Status
from spec.log.topology import Topology, read_location

FIVE = Topology.flat(5)
TEN_IN_FIVE_RACKS = Topology.of([f"eu.d.c.w.r{node // 2}" for node in range(10)])
UNEVEN = Topology.of([f"eu.d.c.w.{rack}" for rack in "abcccccc"])
TWO_REGIONS = Topology.of(["eu", "eu", "eu", "us", "us", "us"])


def says(
    topology: Topology, replication: Mapping[str, int], heard: Iterable[int], **status: Iterable[int]
) -> Authority:
    """How far answers may be trusted; other statuses by their names in small letters."""
    given = {node: Status(name.upper()) for name, nodes in status.items() for node in nodes}
    statuses = [given.get(node, Status.FULLY_AUTHORITATIVE) for node in range(len(topology.locations))]
    values = {
        "heard": frozenset(heard),
        "nonempty": frozenset(node for node, status in enumerate(statuses) if status.may_hold),
        "authoritative": frozenset(node for node, status in enumerate(statuses) if status.counts),
        "replication": replication,
    }
    parameters = topology.parameters()
    return authority(f_majority=is_f_majority.value(parameters, values), complete=is_complete.value(parameters, values))


def fits(topology: Topology, replication: Mapping[str, int], *nodes: int) -> bool:
    """Whether nodes can hold a whole record."""
    found = can_replicate.value(topology.parameters(), {"nodes": frozenset(nodes), "replication": replication})
    assert isinstance(found, bool)
    return found


NONE, NON = Authority.NONE, Authority.NON_AUTHORITATIVE
SOME, ALL = Authority.AUTHORITATIVE_INCOMPLETE, Authority.AUTHORITATIVE_COMPLETE


def test_five_nodes() -> None:
    """Gap detection: R is 3 and the nodeset size 5; less than 3 nodes have answered: stalled. Then N1 answers."""
    assert says(FIVE, {"node": 3}, [2, 4]) is NONE
    assert says(FIVE, {"node": 3}, [0, 2, 4]) is SOME
    assert says(FIVE, {"node": 3}, range(5)) is ALL


@pytest.mark.parametrize(("copies", "needed"), [(1, 5), (2, 4), (3, 3), (4, 2), (5, 1)])
def test_nodeset_minus_copies_plus_one(copies: int, needed: int) -> None:
    """Gap detection: an f-majority is |nodeset|-R+1 nodes, where R is the replication factor."""
    assert says(FIVE, {"node": copies}, range(needed)).name.startswith("AUTHORITATIVE")
    assert says(FIVE, {"node": copies}, range(needed - 1)) is NONE


def test_five_racks() -> None:
    """Gap detection: Rrack 2 of 5 racks needs "all of the nodes on 4 racks"; three and two halves are not four."""
    assert says(TEN_IN_FIVE_RACKS, {"node": 2, "rack": 2}, range(8)) is SOME
    assert says(TEN_IN_FIVE_RACKS, {"node": 2, "rack": 2}, [0, 1, 2, 3, 4, 5, 6, 8]) is NONE


def test_any_one_domain() -> None:
    """Gap detection: "You have f-majority if you have f-majority for any one replication domain"; here by nodes."""
    assert says(TEN_IN_FIVE_RACKS, {"node": 3, "rack": 2}, [0, 1, 2, 3, 4, 5, 6, 8]) is SOME


def test_racks_count_only_when_whole() -> None:
    """common/FailureDomainNodeSet-inl.h counts complete domains: of racks {1}, {1}, {6}, two nodes may be enough."""
    assert says(UNEVEN, {"node": 3, "rack": 2}, [0, 1]) is SOME
    assert says(UNEVEN, {"node": 3, "rack": 2}, [0, 2, 3, 4, 5]) is NONE
    assert says(UNEVEN, {"node": 3, "rack": 2}, [0, 2, 3, 4, 5, 6]) is SOME


def test_the_complement_holds_no_copyset() -> None:
    """Gap detection: the complement of the f-majority cannot contain a copyset."""
    replication = {"node": 3, "rack": 2}
    assert not fits(UNEVEN, replication, *range(2, 8))
    assert fits(UNEVEN, replication, 1, 6, 7)


def test_copies_are_spread() -> None:
    """LogDevice, Write path: copies lie in different nodes and in as many racks as the property names."""
    replication = {"node": 3, "rack": 2}
    assert not fits(TEN_IN_FIVE_RACKS, replication, 0, 1)
    assert not fits(TEN_IN_FIVE_RACKS, replication, 0, 2)
    assert fits(TEN_IN_FIVE_RACKS, replication, 0, 1, 2)


def test_a_scope_that_adds_nothing_is_not_asked() -> None:
    """common/FailureDomainNodeSet.h: rack 2 beside region 2 adds nothing, even where no node has a rack."""
    assert fits(TWO_REGIONS, {"node": 3, "rack": 2, "region": 2}, 0, 1, 3)
    assert not fits(TWO_REGIONS, {"node": 3, "rack": 3, "region": 2}, 0, 1, 3)


def test_shards_of_one_node_are_two_shards_and_one_node() -> None:
    """common/FailureDomainNodeSet.h: a shard is a domain of its own, whatever the property names."""
    two_shards_each = Topology(tuple({"node": f"n{shard // 2}"} for shard in range(6)))
    assert fits(two_shards_each, {"shard": 3}, 0, 1, 2)
    assert not fits(two_shards_each, {"node": 3}, 0, 1, 2)
    assert fits(two_shards_each, {"node": 3}, 0, 2, 4)


def test_exact_copysets() -> None:
    """common/CopySetSelector.h: a copyset has as many members as the greatest factor, no more."""
    parameters = TEN_IN_FIVE_RACKS.parameters()
    replication = {"node": 3, "rack": 2}
    sizes = {
        size
        for size in range(11)
        if is_exact_copyset.value(parameters, {"copyset": frozenset(range(size)), "replication": replication})
    }
    assert sizes == {3}


def test_one_node_is_empty() -> None:
    """Authoritative Status: N5 is treated as if it was never in the nodeset, which only contains 6 nodes."""
    seven = Topology.flat(7)
    assert says(seven, {"node": 3}, [0, 1, 2, 3]) is NONE
    assert says(seven, {"node": 3}, [0, 1, 2, 3], authoritative_empty=[4]) is SOME
    assert says(seven, {"node": 3}, [0, 1, 2, 4], authoritative_empty=[4]) is NONE, "its own answer counts for nothing"


def test_all_that_is_silent_is_underreplicated() -> None:
    """Authoritative Status: all that do not answer are UNDERREPLICATION: a gap, although there is no f-majority."""
    assert says(FIVE, {"node": 3}, [0, 1], underreplication=[2, 3, 4]) is NON
    assert says(FIVE, {"node": 3}, [0], underreplication=[2, 3, 4]) is NONE
    assert says(FIVE, {"node": 3}, range(5), underreplication=[2, 3, 4]) is NON, "what is gone cannot answer"


def test_a_node_that_is_down_must_be_waited_for() -> None:
    """common/FailureDomainNodeSet-inl.h counts UNAVAILABLE among those that must answer; the document does not."""
    assert says(FIVE, {"node": 3}, [0, 1], unavailable=[2], underreplication=[3, 4]) is NONE
    assert says(FIVE, {"node": 3}, [0, 1, 2], unavailable=[2], underreplication=[3, 4]) is ALL


def test_one_lost_node_spoils_its_rack() -> None:
    """common/FailureDomainNodeSet-inl.h: a domain is complete only if every node in it that is not empty counts."""
    replication = {"node": 3, "rack": 2}
    assert says(UNEVEN, replication, [0, 1], underreplication=[7]) is SOME, "one rack may go"
    assert says(UNEVEN, replication, [0, 1], underreplication=[1, 7]) is NONE, "two may not"


def test_nobody_counts() -> None:
    """All UNDERREPLICATION: not authoritative, whoever answered. All AUTHORITATIVE_EMPTY: authoritative, likewise."""
    for heard in ([], [0, 1, 2, 3, 4]):
        assert says(FIVE, {"node": 3}, heard, underreplication=range(5)) is NON
        assert says(FIVE, {"node": 3}, heard, authoritative_empty=range(5)) is ALL


@pytest.mark.parametrize(
    ("topology", "replication", "empty"),
    [
        (TWO_REGIONS, {"node": 3, "region": 2}, [3, 4, 5]),
        (FIVE, {"node": 6}, []),
        (FIVE, {"node": 3, "rack": 2}, []),
        (FIVE, {"node": 3}, [0, 1, 2]),
    ],
    ids=["a region is empty", "fewer nodes than copies", "no node has a rack", "too few are left"],
)
def test_vacuous_f_majorities(topology: Topology, replication: dict[str, int], empty: list[int]) -> None:
    """common/test/FailureDomainTest.cpp, MultiScopeFMajorityWholeRegionIsEmpty: nothing could be stored."""
    assert says(topology, replication, [], authoritative_empty=empty) is SOME
    assert not fits(topology, replication, *(set(range(len(topology.locations))) - set(empty)))


def test_two_f_majorities_need_not_meet() -> None:
    """They meet every copyset, not each other, when |nodeset| < 2R - 1: why recovery needs copysets besides."""
    assert says(FIVE, {"node": 4}, [0, 1]) is SOME
    assert says(FIVE, {"node": 4}, [2, 3]) is SOME


def test_the_formula_as_written() -> None:
    """To the letter: |nodeset|-R+1 nodes, or |num_racks|-Rrack+1 whole racks; statuses play no part."""
    parameters = UNEVEN.parameters()
    everyone = frozenset(range(8))

    def written(heard: Iterable[int], **replication: int) -> object:
        return is_f_majority_as_written.value(
            parameters, {"heard": frozenset(heard), "nodeset": everyone, "replication": replication}
        )

    assert written([0, 1], node=3, rack=2) is True
    assert written([0, 2, 3, 4, 5], node=3, rack=2) is False
    assert written(range(6), node=3) is True
    assert written(range(5), node=3) is False
    assert written([], region=2) is True, "one region, two asked for: nothing could be stored"


@pytest.mark.parametrize(
    ("f_majority", "complete", "said"),
    [(True, True, ALL), (True, False, SOME), (False, True, NON), (False, False, NONE)],
)
def test_the_two_questions_together(f_majority: bool, complete: bool, said: Authority) -> None:
    """common/FailureDomainNodeSet.h, FmajorityResult."""
    assert authority(f_majority=f_majority, complete=complete) is said


def test_locations() -> None:
    """include/node_location_scopes.inc: from the region down to the rack, parts may be left out."""
    assert read_location("eu.d1.c1.w1.r1") == {
        "region": "eu",
        "data_center": "d1",
        "cluster": "c1",
        "row": "w1",
        "rack": "r1",
    }
    assert read_location("eu....r1") == {"region": "eu", "rack": "r1"}
    assert read_location("") == {}
    with pytest.raises(ValueError, match="has 6 parts"):
        read_location("a.b.c.d.e.f")


def test_racks_of_one_name_in_two_regions_are_two() -> None:
    """common/NodeLocation.h: a location names the whole way down."""
    domains = Topology.of(["eu....r1", "us....r1", "us....r1", ""]).domains()
    assert domains["rack"] == (frozenset({0}), frozenset({1, 2}))
    assert domains["region"] == (frozenset({0}), frozenset({1, 2}))
    assert len(domains["node"]) == 4
    assert domains["row"] == ()


@pytest.mark.parametrize(
    ("status", "may_hold", "counts"),
    [
        (Status.FULLY_AUTHORITATIVE, True, True),
        (Status.UNAVAILABLE, True, True),
        (Status.UNDERREPLICATION, True, False),
        (Status.AUTHORITATIVE_EMPTY, False, False),
    ],
)
def test_statuses(status: Status, may_hold: bool, counts: bool) -> None:
    """common/AuthoritativeStatus.h."""
    assert (status.may_hold, status.counts) == (may_hold, counts)

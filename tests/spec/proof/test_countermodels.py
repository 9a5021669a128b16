"""Counter-models are topologies and plain values that people can read; the meaning of terms judges each again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from spec.language.parameters import Parameters
from spec.log.quorum import is_complete
from spec.log.replication import can_replicate, is_exact_copyset
from spec.proof.countermodels import CounterModel
from spec.proof.proofs import Proof, Status
from spec.proof.quorum.copysets import EXACT
from spec.proof.quorum.limits import CAPPED_RACKS, CROSSING_SCOPES, ONE_ANSWER_PER_RACK
from spec.proof.quorum.majority import NEED_NOT_MEET, SOUND, TIGHT
from spec.proof.quorum.status import COMPLETE_AS_WRITTEN, VACUOUS_WITHOUT_CONTRACT
from spec.proof.small import SmallWorld, smallest_counter_model
from spec.proof.theorems import Theorem, is_located, is_nested, subsets

pytestmark = pytest.mark.z3


def smallest(theorem: Theorem) -> CounterModel:
    """The smallest values that refute a theorem."""
    counter = smallest_counter_model(theorem).counter
    assert counter is not None
    return counter


def test_a_counter_model_is_read_in_a_few_lines() -> None:
    """Nodes and copies; who is in which rack; who answered, and where the copies lie."""
    racks = (frozenset({0, 1}), frozenset({2}))
    counter = CounterModel(
        Parameters(3, {"node": tuple(frozenset({node}) for node in range(3)), "rack": racks, "data_center": ()}),
        {
            "heard": frozenset({0}),
            "copyset": frozenset({1, 2}),
            "nodeset": frozenset({0, 1, 2}),
            "ack_quorum": 2,
            "sealed": True,
            "replication": {"rack": 2},
        },
    )
    assert str(counter).splitlines() == [
        "3 nodes, ack quorum 2, sealed yes, replication rack 2",
        "racks {0, 1} {2}",
        "data centers none",
        "nodeset {0-2}, copyset {1, 2}, heard {0}",
    ]


def test_one_node_and_nothing_asked() -> None:
    """Few words for little; nodes in a row are told by the first and the last."""
    alone = CounterModel(Parameters(1), {"heard": frozenset(), "replication": {}, "sealed": False})
    assert str(alone) == "1 node, replication none, sealed no\nheard {}"
    many = CounterModel(Parameters(12), {"heard": frozenset({0, 1, 3, 4, 5, 11})})
    assert str(many) == "12 nodes\nheard {0, 1, 3-5, 11}"


def test_the_smallest_is_also_the_lightest() -> None:
    """Fewest nodes, then fewest copies and smallest sets: so these can be said exactly."""
    assert smallest(NEED_NOT_MEET).values["replication"] == {"node": 2}
    weak = smallest(ONE_ANSWER_PER_RACK)
    assert weak.values["replication"] == {"rack": 2}
    assert (len(weak.values["heard"]), len(weak.values["copyset"])) == (1, 2)
    assert sorted(map(len, weak.parameters.domains["rack"])) == [1, 2]
    capped = smallest(CAPPED_RACKS)
    assert (capped.values["cap"], list(capped.parameters.domains["rack"])) == (1, [frozenset({0, 1})])


def test_domains_that_cross() -> None:
    """Three racks and three regions, each choice of three nodes short of one: no rack lies inside a region."""
    counter = smallest(CROSSING_SCOPES)
    assert counter.values["replication"] == {"shard": 3, "rack": 3, "region": 3}
    assert not is_nested(counter.parameters)
    assert is_located(counter.parameters, counter.values["replication"])


def test_a_choice_is_refuted_only_if_every_choice_fails() -> None:
    """A statement that something exists is false of values when nothing that could be chosen will do."""
    counter = smallest(CROSSING_SCOPES)
    enough = replace(CROSSING_SCOPES, claim=can_replicate.term, choice="nodes", hypotheses={})
    assert counter.replays(CROSSING_SCOPES)
    assert not counter.replays(enough)


def test_the_written_rule_takes_a_node_that_is_down_for_one_that_lost_its_data() -> None:
    """Authoritative Status says "all nodes that are FULLY_AUTHORITATIVE"; common/AuthoritativeStatus.h knows better."""
    values = smallest(COMPLETE_AS_WRITTEN).values
    assert values["copyset"] == values["unavailable"] == frozenset({0})
    assert values["heard"] == frozenset()
    assert (
        is_complete.value(Parameters(1), {"heard": values["heard"], "authoritative": values["authoritative"]}) is False
    )


def test_nobody_was_asked() -> None:
    """An empty node with a copy left: whoever answers is an f-majority of no nodes at all."""
    values = smallest(VACUOUS_WITHOUT_CONTRACT).values
    assert values["heard"] == values["nonempty"] == frozenset()
    assert values["copyset"] == frozenset({0})


def test_without_locations_an_exact_copyset_may_not_fit() -> None:
    """A node without a rack may be the only one of its region: then more copies are needed than were asked for."""
    counter = smallest(EXACT.without("located"))
    assert not is_located(counter.parameters, counter.values["replication"])
    assert is_nested(counter.parameters)


def test_an_exact_copyset_is_found_by_trying_all() -> None:
    """Brute force over all choices agrees with theorem EXACT."""
    example = SmallWorld(EXACT, 4).example()
    assert example is not None
    exact = [
        few
        for few in subsets(4)
        if is_exact_copyset.value(example.parameters, {"copyset": few, "replication": example.values["replication"]})
    ]
    assert example.values["copyset"] in exact
    assert not example.replays(EXACT)


def test_a_counter_model_must_break_the_claim() -> None:
    """Values that satisfy everything are no counter-model; nor is a refutation without one as expected."""
    example = SmallWorld(SOUND, 4).example()
    assert example is not None
    assert not example.replays(SOUND)
    assert example.values["heard"]
    assert example.values["copyset"]
    assert not Proof(NEED_NOT_MEET, "nowhere", Status.REFUTED, 0.0).as_expected
    assert not Proof(NEED_NOT_MEET, "nowhere", Status.UNDECIDED, 0.0).as_expected


def test_shapes_of_topologies() -> None:
    """The plain reading of ``nested`` and ``located``, by which counter-models are replayed."""
    example = SmallWorld(TIGHT, 3).example()
    assert example is not None
    parameters = replace(
        example.parameters,
        domains={"rack": (frozenset({0, 1}), frozenset({2})), "region": (frozenset({0, 1, 2}),)},
    )
    assert is_nested(parameters)
    assert is_located(parameters, {"shard": 2, "rack": 2})
    assert not is_located(parameters, {"row": 1})
    crossed = replace(parameters, domains={"rack": (frozenset({0, 1}),), "region": (frozenset({1, 2}),)})
    assert not is_nested(crossed)
    assert not is_located(crossed, {"region": 1})

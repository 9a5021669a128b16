"""The tally and the blocking set agree with the definitions: they count faster, and say nothing of their own.

``spec.log.quorum`` and ``spec.log.replication`` are the rule (LogDevice, common/FailureDomainNodeSet-inl.h).
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from spec.language.parameters import Parameters
from spec.log.blocking import hiding_place, still_needed
from spec.log.quorum import authority, is_complete, is_f_majority
from spec.log.replication import can_replicate, is_exact_copyset
from spec.log.status import Status
from spec.log.tally import Layout, Tally
from spec.log.topology import Topology
from spec.proof.theorems import is_located

SCOPES = ("rack", "cluster", "region")
STATUSES = st.sampled_from(Status)


@st.composite
def topologies(draw: st.DrawFn, most: int = 14) -> Topology:
    """Nodes with locations, some of which leave out scopes; some nodes have two shards."""
    names = {"rack": "abcd", "cluster": "kl", "region": "xy"}
    located = draw(st.booleans())
    hosts = [
        {"node": f"n{number}"}
        | {scope: draw(st.sampled_from(names[scope])) for scope in SCOPES if located or draw(st.integers(0, 3))}
        for number in range(draw(st.integers(0, most)))
    ]
    shards = [host for host in hosts for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    return Topology(tuple(shards[:most]))


replications = st.dictionaries(st.sampled_from(["shard", "node", *SCOPES]), st.integers(1, 4), max_size=3)


@st.composite
def tallies(draw: st.DrawFn, most: int = 14) -> tuple[Parameters, dict[str, int], Tally]:
    """A tally in some state, with what it was made for."""
    parameters = draw(topologies(most)).parameters()
    replication = draw(replications)
    nodes = list(range(parameters.size))
    nodeset = [node for node in nodes if draw(st.integers(0, 7))]
    statuses = {node: draw(STATUSES) for node in nodes if not draw(st.integers(0, 3))}
    tally = Tally(Layout.of(parameters, replication), nodeset, statuses)
    for node in nodes:
        if draw(st.booleans()):
            tally.hear(node)
    return parameters, replication, tally


def values(tally: Tally, replication: Mapping[str, int], *more: int) -> dict[str, Any]:
    """What the definitions take, with a few more answers."""
    return {
        "heard": frozenset(tally.heard) | frozenset(more),
        "nonempty": frozenset(node for node, status in tally.status.items() if status.may_hold),
        "authoritative": frozenset(node for node, status in tally.status.items() if status.counts),
        "replication": replication,
    }


@given(tallies())
def test_the_tally_says_what_the_definitions_say(drawn: tuple[Parameters, dict[str, int], Tally]) -> None:
    """f-majority, completeness and authority, for any topology, statuses and answers."""
    parameters, replication, tally = drawn
    said = values(tally, replication)
    f_majority = is_f_majority.value(parameters, said)
    complete = is_complete.value(parameters, said)
    assert tally.is_f_majority() is f_majority
    assert tally.is_complete() is complete
    assert tally.authority() is authority(f_majority=f_majority, complete=complete)
    assert tally.hidden() == said["nonempty"] - (said["heard"] & said["authoritative"])


@given(tallies(most=9))
def test_no_smaller_set_of_answers_is_enough(drawn: tuple[Parameters, dict[str, int], Tally]) -> None:
    """``still_needed`` is enough, and brute force over all further answers finds nothing smaller."""
    parameters, replication, tally = drawn
    silent = [node for node, status in tally.status.items() if status.counts and node not in tally.heard]
    sizes = (
        size
        for size in range(len(silent) + 1)
        for more in combinations(silent, size)
        if is_f_majority.value(parameters, values(tally, replication, *more))
    )
    fewest = next(sizes, None)
    needed = still_needed(tally)
    assert (None if needed is None else len(needed)) == fewest
    if needed is not None:
        assert is_f_majority.value(parameters, values(tally, replication, *needed))
        assert needed <= set(silent)


@given(tallies())
def test_a_record_hides_exactly_where_there_is_no_f_majority(drawn: tuple[Parameters, dict[str, int], Tally]) -> None:
    """Theorems SOUND and TIGHT, made concrete: a hiding place is a set that can hold a record; EXACT: of least size."""
    parameters, replication, tally = drawn
    place = hiding_place(tally.layout, tally.hidden())
    assert (place is None) is tally.is_f_majority()
    if place is not None:
        assert place <= tally.hidden()
        assert can_replicate.value(parameters, {"nodes": place, "replication": replication})
        if replication and is_located(parameters, replication):
            assert is_exact_copyset.value(parameters, {"copyset": place, "replication": replication})


class TallyMachine(RuleBasedStateMachine):
    """Answers come and go, statuses change, tallies are copied: the counts stay those of a tally begun afresh."""

    @initialize(topology=topologies(), replication=replications)
    def begin(self, topology: Topology, replication: dict[str, int]) -> None:
        """All nodes are asked."""
        self.parameters = topology.parameters()
        self.tally = Tally(Layout.of(self.parameters, replication), range(self.parameters.size))

    @rule(node=st.integers(0, 13))
    def hear(self, node: int) -> None:
        """A node answers, perhaps again, perhaps one that was not asked."""
        self.tally.hear(node)

    @rule(node=st.integers(0, 13))
    def unhear(self, node: int) -> None:
        """A node's answer counts no more."""
        self.tally.unhear(node)

    @rule(node=st.integers(0, 13), status=STATUSES)
    def mark(self, node: int, status: Status) -> None:
        """A node's status changes."""
        self.tally.mark(node, status)

    @rule(node=st.integers(0, 13))
    def continue_with_a_copy(self, node: int) -> None:
        """What happens to a copy does not happen to the original."""
        original, before = self.tally, counts(self.tally)
        self.tally = original.copy()
        self.tally.hear(node)
        self.tally.mark(node, Status.UNDERREPLICATION)
        assert counts(original) == before

    @invariant()
    def counts_are_those_of_a_fresh_tally(self) -> None:
        """Whatever the way to this state."""
        if hasattr(self, "tally"):
            fresh = Tally(self.tally.layout, self.tally.status, self.tally.status)
            for node in self.tally.heard:
                fresh.hear(node)
            assert counts(self.tally) == counts(fresh)


def counts(tally: Tally) -> tuple[Any, ...]:
    """All that a tally keeps."""
    hidden = [{domain: number for domain, number in found.items() if number} for found in tally.hidden_in]
    return dict(tally.status), set(tally.heard), tally.silent, list(tally.touched), hidden


TestTallyMachine = TallyMachine.TestCase


def test_nothing_can_be_enough() -> None:
    """LogDevice, Read path, Authoritative Status: with three nodes lost of five, R 3, no answers are an f-majority."""
    parameters = Topology.flat(5).parameters()
    tally = Tally(Layout.of(parameters, {"node": 3}), range(5), dict.fromkeys((0, 1, 2), Status.UNDERREPLICATION))
    assert still_needed(tally) is None
    tally.mark(0, Status.AUTHORITATIVE_EMPTY)
    assert still_needed(tally) == frozenset({3, 4}), "no copyset of three lies in the two that are lost"


def test_the_cheapest_racks_are_asked() -> None:
    """Racks {1}, {1}, {6}, two of them needed: the two nodes that are alone in their racks."""
    parameters = Topology.of([f"eu.d.c.w.{rack}" for rack in "abcccccc"]).parameters()
    tally = Tally(Layout.of(parameters, {"node": 3, "rack": 2}), range(8))
    assert still_needed(tally) == frozenset({0, 1})
    tally.hear(0)
    assert still_needed(tally) == frozenset({1})
    assert hiding_place(tally.layout, tally.hidden()) == frozenset({1, 2, 3})

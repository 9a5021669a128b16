"""What f-majority achieves is proved from the rules' own text, and each proof shows that it says something.

LogDevice, Read path, Gap detection algorithm: "By definition, the complement of the f-majority cannot contain a copy
set". A theorem counts only if its hypotheses can be true together and none of them can be spared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import pytest

from spec.language.handles import Bool, known
from spec.language.quantifiers import count, domains
from spec.language.terms import Lit, Op, Term
from spec.log.quorum import is_f_majority
from spec.log.replication import can_replicate, is_exact_copyset
from spec.proof.each_scope import parts, scope_by_scope
from spec.proof.prove import FEW_NODES, MOST_NODES, check, quorum_proofs
from spec.proof.quorum import (
    COMPLETE_AS_WRITTEN,
    COPYSET,
    EXACT,
    NODESET,
    QUORUMS_MEET,
    SOUND,
    THEOREMS,
    TIGHT,
    UNBOUNDED,
    WRITTEN_IS_SOUND,
)
from spec.proof.small import SmallWorld
from spec.proof.theorems import CounterModel, Status, Theorem, is_located, is_nested
from spec.proof.unbounded import Cardinalities

pytestmark = pytest.mark.z3


def named(theorem: Theorem) -> str:
    return theorem.name


@pytest.mark.parametrize("theorem", THEOREMS, ids=named)
def test_every_topology_to_six_nodes(theorem: Theorem) -> None:
    """Racks and regions as z3 likes, any replication property; with an example, and no idle hypothesis."""
    checked = check(theorem)
    print(checked.proof)
    assert checked.proof.as_expected
    assert checked.complaints == []


@pytest.mark.slow
@pytest.mark.parametrize("theorem", THEOREMS, ids=named)
def test_hosts_with_several_shards(theorem: Theorem) -> None:
    """The same where shards share hosts, which share racks, which share regions."""
    proof = SmallWorld(MOST_NODES, ("node", "rack", "region")).prove(theorem)
    print(proof)
    assert proof.as_expected


@pytest.mark.parametrize("theorem", UNBOUNDED, ids=named)
def test_any_number_of_nodes_and_domains(theorem: Theorem) -> None:
    """Arithmetic of cardinalities, at all seven scopes at once."""
    proof = Cardinalities(theorem).prove()
    print(proof)
    assert proof.as_expected
    assert proof.counter is None or proof.counter.replays(theorem)


@pytest.mark.parametrize("theorem", [SOUND, TIGHT, QUORUMS_MEET], ids=named)
def test_no_hypothesis_is_idle_without_a_bound(theorem: Theorem) -> None:
    """Counter-models of cardinalities are topologies, too: they replay."""
    for name in theorem.spare:
        weaker = theorem.without(name)
        counter = Cardinalities(weaker, ("rack",)).prove().counter
        assert counter is not None, name
        assert counter.replays(weaker)
        assert not counter.replays(theorem)


def test_each_scope_by_itself() -> None:
    """So the number of scopes does not matter: one proof for each way to have an f-majority."""
    proofs = scope_by_scope(SOUND)
    assert [proof.status for proof in proofs] == [Status.PROVED] * len(parts("or", is_f_majority.term))
    weaker = SOUND.without("only nodes that may hold records count")
    assert {proof.status for proof in scope_by_scope(weaker)} == {Status.REFUTED}


def test_all_proofs_are_listed() -> None:
    """What the command runs: every theorem, small and unbounded, and every scope."""
    proofs = list(quorum_proofs())
    assert len(proofs) == len(THEOREMS) + len(UNBOUNDED) + 13
    assert all(proof.as_expected for proof in proofs)
    assert "proved" in str(proofs[0])
    assert SOUND.name in str(proofs[0])


def subsets(nodes: frozenset[int]) -> Iterator[frozenset[int]]:
    few = sorted(nodes)
    return map(frozenset, chain.from_iterable(combinations(few, size) for size in range(len(few) + 1)))


def test_without_locations_an_exact_copyset_may_not_fit() -> None:
    """A node without a rack may be the only one of its region: then more copies are needed than were asked for."""
    weaker = EXACT.without("located")
    counter = SmallWorld(FEW_NODES).prove(weaker).counter
    assert counter is not None
    assert not is_located(counter.parameters, counter.values["replication"])
    assert is_nested(counter.parameters)
    replication = counter.values["replication"]
    stored = {"nodes": counter.values["nodeset"], "replication": replication}
    assert can_replicate.value(counter.parameters, stored) is True
    assert not is_exact_copyset.value(
        counter.parameters, {"copyset": counter.values["copyset"], "replication": replication}
    )


def test_the_widest_choice_is_an_exact_copyset_if_any_is() -> None:
    """Brute force over all choices agrees with the one that theorem EXACT makes."""
    example = SmallWorld(FEW_NODES).example(EXACT)
    assert example is not None
    exact = [
        members
        for members in subsets(example.values["nodeset"])
        if is_exact_copyset.value(
            example.parameters, {"copyset": members, "replication": example.values["replication"]}
        )
    ]
    assert example.values["copyset"] in exact
    assert {len(members) for members in exact} == {example.values["copies"]}


def test_the_written_rule_takes_a_node_that_is_down_for_one_that_lost_its_data() -> None:
    """Authoritative Status says "all nodes that are FULLY_AUTHORITATIVE"; common/AuthoritativeStatus.h knows better."""
    counter = SmallWorld(FEW_NODES).prove(COMPLETE_AS_WRITTEN).counter
    assert counter is not None
    lost = counter.values["nonempty"] - counter.values["authoritative"]
    assert counter.values["copyset"] - lost <= counter.values["unavailable"]


@pytest.mark.parametrize("theorem", [SOUND, TIGHT], ids=named)
def test_a_wrong_rule_is_refuted(theorem: Theorem) -> None:
    """One answer fewer than |nodeset| - R + 1, and the proofs break."""

    def weaker(term: Term) -> Term:
        """The same formula with >= for every > between sums."""
        if isinstance(term, Op) and term.name == ">" and isinstance(term.args[0], Op) and term.args[0].name == "+":
            return replace(term, name=">=")
        return replace(term, args=tuple(map(weaker, term.args))) if isinstance(term, Op) else term

    changed = {name: weaker(term) if "f-majority" in name else term for name, term in theorem.hypotheses.items()}
    claim = weaker(theorem.claim)
    mutant = replace(theorem, hypotheses=changed, claim=claim)
    for proof in (SmallWorld(FEW_NODES).prove(mutant), Cardinalities(mutant, ("rack",)).prove()):
        if theorem is SOUND:
            assert proof.status is Status.REFUTED
            assert proof.counter is not None
            assert proof.counter.replays(mutant)
        else:
            assert proof.status is Status.PROVED, "a weaker f-majority leaves more to those that have none"


SHARDS = count(~(shard & NODESET).is_empty() for shard in domains("shard"))
RACKS = count((rack & (NODESET | COPYSET)) <= (NODESET - COPYSET) for rack in domains("rack"))
EMPTY_RACKS = count((rack & NODESET).is_empty() for rack in domains("rack"))


def test_each_shard_is_a_domain() -> None:
    """LogDevice, common/FailureDomainNodeSet.h: the implicit scope at which every shard counts for itself."""
    theorem = Theorem("shards", "As many shards as members.", "as above", {}, (NODESET.size() == SHARDS).term)
    assert Cardinalities(theorem).prove().status is SmallWorld(FEW_NODES).prove(theorem).status is Status.PROVED
    wrong = replace(theorem, claim=(NODESET.size() > SHARDS).term)
    assert Cardinalities(wrong).prove().status is SmallWorld(FEW_NODES).prove(wrong).status is Status.REFUTED


@pytest.mark.parametrize("claim", [EMPTY_RACKS > 0, RACKS > 0, known(NODESET.size())])
def test_cardinalities_refuse_what_they_cannot_say(claim: Bool) -> None:
    """Domains without any of the nodes, and words about more than sizes, are out of reach: no proof, and no lie."""
    with pytest.raises(KeyError):
        Cardinalities(Theorem("beyond", "Too much is asked.", "none", {}, claim.term)).prove()


def test_cardinalities_do_not_know_where_domains_lie() -> None:
    """What depends on nesting or on locations is proved for small topologies only."""
    with pytest.raises(ValueError, match="small topologies"):
        Cardinalities(WRITTEN_IS_SOUND)


def test_proofs_by_scope_need_scopes() -> None:
    """A theorem of another form is refused, not passed over."""
    with pytest.raises(ValueError, match="denies nothing"):
        scope_by_scope(replace(SOUND, claim=Lit(value=True)))
    with pytest.raises(ValueError, match="no requirement speaks of"):
        scope_by_scope(replace(SOUND, hypotheses={"there are nodes": (NODESET.size() > 0).term}))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"claim": Lit(value=False)}, "refuted"),
        ({"refutable": True}, "proved"),
        ({"hypotheses": {**SOUND.hypotheses, "all is lost": Lit(value=False)}}, "no values satisfy its hypotheses"),
        ({"hypotheses": {**SOUND.hypotheses, "all is well": Lit(value=True)}}, "does not need that all is well"),
    ],
)
def test_what_is_wrong_with_a_theorem_is_told(change: dict[str, Any], complaint: str) -> None:
    """A proof from nothing, of nothing, or with idle words is no proof."""
    complaints = check(replace(SOUND, **change), nodes=3).complaints
    assert any(complaint in told for told in complaints), complaints


def test_shapes_of_topologies() -> None:
    """The plain reading of ``nested`` and ``located``, by which counter-models are replayed."""
    example = SmallWorld(3).example(TIGHT)
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


def test_a_counter_model_must_break_the_claim() -> None:
    """Values that satisfy everything are no counter-model."""
    example = SmallWorld(FEW_NODES).example(SOUND)
    assert isinstance(example, CounterModel)
    assert not example.replays(SOUND)
    assert example.values["heard"]
    assert example.values["copyset"]

"""The two encodings of theorems: what each can say, what it refuses, and that they agree.

A proof is as good as its encoding: sharing must change no term, order among nodes must lose no counter-model, and the
law that stands for nested domains must hold of every topology.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import z3

from spec.language.handles import Bool, Int, known, one_of
from spec.language.quantifiers import count, domains
from spec.language.terms import Lit, Op, Param, Term
from spec.ledger.coverage import members
from spec.log.replication import domains_touched
from spec.proof.building import all_of, denied, natural, total
from spec.proof.proofs import Status
from spec.proof.prove import all_theorems
from spec.proof.quorum.columns import COPYSET, NODESET, REPLICATION
from spec.proof.quorum.copysets import EXACT, NESTED_CHOICE
from spec.proof.quorum.majority import WRITTEN
from spec.proof.sharing import shared
from spec.proof.small import prove_for_few
from spec.proof.theorems import Theorem, subsets
from spec.proof.unbounded import prove_for_any_number

pytestmark = pytest.mark.z3

SHARDS = count(~(shard & NODESET).is_empty() for shard in domains("shard"))
RACKS = count((rack & (NODESET | COPYSET)) <= (NODESET - COPYSET) for rack in domains("rack"))
EMPTY_RACKS = count((rack & NODESET).is_empty() for rack in domains("rack"))
LARGE_RACKS = count((rack & NODESET).size() > 1 for rack in domains("rack"))
SMALL_RACKS = count(~((rack & NODESET).size() < 2) for rack in domains("rack"))
ENCLOSED = count(~(NODESET - rack).is_empty() for rack in domains("rack"))
NODES = Int(Param("nodes"))


def stated(claim: Bool, *hypotheses: Bool) -> Theorem:
    """A theorem of these words."""
    given = {f"hypothesis {number}": hypothesis.term for number, hypothesis in enumerate(hypotheses)}
    return Theorem("test.encoding", "a test", "A test.", "as above", given, claim.term)


def test_each_shard_is_a_domain() -> None:
    """LogDevice, common/FailureDomainNodeSet.h: the implicit scope at which every shard counts for itself."""
    theorem = stated(NODESET.size() == SHARDS)
    assert prove_for_any_number(theorem).status is prove_for_few(theorem, 4).status is Status.PROVED
    wrong = stated(NODESET.size() > SHARDS)
    assert prove_for_any_number(wrong).status is prove_for_few(wrong, 4).status is Status.REFUTED


@pytest.mark.parametrize(
    "claim",
    [
        EMPTY_RACKS > 0,
        RACKS > 0,
        LARGE_RACKS > 0,
        SMALL_RACKS > 0,
        ENCLOSED > 0,
        known(NODESET.size()),
        (NODESET - one_of(NODES)).is_empty(),
        NODESET.size() < NODES,
    ],
)
def test_cardinalities_refuse_what_they_cannot_say(claim: Bool) -> None:
    """Domains without any of the nodes, and words about more than sizes, are out of reach: no proof, and no lie."""
    with pytest.raises(KeyError):
        prove_for_any_number(stated(claim))


@pytest.mark.parametrize("claim", [EMPTY_RACKS > 0, RACKS > 0])
def test_small_topologies_count_no_empty_domain(claim: Bool) -> None:
    """A domain that nobody is in does not exist, so a count that would count it is refused."""
    with pytest.raises(ValueError, match="domains without nodes"):
        prove_for_few(stated(claim))


def test_cardinalities_make_no_choice() -> None:
    """That some copyset exists is proved for small topologies."""
    with pytest.raises(ValueError, match="small topologies"):
        prove_for_any_number(EXACT)


@pytest.mark.parametrize("scopes", [("rack", "region"), ("node", "rack"), ("node", "region")])
def test_nested_domains_obey_the_law_that_stands_for_them(scopes: tuple[str, str]) -> None:
    """LogDevice, common/NodeLocation.h: nodes never touch more of the larger domains than of the smaller.

    Cardinalities assume it of any number of nodes: each larger domain that is touched has a smaller one of its own that
    is. Here z3 looks for a topology in which it fails, and finds one only where domains need not be nested or there.
    """
    small, large = scopes
    law = replace(
        stated(domains_touched(NODESET, large) <= domains_touched(NODESET, small), REPLICATION.at(small) > 0),
        nested=True,
        located=True,
    )
    assert prove_for_few(law, 6, scopes).status is Status.PROVED
    for name in law.spare:
        counter = prove_for_few(law.without(name), 3, scopes).counter
        assert counter is not None, name
        assert counter.replays(law.without(name))


@pytest.mark.parametrize("theorem", [NESTED_CHOICE, WRITTEN], ids=lambda theorem: theorem.id)
def test_cardinalities_never_refute_what_rests_on_locations(theorem: Theorem) -> None:
    """They assume less than that, so what they find may be no topology: the theorem stays undecided."""
    wrong = replace(theorem, claim=Lit(value=False))
    proof = prove_for_any_number(wrong)
    assert (proof.status, proof.counter) == (Status.UNDECIDED, None)
    assert not proof.as_expected


def test_without_columns_there_is_nothing_to_look_for() -> None:
    """Truth and falsehood need no nodes."""
    for reading in (prove_for_any_number, prove_for_few):
        assert reading(stated(Bool(Lit(value=True)))).status is Status.PROVED
        assert reading(stated(Bool(Lit(value=False)))).status is Status.REFUTED


@pytest.mark.parametrize("theorem", all_theorems(), ids=lambda theorem: theorem.id)
def test_sharing_changes_no_term(theorem: Theorem) -> None:
    """Equal parts become one object, and nothing else."""
    terms: list[Term] = [*theorem.hypotheses.values(), theorem.claim]
    assert theorem.shared.terms == terms
    assert len({id(part) for part in theorem.shared.parts}) == len(theorem.shared.parts)


def test_true_is_not_one() -> None:
    """Python holds True equal to 1; a formula is no number."""
    terms = shared([Op("and", (Lit(value=True), Lit(value=True))), Op("+", (Lit(1), Lit(1)))]).terms
    kinds = [type(arg.value) for term in terms if isinstance(term, Op) for arg in term.args if isinstance(arg, Lit)]
    assert kinds == [bool, bool, int, int]


def test_short_cuts_to_z3_say_the_same() -> None:
    """Built in one call or by z3's operators: equal expressions."""
    x, y, p = z3.Int("x"), z3.Int("y"), z3.Bool("p")
    assert total([x, y, x]).eq(z3.Sum([x, y, x]))
    assert total([]).eq(z3.IntVal(0))
    assert all_of([p, x < y, p]).eq(z3.And(p, x < y, p))
    assert all_of([]).eq(z3.BoolVal(True))
    assert denied(p).eq(z3.Not(p))
    assert natural([x, y]).eq(z3.And(x >= 0, y >= 0))


def test_every_subset_once() -> None:
    """What stands for any choice: the smallest first."""
    assert list(subsets(2)) == [frozenset(), frozenset({0}), frozenset({1}), frozenset({0, 1})]
    assert len(set(subsets(5))) == 32


def test_numbered_nodes_keep_their_numbers() -> None:
    """Nodes may trade places only where no term names one by its number."""
    first, both = members([0]), members([0, 1])
    proof = prove_for_few(stated((NODESET - first).is_empty(), (NODESET - both).is_empty(), NODESET.size() == 1), 2)
    assert proof.counter is not None
    assert proof.counter.values["nodeset"] == {1}
    anywhere = prove_for_few(stated(NODESET.size() > 1, NODESET.size() == 1), 2)
    assert anywhere.counter is not None
    assert anywhere.counter.values["nodeset"] == {0}

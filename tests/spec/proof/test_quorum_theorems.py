"""The theory of quorums: every theorem is proved from the rules' own text, and each shows that it says something.

LogDevice, Read path, Gap detection algorithm: "By definition, the complement of the f-majority cannot contain a copy
set". A theorem counts only if its hypotheses can be true together and none of them can be spared.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from spec.language.terms import Lit, Op, Term
from spec.log.quorum import is_f_majority
from spec.proof.each_scope import parts, prove_scope_by_scope
from spec.proof.proofs import Status
from spec.proof.prove import TWICE, all_theorems, check, proofs_of, quorum_proofs
from spec.proof.quorum.copysets import EXACT
from spec.proof.quorum.ledger import enough_of_the_ensemble
from spec.proof.quorum.majority import MEETS, SOUND, TIGHT
from spec.proof.small import MOST_NODES, prove_for_few, smallest_counter_model
from spec.proof.theorems import Theorem
from spec.proof.unbounded import prove_for_any_number

pytestmark = pytest.mark.z3

THEOREMS = all_theorems()
PROVED = [theorem for theorem in THEOREMS if not theorem.refutable]
REFUTED = [theorem for theorem in THEOREMS if theorem.refutable]
UNBOUNDED = [theorem for theorem in PROVED if theorem.choice is None]

SMALLEST = {
    "quorum.f_majority.need_not_meet": 2,
    "quorum.limits.one_answer_per_rack": 3,
    "quorum.limits.crossing_scopes": 4,
    "quorum.limits.exactly_so_many_racks": 2,
    "quorum.limits.capped_racks": 2,
    "quorum.status.complete_as_written": 1,
    "quorum.status.vacuous_without_contract": 1,
    "quorum.status.without_contract": 2,
    "quorum.recovery.digest_is_no_copyset": 2,
    "quorum.recovery.copysets_need_not_meet": 2,
    "quorum.nodesets.new_misses_old": 2,
    "quorum.nodesets.old_misses_new": 2,
    "quorum.nodesets.each_is_not_union": 3,
    "ledger.coverage.enough_of_the_ensemble": 4,
}
"""What does not follow, and how many nodes its smallest counter-model has."""


def named(theorem: Theorem) -> str:
    return theorem.id


@pytest.mark.parametrize("theorem", THEOREMS, ids=named)
def test_proved_with_an_example_and_no_idle_hypothesis(theorem: Theorem) -> None:
    """Each as widely as it can be; and without any one hypothesis there is a counter-model that replays."""
    checked = check(theorem)
    print(*checked.proofs, sep="\n")
    assert checked.complaints == []
    assert checked.proofs
    assert checked.spared.keys() == (set() if theorem.refutable else set(theorem.spare))


def test_lemmas_of_any_number_of_nodes() -> None:
    """At least twenty, and all but those that speak of a choice."""
    scopes = {theorem.id: [proof.scope for proof in proofs_of(theorem)] for theorem in PROVED}
    bounded = [name for name, found in scopes.items() if "any number of nodes and domains" not in found]
    assert bounded == [EXACT.id]
    assert len(UNBOUNDED) > 20


def test_theorems_present_themselves() -> None:
    """Ids are stable names, each once; a sentence and a source say what is claimed and where it comes from."""
    assert len({theorem.id for theorem in THEOREMS}) == len(THEOREMS)
    for theorem in THEOREMS:
        assert re.fullmatch(r"(quorum|ledger)\.[a-z_]+\.[a-z_]+", theorem.id), theorem.id
        assert re.fullmatch(r"(?:[A-Z]|2|\|)[^\n]*\.", theorem.sentence), theorem.sentence
        assert re.search(r"\w[,:/;] ?\w", theorem.cite), theorem.cite
        assert ("does not follow" in theorem.sentence or "follow either" in theorem.sentence) is theorem.refutable


def test_all_proofs_are_listed() -> None:
    """What the command runs: every theorem; two also by another encoding; soundness also scope by scope."""
    proofs = list(quorum_proofs())
    assert len(proofs) == len(THEOREMS) + len(TWICE) + 13
    assert all(proof.as_expected for proof in proofs)
    assert re.match(r"proved +[\d.]+ s  quorum\.size\.enough: ", str(proofs[0]))


@pytest.mark.parametrize("theorem", REFUTED, ids=named)
def test_what_does_not_follow_has_a_smallest_counter_model(theorem: Theorem) -> None:
    """Decoded to plain values, it replays; with one node less, the statement would hold."""
    proof = smallest_counter_model(theorem)
    print(proof.counter)
    assert proof.counter is not None
    assert proof.counter.replays(theorem)
    assert proof.counter.parameters.size == SMALLEST[theorem.id]
    if SMALLEST[theorem.id] > theorem.nodes:
        assert prove_for_few(theorem, SMALLEST[theorem.id] - 1).status is Status.PROVED


@pytest.mark.parametrize("ensemble_size", [1, 2, 3])
def test_coverage_of_small_ensembles_takes_enough_of_the_ensemble(ensemble_size: int) -> None:
    """So four bookies are the fewest with which the two rules differ."""
    for write_quorum in range(1, ensemble_size + 1):
        theorem = enough_of_the_ensemble(ensemble_size, write_quorum)
        assert prove_for_few(theorem, ensemble_size).status is Status.PROVED


@pytest.mark.parametrize("theorem", PROVED, ids=named)
def test_every_topology_of_a_few_nodes(theorem: Theorem) -> None:
    """Racks and regions as z3 likes, any replication property: the second encoding says the same."""
    assert prove_for_few(theorem, 4).as_expected


@pytest.mark.parametrize("theorem", [SOUND, TIGHT, EXACT], ids=named)
def test_every_topology_to_six_nodes(theorem: Theorem) -> None:
    """f-majority is sound and tight, and nested scopes hold exact copysets."""
    proof = prove_for_few(theorem)
    print(proof)
    assert MOST_NODES == 6
    assert proof.as_expected


@pytest.mark.slow
@pytest.mark.parametrize("theorem", PROVED, ids=named)
def test_hosts_with_several_shards(theorem: Theorem) -> None:
    """The same where shards share hosts, which share racks, which share regions."""
    proof = prove_for_few(theorem, 5, ("node", "rack", "region"))
    print(proof)
    assert proof.as_expected


@pytest.mark.parametrize("theorem", [theorem for theorem in REFUTED if theorem.choice is None], ids=named)
def test_cardinalities_refute_what_does_not_follow(theorem: Theorem) -> None:
    """Their counter-models are topologies, too: they replay. Members of an ensemble by number are beyond them."""
    if theorem.nodes > 1:
        with pytest.raises(KeyError):
            prove_for_any_number(theorem)
        return
    proof = prove_for_any_number(theorem)
    assert proof.counter is not None
    assert proof.counter.replays(theorem)


@pytest.mark.parametrize("theorem", [theorem for theorem in UNBOUNDED if not theorem.nested], ids=named)
def test_no_hypothesis_is_idle_without_a_bound(theorem: Theorem) -> None:
    """Without any one hypothesis, cardinalities find a topology that refutes the rest."""
    for name in theorem.spare:
        weaker = theorem.without(name)
        counter = prove_for_any_number(weaker, ("rack", "region")).counter
        assert counter is not None, name
        assert counter.replays(weaker)


def test_each_scope_by_itself() -> None:
    """So the number of scopes does not matter: one proof for each way to have an f-majority."""
    proofs = prove_scope_by_scope(SOUND)
    assert [proof.status for proof in proofs] == [Status.PROVED] * len(parts("or", is_f_majority.term))
    assert proofs[0].scope.endswith("case 1 of 13")
    weaker = SOUND.without("only nodes that may hold records count")
    assert {proof.status for proof in prove_scope_by_scope(weaker)} == {Status.REFUTED}


def test_proofs_by_scope_need_scopes() -> None:
    """A theorem of another form is refused, not passed over."""
    with pytest.raises(ValueError, match="denies nothing"):
        prove_scope_by_scope(replace(SOUND, claim=Lit(value=True)))
    with pytest.raises(ValueError, match="no requirement speaks of"):
        prove_scope_by_scope(replace(SOUND, hypotheses={"nothing": Lit(value=True)}))


@pytest.mark.parametrize("theorem", [SOUND, TIGHT, MEETS], ids=named)
def test_a_wrong_rule_is_refuted(theorem: Theorem) -> None:
    """One answer fewer than |nodeset| - R + 1, and soundness breaks; what remains without an f-majority only grows."""

    def weaker(term: Term) -> Term:
        """The same formula with >= for every > between sums."""
        if isinstance(term, Op) and term.name == ">" and isinstance(term.args[0], Op) and term.args[0].name == "+":
            return replace(term, name=">=")
        return replace(term, args=tuple(map(weaker, term.args))) if isinstance(term, Op) else term

    changed = {name: weaker(term) if "f-majority" in name else term for name, term in theorem.hypotheses.items()}
    mutant = replace(theorem, hypotheses=changed, claim=weaker(theorem.claim))
    for proof in (prove_for_few(mutant, 3), prove_for_any_number(mutant, ("rack",))):
        if theorem is TIGHT:
            assert proof.status is Status.PROVED
        else:
            assert proof.counter is not None
            assert proof.counter.replays(mutant)


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
    complaints = check(replace(SOUND, **change)).complaints
    assert any(complaint in told for told in complaints), complaints


def test_a_counter_model_that_does_not_replay_is_told() -> None:
    """What z3 found is judged again by the meaning of the terms; if they disagree, nothing is proved."""
    checked = check(MEETS)
    wrong = replace(checked, spared={"the copies are enough": checked.example})
    assert checked.complaints == []
    assert wrong.complaints == [f"{MEETS.name}: the counter-model without 'the copies are enough' does not replay"]

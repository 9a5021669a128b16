"""Any number of scopes: soundness of f-majority, scope by scope.

An f-majority is a disjunction over scopes, and what a copyset needs is a conjunction over scopes. When what one scope
asks of the one excludes what the same scope asks of the other, further scopes add cases of the same form, and the
theorem does not depend on how many there are.
"""

from __future__ import annotations

from dataclasses import replace

from spec.language.terms import Op, Term, leaves
from spec.language.vocabulary import FACTOR
from spec.proof.proofs import Proof, Status
from spec.proof.theorems import Theorem
from spec.proof.unbounded import prove_for_any_number


def prove_scope_by_scope(theorem: Theorem) -> list[Proof]:
    """One proof for each way to have an f-majority, from one requirement of the same scope, for any number of nodes.

    Args:
        theorem: its last hypothesis is a conjunction over scopes, and its claim denies a disjunction over scopes.

    Raises:
        ValueError: it is of another form.
    """
    proofs = [_of_case(theorem, case) for case in parts("or", _denied(theorem.claim))]
    told = ((proof, f"{proof.scope}, case {number} of {len(proofs)}") for number, proof in enumerate(proofs, start=1))
    return [replace(proof, scope=scope) for proof, scope in told]


def _of_case(theorem: Theorem, case: Term) -> Proof:
    """The first proof that one requirement of the same scope excludes the case; or the last failure."""
    *given, (name, enough) = theorem.hypotheses.items()
    proof: Proof | None = None
    for condition in parts("and", enough):
        if _factors(condition) == _factors(case) and (proof is None or proof.status is not Status.PROVED):
            hypotheses = {**dict(given), name: condition}
            proof = prove_for_any_number(replace(theorem, hypotheses=hypotheses, claim=Op("not", (case,))))
    if proof is None:
        raise ValueError(f"{theorem.id}: no requirement speaks of {', '.join(sorted(_factors(case)))} alone")
    return proof


def _denied(claim: Term) -> Term:
    match claim:
        case Op("not", (denied,)):
            return denied
        case _:
            raise ValueError(f"{claim} denies nothing")


def parts(connective: str, term: Term) -> list[Term]:
    """The terms that a connective joins, however they are bracketed."""
    match term:
        case Op(name, (a, b)) if name == connective:
            return parts(connective, a) + parts(connective, b)
        case _:
            return [term]


def _factors(term: Term) -> frozenset[str]:
    return frozenset(op.name.removeprefix(FACTOR) for op in leaves(term, Op) if op.name.startswith(FACTOR))

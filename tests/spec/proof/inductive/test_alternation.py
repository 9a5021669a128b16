"""Quantifiers alternate without a circle between sorts, so that solvers decide; the exceptions are named.

Justified by Padon et al., Paxos Made EPR: where every edge leads downwards, a formula has finite models or none.
"""

from __future__ import annotations

import pytest
import z3

from spec.proof.inductive import read_hints
from spec.proof.inductive.alternation import alternations, cycles, edges
from spec.protocols.registry import TEXTS

pytestmark = pytest.mark.z3

CIRCLES = {
    "recovery": {
        ("Slot", "Slot"): "whoever proposed at a slot has a bridge at or above it",
        ("Writer", "Writer"): "a node has left a writer when some later one has sealed it",
        ("Slot", "Writer"): "what a plan proposes at a slot is what some earlier writer has stored there",
        ("Writer", "Value"): "what is stored or lies below a bridge has some value, and values are blocked for writers",
    },
    "streams": {
        ("Slot", "Slot"): "as in recovery, whose text it is",
        ("Writer", "Writer"): "as in recovery",
        ("Writer", "Value"): "as in recovery",
        ("Writer", "Slot"): "a writer is undone at a slot when it is stopped at some slot before it",
        ("Writer", "Copyset"): "what a writer has settled lies on some copyset",
    },
    "mutation": {
        ("Slot", "Slot"): "as in recovery, whose text it is",
        ("Writer", "Writer"): "as in recovery",
        ("Slot", "Writer"): "as in recovery",
        ("Writer", "Value"): "as in recovery",
    },
    "epoch": {
        ("Slot", "Slot"): "as in recovery, whose text it is",
        ("Writer", "Writer"): "as in recovery",
        ("Writer", "Value"): "as in recovery",
        ("Writer", "Slot"): "a writer by whom the epoch is clean has planned, so it has a bridge somewhere",
        ("Writer", "Copyset"): "as in streams",
    },
    "ledger": {
        ("Entry", "Entry"): "what a bookie knows to be acknowledged lies before some entry that it has",
    },
    "ensemble_change": {
        ("Fragment", "Fragment"): "an entry that does not belong to a fragment it reaches belongs to some later one",
        ("Fragment", "Entry"): "a fragment in the metadata begins at some entry",
        ("Entry", "Entry"): "an entry that is sent belongs to a fragment that begins at it or at some entry before",
    },
    "delivery": {
        ("Recipient", "Recipient"): "a recipient that is not due has an unlisted one before it in the copyset",
    },
}
"""Edges that close a circle, by text, and why the text has them. Both solvers prove these texts none the less."""

A, B = z3.DeclareSort("A"), z3.DeclareSort("B")
a, b = z3.Const("a", A), z3.Const("b", B)
p = z3.Function("p", A, B, z3.BoolSort())
q = z3.Function("q", A, z3.BoolSort())


def edges_of(formula: object, *, asserted: bool = True) -> set[tuple[str, str]]:
    """Return the edges of a formula."""
    return set(edges(formula, asserted=asserted))


def test_an_edge_leads_from_every_to_some() -> None:
    """For every a there is some b."""
    assert edges_of(z3.ForAll([a], z3.Exists([b], p(a, b)))) == {("A", "B")}
    assert edges_of(z3.Exists([a], z3.ForAll([b], p(a, b)))) == set()


def test_denial_turns_edges_round() -> None:
    """What is denied, or stands left of an implication, has its quantifiers exchanged."""
    formula = z3.Exists([a], z3.ForAll([b], p(a, b)))
    assert edges_of(formula, asserted=False) == {("A", "B")}
    assert edges_of(z3.Not(formula)) == {("A", "B")}
    assert edges_of(z3.Implies(formula, q(z3.Const("one", A)))) == {("A", "B")}


def test_only_what_depends_on_a_variable_makes_an_edge() -> None:
    """An inner quantifier over other things could as well stand outside."""
    lonely = z3.Const("lonely", A)
    assert edges_of(z3.ForAll([b], z3.Exists([a], q(a)))) == set()
    chain = z3.ForAll([a], z3.Exists([b], z3.And(p(a, b), z3.Exists([lonely], p(lonely, b)))))
    assert edges_of(chain) == {("A", "B"), ("A", "A")}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_are_stratified(name: str) -> None:
    """Each condition as it is asked, with the hypotheses of its hint; no edge is excused without need."""
    text = TEXTS[name].protocol
    kept = read_hints(text)
    assert kept is not None
    alternating, known = alternations(text, kept.hints), set(CIRCLES.get(name, {}))
    assert [str(one) for one in cycles(alternating, known)] == []
    assert [edge for edge in known if not cycles(alternating, known - {edge})] == []


def test_a_circle_names_its_clauses() -> None:
    """Which sorts, which condition, and which hypotheses make each edge."""
    text = TEXTS["recovery"].protocol
    kept = read_hints(text)
    assert kept is not None
    found = {one.condition: str(one) for one in cycles(alternations(text, kept.hints))}
    assert found["seal/proposals_need_a_plan"] == (
        "seal/proposals_need_a_plan: Slot -> Slot (Slot to Slot by proposals_need_a_plan)"
    )

"""All small topologies at once: who shares a rack or a region with whom is for z3 to choose.

A domain is named after its first node, so each way to share domains is met once. A node may have no location at a
scope. One query speaks of every topology of that size, every set of answers and every replication property.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import combinations, pairwise
from operator import or_
from typing import Any, Final

import z3

from spec.language.meaning import Value
from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES
from spec.language.terms import Col, Count, Op
from spec.proof.building import all_of, total
from spec.proof.countermodels import CounterModel
from spec.proof.proofs import Proof, Status, lightest, solve, timed
from spec.proof.reading import Reading, size
from spec.proof.symbols import Symbolic, bits, literal, plain, symbol, within_storage
from spec.proof.theorems import Theorem, subsets

Masks = list[Any]
"""The domains of one scope: one bit vector for each node that may be first in a domain."""

MOST_NODES: Final = 6
"""Topologies of up to this many nodes are proved all at once."""


def prove_for_few(theorem: Theorem, nodes: int = MOST_NODES, scopes: tuple[str, ...] | None = None) -> Proof:
    """Prove a theorem for every topology up to a size: one with fewer nodes has the others in no set and domain.

    Args:
        theorem: what to prove.
        nodes: the size.
        scopes: the scopes whose domains are free, from the smallest; the theorem's own, unless said.
    """
    told = " and ".join(theorem.scopes if scopes is None else scopes)
    return timed(
        theorem,
        f"up to {nodes} nodes, any {told}" if told else f"up to {nodes} nodes",
        lambda: SmallWorld(theorem, nodes, scopes).decide(),
    )


def smallest_counter_model(theorem: Theorem, most: int = MOST_NODES) -> Proof:
    """Refute a theorem with the fewest nodes; and then with the fewest copies asked for and the smallest sets."""

    def run() -> tuple[Status, CounterModel | None]:
        for nodes in range(theorem.nodes, most):
            status, counter = SmallWorld(theorem, nodes).decide(light=True)
            if status is not Status.PROVED:
                return status, counter
        return SmallWorld(theorem, most).decide(light=True)

    return timed(theorem, "the smallest topology", run)


class SmallWorld:
    """A theorem about every topology of a few nodes.

    Args:
        theorem: what is read.
        nodes: how many nodes there are.
        scopes: the scopes whose domains are free, from the smallest; ``node``, if not among them, is as small as a
            shard, and other scopes have no domains.

    Raises:
        ValueError: a count also counts what is no domain: the empty set.
    """

    def __init__(self, theorem: Theorem, nodes: int, scopes: Sequence[str] | None = None) -> None:
        self.theorem, self.nodes = theorem, nodes
        (*self.hypotheses, self.claim), parts = theorem.shared
        counted = {part.scope for part in parts if isinstance(part, Count)}
        self.scopes = [scope for scope in (theorem.scopes if scopes is None else scopes) if scope in counted]
        alone = [bits(frozenset({node}), nodes) for node in range(nodes)]
        free = {scope: [z3.BitVec(f"{scope} of {first}", nodes) for first in range(nodes)] for scope in self.scopes}
        self.domains: dict[str, Masks] = {"shard": alone, "node": alone, **free}
        self.columns: dict[str, Symbolic] = {}
        self.reading = Reading(nodes, self.domains, self._column)
        nobody = bits(frozenset(), nodes)
        for body in (part.body for part in parts if isinstance(part, Count) and part.scope in self.scopes):
            if not z3.is_false(z3.simplify(self.reading.read(body, nobody).value)):
                raise ValueError(f"{theorem.id}: {body} also counts domains without nodes")

    def decide(self, *, light: bool = False) -> tuple[Status, CounterModel | None]:
        """Look for a topology and values that refute the theorem; the lightest, if asked."""
        constraints = [*self._denied(), *self._premises()]
        status, model = solve(constraints, bits=True)
        if model is not None and light:
            model = lightest(constraints, self._weight(), model)
        return status, None if model is None else self.decode(model)

    def example(self) -> CounterModel | None:
        """Values that satisfy the hypotheses and the claim, every set with a member and some factor above one."""
        claim = self.reading.read(self.claim)
        constraints = [*self._premises(), claim.known, claim.value]
        constraints += [_lively(said.value) for said in self.columns.values()]
        _, model = solve(constraints, bits=True)
        return None if model is None else self.decode(model)

    def decode(self, model: Any) -> CounterModel:
        """The topology and the values of a model."""
        domains = {scope: self._named(masks, model) for scope, masks in self.domains.items() if scope != "shard"}
        values: dict[str, Value] = {name: plain(said, model) for name, said in self.columns.items()}
        return CounterModel(Parameters(self.nodes, domains), values)

    def _named(self, masks: Masks, model: Any) -> tuple[frozenset[int], ...]:
        found = [literal(mask, lambda value: model.eval(value, model_completion=True)) for mask in masks]
        return tuple(domain for domain in found if domain)

    def _column(self, col: Col) -> Symbolic:
        if col.name not in self.columns:
            self.columns[col.name] = symbol(col.name, col.sort, self.nodes)
        return self.columns[col.name]

    def _denied(self) -> list[Any]:
        """The claim does not hold; where it speaks of a choice, it holds of none."""
        claim = self.reading.read(self.claim)
        denied = z3.Not(all_of([claim.known, claim.value]))
        if self.theorem.choice is None:
            return [denied]
        choice = self.columns.pop(self.theorem.choice).value
        return [z3.substitute(denied, (choice, bits(few, self.nodes))) for few in subsets(self.nodes)]

    def _premises(self) -> list[Any]:
        """What the theorem rests on: the shape of topologies, what storage forces, and its hypotheses."""
        said = [self.reading.read(term) for term in self.hypotheses]
        given = [part for one in said for part in one] + self._partition()
        if self.theorem.nested:
            given += self._nesting()
        if self.theorem.located:
            given += self._location()
        if not any(isinstance(part, Op) and part.name == "one" for part in self.theorem.shared.parts):
            given += self._order()
        return given + [fits for said in self.columns.values() for fits in within_storage(said.value)]

    def _partition(self) -> list[Any]:
        """No node is in two domains of a scope, and a domain is named after its first node."""
        found: list[Any] = []
        for scope in self.scopes:
            masks = self.domains[scope]
            found += [a & b == 0 for a, b in combinations(masks, 2)]
            for first, mask in enumerate(masks):
                before = bits(frozenset(range(first)), self.nodes)
                found += [mask & before == 0, z3.Or(mask == 0, _has(mask, first))]
        return found

    def _order(self) -> list[Any]:
        """Nodes that are in the same sets stand together: who is not named by number may take any number."""
        sets = [said.value for said in self.columns.values() if z3.is_bv(said.value)]
        if not sets:
            return []
        nobody = bits(frozenset(), 1)
        kinds = [z3.Concat(nobody, *(z3.Extract(node, node, one) for one in sets)) for node in range(self.nodes)]
        return [z3.UGE(kind, after) for kind, after in pairwise(kinds)]

    def _location(self) -> list[Any]:
        """Every node has a location at every scope that the replication property names."""
        factors = self._column(Col("replication", "factors")).value
        somewhere = {scope: reduce(or_, self.domains.get(scope, []), bits(frozenset(), self.nodes)) for scope in SCOPES}
        return [z3.Or(factors[scope] == 0, nodes == -1) for scope, nodes in somewhere.items()]

    def _nesting(self) -> list[Any]:
        """A domain lies inside one domain of each larger scope, or beside all of them."""
        return [
            z3.Or(inner & outer == 0, inner & ~outer == 0)
            for small, large in combinations(self.scopes, 2)
            for inner in self.domains[small]
            for outer in self.domains[large]
        ]

    def _weight(self) -> Any:
        """How much a reader has to take in: copies asked for, members of sets, and sizes of numbers."""
        return total(part for said in self.columns.values() for part in _weights(said.value))


def _has(nodes: Any, node: int) -> Any:
    return z3.Extract(node, node, nodes) == 1


def _lively(value: Any) -> Any:
    """A set with a member, a number above zero, a property that asks for several copies."""
    if isinstance(value, Mapping):
        return z3.Or([copies > 1 for copies in value.values()])
    return value != 0 if z3.is_bv(value) else value > 0


def _weights(value: Any) -> list[Any]:
    """The parts of a weight; a copy asked of shards weighs more than one asked of nodes, which says the same here."""
    if isinstance(value, Mapping):
        return [copies * 2 if scope == "shard" else copies for scope, copies in value.items()]
    return [size(value)] if z3.is_bv(value) else [z3.If(value < 0, -value, value)]

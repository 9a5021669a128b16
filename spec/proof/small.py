"""All small topologies at once: who shares a rack or a region with whom is for z3 to choose.

A domain is named after its first node, so each way to share domains is met once. A node may have no location at a
scope. One query speaks of every topology of that size, every set of answers and every replication property.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from itertools import combinations
from operator import or_
from typing import Any

import z3

from spec.language.meaning import Value
from spec.language.parameters import Parameters
from spec.language.terms import Col, Term
from spec.language.vocabulary import SCOPES
from spec.proof.reading import Reading
from spec.proof.symbols import Symbolic, bits, literal, plain, symbol, within_storage
from spec.proof.theorems import CounterModel, Proof, Status, Theorem, solve, timed

Masks = list[Any]
"""The domains of one scope: one bit vector for each node that may be first in a domain."""


class SmallWorld:
    """Theorems about every topology of a few nodes.

    Args:
        nodes: how many nodes there are.
        scopes: the scopes whose domains are free, from the smallest; ``node``, if not among them, is as small as a
            shard, and other scopes have no domains.
        timeout_ms: when to give up.
    """

    def __init__(self, nodes: int = 6, scopes: tuple[str, ...] = ("rack", "region"), timeout_ms: int = 60_000) -> None:
        self.nodes, self.scopes, self.timeout_ms = nodes, scopes, timeout_ms
        alone = [bits(frozenset({node}), nodes) for node in range(nodes)]
        free = {scope: [z3.BitVec(f"{scope} of {first}", nodes) for first in range(nodes)] for scope in scopes}
        self.domains: dict[str, Masks] = {"shard": alone, "node": alone, **free}
        self._columns: dict[str, Symbolic] = {}
        self.reading = Reading(nodes, self.domains, self._column)

    def __str__(self) -> str:
        return f"{self.nodes} nodes, any {' and '.join(self.scopes)}"

    def prove(self, theorem: Theorem) -> Proof:
        """Look for a topology and values that refute the theorem."""

        def run() -> tuple[Status, CounterModel | None]:
            claim = self.reading.read(theorem.claim)
            status, model = solve([*self._premises(theorem), z3.Not(z3.And(claim.known, claim.value))], self.timeout_ms)
            return status, None if model is None else self.decode(model)

        return timed(theorem, str(self), run)

    def example(self, theorem: Theorem) -> CounterModel | None:
        """Values that satisfy the hypotheses and the claim, every set with a member and some factor above one."""
        claim = self.reading.read(theorem.claim)
        constraints = [*self._premises(theorem), claim.known, claim.value]
        constraints += [_lively(said.value) for said in self._columns.values()]
        _, model = solve(constraints, self.timeout_ms)
        return None if model is None else self.decode(model)

    def decode(self, model: Any) -> CounterModel:
        """The topology and the values of a model."""
        domains = {scope: self._named(masks, model) for scope, masks in self.domains.items() if scope != "shard"}
        values: dict[str, Value] = {name: plain(said, model) for name, said in self._columns.items()}
        return CounterModel(Parameters(self.nodes, domains), values)

    def _named(self, masks: Masks, model: Any) -> tuple[frozenset[int], ...]:
        found = [literal(mask, lambda value: model.eval(value, model_completion=True)) for mask in masks]
        return tuple(domain for domain in found if domain)

    def _column(self, col: Col) -> Symbolic:
        if col.name not in self._columns:
            self._columns[col.name] = symbol(col.name, col.sort, self.nodes)
        return self._columns[col.name]

    def _premises(self, theorem: Theorem) -> list[Any]:
        """What the theorem rests on: the shape of topologies, what storage forces, and its hypotheses."""
        said = [self.reading.read(term) for term in theorem.hypotheses.values()]
        given = [z3.And(one.known, one.value) for one in said] + self._partition()
        if theorem.nested:
            given += self._nesting()
        if theorem.located:
            given += self._location()
        if theorem.picked is not None:
            given += self._picking(*theorem.picked)
        return given + [fits for said in self._columns.values() for fits in within_storage(said.value)]

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

    def _location(self) -> list[Any]:
        """Every node has a location at every scope that the replication property names."""
        factors = self._column(Col("replication", "factors")).value
        somewhere = {scope: reduce(or_, self.domains.get(scope, []), bits(frozenset(), self.nodes)) for scope in SCOPES}
        return [z3.Or(factors[scope] == 0, nodes == -1) for scope, nodes in somewhere.items()]

    def _nesting(self) -> list[Any]:
        """A domain lies inside one domain of each larger scope, or beside all of them."""
        pairs = [(small, large) for small, large in combinations(self.scopes, 2)]
        return [
            z3.Or(inner & outer == 0, inner & ~outer == 0)
            for small, large in pairs
            for inner in self.domains[small]
            for outer in self.domains[large]
        ]

    def _picking(self, column: str, of: Term, copies: Term) -> list[Any]:
        """The column holds so many of these nodes: the first of each largest domain first, then of each smaller one.

        No choice of so many nodes touches more domains of any scope.
        """
        nodes, wanted = self.reading.read(of).value, self.reading.read(copies).value
        level = [self._level(nodes, node) for node in range(self.nodes)]
        picked = self._column(Col(column, "set")).value
        found = []
        for node in range(self.nodes):
            sooner = [
                z3.And(_has(nodes, other), level[other] <= level[node] if other < node else level[other] < level[node])
                for other in range(self.nodes)
                if other != node
            ]
            rank = z3.Sum([z3.If(one, 1, 0) for one in sooner])
            found.append(_has(picked, node) == z3.And(_has(nodes, node), rank < wanted))
        return found

    def _level(self, nodes: Any, node: int) -> Any:
        """0 for the first of these nodes in its domain of the largest scope, 1 for the next scope, and so on."""
        level = z3.IntVal(len(self.scopes))
        before = bits(frozenset(range(node)), self.nodes)
        for number, scope in reversed(list(enumerate(reversed(self.scopes)))):
            leads = [z3.And(_has(mask, node), mask & nodes & before == 0) for mask in self.domains[scope]]
            level = z3.If(z3.Or(leads), number, level)
        return level


def _has(nodes: Any, node: int) -> Any:
    return z3.Extract(node, node, nodes) == 1


def _lively(value: Any) -> Any:
    """A set with a member, a number above zero, a property that asks for several copies."""
    if isinstance(value, Mapping):
        return z3.Or([copies > 1 for copies in value.values()])
    return value != 0 if z3.is_bv(value) else value > 0

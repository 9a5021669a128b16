"""Quantifier alternation: from which sorts a formula makes new elements of which.

Where these edges have no cycle, finitely many elements settle a condition, so a solver that looks long enough decides
it. A cycle is no mistake, but a warning: solvers may then search for ever instead of showing a counter-model.

Source: Ge and de Moura, Complete Instantiation for Quantified Formulas; Padon et al., Paxos Made EPR.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any, TypeAlias

import z3

from spec.language.protocol.text import Protocol
from spec.proof.inductive.conditions import conditions
from spec.proof.inductive.finding import Hint
from spec.proof.inductive.logic import Logic

Edge: TypeAlias = tuple[str, str]
"""For every element of the first sort there is one of the second."""

Makers: TypeAlias = Mapping[Edge, tuple[str, ...]]
"""For each edge of a condition, the hypotheses that make it; ``claim`` is the condition's own."""

Scope: TypeAlias = tuple[frozenset[str], ...]
"""For each bound variable, innermost first, the sorts of the universal variables on which it depends."""


@dataclass(frozen=True)
class Cycle:
    """A condition whose quantifiers alternate in a circle.

    Attributes:
        sorts: along the circle; the first is also the last.
        because: for each edge of it, who makes it.
    """

    condition: str
    sorts: tuple[str, ...]
    because: Makers

    def __str__(self) -> str:
        edges = "; ".join(f"{a} to {b} by {', '.join(names)}" for (a, b), names in self.because.items())
        return f"{self.condition}: {' -> '.join(self.sorts)} ({edges})"


def alternations(text: type[Protocol], hints: Mapping[str, Hint]) -> dict[str, Makers]:
    """The edges of each condition as it is asked: with the hypotheses of its hint, by name, or else with all."""
    every = list(conditions(Logic(text)))  # kept, so that each formula has a number of its own
    known: dict[tuple[int, bool], tuple[Edge, ...]] = {}

    def edges_of(fact: Any, *, asserted: bool) -> tuple[Edge, ...]:
        key = fact.get_id(), asserted
        if key not in known:
            known[key] = tuple(dict.fromkeys(edges(fact, asserted=asserted)))
        return known[key]

    found: dict[str, Makers] = {}
    for condition in every:
        names = tuple(condition.given) if condition.name not in hints else hints[condition.name].hypotheses
        makers: dict[Edge, tuple[str, ...]] = {}
        for name, fact, sign in (*((n, condition.given[n], True) for n in names), ("claim", condition.claim, False)):
            for edge in edges_of(fact, asserted=sign):
                makers[edge] = (*makers.get(edge, ()), name)
        found[condition.name] = makers
    return found


def cycles(alternating: Mapping[str, Makers], despite: Collection[Edge] = ()) -> list[Cycle]:
    """The conditions that are not stratified.

    Args:
        alternating: the edges of each.
        despite: edges that are known and accepted; a cycle through one of them is not reported.
    """
    found = (cycle_of(name, makers, despite) for name, makers in alternating.items())
    return [cycle for cycle in found if cycle is not None]


def cycle_of(condition: str, makers: Makers, despite: Collection[Edge] = ()) -> Cycle | None:
    """A cycle among the edges of a condition; None if it is stratified, but for known edges."""
    graph: dict[str, set[str]] = {}
    for one, other in makers:
        if (one, other) not in despite:
            graph.setdefault(other, set()).add(one)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        sorts: tuple[str, ...] = tuple(circle.args[1])
        return Cycle(condition, sorts, {step: makers[step] for step in pairwise(sorts)})
    return None


def edges(formula: Any, *, asserted: bool, scope: Scope = ()) -> Iterator[Edge]:
    """The edges that a formula makes where it is asserted, or where it is denied."""
    if z3.is_quantifier(formula):
        yield from _quantified(formula, asserted, scope)
    elif z3.is_not(formula):
        yield from edges(formula.arg(0), asserted=not asserted, scope=scope)
    elif z3.is_implies(formula):
        yield from edges(formula.arg(0), asserted=not asserted, scope=scope)
        yield from edges(formula.arg(1), asserted=asserted, scope=scope)
    elif z3.is_and(formula) or z3.is_or(formula):
        for part in formula.children():
            yield from edges(part, asserted=asserted, scope=scope)


def _quantified(formula: Any, asserted: bool, scope: Scope) -> Iterator[Edge]:  # noqa: FBT001 - as in edges
    sorts = [str(formula.var_sort(number)) for number in reversed(range(formula.num_vars()))]
    if formula.is_forall() is asserted:
        inner = tuple(frozenset({sort}) for sort in sorts)
    else:
        outer = frozenset[str]().union(*(scope[number] for number in free(formula)))
        yield from ((one, sort) for one in sorted(outer) for sort in sorts)
        inner = (outer,) * len(sorts)
    yield from edges(formula.body(), asserted=asserted, scope=(*inner, *scope))


def free(formula: Any, depth: int = 0) -> frozenset[int]:
    """The variables of a formula that it does not bind, as indices into its scope."""
    if z3.is_var(formula):
        number = z3.get_var_index(formula) - depth
        return frozenset({number}) if number >= 0 else frozenset()
    if z3.is_quantifier(formula):
        return free(formula.body(), depth + formula.num_vars())
    return frozenset[int]().union(*(free(part, depth) for part in formula.children()))

"""Theorems as data: hypotheses and a claim, written in the language of rules, for z3 to prove and Python to replay.

A proof by itself may be empty or lucky. So each comes with two checks: its hypotheses can be true together, and none
can be spared, because without it there is a counter-model; that one is decoded to plain values and judged again by the
meaning of the very same terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, combinations, product

from spec.language.meaning import Evaluator, Value
from spec.language.parameters import Parameters
from spec.language.scopes import SCOPES
from spec.language.terms import Term
from spec.proof.sharing import Shared, shared


@dataclass(frozen=True)
class Theorem:
    """What holds of all values of some columns.

    Attributes:
        id: a stable name, dotted, by which it is listed and run.
        name: a short name, in words.
        sentence: the theorem in English.
        cite: where it comes from.
        hypotheses: what it rests on: terms over the columns, by their reading in English.
        claim: what follows.
        located: it also rests on every node having a location at every scope that ``replication`` names.
        nested: it also rests on each domain lying inside one domain of every larger scope.
        choice: a column that holds a set of nodes, of which the claim says that some value will do.
        refutable: the claim does not follow, though a reader might think so; its counter-model is what we want.
        nodes: the fewest nodes of which it can speak, where its terms name nodes by number.
        scopes: the scopes that small topologies give it, from the smallest.
    """

    id: str
    name: str
    sentence: str
    cite: str
    hypotheses: Mapping[str, Term]
    claim: Term
    located: bool = False
    nested: bool = False
    choice: str | None = None
    refutable: bool = False
    nodes: int = 1
    scopes: tuple[str, ...] = ("rack", "region")

    def without(self, hypothesis: str) -> Theorem:
        """The same theorem with one hypothesis less."""
        if hypothesis == "located":
            return replace(self, located=False)
        if hypothesis == "nested":
            return replace(self, nested=False)
        return replace(self, hypotheses={name: term for name, term in self.hypotheses.items() if name != hypothesis})

    @property
    def spare(self) -> list[str]:
        """The names of all that could be spared; ``located`` and ``nested`` count as hypotheses."""
        return [*self.hypotheses, *(name for name in ("located", "nested") if getattr(self, name))]

    @cached_property
    def shared(self) -> Shared:
        """The terms of the hypotheses, then the claim; equal parts are one object."""
        return shared([*self.hypotheses.values(), self.claim])

    def is_refuted_by(self, parameters: Parameters, values: Mapping[str, Value]) -> bool:
        """By the meaning of the terms, every hypothesis is true of these values and the claim is false.

        Where the claim speaks of a choice, it is false of every choice.
        """
        evaluator = Evaluator(values, parameters, {})
        holds = all(evaluator.value(term) is True for term in self.hypotheses.values())
        located = not self.located or is_located(parameters, values["replication"])
        nested = not self.nested or is_nested(parameters)
        chosen = [{}] if self.choice is None else [{self.choice: few} for few in subsets(parameters.size)]
        denied = (Evaluator({**values, **choice}, parameters, {}).value(self.claim) is False for choice in chosen)
        return holds and located and nested and all(denied)


def subsets(nodes: int) -> Iterator[frozenset[int]]:
    """Every set of nodes, the smallest first."""
    return map(frozenset, chain.from_iterable(combinations(range(nodes), size) for size in range(nodes + 1)))


def is_nested(parameters: Parameters) -> bool:
    """Each domain lies inside one domain of every larger scope, or beside all of them."""
    found = [(SCOPES.index(scope), domain) for scope, domains in parameters.domains.items() for domain in domains]
    return all(a <= b or not a & b for (small, a), (large, b) in product(found, found) if small < large)


def is_located(parameters: Parameters, replication: Mapping[str, int]) -> bool:
    """Every node has a location at every scope that a replication property names."""
    everyone = frozenset(range(parameters.size))
    return all(everyone <= frozenset().union(*parameters.domains_of(scope)) for scope in replication)

"""Theorems as data: hypotheses and a claim, written in the language of rules, for z3 to prove and Python to replay.

A proof by itself may be empty or lucky. So each comes with two checks: its hypotheses can be true together, and none
can be spared, because without it there is a counter-model; that one is decoded to plain values and judged again by the
meaning of the very same terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from time import process_time
from typing import Any, Final

import z3

from spec.language.meaning import Scene, Value
from spec.language.parameters import Parameters
from spec.language.terms import Term
from spec.language.vocabulary import SCOPES


class Status(StrEnum):
    """What came of a proof."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Theorem:
    """What holds of all values of some columns.

    Attributes:
        name: a short name, in words.
        sentence: the theorem in English.
        cite: where it comes from.
        hypotheses: what it rests on: terms over the columns, by their reading in English.
        claim: what follows.
        located: it also rests on every node having a location at every scope that ``replication`` names.
        nested: it also rests on each domain lying inside one domain of every larger scope.
        picked: a column that holds a choice from a set of nodes, as widely spread as it can be: the column, the set,
            and how many.
        refutable: it is a claim of the source that does not follow; its counter-model is what we want.
    """

    name: str
    sentence: str
    cite: str
    hypotheses: Mapping[str, Term]
    claim: Term
    located: bool = False
    nested: bool = False
    picked: tuple[str, Term, Term] | None = None
    refutable: bool = False

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


@dataclass(frozen=True)
class CounterModel:
    """Plain values that satisfy every hypothesis and not the claim."""

    parameters: Parameters
    values: Mapping[str, Value]

    def replays(self, theorem: Theorem) -> bool:
        """By the meaning of the terms, every hypothesis is true of these values and the claim is false."""
        scene = Scene(self.values, self.parameters, {})
        holds = all(scene.value(term) is True for term in theorem.hypotheses.values())
        located = not theorem.located or is_located(self.parameters, self.values["replication"])
        nested = not theorem.nested or is_nested(self.parameters)
        return holds and located and nested and scene.value(theorem.claim) is False


@dataclass(frozen=True)
class Proof:
    """What z3 says of one theorem.

    Attributes:
        scope: for how many nodes and which domains.
        seconds: how long building and solving took, in seconds of the processor.
        counter: values that refute it, where they were found.
    """

    theorem: Theorem
    scope: str
    status: Status
    seconds: float
    counter: CounterModel | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.status.value:9} {self.seconds:6.2f} s  {self.theorem.name}, {self.scope}"

    @property
    def as_expected(self) -> bool:
        """Proved; or refuted, where the source claims what does not follow."""
        return self.status is (Status.REFUTED if self.theorem.refutable else Status.PROVED)


TACTICS: Final = ("simplify", "propagate-values", "solve-eqs", "bit-blast", "smt")
"""Sets become single bits before the search, which finds these proofs sooner than the solver's own tactics do."""


def solve(constraints: list[Any], timeout_ms: int) -> tuple[Status, Any]:
    """Look for values that satisfy all constraints: none is a proof, some are a refutation with a model."""
    solver = z3.Then(*TACTICS).solver()
    solver.set("timeout", timeout_ms)
    solver.add(*constraints)
    answer = solver.check()
    if answer == z3.sat:
        return Status.REFUTED, solver.model()
    return (Status.PROVED if answer == z3.unsat else Status.UNDECIDED), None


def timed(theorem: Theorem, scope: str, run: Callable[[], tuple[Status, CounterModel | None]]) -> Proof:
    """Run a proof and note how long the processor was at it, whatever else the machine did."""
    start = process_time()
    status, counter = run()
    return Proof(theorem, scope, status, process_time() - start, counter)


def is_nested(parameters: Parameters) -> bool:
    """Each domain lies inside one domain of every larger scope, or beside all of them."""
    found = [(SCOPES.index(scope), domain) for scope, domains in parameters.domains.items() for domain in domains]
    return all(a <= b or not a & b for (small, a), (large, b) in product(found, found) if small < large)


def is_located(parameters: Parameters, replication: Mapping[str, int]) -> bool:
    """Every node has a location at every scope that a replication property names."""
    everyone = frozenset(range(parameters.nodes))
    return all(everyone <= frozenset().union(*parameters.domains_of(scope)) for scope in replication)

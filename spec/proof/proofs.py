"""Proofs: what z3 says of a theorem, by which reading, and how long it took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from time import process_time
from typing import Any, Final

import z3

from spec.proof.countermodels import CounterModel
from spec.proof.theorems import Theorem

TIMEOUT_MS: Final = 60_000
"""When z3 gives up, and the theorem stays undecided."""


class Status(StrEnum):
    """What came of a proof."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


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
    seconds: float = field(compare=False)
    counter: CounterModel | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.status.value:9} {self.seconds:6.3f} s  {self.theorem.id}: {self.theorem.name}, {self.scope}"

    @property
    def as_expected(self) -> bool:
        """Proved; or refuted by values that replay, where the theorem is one that does not follow."""
        if self.theorem.refutable:
            return self.status is Status.REFUTED and self.counter is not None and self.counter.replays(self.theorem)
        return self.status is Status.PROVED


BITS: Final = ("simplify", "propagate-values", "solve-eqs", "bit-blast", "smt")
"""Sets become single bits before the search, which finds these proofs sooner than the solver's own tactics do."""


def solve(constraints: list[Any], *, bits: bool = False, timeout_ms: int = TIMEOUT_MS) -> tuple[Status, Any]:
    """Look for values that satisfy all constraints: none is a proof, some are a refutation with a model.

    Args:
        constraints: formulas of z3.
        bits: sets are bit vectors, rather than numbers of members.
        timeout_ms: when to give up.
    """
    solver = z3.Then(*BITS).solver() if bits else z3.SimpleSolver()
    solver.set("timeout", timeout_ms)
    solver.add(*constraints)
    answer = solver.check()
    if answer == z3.sat:
        return Status.REFUTED, solver.model()
    return (Status.PROVED if answer == z3.unsat else Status.UNDECIDED), None


def lightest(constraints: list[Any], weight: Any, model: Any) -> Any:
    """Of all models, the lightest that is found in time; weights are natural numbers, and ``model`` is the first."""
    solver = z3.Then(*BITS).solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.add(*constraints)
    while True:
        solver.add(weight < model.eval(weight, model_completion=True))
        if solver.check() != z3.sat:
            return model
        model = solver.model()


def timed(theorem: Theorem, scope: str, run: Callable[[], tuple[Status, CounterModel | None]]) -> Proof:
    """Run a proof and note how long the processor was at it, whatever else the machine did."""
    start = process_time()
    status, counter = run()
    return Proof(theorem, scope, status, process_time() - start, counter)

"""Whether proofs depend on luck: the same text with other seeds of the solvers' random choices."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Literal

from spec.language.protocol.text import Protocol
from spec.proof.inductive.conditions import conditions
from spec.proof.inductive.hint_files import read_hints
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.prove import chosen
from spec.proof.inductive.settling import Asker, replayed
from spec.proof.inductive.solvers import REPLAY_MS, SolverName


@dataclass(frozen=True)
class Stability:
    """How often each condition was proved.

    Attributes:
        runs: how many seeds each solver had.
        conditions: how many conditions the text has.
        failed: for each solver and seed, what was not proved from its hint alone.
        cpu_s: CPU seconds of the slowest run of each solver.
    """

    text: str
    runs: int
    conditions: int
    failed: dict[tuple[SolverName, int], tuple[str, ...]]
    cpu_s: dict[SolverName, float]

    @property
    def share(self) -> float:
        """Which part of all attempts proved its condition."""
        attempts = self.runs * self.conditions * len(self.cpu_s)
        return 1 - sum(map(len, self.failed.values())) / attempts if attempts else 0.0


def stability(
    text: type[Protocol], seeds: Iterable[int] = range(20), solver: Literal["z3", "cvc5", "both"] = "both"
) -> Stability:
    """Prove a text with its committed hints alone under each seed: what would need a search has failed.

    Raises:
        SecondSolverMissing: cvc5 is asked and not installed.
    """
    kept = read_hints(text)
    hints = {} if kept is None else kept.hints
    every, solvers = list(conditions(Logic(text))), chosen(solver)
    failed: dict[tuple[SolverName, int], tuple[str, ...]] = {}
    slowest: dict[SolverName, float] = dict.fromkeys(solvers, 0.0)
    drawn = tuple(seeds)
    for name, seed in product(solvers, drawn):
        asker, began = Asker(name, seed, REPLAY_MS), time.process_time()
        missed = tuple(one.name for one in every if replayed(one, hints.get(one.name), asker) is None)
        slowest[name] = max(slowest[name], time.process_time() - began)
        if missed:
            failed[name, seed] = missed
    return Stability(text.__name__, len(drawn), len(every), failed, slowest)

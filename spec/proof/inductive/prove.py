"""Prove a text for any number of elements: its committed hints make that quick, and are never needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from spec.language.protocol.text import Protocol
from spec.proof.inductive.conditions import Condition, conditions
from spec.proof.inductive.finding import Hint
from spec.proof.inductive.hint_files import read_hints
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.refuting import Refuter
from spec.proof.inductive.reports import Proved, Report
from spec.proof.inductive.settling import Asker, settled
from spec.proof.inductive.solvers import REPLAY_MS, SolverName, version

Progress: TypeAlias = Callable[[int, int, Proved], None]
"""Called after each condition with how many are done, how many there are, and what came of it."""


def prove(
    text: type[Protocol],
    *,
    hints: Mapping[str, Hint] | None = None,
    solver: SolverName | Literal["both"] = "z3",
    seed: int = 0,
    timeout_ms: int = REPLAY_MS,
    only: Callable[[Condition], bool] = lambda _: True,
    progress: Progress = lambda *_: None,
) -> Report:
    """Prove that the invariants and goals of a text hold in every state that it can reach, whatever the sizes.

    Args:
        text: the protocol.
        hints: by name of a condition; None: those committed for the text. Without one, a proof is searched.
        solver: who is asked; ``both`` asks each about every condition.
        seed: of the solvers' random choices.
        timeout_ms: how long one question may take; a search asks several.
        only: which conditions to prove.
        progress: called after each condition.

    Raises:
        SecondSolverMissing: cvc5 is asked and not installed.
        BadHints: the committed hint file is damaged.
        DoesNotReplay: a counter-model is none by the meaning of the text.
    """
    kept = read_hints(text) if hints is None else None
    known = kept.hints if kept is not None else hints or {}
    solvers = chosen(solver)
    wanted = [one for one in conditions(Logic(text)) if only(one)]
    refuter, done = Refuter(text), list[Proved]()
    versions: dict[str, str] = {name: version(name) for name in solvers}
    for name in solvers:
        for one in settled(wanted, known, Asker(name, seed, timeout_ms), refuter):
            done.append(one)
            progress(len(done), len(wanted) * len(solvers), one)
    return Report(text.__name__, versions, tuple(done), kept.stale(text) if kept is not None else "")


def chosen(solver: SolverName | Literal["both"]) -> tuple[SolverName, ...]:
    """The solvers to ask."""
    return ("z3", "cvc5") if solver == "both" else (solver,)

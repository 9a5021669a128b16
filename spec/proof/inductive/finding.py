"""Hints: for each condition, few hypotheses that suffice, and for each solver the engine that sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from spec.language.protocol.text import Protocol
from spec.proof.inductive.conditions import Condition, conditions
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.solvers import ENGINES, SolverName, ask, by_z3

AGAIN_MS = 2000
"""How long a proof from few hypotheses may take to be a hint."""

LOCAL = ("guard ", "parameter ", "assumption ")
"""What names of hypotheses about the action itself begin with."""


@dataclass(frozen=True)
class Hint:
    """How a condition is proved quickly.

    Attributes:
        hypotheses: the names of those that suffice.
        engines: for each solver, its way of instantiating quantifiers.
    """

    hypotheses: tuple[str, ...]
    engines: Mapping[SolverName, str] = field(default_factory=dict)


def find(condition: Condition, timeouts_ms: Mapping[str, int] = ENGINES["z3"]) -> Hint | None:
    """Search a proof by z3, first from the hypotheses that are near the claim; None if none is found in time.

    What an unsat core leaves is a hint only if the proof replays from it alone.
    """
    for names in _circles(condition):
        for engine, timeout_ms in timeouts_ms.items():
            answer = by_z3(condition, names, engine, timeout_ms, core=True)
            if not answer.proved:
                continue
            for few in (tuple(name for name in names if name in answer.core), names):
                if (again := engine_for(condition, few, "z3", AGAIN_MS)) is not None:
                    return Hint(few, {"z3": again})
    return None


def _circles(condition: Condition) -> Iterator[tuple[str, ...]]:
    """Hypotheses in wider and wider circles around the claim."""
    names = tuple(condition.given)
    plain = tuple(name for name in names if not name.endswith(" only if"))
    local = tuple(name for name in names if name == condition.claimed or name.startswith(LOCAL))
    yield from dict.fromkeys((local, plain, names))


def engine_for(condition: Condition, names: tuple[str, ...], solver: SolverName, timeout_ms: int) -> str | None:
    """The first engine that proves the condition from these hypotheses alone."""
    return next((name for name in ENGINES[solver] if ask(condition, names, solver, name, timeout_ms)), None)


def fewest(condition: Condition, hint: Hint) -> Hint:
    """The hint without the hypotheses that it can spare, one after the other."""
    kept = hint.hypotheses
    for name in hint.hypotheses:
        fewer = tuple(other for other in kept if other != name)
        if (engine := engine_for(condition, fewer, "z3", AGAIN_MS // 4)) is not None:
            kept, hint = fewer, Hint(fewer, {"z3": engine})
    return hint


def find_hints(
    text: type[Protocol], solvers: tuple[SolverName, ...] = ("z3",), progress: Callable[[str], None] | None = None
) -> dict[str, Hint]:
    """A hint for each condition of a text that is proved, by name.

    Raises:
        SecondSolverMissing: cvc5 is asked and not installed.
    """
    found = {}
    for condition in conditions(Logic(text)):
        if progress is not None:
            progress(condition.name)
        if (hint := find(condition)) is None:
            continue
        hint = fewest(condition, hint)
        engines = dict(hint.engines)
        for solver in solvers:
            if solver not in engines and (engine := engine_for(condition, hint.hypotheses, solver, AGAIN_MS)):
                engines[solver] = engine
        found[condition.name] = Hint(hint.hypotheses, engines)
    return found

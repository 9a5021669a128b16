"""Hints: for each condition, few hypotheses that suffice, and for each solver the engine that sees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import z3

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
                if (hint := again(condition, Hint(few))) is not None:
                    return hint
    return None


def _circles(condition: Condition) -> Iterator[tuple[str, ...]]:
    """Hypotheses in wider and wider circles around the claim."""
    names = tuple(condition.given)
    plain = tuple(name for name in names if not name.endswith(" only if"))
    local = tuple(name for name in names if name == condition.claimed or name.startswith(LOCAL))
    yield from dict.fromkeys((local, *by_lemmas(condition, plain), near(condition, local), plain, names))


def by_lemmas(condition: Condition, plain: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Lemmas alone, then what they tell of definitions that claim and guards name, at first in place of their meaning.

    All else that is neither a lemma nor a definition stays; that alone is tried at last. Nothing, where no lemmas are.
    """
    if not condition.lemmas:
        return
    yield tuple(name for name in condition.given if name in condition.lemmas)
    said = _said(condition)
    bare = tuple(name for name in plain if name not in condition.lemmas and not name.endswith(" if"))
    stated = frozenset(chain.from_iterable(said[name] for name in bare if not name.startswith(LOCAL)))
    own = {name.removesuffix(" if") for name in said if name.endswith(" if")} - stated
    spoken = frozenset(_speaks_of(condition.claim)).union(*(said[name] for name in bare if name.startswith(LOCAL)))
    lemmas = [name for name in said if name in condition.lemmas and said[name] & own & spoken]
    named = own & spoken.union(*(said[name] for name in lemmas))
    for words in (named - spoken, named):
        kept = {*bare, *lemmas, *(f"{word} {way}" for word in words for way in ("if", "only if"))}
        yield tuple(name for name in said if name in kept)
    yield bare


def near(condition: Condition, local: tuple[str, ...]) -> tuple[str, ...]:
    """The hypotheses that speak of nothing but what the claim and these hypotheses speak of, definitions unfolded."""
    said = _said(condition)
    spoken = frozenset(_speaks_of(condition.claim)).union(*(said[name] for name in local))
    while more := frozenset(chain.from_iterable(said.get(f"{name} only if", ()) for name in spoken)) - spoken:
        spoken |= more
    return tuple(name for name in said if name in local or said[name] <= spoken)


def _said(condition: Condition) -> dict[str, frozenset[str]]:
    """What each hypothesis speaks of."""
    return {name: frozenset(_speaks_of(fact)) for name, fact in condition.given.items()}


def _speaks_of(formula: Any) -> Iterator[str]:
    """The relations and folded definitions in a formula; names of orders and memberships have a blank in them."""
    if z3.is_app(formula) and formula.decl().kind() == z3.Z3_OP_UNINTERPRETED and formula.num_args():
        yield from (name for name in (formula.decl().name(),) if " " not in name)
    for part in (formula.body(),) if z3.is_quantifier(formula) else formula.children():
        yield from _speaks_of(part)


def engine_for(
    condition: Condition, names: tuple[str, ...], solver: SolverName, timeout_ms: int, known: str | None = None
) -> str | None:
    """The first engine that proves the condition from these hypotheses alone; one that is known is asked first."""
    engines = sorted(ENGINES[solver], key=lambda name: name != known)
    return next((name for name in engines if ask(condition, names, solver, name, timeout_ms)), None)


def fewest(condition: Condition, hint: Hint) -> Hint:
    """The hint without the hypotheses that it can spare, one after the other."""
    kept = hint.hypotheses
    for name in hint.hypotheses:
        fewer = tuple(other for other in kept if other != name)
        if (engine := engine_for(condition, fewer, "z3", AGAIN_MS // 4)) is not None:
            kept, hint = fewer, Hint(fewer, {"z3": engine})
    return hint


def find_hints(
    text: type[Protocol],
    solvers: tuple[SolverName, ...] = ("z3",),
    progress: Callable[[str], None] | None = None,
    known: Mapping[str, Hint] | None = None,
) -> dict[str, Hint]:
    """A hint for each condition of a text of which a proof is found, by name.

    Args:
        text: the protocol.
        solvers: for whom an engine is sought that sees the proof.
        progress: told of each condition before it is searched.
        known: hints of this text or of an earlier form of it; one that still proves its condition saves the search.

    Raises:
        SecondSolverMissing: cvc5 is asked and not installed.
    """
    found = {}
    for condition in conditions(Logic(text)):
        if progress is not None:
            progress(condition.name)
        hint = again(condition, (known or {}).get(condition.name)) or find(condition)
        if hint is None:
            continue
        hint = fewest(condition, hint)
        engines: dict[SolverName, str] = {"z3": hint.engines["z3"]}
        for solver in solvers:
            first = hint.engines.get(solver)
            if solver not in engines and (engine := engine_for(condition, hint.hypotheses, solver, AGAIN_MS, first)):
                engines[solver] = engine
        found[condition.name] = Hint(hint.hypotheses, engines)
    return found


def again(condition: Condition, hint: Hint | None) -> Hint | None:
    """A hint that is known, if z3 proves the condition from it at once."""
    if hint is None or not set(hint.hypotheses) <= set(condition.given):
        return None
    engine = engine_for(condition, hint.hypotheses, "z3", AGAIN_MS, hint.engines.get("z3"))
    return None if engine is None else Hint(hint.hypotheses, {**hint.engines, "z3": engine})

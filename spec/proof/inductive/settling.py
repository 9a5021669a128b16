"""What becomes of one condition: its hint replays, or a proof is searched, or a counter-model is found, or nothing."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from spec.proof.inductive.conditions import Condition
from spec.proof.inductive.finding import Hint, find
from spec.proof.inductive.refuting import Refuter
from spec.proof.inductive.reports import Proved, Status
from spec.proof.inductive.solvers import ENGINES, SolverName, ask

SECOND_MS: Final = 1000
"""How long an engine that the hint does not name may try what the hint's hypotheses claim."""

QUICK: Final = 8
"""A first search takes so small a part of its time, because most of what is wrong is refuted more quickly."""

SMALLEST: Final = 5
"""How many of the smallest worlds are looked at before a proof is searched, where one counter-model is wanted."""


@dataclass(frozen=True)
class Asker:
    """How conditions are asked.

    Attributes:
        seed: of the solver's random choices.
        timeout_ms: how long one question may take.
    """

    solver: SolverName
    seed: int
    timeout_ms: int


@dataclass(frozen=True)
class Evidence:
    """A proof: the hypotheses that it used, and the engine that saw it."""

    hypotheses: tuple[str, ...]
    engine: str


def settled(wanted: Iterable[Condition], hints: Mapping[str, Hint], asker: Asker, refuter: Refuter) -> Iterator[Proved]:
    """What becomes of each condition, as one asks."""
    return (settle(one, hints.get(one.name), asker, refuter) for one in wanted)


def first_refuted(
    wanted: Iterable[Condition], hints: Mapping[str, Hint], asker: Asker, refuter: Refuter
) -> Iterator[Proved]:
    """What becomes of those that no hint proves, as far as the first that is refuted, in the smallest worlds if it is.

    Most of what is wrong is refuted there before a search for its proof has failed.
    """
    doubtful = [one for one in wanted if replayed(one, hints.get(one.name), asker) is None]
    for scope in refuter.scopes[:SMALLEST]:
        for one in doubtful:
            begin = time.process_time()
            if (counter := refuter.refute(one, (scope,))) is not None:
                yield Proved(one.name, "violated", asker.solver, "", False, (), time.process_time() - begin, counter)
                return
    for done in settled(doubtful, {}, asker, refuter):
        yield done
        if done.status == "violated":
            return


def settle(condition: Condition, hint: Hint | None, asker: Asker, refuter: Refuter) -> Proved:
    """Prove one condition, or refute it, or say that neither was possible."""
    begin = time.process_time()
    counter = None
    found = replayed(condition, hint, asker)
    hinted = found is not None
    if found is None:
        found = searched(condition, asker, share=QUICK)
    if found is None and (counter := refuter.refute(condition)) is None:
        found = searched(condition, asker)
    cpu_s = time.process_time() - begin
    if found is not None:
        return Proved(condition.name, "holds", asker.solver, found.engine, hinted, found.hypotheses, cpu_s)
    status: Status = "unknown" if counter is None else "violated"
    return Proved(condition.name, status, asker.solver, "", hinted, (), cpu_s, counter)


def replayed(condition: Condition, hint: Hint | None, asker: Asker) -> Evidence | None:
    """A proof from the hint's hypotheses, by the engine that it names or else by another."""
    if hint is None or not set(hint.hypotheses) <= set(condition.given):
        return None
    engines = list(ENGINES[asker.solver])
    named = hint.engines.get(asker.solver, engines[0])
    engines.sort(key=lambda engine: engine != named)
    for engine in engines:
        limit_ms = asker.timeout_ms if engine == named else min(asker.timeout_ms, SECOND_MS)
        if ask(condition, hint.hypotheses, asker.solver, engine, limit_ms, asker.seed):
            return Evidence(hint.hypotheses, engine)
    return None


def searched(condition: Condition, asker: Asker, share: int = 1) -> Evidence | None:
    """A proof from hypotheses that z3 picks; cvc5 tries those, and all of them where z3 has found nothing."""
    timeouts_ms = {name: max(1, min(limit_ms, asker.timeout_ms) // share) for name, limit_ms in ENGINES["z3"].items()}
    hint = find(condition, timeouts_ms)
    if asker.solver == "z3":
        return None if hint is None else Evidence(hint.hypotheses, hint.engines["z3"])
    names = tuple(condition.given) if hint is None else hint.hypotheses
    return next(_by_second(condition, names, asker, max(1, asker.timeout_ms // share)), None)


def _by_second(condition: Condition, names: tuple[str, ...], asker: Asker, timeout_ms: int) -> Iterator[Evidence]:
    for engine in ENGINES["cvc5"]:
        if ask(condition, names, "cvc5", engine, timeout_ms, asker.seed):
            yield Evidence(names, engine)

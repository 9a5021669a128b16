"""Long questions about the proofs of a text: each is asked of many things, of which few are exceptions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Final, TypeAlias

from spec.language.protocol.text import Protocol
from spec.proof.inductive.conditions import Condition, conditions
from spec.proof.inductive.finding import AGAIN_MS, Hint, engine_for, find
from spec.proof.inductive.hint_files import read_hints
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.settling import QUICK, Asker, replayed
from spec.proof.inductive.solvers import ENGINES, REPLAY_MS, SolverName

Asked: TypeAlias = Mapping[str, Callable[[], bool]]
"""What a question is asked of, and for each thing how to learn whether it is an exception."""

SOLVERS: Final[tuple[SolverName, ...]] = ("z3", "cvc5")
SEEDS: Final = range(20)
SOON_MS: Final = {name: limit_ms // QUICK for name, limit_ms in ENGINES["z3"].items()}


@dataclass(frozen=True)
class Proofs:
    """A text and the hints from which it is proved."""

    text: type[Protocol]
    hints: Mapping[str, Hint]

    @cached_property
    def conditions(self) -> list[Condition]:
        """All conditions of the text."""
        return list(conditions(Logic(self.text)))

    def fresh(self, name: str) -> Condition:
        """A condition that nobody was asked about: what a solver has seen before may change what it finds."""
        place = name.partition("/")[0]
        return next(one for one in conditions(Logic(self.text), place.__eq__) if one.name == name)

    def replays(self, condition: Condition, asker: Asker) -> bool:
        """Whether a solver proves a condition from its hint alone."""
        return replayed(condition, self.hints.get(condition.name), asker) is not None


def proofs_of(text: type[Protocol]) -> Proofs:
    """A text with its committed hints."""
    kept = read_hints(text)
    return Proofs(text, {} if kept is None else kept.hints)


def spared(proofs: Proofs) -> Asked:
    """Hypotheses of a hint that their condition does not need: z3 proves it from the others alone."""

    def unneeded(condition: str, name: str) -> bool:
        others = tuple(other for other in proofs.hints[condition].hypotheses if other != name)
        return engine_for(proofs.fresh(condition), others, "z3", AGAIN_MS // 4) is not None

    return {
        f"{condition} without {name}": partial(unneeded, condition, name)
        for condition, hint in proofs.hints.items()
        for name in hint.hypotheses
    }


def idle(proofs: Proofs) -> Asked:
    """Invariants and axioms of which no proof but their own makes use, so that the text can do without them.

    A user that is proved from all other hypotheses does not count. Lemmas follow from the rest: of these, the ones that
    no hint names.
    """

    def unused(name: str) -> bool:
        users = (user for user, hint in proofs.hints.items() if name in hint.hypotheses)
        return not any(_needs(proofs.fresh(user), name) for user in users if not user.endswith(f"/{name}"))

    def unnamed(name: str) -> bool:
        return not any(name in hint.hypotheses for hint in proofs.hints.values())

    said = {one.name: unused for kind in ("invariant", "axiom") for one in proofs.text.of_kind(kind)}
    said |= {one.name: unnamed for one in proofs.text.of_kind("lemma")}
    return {name: partial(one, name) for name, one in said.items()}


def _needs(condition: Condition, name: str) -> bool:
    others = {one: fact for one, fact in condition.given.items() if one != name}
    without = replace(condition, given=others, lemmas=condition.lemmas - {name})
    return find(without, {"matching": AGAIN_MS // 8, "models": AGAIN_MS // 4}) is None


def unfound(proofs: Proofs) -> Asked:
    """Conditions of which z3 finds no proof soon without a hint: a search may take eight times as long."""

    def lost(name: str) -> bool:
        return find(proofs.fresh(name), SOON_MS) is None

    return {condition.name: partial(lost, condition.name) for condition in proofs.conditions}


def unstable(proofs: Proofs, solvers: Collection[SolverName] = SOLVERS, seeds: Collection[int] = SEEDS) -> Asked:
    """Conditions that a solver does not prove from their hint alone, under some seed of its random choices."""

    def failed(name: str, solver: SolverName) -> bool:
        condition = proofs.fresh(name)
        return not all(proofs.replays(condition, Asker(solver, seed, REPLAY_MS)) for seed in seeds)

    names = [condition.name for condition in proofs.conditions]
    return {f"{name} by {solver}": partial(failed, name, solver) for name in names for solver in solvers}


QUESTIONS: Final[Mapping[str, Callable[[Proofs], Asked]]] = {
    "spared": spared,
    "idle": idle,
    "unfound": unfound,
    "unstable": unstable,
}
"""By the name of their exceptions."""

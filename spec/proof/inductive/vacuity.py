"""Whether the proofs say something: actions that can happen, claims that can fail, hypotheses that are needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from spec.language.protocol.clauses import Clause
from spec.language.protocol.meaning import broken, enabled
from spec.language.protocol.text import Protocol
from spec.language.protocol.world import State, Step, World
from spec.language.terms import Op
from spec.proof.inductive.conditions import Condition, conditions
from spec.proof.inductive.finding import AGAIN_MS, Hint, engine_for, find
from spec.proof.inductive.finite import Said, any_of, negated
from spec.proof.inductive.logic import Logic
from spec.proof.inductive.refuting import SCOPES, DoesNotReplay, SmallStates


@dataclass(frozen=True)
class Vacuity:
    """What shows that a text is not empty.

    Attributes:
        happens: for each action a world, a state with all invariants and an enabled step; None if none is found.
        premises: for each invariant, lemma and goal, a state with all invariants in which its premise holds for some
            elements.
        fails: for each invariant and goal, some state in which it is false; a lemma may follow from definitions alone.
    """

    happens: Mapping[str, tuple[World, State, Step] | None]
    premises: Mapping[str, tuple[World, State] | None]
    fails: Mapping[str, tuple[World, State] | None]

    @property
    def complaints(self) -> list[str]:
        """What is empty, in words; nothing, if all is well."""
        found = [f"{name} can never happen" for name, one in self.happens.items() if one is None]
        found += [f"the premise of {name} is never true" for name, one in self.premises.items() if one is None]
        return found + [f"{name} can never be false" for name, one in self.fails.items() if one is None]


def vacuity(text: type[Protocol]) -> Vacuity:
    """Look among small worlds for what would be missing in an empty text.

    Raises:
        DoesNotReplay: the meaning of the text does not confirm what was found.
    """
    happens: dict[str, tuple[World, State, Step] | None] = {one.name: None for one in text.of_kind("action")}
    claims, lemmas = [*text.of_kind("invariant"), *text.of_kind("goal")], text.of_kind("lemma")
    fails: dict[str, tuple[World, State] | None] = {one.name: None for one in claims}
    premises = fails | {one.name: None for one in lemmas}
    for scope in SCOPES:
        if all(one is not None for found in (happens, premises, fails) for one in found.values()):
            break
        small = SmallStates(text, scope)
        for name in (name for name, one in happens.items() if one is None):
            happens[name] = _happens(small, text.clauses[name])
        for claim in (*claims, *lemmas):
            premises[claim.name] = premises[claim.name] or small.found([*small.inductive, _premise(small, claim)])
        for claim in claims:
            fails[claim.name] = fails[claim.name] or _fails(small, claim)
    return Vacuity(happens, premises, fails)


def _happens(small: SmallStates, action: Clause) -> tuple[World, State, Step] | None:
    for row, guards in small.steps(action):
        if found := small.found([*small.inductive, guards]):
            step = Step(action, row)
            if not enabled(*found, step):
                raise DoesNotReplay(f"{small.text.__name__}: {step} is not enabled in {found[1]}")
            return (*found, step)
    return None


def _premise(small: SmallStates, claim: Clause) -> Said:
    """What stands left of the outermost implication, for some elements; true, where nothing does."""
    match claim.body:
        case Op("implies", (premise, _)):
            rows = small.finite.choices(claim.sorts)
            now = small.finite.now
            return any_of(small.finite.formula(premise, dict(enumerate(row)), now) for row in rows)
        case _:
            return True


def _fails(small: SmallStates, claim: Clause) -> tuple[World, State] | None:
    found = small.found([negated(small.claims(claim.name, small.finite.now))])
    if found and broken(*found, claim) is None:
        raise DoesNotReplay(f"{small.text.__name__}: {claim.name} is true in {found[1]}")
    return found


def spared(text: type[Protocol], hints: Mapping[str, Hint]) -> Iterator[tuple[str, str]]:
    """Conditions with a hypothesis of their hint that they do not need: z3 proves them from the others alone."""
    for condition in conditions(Logic(text)):
        hint = hints.get(condition.name, Hint(()))
        for name in hint.hypotheses:
            others = tuple(other for other in hint.hypotheses if other != name)
            if engine_for(condition, others, "z3", AGAIN_MS // 4) is not None:
                yield condition.name, name


def idle(text: type[Protocol], hints: Mapping[str, Hint]) -> list[str]:
    """Invariants and axioms of which no proof but their own makes use, so that the text can do without them.

    A user that is proved from all other hypotheses does not count. Lemmas follow from the rest: of these, the ones that
    no hint names.
    """
    every = list(conditions(Logic(text)))
    names = [one.name for one in (*text.of_kind("invariant"), *text.of_kind("axiom"))]
    found = [name for name in names if not any(_needs(one, name, hints) for one in every)]
    named = {name for hint in hints.values() for name in hint.hypotheses}
    return found + [one.name for one in text.of_kind("lemma") if one.name not in named]


def _needs(condition: Condition, name: str, hints: Mapping[str, Hint]) -> bool:
    hint = hints.get(condition.name)
    if condition.claimed == name or hint is None or name not in hint.hypotheses:
        return False
    others = {one: fact for one, fact in condition.given.items() if one != name}
    without = replace(condition, given=others, lemmas=condition.lemmas - {name})
    return find(without, {"matching": AGAIN_MS // 8, "models": AGAIN_MS // 4}) is None

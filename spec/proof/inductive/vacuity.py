"""Whether the proofs say something: actions that can happen, and claims that can fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spec.language.protocol.clauses import Clause
from spec.language.protocol.meaning import broken, enabled
from spec.language.protocol.nearing import goes_on
from spec.language.protocol.states import State, Step
from spec.language.protocol.text import Protocol
from spec.language.protocol.world import World
from spec.language.terms import Op
from spec.proof.inductive.finite import TruthValue, any_of, negated
from spec.proof.inductive.refuting import SCOPES, DoesNotReplay, SmallStates


@dataclass(frozen=True)
class Vacuity:
    """What shows that a text is not empty.

    Attributes:
        happens: for each action a world, a state with all invariants and an enabled step; None if none is found.
        premises: for each invariant, lemma and goal, a state with all invariants in which its premise holds for some
            elements; for progress one in which its end is awaited.
        fails: for each invariant and goal, some state in which it is false; a lemma may follow from definitions alone,
            and that work can be done from guards.
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
    claims = [*text.of_kind("invariant"), *text.of_kind("goal")]
    lemmas = [*text.of_kind("lemma"), *(goes_on(text, one) for one in text.progresses())]
    fails: dict[str, tuple[World, State] | None] = {one.name: None for one in claims}
    premises = fails | {one.name: None for one in lemmas}
    for scope in SCOPES:
        if all(one is not None for found in (happens, premises, fails) for one in found.values()):
            break
        small = SmallStates(text, scope)
        for name in (name for name, one in happens.items() if one is None):
            happens[name] = _happens(small, text.clauses[name])
        for claim in (*claims, *lemmas):
            found = premises[claim.name] or small.found([*small.inductive, _premise(small, claim)], smallest=False)
            premises[claim.name] = found
        for claim in claims:
            fails[claim.name] = fails[claim.name] or _fails(small, claim)
    return Vacuity(happens, premises, fails)


def _happens(small: SmallStates, action: Clause) -> tuple[World, State, Step] | None:
    for row, guards in small.steps(action):
        if found := small.found([*small.inductive, guards], smallest=False):
            step = Step(action, row)
            if not enabled(*found, step):
                raise DoesNotReplay(f"{small.text.__name__}: {step} is not enabled in {found[1]}")
            return (*found, step)
    return None


def _premise(small: SmallStates, claim: Clause) -> TruthValue:
    """What stands left of the outermost implication, for some elements; true, where nothing does."""
    match claim.body:
        case Op("implies", (premise, _)):
            rows = small.finite.choices(claim.sorts)
            now = small.finite.now
            return any_of(small.finite.formula(premise, dict(enumerate(row)), now) for row in rows)
        case _:
            return True


def _fails(small: SmallStates, claim: Clause) -> tuple[World, State] | None:
    found = small.found([negated(small.claims(claim.name, small.finite.now))], smallest=False)
    if found and broken(*found, claim) is None:
        raise DoesNotReplay(f"{small.text.__name__}: {claim.name} is true in {found[1]}")
    return found

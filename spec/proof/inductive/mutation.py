"""Which wrong texts the proof catches: each guard dropped, and the variants that are wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from spec.language.protocol.clauses import Clause
from spec.language.protocol.mutants import Mutant, without_one_guard
from spec.language.protocol.prose import Prose, called
from spec.language.protocol.text import Protocol
from spec.proof.inductive.conditions import GOAL, PROGRESS, Condition, conditions
from spec.proof.inductive.countermodel import CounterModel
from spec.proof.inductive.finding import Hint
from spec.proof.inductive.hint_files import bare, read_hints
from spec.proof.inductive.logic import Logic, reads
from spec.proof.inductive.refuting import Refuter, small_states
from spec.proof.inductive.reports import Proved
from spec.proof.inductive.settling import Asker, first_refuted, settled
from spec.proof.inductive.symbols import terms

Fate: TypeAlias = Literal["refuted", "not proved", "survives"]
"""A counter-model was shown; none was, but some condition was not proved in time; everything is still proved."""


@dataclass(frozen=True)
class Killed:
    """A wrong text and what became of it.

    Attributes:
        name: the variant, or the action and the number of its dropped guard.
        what: the dropped guard, or the variant, in words.
        refuted: the conditions that have a counter-model.
        unproved: the conditions that have none, and no proof in time.
        counter: the first counter-model.
    """

    name: str
    what: str
    refuted: tuple[str, ...]
    unproved: tuple[str, ...]
    counter: CounterModel | None

    @property
    def fate(self) -> Fate:
        """How it fell, or that it did not."""
        return "refuted" if self.refuted else "not proved" if self.unproved else "survives"

    def to_json(self) -> dict[str, Any]:
        """As JSON-able values."""
        return {
            "name": self.name,
            "what": self.what,
            "fate": self.fate,
            "refuted": list(self.refuted),
            "unproved": list(self.unproved),
            "counter_model": None if self.counter is None else self.counter.to_json(),
        }


def without_guards(
    text: type[Protocol], timeout_ms: int = 2000, only: Callable[[str], bool] = lambda _: True, *, whole: bool = True
) -> Iterator[Killed]:
    """Prove a text without each guard of its actions, or of those asked for; only that action's conditions differ.

    Args:
        text: the protocol.
        timeout_ms: how long one question may take.
        only: of which actions the guards are dropped.
        whole: look for all that a guard guards; else one counter-model shows that it is needed.
    """
    hints, asker, small = _hints(text), Asker("z3", 0, timeout_ms), small_states(text)
    for mutant in (one for one in without_one_guard(text) if only(one.action)):
        wanted = conditions(Logic(mutant.protocol), mutant.action.__eq__)
        refuter = Refuter(mutant.protocol, small=small)
        done = _settled(wanted, _shifted(hints, mutant), asker, refuter, whole=whole)
        guard = Prose(text).say(mutant.guard, called(text.clauses[mutant.action].params))
        yield _killed(str(mutant), guard, done)


def variants(
    text: type[Protocol],
    wrong: Mapping[str, type[Protocol]],
    timeout_ms: int = 2000,
    only: Callable[[Condition], bool] = lambda _: True,
    *,
    whole: bool = True,
) -> Iterator[Killed]:
    """Prove each wrong form of a text where it differs from the text, or those conditions that are asked for.

    Args:
        text: the protocol.
        wrong: its wrong forms, by name.
        timeout_ms: how long one question may take.
        only: which conditions to prove.
        whole: look for all that fails; else one counter-model shows that the form is wrong.
    """
    hints, asker = _hints(text), Asker("z3", 0, timeout_ms)
    for name, variant in wrong.items():
        wanted = filter(only, conditions(Logic(variant), _differs(text, variant)))
        done = _settled(wanted, hints, asker, Refuter(variant), whole=whole)
        yield _killed(name, (variant.__doc__ or "").strip(), done)


def _settled(
    wanted: Iterator[Condition], hints: Mapping[str, Hint], asker: Asker, refuter: Refuter, *, whole: bool
) -> list[Proved]:
    """What becomes of these conditions, all of them or as far as the first that is refuted."""
    return list((settled if whole else first_refuted)(wanted, hints, asker, refuter))


def _differs(text: type[Protocol], wrong: type[Protocol]) -> Callable[[str], bool]:
    """At which places a wrong form differs: at actions that it changes, or everywhere if it assumes other things."""
    known, other = ({one.name: bare(one) for one in _clauses(form)} for form in (text, wrong))
    changed = {name for name in known | other if known.get(name) != other.get(name)}
    concerned = {
        one
        for one in wrong.clauses.values()
        if one.name in changed or any(name in changed for term in terms(one) for name in reads(wrong, term))
    }
    if text.relations.keys() != wrong.relations.keys() or any(one.kind not in ("action", GOAL) for one in concerned):
        return lambda _: True
    return {PROGRESS, *(one.name if one.kind == "action" else GOAL for one in concerned)}.__contains__


def _clauses(text: type[Protocol]) -> Iterator[Clause]:
    yield from text.definitions.values()
    yield from text.clauses.values()


def _hints(text: type[Protocol]) -> Mapping[str, Hint]:
    found = read_hints(text)
    return {} if found is None else found.hints


def _shifted(hints: Mapping[str, Hint], mutant: Mutant) -> dict[str, Hint]:
    """The hints of the full text, with its guards numbered as in the mutant.

    A hint that needs the dropped guard is left out: if there is a proof without it, it must be searched.
    """
    numbers = range(len(mutant.protocol.clauses[mutant.action].requires))
    guards = {f"guard {n + (n >= mutant.number)}": f"guard {n}" for n in numbers}
    found = {}
    for name, hint in hints.items():
        if not name.startswith(f"{mutant.action}/"):
            continue
        if f"guard {mutant.number}" not in hint.hypotheses:
            found[name] = Hint(tuple(guards.get(one, one) for one in hint.hypotheses), hint.engines)
    return found


def _killed(name: str, what: str, done: Sequence[Proved]) -> Killed:
    refuted = [one for one in done if one.status == "violated"]
    unproved = tuple(one.name for one in done if one.status == "unknown")
    counter = refuted[0].counter if refuted else None
    return Killed(name, what, tuple(one.name for one in refuted), unproved, counter)

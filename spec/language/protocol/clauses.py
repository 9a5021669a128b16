"""Clauses of a protocol text, each read once: actions, definitions, invariants, lemmas, goals, progress and axioms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Final, Literal

from spec.language.protocol.draft import Update, Work
from spec.language.protocol.sorts import Sort
from spec.language.terms import Binder, Lit, Op, Term

Kind = Literal["action", "definition", "invariant", "lemma", "goal", "progress", "axiom"]

KINDS: Final[dict[Kind, str]] = {
    "axiom": "what is known of the sets that the text speaks about",
    "action": "what may happen",
    "invariant": "what holds in every state, and is strong enough to show that it does",
    "lemma": "what follows from the invariants, and helps to show that actions keep them",
    "goal": "what the protocol is for",
    "progress": "what comes in the end, if work that can be done without interruption is done (weak fairness)",
    "definition": "a formula with a name",
}
"""The kinds of clauses, and what each says."""


@dataclass(frozen=True)
class Clause:
    """One clause of a protocol text.

    Attributes:
        sentence: the clause in English; for a definition a phrase in which ``{member}`` stands for a parameter.
        cite: where it comes from: the rest of its docstring.
        params: its parameters; it speaks of all their values.
        body: what it says; for an action, that its guards hold; for progress, that its end is awaited.
        requires: an action's guards, one for each part of a conjunction.
        assumes: what holds wherever the guards hold, in finite systems.
        updates: what the action changes, all at once.
        where: file and line of its definition.
    """

    kind: Kind
    name: str
    sentence: str
    cite: str
    params: tuple[Binder, ...]
    body: Term
    requires: tuple[Term, ...] = ()
    assumes: tuple[Term, ...] = ()
    updates: tuple[Update, ...] = ()
    where: str = ""

    @property
    def sorts(self) -> tuple[type[Sort], ...]:
        """The sorts of its parameters."""
        return tuple(param.var.sort for param in self.params)


@dataclass(frozen=True, kw_only=True)
class Progress(Clause):
    """A clause on what comes in the end: wherever ``start`` is true, ``end`` becomes true later, or is already.

    Attributes:
        works: what is done until then, one kind after the other; the last reaches the end.
    """

    start: Term
    end: Term
    works: tuple[Work, ...]


def conjuncts(term: Term) -> tuple[Term, ...]:
    """The parts of a conjunction, left to right."""
    match term:
        case Op("and", (a, b)):
            return conjuncts(a) + conjuncts(b)
        case _:
            return (term,)


def conjunction(parts: tuple[Term, ...]) -> Term:
    """One formula that says all parts; true, if there are none."""
    return reduce(lambda a, b: Op("and", (a, b)), parts) if parts else Lit(value=True)

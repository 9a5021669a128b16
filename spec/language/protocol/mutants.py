"""Mutants for free: every action without one of its guards. A guard that nothing notices is idle, or unproved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from spec.language.protocol.clauses import conjunction
from spec.language.protocol.text import Protocol
from spec.language.terms import Term


@dataclass(frozen=True)
class Mutant:
    """A protocol that lacks one guard.

    Attributes:
        action: the action's name.
        number: which of its guards, from 0.
        guard: the guard.
        protocol: the text without it.
    """

    action: str
    number: int
    guard: Term
    protocol: type[Protocol]

    def __str__(self) -> str:
        return f"{self.action} without guard {self.number}"


def without_one_guard(protocol: type[Protocol]) -> Iterator[Mutant]:
    """Each action of a text without one of its guards, all else as it is."""
    for action in protocol.of_kind("action"):
        for number, guard in enumerate(action.requires):
            left = action.requires[:number] + action.requires[number + 1 :]
            weaker = replace(action, requires=left, body=conjunction(left))
            mutant: type[Protocol] = type(f"{protocol.__name__}Mutant", (Protocol,), {"__doc__": protocol.__doc__})
            mutant.relations, mutant.definitions = protocol.relations, protocol.definitions
            mutant.clauses = protocol.clauses | {action.name: weaker}
            yield Mutant(action.name, number, guard, mutant)

"""What a mutant is, and how a wrong decision is written down as one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from types import ModuleType
from typing import Any

from reference_impl.log.machine import Decisions

Decision = Callable[..., Any]


@dataclass(frozen=True)
class Mutant:
    """One deviation.

    Attributes:
        name: how plans call it.
        sentence: what goes wrong.
        why: the sentence of the sources that it breaks, or the defect that it stands for.
        changes: the wrong decisions, by the name of the right ones.
    """

    name: str
    sentence: str
    why: str
    changes: Mapping[str, Decision]

    def apply(self, decisions: Decisions) -> Decisions:
        """The decisions with this mutant's in place of the right ones."""
        changes: dict[str, Any] = dict(self.changes)
        return replace(decisions, **changes)


def mutant(decision: str, **others: Decision) -> Callable[[Decision], Mutant]:
    """Read a function as a mutant that replaces a decision, and others with it where it needs them.

    Raises:
        TypeError: there is no such decision, or the docstring lacks one of its two parts.
    """

    def read(function: Decision) -> Mutant:
        unknown = {decision, *others} - {field.name for field in fields(Decisions)}
        if unknown:
            raise TypeError(f"{function.__name__} replaces {sorted(unknown)}, which the machine does not decide")
        sentence, _, why = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
        if not why:
            raise TypeError(f"{function.__name__} must say what goes wrong and, after a blank line, why that matters")
        return Mutant(function.__name__, sentence, why.replace("\n", " "), {decision: function, **others})

    return read


def mutants_of(module: ModuleType) -> Iterator[Mutant]:
    """The mutants that a module defines, in the order in which they are written."""
    return (value for value in vars(module).values() if isinstance(value, Mutant))

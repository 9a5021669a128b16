"""What a mutant is, and how a wrong decision is written down as one."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from types import ModuleType
from typing import Any, Final, ParamSpec, TypeVar

from reference_impl.kernel.decision import Change, Decision
from reference_impl.plan import SimulationPlan

P = ParamSpec("P")
R = TypeVar("R")
Plan = TypeVar("Plan")


@dataclass(frozen=True)
class Setting:
    """Where a deviation can be seen, if the usual plan has no place for it.

    Attributes:
        words: how it differs from the usual plan, in English.
        changes: the fields of the plan that are different, by name.
        of: the class of the plan.
    """

    words: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    of: type[Any] = SimulationPlan

    def __post_init__(self) -> None:
        unknown = self.changes.keys() - {field.name for field in fields(self.of) if field.name != "mutant"}
        if unknown:
            raise TypeError(f"a setting cannot change {sorted(unknown)}: name fields of a plan, other than the mutant")


USUAL: Final = Setting()
"""Any plan will do."""


def setting(words: str, of: type[Any] = SimulationPlan, **changes: Any) -> Setting:
    """A setting in words and by the fields of the plan that it changes, as ``setting("...", events=50_000)``.

    Raises:
        TypeError: a plan has no such field.
    """
    return Setting(words, changes, of)


@dataclass(frozen=True)
class Mutant:
    """One deviation.

    Attributes:
        name: how plans call it.
        sentence: what goes wrong.
        why: the sentence of the sources that it breaks, or the defect that it stands for.
        changes: the decisions that it takes wrongly, and how.
        setting: where it can be seen.
    """

    name: str
    sentence: str
    why: str
    changes: tuple[Change, ...]
    setting: Setting = USUAL

    def plan(self, usual: Plan) -> Plan:
        """A plan with this mutant, and with what its setting changes."""
        changes: dict[str, Any] = dict(self.setting.changes)
        return replace(usual, mutant=self.name, **changes)  # type: ignore[type-var]  # every plan is a dataclass


def mutant(decision: Decision[P, R], *others: Change, where: Setting = USUAL) -> Callable[[Callable[P, R]], Mutant]:
    """Read a function as a mutant that replaces a decision, and others with it where it needs them.

    Args:
        decision: the decision that the function takes wrongly.
        others: more decisions, as ``is_for.otherwise(takes_any_epoch)``.
        where: a plan in which this can be seen, for what the usual plan has no place for.

    Raises:
        TypeError: the docstring lacks one of its two parts.
    """

    def read(function: Callable[P, R]) -> Mutant:
        sentence, _, why = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
        if not why:
            raise TypeError(f"{function.__name__} must say what goes wrong and, after a blank line, why that matters")
        changes = decision.otherwise(function), *others
        return Mutant(function.__name__, sentence, why.replace("\n", " "), changes, where)

    return read


def mutants_of(module: ModuleType) -> Iterator[Mutant]:
    """The mutants that a module defines, in the order in which they are written."""
    return (value for value in vars(module).values() if isinstance(value, Mutant))

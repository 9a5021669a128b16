"""What became of every step that a small machine can take, held to a proved text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from spec.language.outcomes import Verdict

Told = TypeVar("Told")


@dataclass(frozen=True)
class Exhausted(Generic[Told]):
    """What became of all steps.

    Attributes:
        states: how many states there are, of the machine with its messages and of the text.
        transitions: how many steps there are between them.
        depth: how many steps lead to the farthest.
        by_action: how many different steps the text took, by action.
        complete: whether that is everything.
        broken: the first step that is no step of the text, after as few steps as possible.
    """

    states: int
    transitions: int
    depth: int
    complete: bool
    by_action: Mapping[str, int] = field(default_factory=dict)
    broken: Told | None = None

    @property
    def verdict(self) -> Verdict:
        """A search that was cut short is no pass."""
        if self.broken is not None:
            return Verdict.VIOLATED
        return Verdict.HOLDS if self.complete else Verdict.UNKNOWN

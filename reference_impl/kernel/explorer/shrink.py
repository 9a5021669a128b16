"""Delta debugging: a long way to a failure made short.

Source: Zeller and Hildebrandt, Simplifying and isolating failure-inducing input. Steps have names and arguments, not
numbers among those possible, and a step that has become impossible is skipped: so what is left out disturbs little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Replay: TypeAlias = Callable[[Sequence[T]], "list[T] | None"]
"""Take these steps, skipping what is impossible; the steps taken up to the failure, or None if there is none."""


def shrunk(steps: Sequence[T], replay: Replay[T]) -> list[T]:
    """Steps that still fail, of which no one and no two can be left out.

    Raises:
        ValueError: the steps do not fail.
    """
    best = replay(steps)
    if best is None:
        raise ValueError("steps that do not fail cannot be made shorter")
    while True:
        before = len(best)
        size = max(1, before // 2)
        while size:
            best = _without_parts(best, size, replay)
            size //= 2
        if len(best) == before:
            best = _without_two(best, replay)
        if len(best) == before:
            return best


def _without_two(steps: list[T], replay: Replay[T]) -> list[T]:
    """Leave out the first two steps, wherever they are, without which the rest still fails."""
    for one, other in combinations(range(len(steps)), 2):
        shorter = replay(steps[:one] + steps[one + 1 : other] + steps[other + 1 :])
        if shorter is not None:
            return shorter
    return steps


def _without_parts(steps: list[T], size: int, replay: Replay[T]) -> list[T]:
    """Leave out parts of one size, the last first, wherever the rest still fails."""
    start = len(steps) - size
    while start >= 0:
        shorter = replay(steps[:start] + steps[start + size :])
        if shorter is not None:
            steps = shorter
        start = min(start - size if shorter is not None else start - 1, len(steps) - size)
    return steps

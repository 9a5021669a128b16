"""Delta debugging: a long way to a failure made short.

Source: Zeller and Hildebrandt, Simplifying and isolating failure-inducing input. Steps have names and arguments, not
numbers among those possible, and a step that has become impossible is skipped: so what is left out disturbs little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Replay: TypeAlias = Callable[[Sequence[T]], "tuple[list[T], bool]"]
"""Take these steps, skipping what is impossible: the steps that were taken, up to a failure, and whether one came."""


def shrunk(steps: Sequence[T], replay: Replay[T], *, in_pairs: bool = True) -> list[T]:
    """Steps that still fail, of which no one can be left out, and no two.

    Args:
        steps: they fail.
        replay: takes some of them.
        in_pairs: also look for two to leave out together; of a hundred steps that takes thousands of replays.

    Raises:
        ValueError: the steps do not fail.
    """
    best, fails = replay(steps)
    if not fails:
        raise ValueError("steps that do not fail cannot be made shorter")
    while True:
        before = len(best)
        size = max(1, before // 2)
        while size:
            best = _without_parts(best, size, replay)
            size //= 2
        if len(best) == before and in_pairs:
            best = _without_two(best, replay)
        if len(best) == before:
            return best


def _without_two(steps: list[T], replay: Replay[T]) -> list[T]:
    """Leave out two steps, wherever they are, without which the rest still fails, and go on from there.

    What becomes impossible once the first is left out need not be left out as the second: that changes nothing.
    """
    one = 0
    while one < len(steps):
        possible = {id(step) for step in replay(steps[:one] + steps[one + 1 :])[0]}
        for other in range(one + 1, len(steps)):
            if id(steps[other]) not in possible:
                continue
            taken, fails = replay(steps[:one] + steps[one + 1 : other] + steps[other + 1 :])
            if fails:
                steps = taken
                break
        else:
            one += 1
    return steps


def _without_parts(steps: list[T], size: int, replay: Replay[T]) -> list[T]:
    """Leave out parts of one size, the last first, wherever the rest still fails."""
    start = len(steps) - size
    while start >= 0:
        taken, fails = replay(steps[:start] + steps[start + size :])
        if fails:
            steps = taken
        start = min(start - size if fails else start - 1, len(steps) - size)
    return steps

"""Every arrangement of interchangeable elements, each reached from the one before by a single swap.

Source: Steinhaus, Johnson and Trotter's plain changes (Knuth, The Art of Computer Programming, 7.2.1.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from spec.explore.symmetry import Block, Swap, swap

T = TypeVar("T")


def plain_changes(count: int) -> list[int]:
    """Which neighbours to swap, one after the other, to see every arrangement of ``count`` things once."""
    if count < 2:  # noqa: PLR2004 - nothing to arrange
        return []
    down, up = list(range(count - 2, -1, -1)), list(range(count - 1))
    changes: list[int] = []
    fewer = plain_changes(count - 1)
    for number, change in enumerate(fewer):
        changes += [*down, change + 1] if number % 2 == 0 else [*up, change]
    return changes + (down if len(fewer) % 2 == 0 else up)


def nested(loops: Sequence[Sequence[T]]) -> list[T]:
    """One walk through all combinations of several walks, each of which shows everything from wherever it begins."""
    if not loops:
        return []
    first, *rest = loops
    inside = nested(rest)
    return inside + [part for step in first for part in (step, *inside)]


def arrangements(block: Block) -> Iterator[list[Swap]]:
    """For each place where blocks may be swapped, the swaps that show all their arrangements."""
    if not isinstance(block, int):
        yield [swap(block[place], block[place + 1]) for place in plain_changes(len(block))]
        for part in block:
            yield from arrangements(part)


def sorting_network(count: int) -> list[tuple[int, int]]:
    """Pairs to compare and exchange, in this order, so that ``count`` things are sorted.

    Source: Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2, algorithm M).
    """
    pairs: list[tuple[int, int]] = []
    top = 1 << max(0, (count - 1).bit_length() - 1)
    step = top
    while step > 0 and count > 1:
        limit, kept, distance = top, 0, step
        while True:
            pairs += [(low, low + distance) for low in range(count - distance) if low & step == kept]
            if limit == step:
                break
            distance, limit, kept = limit - step, limit >> 1, step
        step >>= 1
    return pairs

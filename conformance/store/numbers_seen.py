"""Numbers seen: which sequence numbers of each recorder a store has, as stretches without a gap.

Recorders count, so a few stretches tell of any number of events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np

from spec.columns.column import Array

Stretches: TypeAlias = dict[str, list[tuple[int, int]]]
"""For each recorder the first and the last number of each stretch, in order; stretches do not touch."""


def stretches_of(recorder: Array, seq: Array, names: list[str]) -> Stretches:
    """The numbers of some events, each as often as it stands there."""
    found: Stretches = {}
    for code in np.unique(recorder).tolist():
        numbers = np.unique(seq[recorder == code])
        ends = np.flatnonzero(np.append(np.diff(numbers) > 1, True))
        starts = np.append(0, ends[:-1] + 1)
        found[names[code]] = list(zip(numbers[starts].tolist(), numbers[ends].tolist(), strict=True))
    return found


def together(parts: Iterable[Mapping[str, Iterable[tuple[int, int]]]]) -> Stretches:
    """The numbers that stand in any of these."""
    waiting: dict[str, list[tuple[int, int]]] = {}
    for part in parts:
        for recorder, some in part.items():
            waiting.setdefault(recorder, []).extend(some)
    return {recorder: _joined(some) for recorder, some in waiting.items()}


def _joined(some: list[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, last in sorted(some):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return found


def count_of(stretches: Mapping[str, Iterable[tuple[int, int]]]) -> int:
    """How many numbers these are."""
    return sum(last - first + 1 for some in stretches.values() for first, last in some)

"""The engine over numpy columns: chunks that fit the cache, sorted and merged into runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from reference_impl.kernel.explorer.columns import Columns, U, distinct, joined, mixed, unmixed
from reference_impl.kernel.explorer.compiling import Functions
from reference_impl.kernel.explorer.engine import Level
from reference_impl.kernel.explorer.result import EngineName
from reference_impl.kernel.explorer.visited import Visited
from spec.explore.layout import Layout

CHUNK: Final = 1 << 13
"""So many states are expanded at once: they and their successors by one move fit the cache."""

PENDING: Final = 1 << 22
"""So many successors at least are collected before those seen before are taken out."""


class NumpyEngine:
    """Memory: what was seen, the level, the next level, and some million successors that wait to be merged."""

    name: EngineName = "numpy"

    def __init__(self, layout: Layout, made: Functions, visited: Visited) -> None:
        self.layout, self.made, self.visited = layout, made, visited
        self._out = np.empty((layout.words, CHUNK * max(1, len(layout.lowering.moves))), U)

    def remember(self, states: Columns) -> None:
        """These states were seen before."""
        self.visited.add(distinct(mixed(states).copy()))

    def expand(self, states: Columns, tick: Callable[[int, int], None]) -> Level:
        """Take every step from states that are remembered, and remember what is new."""
        transitions, pending = 0, 0
        parts: list[Columns] = []
        fresh: list[Columns] = []
        for start in range(0, states.shape[1], CHUNK):
            chunk = states[:, start : start + CHUNK]
            count, wrong = self.made.successors(self._out, *chunk)
            if wrong < chunk.shape[1]:
                return Level(states[:, :0], transitions, chunk[:, wrong : wrong + 1])
            transitions += count
            found = distinct(mixed(self.made.canonical_columns(self._out[:, :count])))
            parts.append(found)
            pending += found.shape[1]
            if pending >= PENDING:
                fresh.append(self.visited.new(joined(parts)))
                parts, pending = [], 0
            tick(start + chunk.shape[1], transitions)
        if parts:
            fresh.append(self.visited.new(joined(parts)))
        new = fresh[0] if len(fresh) == 1 else joined(fresh)
        self.visited.add(new)
        return Level(unmixed(new), transitions)

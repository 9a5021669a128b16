"""The engine over the run reading: slow and simple, the yardstick of the others. It knows no symmetry."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from reference_impl.kernel.explorer.columns import Columns, U
from reference_impl.kernel.explorer.engine import Level
from reference_impl.kernel.explorer.judge import Judge
from reference_impl.kernel.explorer.result import EngineName
from spec.explore.layout import Layout

TICK_STATES: Final = 1 << 10
"""So many states are expanded between two looks at the budget."""


class RunEngine:
    """Memory: a Python number for each state that was seen."""

    name: EngineName = "run"

    def __init__(self, layout: Layout) -> None:
        self.layout, self.judge = layout, Judge(layout.world, layout.lowering.checked)
        self.machine = self.judge.machine
        self.seen: set[int] = set()

    def remember(self, states: Columns) -> None:
        """These states were seen before."""
        self.seen.update(self._words(states))

    def expand(self, states: Columns, tick: Callable[[int, int], None]) -> Level:
        """Take every step from states that are remembered, and remember what is new."""
        transitions = 0
        new: dict[int, None] = {}
        for place, word in enumerate(self._words(states)):
            steps = list(self.machine.successors(word))
            if self.judge.wrong(word) or any(self.judge.defective(move, word, then) for move, then in steps):
                return Level(states[:, :0], transitions, states[:, place : place + 1])
            for _, then in steps:
                transitions += then != word
                if then not in self.seen:
                    self.seen.add(then)
                    new[then] = None
            if place % TICK_STATES == 0:
                tick(place, transitions)
        packed = [self.layout.pack(self.machine.unpack(word)) for word in new]
        return Level(np.array(packed, U).reshape(len(packed), self.layout.words).T.copy(), transitions)

    def _words(self, states: Columns) -> Iterator[int]:
        return (self.machine.pack(self.layout.unpack(state)) for state in states.T)

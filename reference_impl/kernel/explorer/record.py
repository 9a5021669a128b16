"""The levels of a search, in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from reference_impl.kernel.explorer.columns import Columns


class Record(Protocol):
    """What a search has found, level by level.

    Attributes:
        sizes: how many states each level has.
        transitions: steps taken from all levels but the last.
        cpu_s: CPU seconds that this took.
    """

    sizes: list[int]
    transitions: int
    cpu_s: float

    def __getitem__(self, depth: int, /) -> Columns:
        """The states first reached after so many steps."""
        ...

    def append(self, states: Columns, transitions: int, cpu_s: float) -> None:
        """Keep a level; the totals are those with all levels before it expanded."""
        ...


class MemoryRecord:
    """Levels as they are: one word of 64 bits for each word of each state."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.transitions, self.cpu_s = 0, 0.0
        self._levels: list[Columns] = []

    def __getitem__(self, depth: int) -> Columns:
        """The states first reached after so many steps."""
        return self._levels[depth]

    def append(self, states: Columns, transitions: int, cpu_s: float) -> None:
        """Keep a level; the totals are those with all levels before it expanded."""
        self._levels.append(states)
        self.sizes.append(states.shape[1])
        self.transitions, self.cpu_s = transitions, cpu_s


def levels_of(record: Record) -> Iterator[Columns]:
    """Every level, the start first."""
    return (record[depth] for depth in range(len(record.sizes)))

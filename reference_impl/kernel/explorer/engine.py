"""What every engine of the explorer does: it takes one level of states and gives the next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from reference_impl.kernel.explorer.columns import Columns
from reference_impl.kernel.explorer.result import EngineName


class Stopped(Exception):
    """A budget has ended in the middle of a level."""


@dataclass(frozen=True)
class Level:
    """What came of a level.

    Attributes:
        states: the states first reached from it.
        transitions: the steps taken.
        wrong: a state of the level given in which something is wrong, as one column; then nothing else is said.
    """

    states: Columns
    transitions: int
    wrong: Columns | None = None


class Engine(Protocol):
    """Knows the states that were seen before."""

    name: EngineName

    def remember(self, states: Columns) -> None:
        """These states were seen before."""
        ...

    def expand(self, states: Columns, tick: Callable[[int, int], None]) -> Level:
        """Take every step from states that are remembered, and remember what is new.

        ``tick`` is told now and then how many states and transitions of the level are done.

        Raises:
            Stopped: by ``tick``, when a budget has ended; the engine is then of no more use.
        """
        ...

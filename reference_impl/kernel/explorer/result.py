"""What a search says: counts, and if something is wrong, what it is and the shortest way there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final, Literal, TypeAlias

from spec.language.protocol.clauses import Clause
from spec.language.protocol.states import Row, State, Step

EngineName: TypeAlias = Literal["run", "numpy", "numba"]
"""What did the work: the run reading, columns of words, or compiled words."""

LEVELS_MIN: Final = 4
"""An estimate needs so many levels."""

CONTINUED_MAX: Final = 4
"""An estimate expects at most so many times the levels that are known; otherwise nothing can be said yet."""


@dataclass(frozen=True)
class Trace:
    """How a state is reached.

    Attributes:
        steps: what happens, in order.
        states: the start, then the state after each step.
    """

    steps: tuple[Step, ...]
    states: tuple[State, ...]


@dataclass(frozen=True)
class Broken:
    """What is wrong at the end of a trace.

    Attributes:
        kind: a goal or invariant is false in the last state, or the last step is a defect of the text: what it assumes
            is false, or a partial function gets two values.
        clause: the goal, the invariant, or the action of that step.
        row: values of the clause's parameters for which it is false.
        message: the same in one line.
    """

    kind: Literal["goal", "invariant", "defect"]
    clause: Clause
    row: Row
    message: str


@dataclass(frozen=True)
class Progress:
    """How far a search is.

    Attributes:
        distinct: states found so far; of the level under work none is counted yet.
        transitions: steps taken so far.
        depth: the level that is under work; the start is level 0.
        frontier: states of that level.
        expanded: how many of them are done.
        cpu_s: CPU seconds so far.
        estimate: how many states there may be in all, or None if nothing can be said yet.
    """

    distinct: int
    transitions: int
    depth: int
    frontier: int
    expanded: int
    cpu_s: float
    estimate: int | None

    @property
    def states_per_s(self) -> float:
        """Distinct states for each CPU second."""
        return self.distinct / max(self.cpu_s, 1e-9)


@dataclass(frozen=True)
class Result:
    """What a search found.

    Attributes:
        distinct: states found; with symmetry, one for all that differ by exchanging equals.
        transitions: pairs of a state and a step that changes it.
        depth: how many steps the last new state is away from the start.
        cpu_s: CPU seconds of the search, those before a resumption included.
        complete: everything reachable was seen; False if a budget ended the search or something was broken.
        levels: how many states are first reached after 0, 1, 2 ... steps.
        engine: what did the work at the end.
        bits: bits of a state.
        permutations: how many states at most one counted state stands for.
        broken: what is wrong, if anything.
        trace: a shortest way there; with symmetry too, it is a run of the text itself.
    """

    distinct: int
    transitions: int
    depth: int
    cpu_s: float
    complete: bool
    levels: tuple[int, ...]
    engine: EngineName
    bits: int
    permutations: int
    broken: Broken | None = None
    trace: Trace | None = None

    @property
    def states_per_s(self) -> float:
        """Distinct states for each CPU second."""
        return self.distinct / max(self.cpu_s, 1e-9)


def estimate(levels: Sequence[int]) -> int | None:
    """How many states there may be in all, from the sizes of the levels so far; rough, and honest only past the bulge.

    The logarithms of the sizes of breadth-first levels lie near a parabola. The growth of the last levels and how fast
    that growth falls give its continuation, which is added up until a level would be empty. None while growth does not
    fall, or so little that the end is too far to be seen, or while fewer than four levels are known.
    """
    if len(levels) < LEVELS_MIN or min(levels[-LEVELS_MIN:]) == 0:
        return None
    growth = [
        log(after / before) for before, after in zip(levels[-LEVELS_MIN:], levels[1 - LEVELS_MIN :], strict=False)
    ]
    fall = (growth[0] - growth[-1]) / (len(growth) - 1)
    if fall <= 0:
        return None
    total, size, rate = float(sum(levels)), float(levels[-1]), growth[-1]
    for _ in range(CONTINUED_MAX * len(levels)):
        rate -= fall
        size *= exp(rate)
        total += size
        if size < 1:
            return round(total)
    return None

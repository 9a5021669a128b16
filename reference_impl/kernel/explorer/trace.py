"""The shortest way to a state: back through the levels by columns, then forward by the text itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np

from reference_impl.kernel.explorer.columns import Columns, U
from reference_impl.kernel.explorer.compiling import Functions
from reference_impl.kernel.explorer.result import Broken, Trace
from spec.explore.layout import Layout
from spec.explore.lowering import Checked
from spec.language.protocol.meaning import BrokenAssumption, after, broken
from spec.language.protocol.running import PackedWorld
from spec.language.protocol.states import State, Step
from spec.language.protocol.world import World

CHUNK: Final = 1 << 13


class Disagreement(AssertionError):
    """The explore reading does what the run reading of the same text does not: a defect of this project."""


class Levels(Protocol):
    """The states of each level."""

    def __getitem__(self, depth: int, /) -> Columns:
        """The states first reached after so many steps."""
        ...


def shortest(layout: Layout, made: Functions, levels: Levels, depth: int, last: Columns) -> Trace:
    """A shortest run of the text to a state of level ``depth``, or to one that is the same but for exchanged equals.

    Raises:
        Disagreement: the run reading cannot follow.
    """
    path = [last]
    for level in range(depth - 1, -1, -1):
        path.append(_before(layout, made, levels[level], path[-1]))
    return _forward(layout, made, path[-2::-1])


def _before(layout: Layout, made: Functions, states: Columns, target: Columns) -> Columns:
    """A state of a level from which a step leads to the target."""
    out = np.empty((layout.words, CHUNK * max(1, len(layout.lowering.moves))), U)

    def leads(some: Columns) -> bool:
        count, _ = made.successors(out, *some)
        return bool((made.canonical_columns(out[:, :count]) == target).all(axis=0).any())

    for start in range(0, states.shape[1], CHUNK):
        some = states[:, start : start + CHUNK]
        if leads(some):
            while some.shape[1] > 1:
                half = some.shape[1] // 2
                some = some[:, :half] if leads(some[:, :half]) else some[:, half:]
            return some
    raise Disagreement("a state was reached from no state of the level before")


def _forward(layout: Layout, made: Functions, path: Sequence[Columns]) -> Trace:
    """Follow canonical states by the run reading."""
    machine = PackedWorld(layout.world)
    word = machine.pack(layout.world.start)
    steps: list[Step] = []
    states = [layout.world.start]
    for target in path:
        for move, then in machine.successors(word):
            if then != word and (canonical(layout, made, machine.unpack(then)) == target).all():
                word = then
                steps.append(move.step)
                states.append(machine.unpack(then))
                break
        else:
            raise Disagreement(f"after {', '.join(map(str, steps))}: the run reading has no step to {target[:, 0]}")
    return Trace(tuple(steps), tuple(states))


def canonical(layout: Layout, made: Functions, state: State) -> Columns:
    """The canonical form of one state, as one column."""
    packed = np.array([layout.pack(state)], U).T
    return made.canonical_columns(np.ascontiguousarray(packed))


def explained(world: World, checked: Checked, trace: Trace) -> tuple[Broken, Trace]:
    """What is wrong at the end of a trace, by the meaning of the text; a step that is a defect is added to the trace.

    Raises:
        Disagreement: by the meaning of the text nothing is wrong.
    """
    last = trace.states[-1]
    for clause in world.protocol.of_kind(checked):
        row = broken(world, last, clause)
        if row is not None:
            return Broken(checked, clause, row, f"{Step(clause, row)} is false: {clause.sentence}"), trace
    for step in world.steps:
        try:
            after(world, last, step)
        except BrokenAssumption as mistake:
            then = after(world, last, step, strict=False) or last
            longer = Trace((*trace.steps, step), (*trace.states, then))
            return Broken("defect", step.action, step.args, f"a defect of the text: {mistake}"), longer
    raise Disagreement(f"a state was said to break a {checked}, and by the meaning of the text it breaks none")

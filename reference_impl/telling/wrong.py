"""Runs of wrong forms that break a goal, gone on with at random: what was broken is to come to light."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from reference_impl.kernel.explorer.result import Trace
from reference_impl.kernel.explorer.walk import walk
from reference_impl.telling.runs import Way, as_trace, wandered
from spec.language.protocol.running import PackedWorld
from spec.language.protocol.states import Step
from spec.language.protocol.world import World

WALK_STEPS: Final = 10_000
"""So many steps are walked in search of a broken goal."""

LONGEST: Final = 40
"""A run goes on for so many steps at most."""


def breaking(machine: PackedWorld, seeds: Sequence[int]) -> Iterator[tuple[str, Way]]:
    """Goals that runs of a wrong form break, and short ways there, as random walks find them.

    A step that is a defect of the text itself, such as two values of a partial function, breaks no goal.
    """
    for found in (walk(machine.world, WALK_STEPS, seed) for seed in seeds):
        if found.broken is not None and found.trace is not None and found.broken.kind == "goal":
            yield found.broken.clause.name, way_of(machine, found.trace.steps)


def way_of(machine: PackedWorld, steps: Sequence[Step]) -> Way:
    """Steps as moves of a machine."""
    moves = {move.step: move for move in machine.moves}
    return tuple(moves[step] for step in steps)


def way_from(machine: PackedWorld, run: str) -> Way:
    """A run as people write it, such as ``store 0 1, acknowledge 0``: each action with the numbers of its arguments."""
    calls = (said.split() for said in run.split(", ") if said)
    return way_of(machine, [machine.world.step(name, *map(int, args)) for name, *args in calls])


def gone_on(machine: PackedWorld, way: Way, chance: Random) -> Trace:
    """A run that begins so and goes on at random."""
    start = machine.pack(machine.world.start)
    return as_trace(machine, start, wandered(machine, chance, chance.randint(0, LONGEST), way))


def run_of(world: World, run: str) -> tuple[PackedWorld, Trace]:
    """A run as people write it, with the machine that runs it."""
    machine = PackedWorld(world)
    return machine, as_trace(machine, machine.pack(world.start), way_from(machine, run))

"""Random walks through a world too large to be searched, and their failures made short."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from reference_impl.kernel.explorer.judge import Judge
from reference_impl.kernel.explorer.result import Broken, Trace
from reference_impl.kernel.explorer.shrink import shrunk
from reference_impl.kernel.explorer.trace import explained
from spec.explore.lowering import Checked
from spec.language.protocol.running import Move
from spec.language.protocol.world import World

LENGTH: Final = 50
"""A walk begins anew after so many steps."""

SPREAD: Final = 2.0
"""In one walk an action may be so many orders of magnitude less likely than another."""


@dataclass(frozen=True)
class Walk:
    """What walking found. The same world, seed and numbers give the same again.

    Attributes:
        seed: of the choices.
        steps: how many steps were taken in all.
        walks: how many walks were begun.
        found_after: how many steps the failing walk had before it was made short; None if nothing failed.
        broken: what is wrong, if anything.
        trace: the short way there.
    """

    seed: int
    steps: int
    walks: int
    found_after: int | None = None
    broken: Broken | None = None
    trace: Trace | None = None


def walk(world: World, steps: int, seed: int, checked: Checked = "goal", *, length: int = LENGTH) -> Walk:
    """Walk at random until something is wrong, or so many steps are taken.

    Each walk draws for each action how likely it is, so that some walks consist of what is rare in others (Groce,
    Swarm testing); among the steps of one action that change the state all are equally likely. A failure is made short
    by leaving out steps, so its trace is near the shortest, though not always as short as a search would find.

    Args:
        world: the text and its sizes.
        steps: how many steps to take in all.
        seed: of the choices.
        checked: which clauses must hold in every state.
        length: steps of one walk.
    """
    judge, chance = Judge(world, checked), random.Random(seed)
    start = judge.machine.pack(world.start)
    taken = walks = 0
    while taken < steps:
        walks += 1
        path = _path(judge, start, chance, min(length, steps - taken))
        taken += len(path)
        if not path:
            break
        failing, fails = _replayed(judge, start, path)
        if fails:
            short = shrunk(failing, lambda some: _replayed(judge, start, some))
            broken, trace = explained(world, checked, _trace(judge, start, short))
            return Walk(seed, taken, walks, len(failing), broken, trace)
    return Walk(seed, taken, walks)


def _path(judge: Judge, word: int, chance: random.Random, length: int) -> list[Move]:
    """One walk; it ends early where nothing more can change, or something is wrong."""
    likely = {clause.name: 10 ** chance.uniform(-SPREAD, 0) for clause in judge.world.protocol.of_kind("action")}
    path: list[Move] = []
    while len(path) < length and not judge.wrong(word):
        possible: dict[str, list[tuple[Move, int]]] = {}
        for move, then in judge.machine.successors(word):
            if then != word:
                possible.setdefault(move.step.action.name, []).append((move, then))
        if not possible:
            break
        (name,) = chance.choices(list(possible), [likely[name] for name in possible])
        move, then = chance.choice(possible[name])
        path.append(move)
        if judge.defective(move, word, then):
            break
        word = then
    return path


def _replayed(judge: Judge, word: int, path: Sequence[Move]) -> tuple[list[Move], bool]:
    """The steps of a path that are possible and change something, up to the first failure, and whether there is one."""
    taken: list[Move] = []
    if judge.wrong(word):
        return taken, True
    for move in path:
        if not move.enabled(word) or (then := move.apply(word)) == word:
            continue
        taken.append(move)
        if judge.defective(move, word, then) or judge.wrong(then):
            return taken, True
        word = then
    return taken, False


def _trace(judge: Judge, word: int, path: Sequence[Move]) -> Trace:
    """A path as a trace; a last step that is a defect is left for the judgement of the text's meaning to add."""
    machine, taken, states = judge.machine, [], [judge.machine.unpack(word)]
    for move in path:
        then = move.apply(word)
        if judge.defective(move, word, then):
            break
        word = then
        taken.append(move.step)
        states.append(machine.unpack(word))
    return Trace(tuple(taken), tuple(states))

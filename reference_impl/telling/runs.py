"""Runs of a text to be told: through every step that a small world can take, or at random."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from reference_impl.kernel.explorer.result import Trace
from spec.language.protocol.running import Move, PackedWorld

SPREAD: Final = 1.5
"""In one phase of a run an action may be so many orders of magnitude less likely than another."""

PHASE: Final = 6
"""After so many steps others are likely: what was written is read, what was lost is rebuilt."""

Way = tuple[Move, ...]

May = Callable[[Sequence[Move], Move], bool]
"""Whether a step may come next on a way."""


def anything(_way: Sequence[Move], _move: Move) -> bool:
    """Whatever the text allows."""
    return True


def through_every_step(machine: PackedWorld) -> Iterator[Trace]:
    """For every step that changes a reachable state, a run that takes it, by a shortest way; no run begins another."""
    start = machine.pack(machine.world.start)
    ways: dict[int, Way] = {start: ()}
    waiting = deque([start])
    while waiting:
        word = waiting.popleft()
        way = ways[word]
        goes_on = False
        for move, then in machine.successors(word):
            if then == word:
                continue
            if then not in ways:
                ways[then] = (*way, move)
                waiting.append(then)
                goes_on = True
            else:
                yield as_trace(machine, start, (*way, move))
        if not goes_on:
            yield as_trace(machine, start, way)


def at_random(machine: PackedWorld, chance: Random, length: int, way: Way = (), may: May = anything) -> Trace:
    """One run of at most so many steps, some kinds of which are much more likely than others; it may begin a way."""
    return as_trace(machine, machine.pack(machine.world.start), wandered(machine, chance, length, way, may))


def wandered(machine: PackedWorld, chance: Random, length: int, way: Way = (), may: May = anything) -> Way:
    """A way that begins with another and goes on at random, as far as it may."""
    word, moves = machine.pack(machine.world.start), list(way)
    for move in way:
        word = move.apply(word)
    likely: dict[str, float] = {}
    for number in range(length):
        if number % PHASE == 0:
            actions = machine.world.protocol.of_kind("action")
            likely = {clause.name: 10 ** chance.uniform(-SPREAD, 0) for clause in actions}
        possible: dict[str, list[tuple[Move, int]]] = {}
        for move, then in machine.successors(word):
            if then != word and may(moves, move):
                possible.setdefault(move.step.action.name, []).append((move, then))
        if not possible:
            break
        (name,) = chance.choices(list(possible), [likely[name] for name in possible])
        move, word = chance.choice(possible[name])
        moves.append(move)
    return tuple(moves)


def as_trace(machine: PackedWorld, start: int, way: Way) -> Trace:
    """A way with the states that it goes through."""
    word, states = start, [machine.unpack(start)]
    for move in way:
        word = move.apply(word)
        states.append(machine.unpack(word))
    return Trace(tuple(move.step for move in way), tuple(states))

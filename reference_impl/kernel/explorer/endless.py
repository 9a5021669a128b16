"""Fair runs that wait for ever: in a small world, whether what a text says comes in the end may never come.

A run that never ends goes round among some states, or stands still in one. It is fair where each work that the text
names is done on the way round, or cannot be done somewhere there. So one is enough to look at for each largest set of
states that can reach each other while the end is awaited.

Source: Lichtenstein and Pnueli, Checking That Finite State Concurrent Programs Satisfy Their Linear Specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import networkx as nx

from reference_impl.kernel.explorer.result import Trace
from reference_impl.kernel.explorer.trace import Disagreement
from spec.language.protocol.clauses import Progress
from spec.language.protocol.meaning import after, true
from spec.language.protocol.running import Move, PackedWorld, test_of
from spec.language.protocol.states import Row, State, Step
from spec.language.protocol.waiting import works
from spec.language.protocol.world import World


@dataclass(frozen=True)
class Endless:
    """A fair run in which something is awaited for ever.

    Attributes:
        progress: the clause that is false, for ``row``.
        way: from the start to where the run goes round.
        round: the steps that it then takes again and again; none, where it stands still.
    """

    progress: Progress
    row: Row
    way: Trace
    round: tuple[Step, ...]


@dataclass(frozen=True)
class Looked:
    """What came of looking for such a run.

    Attributes:
        states: how many states the world can reach.
        waiting: of each clause, in how many of these its end is awaited, for some of its elements.
        endless: the first run that was found.
    """

    states: int
    waiting: Mapping[str, int]
    endless: Endless | None


def endless(world: World) -> Looked:
    """Look for a fair run in which the end of a clause on progress never comes."""
    reached = Reached(world)
    in_states: dict[str, int] = {}
    for progress in world.protocol.progresses():
        seen = set[int]()
        for row in world.rows(progress.sorts):
            waiting = reached.waiting(progress, row)
            seen |= waiting
            if (found := reached.fair(progress, row, waiting)) is not None:
                return Looked(len(reached.graph), {**in_states, progress.name: len(seen)}, found)
        in_states[progress.name] = len(seen)
    return Looked(len(reached.graph), in_states, None)


class Reached:
    """All states that a world can reach, packed, and steps between them: of equal ones one; none that changes nothing.

    Attributes:
        graph: the states; each edge has a step.
    """

    def __init__(self, world: World) -> None:
        self.world, self.machine = world, PackedWorld(world)
        self.start = self.machine.pack(world.start)
        self.graph: Any = nx.DiGraph({self.start: {}})
        left = [self.start]
        while left:
            word = left.pop()
            for move, then in self.machine.successors(word):
                if then not in self.graph:
                    left.append(then)
                if then != word:
                    self.graph.add_edge(word, then, step=move.step)

    def waiting(self, progress: Progress, row: Row) -> set[int]:
        """The states in which an end is awaited: where it began, and all that follows until it comes."""
        values = dict(enumerate(row))
        begun, ended = (test_of(self.machine.formula(one, values)) for one in (progress.start, progress.end))
        left = [word for word in self.graph if begun(word)]
        found = set[int]()
        while left:
            word = left.pop()
            if word not in found and not ended(word):
                found.add(word)
                left += self.graph[word]
        return found

    def fair(self, progress: Progress, row: Row, waiting: set[int]) -> Endless | None:
        """A fair run that stays among these states; None if there is none.

        Raises:
            Disagreement: by the meaning of the text the run is none.
        """
        moves = {move.step: move for move in self.machine.moves}
        fair = [moves[step] for step in works(self.world, progress, row) if step in moves]
        for group in nx.strongly_connected_components(self.graph.subgraph(waiting)):
            justice = [_justice(move, group) for move in fair]
            if all(justice):
                found = self._told(progress, row, min(group), [*zip(fair, justice, strict=True)], group)
                if not is_fair(self.world, found):
                    raise Disagreement(f"a run that was said to wait for ever is not fair: {progress.name} {row}")
                return found
        return None

    def _told(
        self,
        progress: Progress,
        row: Row,
        first: int,
        fair: list[tuple[Move, set[int]]],
        group: set[int],
    ) -> Endless:
        """The run: a shortest way to a group, and a way round through it that does justice to each work."""
        way = nx.shortest_path(self.graph, self.start, first)
        here, steps = first, list[Step]()
        for move, places in fair:
            paths = nx.single_source_shortest_path(self.graph.subgraph(group), here)
            path = min((paths[word] for word in places), key=len)
            steps += self._steps(path)
            here = path[-1]
            if move.enabled(here) and move.apply(here) != here:
                steps.append(move.step)
                here = move.apply(here)
        steps += self._steps(nx.shortest_path(self.graph.subgraph(group), here, first))
        trace = Trace(self._steps(way), tuple(map(self.machine.unpack, way)))
        return Endless(progress, row, trace, tuple(steps))

    def _steps(self, words: list[int]) -> tuple[Step, ...]:
        return tuple(self.graph.edges[pair]["step"] for pair in pairwise(words))


def _justice(move: Move, group: set[int]) -> set[int]:
    """The states of a group in which no justice is denied to a work: it cannot be done, or is done and stays there."""
    thens = ((word, move.apply(word) if move.enabled(word) else word) for word in group)
    return {word for word, then in thens if then == word or then in group}


def is_fair(world: World, found: Endless) -> bool:
    """By the meaning of the text: the run can be taken, its end never comes on the round, and no work is wronged."""
    way = states_of(world, world.start, found.way.steps)
    around = states_of(world, way[-1], found.round) if way else []
    if not around or around[0] != around[-1]:
        return False
    values, awaited = dict(enumerate(found.row)), False
    for state in (*way, *around):
        awaited = awaited or true(found.progress.start, world, state, values)
        awaited = awaited and not true(found.progress.end, world, state, values)
    if any(true(found.progress.end, world, state, values) for state in around):
        return False
    return awaited and all(
        step in found.round or any(after(world, state, step) in (None, state) for state in around)
        for step in works(world, found.progress, found.row)
    )


def states_of(world: World, state: State, steps: Iterable[Step]) -> list[State]:
    """The states that some steps go through, that before them first; none, if a step cannot be taken."""
    found = [state]
    for step in steps:
        then = after(world, found[-1], step)
        if then is None:
            return []
        found.append(then)
    return found

"""Every script of an iterator over a small store, of any length: the machine beside the definition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import Any

from reference_impl.segment.iterator.machine import step
from reference_impl.segment.iterator.state import Reading, Setting, opened
from reference_impl.segment.storage import Store, stored, times_of, written
from spec.segment.iterator.commands import (
    Command,
    Next,
    Prev,
    SeekFirst,
    SeekGE,
    SeekLast,
    SeekLE,
)
from spec.segment.iterator.definition import OPENED, IteratorPosition, answered
from spec.segment.iterator.positions import Query

COMMANDS: tuple[Command, ...] = (
    *(SeekFirst(), SeekLast(), SeekGE(3), SeekLE(3)),
    *(Next(1), Prev(1), Next(3), Prev(3), Next(), Prev()),
)


def laid_out(parts: Sequence[Sequence[int]]) -> Store:
    """A store of segments with samples at these times; the value of each is its time."""
    store: Store = ()
    for part in parts:
        store = stored(store, written(part[0], part, part))
    return store


def layouts(times: Sequence[int]) -> Iterator[Store]:
    """Every way to cut samples into segments that follow each other."""
    if not times:
        yield ()
        return
    for cuts in product([False, True], repeat=len(times) - 1):
        parts: list[list[int]] = [[]]
        for time, cut in zip(times, (*cuts, False), strict=True):
            parts[-1].append(time)
            parts += [[]] if cut else []
        yield laid_out(parts)


def subsets(times: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every set of some times."""
    for size in range(len(times) + 1):
        yield from combinations(times, size)


def query_of(store: Store, setting: Setting) -> Query:
    """What the definition is told of a store."""
    ranges = [segment.range for segment in store]
    return Query(times_of(store), setting.bounds, setting.chunk, setting.choices, ranges)


def first_difference(store: Store, setting: Setting, commands: Sequence[Command] = COMMANDS) -> list[Command] | None:
    """A shortest script on which machine and definition differ; None if there is none, however long."""
    query = query_of(store, setting)
    start: tuple[Reading, IteratorPosition] = (opened(setting), OPENED)
    came_from: dict[tuple[Reading, IteratorPosition], tuple[Any, Command | None]] = {start: (None, None)}
    waiting = [start]
    for reading, place in waiting:
        for command in commands:
            after, said = step(reading, command, store, setting)
            defined, meant = answered(place, command, query)
            if said != meant:
                return _script((reading, place), came_from, command)
            pair = (after, defined)
            if pair not in came_from:
                came_from[pair] = ((reading, place), command)
                waiting.append(pair)
    return None


def _script(state: Any, came_from: Any, last: Command) -> list[Command]:
    script = [last]
    while (before := came_from[state])[1] is not None:
        state = before[0]
        script.append(before[1])
    return script[::-1]

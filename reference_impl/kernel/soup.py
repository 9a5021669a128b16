"""Soups: everything that entities can do on a network that loses, repeats, delays and reorders messages, to the end.

A message that was once sent swims in the soup for ever: it may be delivered at any time, never, or again. Inputs, and
messages between entities of one host, are delivered at most once, at any time. Time stands still, and timers go off
only as inputs. A witness follows every step: it may carry history that the entities forget, and object to a step. The
soup knows no protocol.

Whatever can happen in a soup can happen in a greater one. So of states that differ in nothing else, a smaller soup is
not looked at where a greater one has been; and an entity that only answers, and stays as it is, answers at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from reference_impl.kernel.deliveries import Deliveries, NumberedState, Soup
from reference_impl.kernel.simulator import Transition

W = TypeVar("W")


@dataclass(frozen=True)
class Objection(Generic[W]):
    """A step to which the witness objects.

    Attributes:
        witness: what it was before the step.
        trail: the steps that lead there from the beginning, and this one.
    """

    witness: W
    trail: tuple[Transition, ...]


@dataclass(frozen=True)
class Explored(Generic[W]):
    """What an exploration found.

    Attributes:
        states: how many different ones were looked at: of all entities, the soup, the inputs and the witness together.
        transitions: how many deliveries change one of them.
        depth: how many deliveries the farthest state is from the beginning.
        complete: whether that is everything; it is not after an objection, nor where there were too many states.
        objection: the first step to which the witness objects.
    """

    states: int
    transitions: int
    depth: int
    complete: bool
    objection: Objection[W] | None = None


def explore(soup: Soup, witness: W, follow: Callable[[W, Transition], W | None], states_max: int) -> Explored[W]:
    """Explore, breadth first, until there is nothing new, the witness objects, or there are too many states.

    Args:
        soup: where to begin.
        witness: what the witness is there.
        follow: what becomes of the witness in a step; None: it objects.
        states_max: how many states are too many.
    """
    deliveries = Deliveries(soup, follow)
    start = deliveries.start(witness)
    visited = Visited(start)
    frontier, depth, transitions = [start], 0, 0
    while frontier and len(visited.came) <= states_max:
        found: list[NumberedState] = []
        for place in frontier:
            for packet, after in deliveries.at(place):
                if after is None:
                    trail = deliveries.trail([*visited.way_to(place), (place, packet)])
                    objection = Objection(deliveries.witnesses.values[place.witness], trail)
                    return Explored(len(visited.came), transitions, depth, complete=False, objection=objection)
                transitions += 1
                if visited.is_new(after, place, packet):
                    found.append(after)
            if len(visited.came) > states_max:
                break
        frontier, depth = found, depth + bool(found)
    return Explored(len(visited.came), transitions, depth, complete=not frontier)


class Visited:
    """The places that were seen.

    Attributes:
        came: the place before each of them and the packet that led on from there; None for the beginning.
    """

    def __init__(self, start: NumberedState) -> None:
        self.came: dict[NumberedState, tuple[NumberedState, int] | None] = {start: None}
        self._soups: dict[tuple[tuple[int, ...], int], list[int]] = {start.but_soup: [start.soup]}

    def is_new(self, place: NumberedState, before: NumberedState, packet: int) -> bool:
        """Note a place, unless a place with a greater soup, or the same, was seen."""
        soup, others = place.soup, self._soups.setdefault(place.but_soup, [])
        if any(other | soup == other for other in others):
            return False
        others[:] = [other for other in others if other | soup != soup]
        others.append(soup)
        self.came[place] = before, packet
        return True

    def way_to(self, place: NumberedState) -> list[tuple[NumberedState, int]]:
        """The places on the way from the beginning, each with the packet that led on."""
        way = []
        while (step := self.came[place]) is not None:
            way.append(step)
            place = step[0]
        return way[::-1]

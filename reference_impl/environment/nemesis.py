"""The nemesis: faults from a seeded schedule. It strikes where it hurts: sequencers with much under way crash first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from reference_impl.environment import damage
from reference_impl.environment.entities import CONTROLLER
from reference_impl.environment.world import World
from reference_impl.kernel.faults import Blow, Rate, schedule
from reference_impl.log import addresses, notes
from spec.events import CRASH, PAUSE, RESTART, RESUME

DOWN_AT_A_TIME: Final = 3
"""One node in so many, and at least one, may be down or paused at a time."""


class Nemesis:
    """Lets faults strike for as long as there are logs.

    Args:
        world: the cluster.
        rng: decides when faults strike, and how long they last.
        rates: how often which faults strike.
        activate: moves a log's sequencer elsewhere.
    """

    def __init__(self, world: World, rng: Random, rates: Mapping[str, Rate], activate: Callable[[int], None]) -> None:
        self._world, self._activate = world, activate
        self._blows = schedule(rng, rates)

    def strike_next(self) -> None:
        """Wait for the next fault of the schedule."""
        blow = next(self._blows, None)
        if blow is not None:
            delay_ns = blow.at_ns - self._world.simulator.now_ns
            self._world.simulator.at(delay_ns, None, lambda: self._strike(blow))

    def _strike(self, blow: Blow) -> None:
        world = self._world
        if not world.books:
            return
        self.strike_next()
        if blow.what == "reactivate":
            self._activate(world.rng.choice(sorted(world.books)))
            return
        struck = len(world.simulator.down | world.simulator.asleep.keys())
        victims = sorted(world.healthy())
        if not victims or struck >= max(1, len(world.nodes) // DOWN_AT_A_TIME):
            return
        node = world.rng.choice(victims)
        match blow.what:
            case "crash":
                self._crash(self._busiest(node), blow.lasts_ns)
            case "pause":
                self._pause(node, blow.lasts_ns)
            case "wipe" if damage.can_lose(world, node):
                damage.wipe(world, node, blow.lasts_ns)
            case "drain" if damage.can_spare(world, node):
                damage.drain(world, node)

    def _busiest(self, node: int) -> int:
        """The node whose sequencers have most appends under way; this one if none has any."""
        world = self._world
        under_way = {
            other: sum(
                len(world.state(addresses.sequencer(book.log, other)).window)
                for book in world.books.values()
                if other in book.members
            )
            for other in sorted(world.healthy())
        }
        return max(under_way, key=lambda other: (under_way[other], other == node))

    def _crash(self, node: int, for_ns: int) -> None:
        simulator = self._world.simulator

        def restart() -> None:
            if node not in self._world.out:
                simulator.restart(node)
                self._world.record(CONTROLLER, [notes.fault(node, RESTART)])

        simulator.crash(node)
        self._world.record(CONTROLLER, [notes.fault(node, CRASH)])
        simulator.at(for_ns, None, restart)

    def _pause(self, node: int, for_ns: int) -> None:
        simulator = self._world.simulator

        def resume() -> None:
            if simulator.asleep.pop(node, None) is not None:
                self._world.record(CONTROLLER, [notes.fault(node, RESUME)])

        simulator.pause(node, for_ns)
        self._world.record(CONTROLLER, [notes.fault(node, PAUSE)])
        simulator.at(for_ns, None, resume)

"""The nemesis: faults from a seeded schedule. It strikes where it hurts: sequencers with much under way crash first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Final

from reference_impl.environment import damage, losses, partitions
from reference_impl.environment.world import World
from reference_impl.kernel.faults import FaultEvent, Rate, schedule
from reference_impl.log import addresses
from reference_impl.log.copies import Nodes
from spec.events import (
    BAD_CHECKSUM,
    CRASH,
    GOOD_CHECKSUM,
    PAUSE,
    READ_ONLY,
    RESTART,
    RESUME,
    SLOW,
    STEADY,
    WRITABLE,
)

DOWN_AT_A_TIME: Final = 3
"""One node in so many, and at least one, may be down, paused or read-only at a time."""

SLOWER: Final = 4
"""What a slow node sends takes longer by its whole slowness divided by this."""


class Nemesis:
    """Lets faults strike for as long as there are logs.

    Args:
        world: the cluster.
        rng: decides when faults strike, and how long they last.
        rates: how often which faults strike.
        activate: makes so many nodes the sequencer of a log, at once.

    Attributes:
        struck: how often each fault did something.
        faults: what each fault does, for so long; says whether it did anything.
    """

    def __init__(
        self, world: World, rng: Random, rates: Mapping[str, Rate], activate: Callable[[int, int], None]
    ) -> None:
        self._world, self._activate = world, activate
        self._schedule = schedule(rng, rates)
        self.struck: Counter[str] = Counter()
        self.faults: dict[str, Callable[[int], bool]] = {
            "crash": self._crash,
            "pause": self._pause,
            "slow": self._slow,
            "partition": self._partition,
            "one_way": self._one_way,
            "straggler": self._straggler,
            "reactivate": self._reactivate,
            "duel": self._duel,
            "misjudge": self._misjudge,
            "read_only": self._read_only,
            "checksum": self._checksum,
            "wipe": self._wipe,
            "drain": self._drain,
        }

    def strike_next(self) -> None:
        """Wait for the next fault of the schedule."""
        fault = next(self._schedule, None)
        if fault is not None:
            delay_ns = fault.at_ns - self._world.simulator.now_ns
            self._world.simulator.at(delay_ns, None, lambda: self._strike(fault))

    def _strike(self, fault: FaultEvent) -> None:
        if self._world.open_logs:
            self.strike_next()
            self.struck[fault.what] += self.faults[fault.what](fault.lasts_ns)

    # ------------------------------------------------------------------------------------------ whom it strikes

    def _victim(self) -> int | None:
        """A node that is well; None while too many are not."""
        world = self._world
        struck = len(world.simulator.down | world.simulator.asleep.keys() | world.simulator.context.read_only)
        victims = sorted(world.healthy())
        if not victims or struck >= max(1, len(world.nodes) // DOWN_AT_A_TIME):
            return None
        return world.rng.choice(victims)

    def _a_log(self) -> int:
        return self._world.rng.choice(sorted(self._world.open_logs))

    def _busiest(self, node: int) -> int:
        """The node whose sequencers have most appends under way; this one if none has any."""
        world = self._world
        under_way = {
            other: sum(
                len(world.state(addresses.sequencer(known.log, other)).window)
                for known in world.open_logs.values()
                if other in known.members
            )
            for other in sorted(world.healthy())
        }
        return max(under_way, key=lambda other: (under_way[other], other == node))

    def _later(self, for_ns: int, then: Callable[[], None]) -> bool:
        self._world.simulator.at(for_ns, None, then)
        return True

    # --------------------------------------------------------------------------------------------- nodes

    def _crash(self, for_ns: int) -> bool:
        """The process of a node ends, with all its shards; what was synced survives."""
        victim = self._victim()
        if victim is None:
            return False
        simulator, out = self._world.simulator, self._world.out
        shards = sorted(self._world.shards_of(self._busiest(victim)).difference(out, simulator.down))

        def restart() -> None:
            back = [shard for shard in shards if shard in simulator.down and shard not in out]
            for shard in back:
                simulator.restart(shard)
            self._world.fault(back, RESTART)

        for shard in shards:
            simulator.crash(shard)
        self._world.fault(shards, CRASH)
        return self._later(for_ns, restart)

    def _pause(self, for_ns: int) -> bool:
        """A node stands still."""
        victim = self._victim()
        if victim is None:
            return False
        simulator = self._world.simulator

        def resume() -> None:
            if simulator.asleep.pop(victim, None) is not None:
                self._world.fault([victim], RESUME)

        simulator.pause(victim, for_ns)
        self._world.fault([victim], PAUSE)
        return self._later(for_ns, resume)

    def _slow(self, for_ns: int) -> bool:
        """A node works, but all that it sends takes long."""
        healthy = sorted(self._world.healthy().difference(self._world.simulator.slow_ns))
        if not healthy:
            return False
        node, slow_ns = self._world.rng.choice(healthy), self._world.simulator.slow_ns

        def steady() -> None:
            del slow_ns[node]
            self._world.fault([node], STEADY)

        slow_ns[node] = for_ns // SLOWER
        self._world.fault([node], SLOW)
        return self._later(for_ns, steady)

    def _read_only(self, for_ns: int) -> bool:
        """A node takes no stores; it is read and digested as before."""
        victim = self._victim()
        if victim is None:
            return False
        self._world.shut |= {victim}
        self._world.refuse_stores()
        self._world.fault([victim], READ_ONLY)

        def writable() -> None:
            self._world.shut -= {victim}
            self._world.refuse_stores()
            self._world.fault([victim], WRITABLE)

        return self._later(for_ns, writable)

    # ------------------------------------------------------------------------------------------- network

    def _partition(self, for_ns: int) -> bool:
        """Some nodes and clients, and all others, do not reach each other."""
        return partitions.divide(self._world, partitions.some(self._world), for_ns, both_ways=True)

    def _one_way(self, for_ns: int) -> bool:
        """What some nodes and clients send reaches no others; they still hear."""
        return partitions.divide(self._world, partitions.some(self._world), for_ns, both_ways=False)

    def _straggler(self, for_ns: int) -> bool:
        """A sequencer's node is cut off, and comes back with what a recovery has overruled meanwhile."""
        log = self._a_log()
        node = self._world.epochs(log).owner
        if node not in self._world.healthy() or not partitions.divide(self._world, Nodes({node}), for_ns):
            return False
        self._activate(log, 1)
        return True

    # ------------------------------------------------------------------------------------------- control

    def _reactivate(self, _: int) -> bool:
        """A log's sequencer is moved, though it works."""
        self._activate(self._a_log(), 1)
        return True

    def _duel(self, _: int) -> bool:
        """Two nodes become a log's sequencer at once, so two recoveries run."""
        self._activate(self._a_log(), 2)
        return True

    def _misjudge(self, for_ns: int) -> bool:
        """A node that is up counts as unavailable for a while."""
        candidates = sorted(self._world.healthy() - self._world.suspected)
        if not candidates:
            return False
        node = self._world.rng.choice(candidates)
        self._world.suspected |= {node}
        self._world.publish_down()

        def trust() -> None:
            self._world.suspected -= {node}
            self._world.publish_down()

        return self._later(for_ns, trust)

    # --------------------------------------------------------------------------------------------- disks

    def _checksum(self, for_ns: int) -> bool:
        """Copies on one node cannot be read for a while: until they are repaired."""
        log = self._a_log()
        hit = damage.spoil(self._world, log)
        if hit is None:
            return False
        node, lsns = hit
        self._world.fault([node], BAD_CHECKSUM)

        def repaired() -> None:
            damage.repair(self._world, log, node, lsns)
            self._world.fault([node], GOOD_CHECKSUM)

        return self._later(for_ns, repaired)

    def _wipe(self, for_ns: int) -> bool:
        """A shard loses everything; it is rebuilt after a while."""
        return self._lost(for_ns, losses.can_lose, losses.wipe)

    def _drain(self, for_ns: int) -> bool:
        """All that a shard holds is moved elsewhere."""
        return self._lost(for_ns, losses.can_spare, losses.drain)

    def _lost(self, for_ns: int, may: Callable[[World, int], bool], strike: Callable[[World, int, int], None]) -> bool:
        victim = self._victim()
        if victim is None or not may(self._world, victim):
            return False
        strike(self._world, victim, for_ns)
        return True


def fault_counts(struck: Mapping[str, int], rates: Iterable[str]) -> str:
    """How often each fault of a plan did something, for people."""
    return ", ".join(f"{what} {struck.get(what, 0):,}" for what in rates)

"""Trims: owners of logs want old records no more, and tell all nodes, each in its own time, until all have trimmed.

LogDevice, common/TrimRequest.h: a client asks the nodes of all nodesets.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from reference_impl.environment.entities import CONTROLLER
from reference_impl.environment.world import OpenLog, World
from reference_impl.kernel.faults import Rate, schedule
from reference_impl.log import addresses, trace_events
from reference_impl.log.copies import Cleaned
from reference_impl.log.lsn import ESN_MAX, epoch_of, esn_of, lsn_of
from reference_impl.log.trimming import TrimUpto

TELLING_NS: Final = 4_000_000
"""How long at most until a node hears of a trim; so a later one may overtake it."""

WHOLE: Final = 0.2
"""The share of trims that end with an epoch, where it is clean."""


class Owner:
    """Whoever owns the logs of a run: trims one of them now and then.

    Args:
        rng: decides what is trimmed, and when.
        rate: how often; None for never.
    """

    def __init__(self, world: World, rng: Random, rate: Rate | None) -> None:
        self._world, self._rng = world, rng
        self._schedule = schedule(rng, {} if rate is None else {"trim": rate})

    def trim_next(self) -> None:
        """Wait for the next trim."""
        coming = next(self._schedule, None)
        if coming is not None:
            self._world.simulator.at(coming.at_ns - self._world.simulator.now_ns, None, self._trim)

    def _trim(self) -> None:
        if not self._world.open_logs:
            return
        self.trim_next()
        known = self._world.open_logs[self._rng.choice(sorted(self._world.open_logs))]
        point = self._point(known)
        if point <= known.trimmed:
            return
        known.trimmed = point
        self._world.record(CONTROLLER, [trace_events.trim(known.log, point)])
        for node in sorted(known.members):
            self._tell(known, node)

    def _point(self, known: OpenLog) -> int:
        """Somewhere in what was released; of a clean epoch maybe all."""
        if not known.released:
            return 0
        cleaned: Mapping[int, Cleaned] = self._world.epochs(known.log).cleaned
        epoch = self._rng.randint(max(1, epoch_of(known.trimmed)), epoch_of(known.released))
        if epoch in cleaned and self._rng.random() < WHOLE:
            return lsn_of(epoch, ESN_MAX)
        last = cleaned[epoch].end if epoch in cleaned else esn_of(known.released)
        return min(known.released, lsn_of(epoch, self._rng.randint(1, max(1, last))))

    def remind(self, known: OpenLog) -> None:
        """Tell nodes again that have not trimmed all that is wanted no more."""
        for node, here in self._world.stores(known.log).items() if known.trimmed else ():
            if here.trimmed < known.trimmed:
                self._tell(known, node)

    def _tell(self, known: OpenLog, node: int) -> None:
        delay_ns = self._rng.randint(0, TELLING_NS)
        self._world.simulator.at(delay_ns, addresses.storage(known.log, node), TrimUpto(known.trimmed))


def trimmable(world: World, log: int) -> int:
    """Up to where any node may have trimmed a log: what is wanted no more, as far as epochs are clean."""
    clean = world.epochs(log).cleaned
    return min(world.open_logs[log].trimmed, lsn_of(max(clean), ESN_MAX)) if clean else 0

"""Trims: owners of logs want old records no more, and tell all nodes, each in its own time, until all have trimmed.

LogDevice, common/TrimRequest.h: a client asks the nodes of all nodesets.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from reference_impl.environment.entities import CONTROLLER
from reference_impl.environment.world import Book, World
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
        if not self._world.books:
            return
        self.trim_next()
        book = self._world.books[self._rng.choice(sorted(self._world.books))]
        point = self._point(book)
        if point <= book.trimmed:
            return
        book.trimmed = point
        self._world.record(CONTROLLER, [trace_events.trim(book.log, point)])
        for node in sorted(book.members):
            self._tell(book, node)

    def _point(self, book: Book) -> int:
        """Somewhere in what was released; of a clean epoch maybe all."""
        if not book.released:
            return 0
        cleaned: Mapping[int, Cleaned] = self._world.epochs(book.log).cleaned
        epoch = self._rng.randint(max(1, epoch_of(book.trimmed)), epoch_of(book.released))
        if epoch in cleaned and self._rng.random() < WHOLE:
            return lsn_of(epoch, ESN_MAX)
        last = cleaned[epoch].end if epoch in cleaned else esn_of(book.released)
        return min(book.released, lsn_of(epoch, self._rng.randint(1, max(1, last))))

    def remind(self, book: Book) -> None:
        """Tell nodes again that have not trimmed all that is wanted no more."""
        for node, here in self._world.stores(book.log).items() if book.trimmed else ():
            if here.trimmed < book.trimmed:
                self._tell(book, node)

    def _tell(self, book: Book, node: int) -> None:
        delay_ns = self._rng.randint(0, TELLING_NS)
        self._world.simulator.at(delay_ns, addresses.storage(book.log, node), TrimUpto(book.trimmed))


def trimmable(world: World, log: int) -> int:
    """Up to where any node may have trimmed a log: what is wanted no more, as far as epochs are clean."""
    clean = world.epochs(log).cleaned
    return min(world.books[log].trimmed, lsn_of(max(clean), ESN_MAX)) if clean else 0

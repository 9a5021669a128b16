"""Damage: copies that are lost or cannot be read, where no promise breaks.

LogDevice, Read path, Reporting gaps: losses are reported; server/read_path for checksums.
"""

from __future__ import annotations

from typing import Final

from reference_impl.environment.world import World
from reference_impl.log import addresses
from reference_impl.log.copies import Cleaned
from reference_impl.log.disk import ChecksumChanged, CopiesLost
from reference_impl.log.lsn import lsn_of
from spec.events import RECORD

SPOILT: Final = 3
"""How many copies become unreadable at once."""


def corrupt(world: World, log: int, cleaned: Cleaned, share: float) -> None:
    """Lose all copies of records that recovery has just kept, and of which no client will ever hear.

    Nobody was given them yet, since they are not released; readers must report their loss. A later recovery that
    has begun would take them for holes, so then they are left alone. Where a reader begins none is lost, and none
    begins where one was: it would take that for the edge of an epoch. ClientReadStream.cpp, determineGapType.
    """
    known = world.open_logs[log]
    if cleaned.recovery != world.epochs(log).newest:
        return
    for esn, becomes, digest, _ in cleaned.outcomes:
        if becomes != RECORD or esn == 1 or digest not in known.gave_up or world.rng.random() >= share:
            continue
        lsn = lsn_of(cleaned.epoch, esn)
        holders = [node for node, here in world.stores(log).items() if here.copies.get(lsn) is not None]
        if lsn > known.released and lsn not in known.begun and world.simulator.down.isdisjoint(holders):
            known.lost.add(lsn)
            for node in holders:
                world.simulator.give(addresses.storage(log, node), CopiesLost((lsn,)))


def lose_for_good(world: World, log: int, node: int, lsn: int) -> None:
    """Lose a copy that turns up late of a record that is lost: what one reader was told is gone no other is given."""
    if lsn in world.open_logs[log].lost:
        world.simulator.give(addresses.storage(log, node), CopiesLost((lsn,)))


def spoil(world: World, log: int) -> tuple[int, tuple[int, ...]] | None:
    """Make some copies on one node unreadable; gives the node and their LSNs, None where that would lose a record.

    While one node of a log has such copies no other gets any, and none is rebuilt, so all records have others.
    """
    stores = {node: here for node, here in world.stores(log).items() if len(here.copies)}
    if world.event_log.shards or log in world.spoilt or not stores or world.simulator.context.quorums.required == 1:
        return None
    node = world.rng.choice(sorted(stores))
    held = [lsn for lsn, _ in stores[node].copies.items()]
    lsns = tuple(world.rng.sample(held, min(len(held), SPOILT)))
    world.spoilt.add(log)
    for lsn in lsns:
        world.simulator.give(addresses.storage(log, node), ChecksumChanged(lsn, damaged=True))
    return node, lsns


def repair(world: World, log: int, node: int, lsns: tuple[int, ...]) -> None:
    """Make copies readable again."""
    world.spoilt.discard(log)
    for lsn in lsns:
        world.simulator.give(addresses.storage(log, node), ChecksumChanged(lsn, damaged=False))

"""Losses: nodes that lose their data or are to leave, and what operators tell the event log about them.

LogDevice, Read path, Authoritative Status; docs/Rebuilding.md. One node at a time: whoever is out comes back, empty,
after the others have re-replicated what counted on it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from reference_impl.environment import trims
from reference_impl.environment.entities import open_donor
from reference_impl.environment.world import World
from reference_impl.log import addresses
from reference_impl.log.disk import DiskLost
from reference_impl.log.lsn import lsn_of
from reference_impl.log.rebuilding.messages import (
    AckRebuilt,
    ComeBack,
    InService,
    NeedsRebuild,
    Rebuild,
    Unrecoverable,
    Work,
)
from spec.events import CRASH, DRAIN, RESTART, WIPE

STAYS_OUT: Final = 0.75
"""With this probability an empty node is still out when the director looks next."""


def can_lose(world: World, node: int) -> bool:
    """No record has its only copy on this node, and everything can be held without it."""
    return world.simulator.context.quorums.required > 1 and can_spare(world, node)


def can_spare(world: World, node: int) -> bool:
    """Every open epoch, and every new one, can hold copies without this node; one node is out at a time."""
    quorums = world.simulator.context.quorums
    nodesets = [nodes for log in world.open_logs for nodes in world.epochs(log).nodesets.values()]
    rests = {nodes - {node} for nodes in [world.nodes, *nodesets]}
    busy = world.out or world.event_log.shards or world.spoilt
    return not busy and all(quorums.can_replicate(rest) for rest in rests)


def wipe(world: World, node: int, lasts_ns: int) -> None:
    """A node crashes and loses everything; after a while it is clear that nothing will come back."""
    world.fault([node], CRASH)
    world.fault([node], WIPE)
    _take_out(world, node)
    _leave(world, node)
    world.tell(NeedsRebuild(node, False, True, False, _donors(world), {}))
    older = frozenset(world.open_logs)
    world.simulator.at(lasts_ns, None, lambda: world.tell(Unrecoverable(node, _tails(world, older))))


def drain(world: World, node: int, _: int) -> None:
    """All that a node holds is to be moved; until then it takes no stores, and is read as before."""
    world.fault([node], DRAIN)
    _leave(world, node)
    world.draining |= {node}
    world.refuse_stores()
    world.tell(NeedsRebuild(node, True, False, False, _donors(world), _tails(world, world.open_logs)))


def _take_out(world: World, node: int) -> None:
    """The node is switched off, and what it held is gone."""
    world.out.add(node)
    world.simulator.crash(node)
    for log in sorted(world.open_logs):
        world.simulator.give(addresses.storage(log, node), DiskLost())


def _leave(world: World, node: int) -> None:
    """New epochs do without the node."""
    for log, known in sorted(world.open_logs.items()):
        if node in known.members:
            members = world.epochs(log).members - {node}
            world.simulator.give(addresses.epoch_store(log), InService(members))


def _donors(world: World) -> Work:
    """Everyone who has a copy of anything, that is all members of all logs but those whose data is lost."""
    return frozenset((donor, log) for log, known in world.open_logs.items() for donor in known.members - world.out)


def _tails(world: World, older: Collection[int]) -> dict[int, int]:
    """For each log the first LSN of its newest epoch, or the last one that was given out if that is later.

    Of logs that came after the node was lost it can have nothing, and they have no donors.
    """
    open_logs = ((log, known) for log, known in world.open_logs.items() if log in older)
    return {log: max(known.tail, lsn_of(world.epochs(log).newest, 0)) for log, known in open_logs}


def settle(world: World) -> None:
    """Switch off whoever has been drained."""
    for node in sorted(world.statuses.empty - world.out):
        world.draining -= {node}
        world.refuse_stores()
        if node not in world.simulator.down:
            world.fault([node], CRASH)
        _take_out(world, node)


def follow(world: World) -> None:
    """Let donors that are up, and not done, read the event log."""
    log_of_events = world.event_log
    for node, shard in log_of_events.shards.items():
        until = log_of_events.until.get(node, {})
        for donor, log in sorted(shard.remaining):
            if log in until and donor not in world.simulator.down:
                rebuild = Rebuild(node, shard.began, until[log], world.epochs(log).nodesets)
                world.simulator.at(0, open_donor(world.simulator, log, donor), rebuild)


def bring_back(world: World) -> None:
    """Nodes serve again, with nothing, some time after they became empty."""
    for node in sorted(world.statuses.empty & world.out):
        if world.rng.random() < STAYS_OUT:
            continue
        world.out.discard(node)
        world.simulator.restart(node)
        world.fault([node], RESTART)
        for log, known in sorted(world.open_logs.items()):
            if node in known.members:
                epochs = world.epochs(log)
                world.simulator.give(
                    addresses.storage(log, node), ComeBack(max(0, epochs.newest - 1), trims.trimmable(world, log))
                )
                world.simulator.give(addresses.epoch_store(log), InService(epochs.members | {node}))
        world.tell(AckRebuilt(node))

"""Damage: what happens to copies on disk, and how they are rebuilt before anybody could miss them.

LogDevice, Read path, Authoritative Status: a wiped node is UNDERREPLICATION until its copies were made again elsewhere;
then it is AUTHORITATIVE_EMPTY, as is a node that was drained.
"""

from __future__ import annotations

from typing import Final

from reference_impl.environment.entities import recorder_of
from reference_impl.environment.world import World
from reference_impl.log import addresses, notes
from reference_impl.log.copies import Cleaned, Copy, Nodes
from reference_impl.log.disk import ChecksumChanged, CopiesLost
from reference_impl.log.lsn import epoch_of, lsn_of
from reference_impl.log.outcomes import precedence
from reference_impl.log.quorums import Quorums
from reference_impl.log.storage import NodeLog, outdated_copies, without
from spec.events import CRASH, RECORD, RESTART, WIPE

SPOILT: Final = 3
"""How many copies become unreadable at once."""

Lost = list[tuple[int, int]]
"""Logs and LSNs of copies."""


# ------------------------------------------------------------------------------------- damage to one record


def corrupt(world: World, log: int, cleaned: Cleaned, share: float) -> None:
    """Lose all copies of records that recovery has just kept, and of which no client will ever hear.

    Nobody was given them yet, since their epoch is not released; readers must report their loss. A later recovery that
    has begun would take them for holes, so then they are left alone.
    """
    book = world.books[log]
    if cleaned.recovery != world.epochs(log).newest:
        return
    for esn, becomes, digest in cleaned.outcomes:
        if becomes != RECORD or esn == 1 or digest not in book.gave_up or world.rng.random() >= share:
            continue
        lsn = lsn_of(cleaned.epoch, esn)
        holders = [node for node, here in world.stores(log).items() if here.copies.get(lsn) is not None]
        if world.simulator.down.isdisjoint(holders):
            for node in holders:
                world.simulator.give(addresses.storage(log, node), CopiesLost((lsn,)))


def spoil(world: World, log: int) -> tuple[int, tuple[int, ...]] | None:
    """Make some copies on one node unreadable; gives the node and their LSNs, None where that would lose a record.

    While one node of a log has such copies no other gets any, and none is wiped, so all records have others.
    """
    stores = {node: here for node, here in world.stores(log).items() if len(here.copies)}
    left = any(log in logs for logs in world.out.values())
    if left or log in world.spoilt or not stores or world.simulator.machine.quorums.required == 1:
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


# ------------------------------------------------------------------------------------------ damage to a node


def can_lose(world: World, node: int) -> bool:
    """No record has its only copy on this node, and everything can be held without it."""
    return world.simulator.machine.quorums.required > 1 and can_spare(world, node)


def can_spare(world: World, node: int) -> bool:
    """Every open epoch, and every new one, can hold copies without this node; one node is out at a time."""
    quorums = world.simulator.machine.quorums
    nodesets = [nodes for log in world.books for nodes in world.epochs(log).nodesets.values()]
    rests = {nodes - {node} for nodes in [world.nodes, *nodesets]}
    return not world.out and not world.spoilt and all(quorums.can_replicate(rest) for rest in rests)


def wipe(world: World, node: int, rebuilt_after_ns: int) -> None:
    """A node crashes and loses everything; the status table says so at once."""
    lost: Lost = []
    world.befell([node], CRASH)
    world.befell([node], WIPE)
    for log in sorted(world.books):
        here = world.stores(log).get(node)
        if here is not None:
            held = [lsn for lsn, _ in here.copies.items()]
            world.record(recorder_of(node), [notes.erase(log, lsn, node) for lsn in held])
            world.put(without(here, held))
            lost += [(log, lsn) for lsn in held]
    _take_out(world, node)
    world.publish(world.statuses.with_lost(node))
    world.simulator.at(rebuilt_after_ns, None, lambda: _rebuild(world, node, lost, rebuilt_after_ns))


def _rebuild(world: World, node: int, lost: Lost, again_after_ns: int) -> None:
    """Copy what was lost from its other holders; once all of it lies elsewhere, the node is empty."""
    copies = _moves(world, [(log, lsn) for log, lsn in lost if log in world.books], node, {})
    if copies is None:
        world.simulator.at(again_after_ns, None, lambda: _rebuild(world, node, lost, again_after_ns))
        return
    for log, lsn, target, copy in copies:
        _store(world, log, lsn, target, copy)
    world.publish(world.statuses.with_empty(node))


def drain(world: World, node: int, _: int = 0) -> None:
    """Move all copies of a node elsewhere, then take it out of service; nothing happens if there is no room."""
    held: dict[tuple[int, int], Copy] = {}
    for log in sorted(world.books):
        here = world.stores(log).get(node)
        if here is not None:
            held |= {(log, lsn): copy for lsn, copy in here.copies.items()}
    copies = _moves(world, list(held), node, held)
    if copies is None:
        return
    for log, lsn, target, copy in copies:
        _store(world, log, lsn, target, copy)
    for log in sorted({log for log, _ in held}):
        gone = [lsn for other, lsn in held if other == log]
        world.put(without(world.stores(log)[node], gone))
        world.record(recorder_of(node), [notes.erase(log, lsn, node) for lsn in gone])
    _take_out(world, node)
    world.publish(world.statuses.with_empty(node))


def _take_out(world: World, node: int) -> None:
    """The node serves no log that is open now, ever again; new epochs do without it."""
    world.out[node] = set(world.books)
    world.simulator.crash(node)
    for log in world.books:
        store = world.epochs(log)
        entity = world.simulator.entities[addresses.epoch_store(log)]
        entity.state = store._replace(members=store.members - {node})


def bring_back(world: World) -> None:
    """Nodes serve again, for new logs, once all logs that they left are closed and their copies were rebuilt."""
    for node, logs in list(world.out.items()):
        if logs.isdisjoint(world.books) and node in world.statuses.empty:
            del world.out[node]
            world.simulator.restart(node)
            world.befell([node], RESTART)
            world.publish(world.statuses.with_back(node))


# ------------------------------------------------------------------------------------------------- rebuilding


def _moves(
    world: World, wanted: Lost, node: int, held: dict[tuple[int, int], Copy]
) -> list[tuple[int, int, int, Copy]] | None:
    """Which node takes which copy (log, LSN, node, copy), so that every record is as well replicated as before.

    None where some copy has nowhere to go yet. Copies that recovery has overruled go nowhere.
    """
    found: list[tuple[int, int, int, Copy]] = []
    stores: dict[int, dict[int, NodeLog]] = {}
    for log, lsn in wanted:
        here = stores.setdefault(log, {n: s for n, s in world.stores(log).items() if n != node})
        holders = {n: copy for n, state in here.items() if (copy := state.copies.get(lsn)) is not None}
        copies = [*holders.values(), *([held[log, lsn]] if (log, lsn) in held else [])]
        if not copies or _is_overruled(world, log, lsn, node, copies):
            continue
        copy = max(copies, key=precedence)
        same = frozenset(n for n, other in holders.items() if precedence(other) == precedence(copy))
        nodeset = world.epochs(log).nodesets[epoch_of(lsn)]
        free = (nodeset & world.healthy()).difference(holders, [node])
        target = _target(world.simulator.machine.quorums, same, free, node)
        if target is None:
            return None
        if target != node:
            found.append((log, lsn, target, copy))
    return found


def _target(quorums: Quorums, holders: Nodes, free: Nodes, node: int) -> int | None:
    """A free node that does for the holders what the lost one did; that node itself where nothing is needed."""
    if quorums.can_replicate(holders):
        return node
    enough = [other for other in sorted(free) if quorums.can_replicate(holders | {other})]
    if enough:
        return enough[0]
    if quorums.can_replicate(holders | {node}):
        return None
    return min(free, default=None)


def _is_overruled(world: World, log: int, lsn: int, node: int, copies: list[Copy]) -> bool:
    """Recovery has closed the epoch without these copies."""
    cleaned = world.epochs(log).cleaned.get(epoch_of(lsn))
    if cleaned is None:
        return False
    best = max(copies, key=precedence)
    alone = NodeLog(log, node)
    alone = alone._replace(copies=alone.copies.with_(lsn, best))
    return bool(outdated_copies(alone, cleaned, world.simulator.machine))


def _store(world: World, log: int, lsn: int, target: int, copy: Copy) -> None:
    """A node takes a copy from rebuilding; events mark it with the newest epoch, since no append wrote it."""
    here = world.stores(log)[target]
    world.put(here._replace(copies=here.copies.with_(lsn, copy)))
    marked = copy._replace(recovery=max(copy.recovery, world.epochs(log).newest), copyset=copy.copyset | {target})
    world.record(recorder_of(target), [notes.store(log, lsn, target, marked)])

"""Detection: whether a log's sequencer works, and who takes its place if it does not.

LogDevice, Recovery: the failure is detected, and a sequencer is activated on a healthy node.
"""

from __future__ import annotations

from typing import Final

from reference_impl.environment.world import OpenLog, World
from reference_impl.log import addresses
from reference_impl.log.messages import Activate
from reference_impl.log.sequencer import Role

DETECTION_NS: Final = 2_000_000
"""How long a sequencer does not work before another one is activated."""


def works(world: World, log: int) -> bool:
    """The node to which the newest epoch was given is well, and its sequencer takes appends of that epoch."""
    store = world.epochs(log)
    current = world.state(addresses.sequencer(log, store.owner))
    active = bool(store.newest) and current.role is Role.ACTIVE and current.epoch == store.newest
    return active and store.owner in world.healthy()


def is_due(world: World, known: OpenLog) -> bool:
    """Note since when a log's sequencer does not work; says whether another one is due now."""
    now_ns = world.simulator.now_ns
    if works(world, known.log):
        known.sick_since_ns = None
    elif known.sick_since_ns is None:
        known.sick_since_ns = now_ns
    elif now_ns - known.sick_since_ns > DETECTION_NS:
        known.sick_since_ns = now_ns
        return True
    return False


def activate(world: World, log: int, sequencers: int = 1) -> None:
    """Make a healthy node the log's sequencer, or several at once; as many as there are."""
    candidates = sorted(world.healthy() & world.open_logs[log].members)
    for node in world.rng.sample(candidates, min(sequencers, len(candidates))):
        world.simulator.at(0, addresses.sequencer(log, node), Activate())

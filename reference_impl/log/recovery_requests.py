"""Requests of a recovery: whatever it is waiting for, and whom it asks for it.

LogDevice, common/LogRecoveryRequest.cpp and common/RecoveryNode.cpp: SEAL, START, STORE and CLEAN messages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reference_impl.kernel.step import Effect, Send
from reference_impl.log import addresses
from reference_impl.log.copies import Nodes
from reference_impl.log.messages import SetClean
from reference_impl.log.recovery import Phase, Recovery
from reference_impl.log.repair.epoch_machine import NodeState
from reference_impl.log.storage_messages import Clean, Mutation, ReadDigest, Seal


def requests(recovery: Recovery) -> list[Effect]:
    """One message for everything that somebody has not answered yet."""
    return [*seals(recovery, sealing(recovery)), *of_phase(recovery)]


def sealing(recovery: Recovery) -> Nodes:
    """Sealing does not wait for earlier epochs: the nodes of any of them that are not sealed."""
    nodes = (node for one in recovery.machines.values() for node, at in one.nodes.items() if at is NodeState.SEALING)
    return frozenset(nodes)


def seals(recovery: Recovery, nodes: Nodes) -> Iterator[Effect]:
    """One seal does for all epochs."""
    for node in sorted(nodes):
        yield Send(addresses.storage(recovery.log, node), Seal(recovery.epoch, recovery.node))


def of_phase(recovery: Recovery) -> Iterator[Effect]:
    """What the first epoch waits for."""
    match recovery.phase:
        case Phase.DIGESTING:
            yield from digests(recovery, digesting(recovery))
        case Phase.MUTATING:
            yield from mutations(recovery)
        case Phase.CLEANING:
            for node in sorted(recovery.silent()):
                clean = Clean(recovery.cleaned, recovery.round, recovery.node)
                yield Send(addresses.storage(recovery.log, node), clean)
        case Phase.ADVANCING:
            yield Send(addresses.epoch_store(recovery.log), SetClean(recovery.cleaned, recovery.node))
        case Phase.IDLE:
            pass


def digesting(recovery: Recovery) -> list[int]:
    """The nodes that have not told yet what they hold, of those that are to."""
    return [node for node, at in recovery.first.nodes.items() if at is NodeState.DIGESTING]


def digests(recovery: Recovery, nodes: Iterable[int]) -> Iterator[Effect]:
    """Nodes are to tell what they hold above the last known good ESN."""
    first = recovery.first
    read = ReadDigest(recovery.pending[0], recovery.epoch, recovery.round + 1, first.known_good, recovery.node)
    for node in nodes:
        yield Send(addresses.storage(recovery.log, node), read)


def mutations(recovery: Recovery) -> Iterator[Effect]:
    """A message takes to a node all outcomes that it has not stored yet, of those that are not replicated yet."""
    outcomes = [outcome for outcome in recovery.outcomes if outcome.esn in recovery.first.pending]
    for node in sorted(recovery.silent()):
        missing = tuple(outcome for outcome in outcomes if node not in recovery.stored.get(outcome.esn, Nodes()))
        mutation = Mutation(
            recovery.pending[0],
            recovery.epoch,
            recovery.round,
            recovery.wave,
            recovery.copyset,
            missing,
            recovery.node,
        )
        yield Send(addresses.storage(recovery.log, node), mutation)

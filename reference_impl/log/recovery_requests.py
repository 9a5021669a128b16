"""Requests of a recovery: whatever it is waiting for, and whom it asks for it.

LogDevice, common/LogRecoveryRequest.cpp and common/RecoveryNode.cpp: SEAL, START, STORE and CLEAN messages.
"""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.kernel.step import Effect, Send
from reference_impl.log import addresses
from reference_impl.log.copies import Nodes
from reference_impl.log.messages import SetClean
from reference_impl.log.recovery import Recovery
from reference_impl.log.repair.epoch_machine import NodeState, State
from reference_impl.log.storage_messages import Clean, Mutation, ReadDigest, Seal


def requests(recovery: Recovery) -> list[Effect]:
    """One message for everything that somebody has not answered yet."""
    if not recovery.machines:
        return []
    return [*_seals(recovery), *_for_first(recovery)]


def _seals(recovery: Recovery) -> Iterator[Effect]:
    """Sealing does not wait for earlier epochs; one seal does for all of them."""
    machines = recovery.machines.values()
    silent = {node for one in machines for node, at in one.nodes.items() if at is NodeState.SEALING}
    for node in sorted(silent):
        yield Send(addresses.storage(recovery.log, node), Seal(recovery.epoch, recovery.node))


def _for_first(recovery: Recovery) -> Iterator[Effect]:
    log, node, epoch, first = recovery.log, recovery.node, recovery.pending[0], recovery.first
    match first.state:
        case State.DIGEST:
            read = ReadDigest(epoch, recovery.epoch, recovery.round + 1, first.known_good, node)
            for silent, at in first.nodes.items():
                if at is NodeState.DIGESTING:
                    yield Send(addresses.storage(log, silent), read)
        case State.MUTATION:
            yield from _mutations(recovery)
        case State.CLEAN:
            for silent in sorted(recovery.silent()):
                yield Send(addresses.storage(log, silent), Clean(recovery.cleaned, recovery.round, node))
        case State.ADVANCE_LCE:
            yield Send(addresses.epoch_store(log), SetClean(recovery.cleaned, node))
        case _:
            pass


def _mutations(recovery: Recovery) -> Iterator[Effect]:
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

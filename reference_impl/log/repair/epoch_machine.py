"""The recovery of one epoch as a machine: it seals, reads digests, mutates, cleans, and tells the epoch store.

LogDevice, common/EpochRecovery.cpp, common/RecoverySet.cpp and common/RecoveryNode.h. Whatever happens to a shard that
is being mutated or cleaned throws the machine back; what happens to others does not matter any more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

from reference_impl.log.repair.digest import Digest, digest_of
from reference_impl.log.repair.held import Held, Shards
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import BridgesFrom, Plan, Round, plan_of
from spec.log.quorum import Authority
from spec.log.status import Status


class State(IntEnum):
    """What the machine is doing."""

    SEAL_OR_INACTIVE = 0
    DIGEST = 1
    MUTATION = 2
    CLEAN = 3
    ADVANCE_LCE = 4


class NodeState(IntEnum):
    """How far a shard has come."""

    SEALING = 0
    SEALED = 1
    DIGESTING = 2
    DIGESTED = 3
    MUTATABLE = 4
    CLEANING = 5
    CLEAN = 6


class EpochRecovery(NamedTuple):
    """The recovery of one epoch.

    Attributes:
        nodes: how far each shard of the nodeset has come.
        statuses: the shards that are not FULLY_AUTHORITATIVE.
        is_active: all earlier epochs are recovered.
        known_good: the greatest last known good ESN that any shard told of.
        digests: what each shard holds, in the order in which they told it; ESNs with copies.
        in_grace: the digest would do, but others are given a little time to add theirs.
        plan: what was decided; None before.
        pending: the ESNs that are not yet mutated.
        decide: makes the plan of a digest.
    """

    nodeset: Nodeset
    seal: int
    nodes: Mapping[int, NodeState]
    statuses: Mapping[int, Status] = {}
    is_active: bool = False
    state: State = State.SEAL_OR_INACTIVE
    known_good: int = 0
    digests: Mapping[int, tuple[tuple[int, Held], ...]] = {}
    in_grace: bool = False
    plan: Plan | None = None
    pending: Shards = frozenset()
    bridge_in_empty_epoch: bool = True
    bridges_from: BridgesFrom = BridgesFrom.WHOLE_DIGEST
    decide: Callable[[Digest, Round], Plan] = plan_of

    def at_least(self, state: NodeState) -> Shards:
        """The shards that have come this far, or farther."""
        return frozenset(node for node, reached in self.nodes.items() if reached >= state)

    def authority_from(self, state: NodeState) -> Authority:
        """How far the word of those shards may be trusted."""
        return self.nodeset.authority(self.at_least(state), self.statuses)

    def moved(self, before: Iterable[NodeState], after: NodeState) -> EpochRecovery:
        """The same machine with all shards in one of some states in another."""
        old = frozenset(before)
        return self._replace(nodes={node: after if at in old else at for node, at in self.nodes.items()})


def machine_of(nodeset: Nodeset, seal: int, *, bridge_in_empty_epoch: bool = True) -> EpochRecovery:
    """At first no shard is sealed: common/RecoverySet.cpp."""
    nodes = dict.fromkeys(sorted(nodeset.shards), NodeState.SEALING)
    return EpochRecovery(nodeset, seal, nodes, bridge_in_empty_epoch=bridge_in_empty_epoch)


# ------------------------------------------------------------------------------------------------- steps


def activate(machine: EpochRecovery) -> EpochRecovery:
    """Epochs are recovered strictly oldest first; sealing does not wait: common/LogRecoveryRequest.cpp."""
    return _sealed_or_activated(machine._replace(is_active=True))


def on_sealed(machine: EpochRecovery, node: int, known_good: int) -> EpochRecovery:
    """The last known good ESN is the greatest that any sealed shard tells; a shard that answers has its data.

    LogDevice, common/EpochRecovery.cpp, onSealed; common/LogRecoveryRequest.cpp.
    """
    machine = machine._replace(known_good=max(machine.known_good, known_good))
    if machine.nodes.get(node) is not NodeState.SEALING:
        return machine
    statuses = {shard: said for shard, said in machine.statuses.items() if shard != node}
    machine = machine._replace(nodes={**machine.nodes, node: NodeState.SEALED}, statuses=statuses)
    return _sealed_or_activated(machine) if machine.is_active else machine


def on_digested(
    machine: EpochRecovery, node: int, copies: tuple[tuple[int, Held], ...] = (), *, is_writable: bool = True
) -> EpochRecovery:
    """A shard has told all that it holds; if it may be written, it may be mutated.

    LogDevice, common/EpochRecovery.cpp, onDigestStreamEndReached: read-only shards only lend their copies.
    """
    if machine.nodes.get(node) is not NodeState.DIGESTING:
        return machine
    reached = NodeState.MUTATABLE if is_writable else NodeState.DIGESTED
    digests = {**machine.digests, node: copies}
    return _maybe_complete(machine._replace(nodes={**machine.nodes, node: reached}, digests=digests))


def on_grace_expired(machine: EpochRecovery) -> EpochRecovery:
    """After the grace period, an f-majority that can hold copies must do: common/EpochRecovery.cpp."""
    return _maybe_complete(machine._replace(in_grace=False), waited=True) if machine.in_grace else machine


def on_mutated(machine: EpochRecovery, esn: int) -> EpochRecovery:
    """When every outcome is replicated, the shards are told to clean: common/EpochRecovery.cpp, onMutationComplete."""
    if machine.state is not State.MUTATION or esn not in machine.pending:
        return machine
    machine = machine._replace(pending=machine.pending - {esn})
    return machine if machine.pending else _cleaning(machine)


def on_cleaned(machine: EpochRecovery, node: int) -> EpochRecovery:
    """When the whole mutation set is clean, so is the epoch: common/EpochRecovery.cpp, onCleaned."""
    if machine.nodes.get(node) is not NodeState.CLEANING:
        return machine
    machine = machine._replace(nodes={**machine.nodes, node: NodeState.CLEAN})
    if NodeState.CLEANING in machine.nodes.values():
        return machine
    return machine._replace(state=State.ADVANCE_LCE)


def on_status(machine: EpochRecovery, node: int, status: Status) -> EpochRecovery:
    """A shard whose data has another worth now is sealed and heard anew; one that is being mutated restarts all.

    LogDevice, common/EpochRecovery.cpp, setNodeAuthoritativeStatus.
    """
    if node not in machine.nodes or machine.statuses.get(node, Status.FULLY_AUTHORITATIVE) is status:
        return machine
    was_mutated = _is_mutated(machine, node)
    machine = machine._replace(
        statuses={**machine.statuses, node: status},
        nodes={**machine.nodes, node: NodeState.SEALING},
        digests={shard: copies for shard, copies in machine.digests.items() if shard != node},
    )
    if was_mutated:
        return _restarted(machine)
    if machine.state <= State.DIGEST and machine.is_active:
        return _maybe_complete(_sealed_or_activated(machine))
    return machine


def on_death(machine: EpochRecovery, node: int) -> EpochRecovery:
    """A shard that dies while it is being mutated restarts the digests; it stays sealed: EpochRecovery tests."""
    return _restarted(machine) if _is_mutated(machine, node) else machine


def on_timeout(machine: EpochRecovery) -> EpochRecovery:
    """Mutating and cleaning that takes too long starts again; a clean epoch stays clean.

    LogDevice, common/EpochRecovery.cpp, onTimeout.
    """
    return _restarted(machine) if machine.state in (State.MUTATION, State.CLEAN) else machine


def on_silence(machine: EpochRecovery, node: int) -> EpochRecovery:
    """A shard that falls silent leaves the mutation set, if the others can hold copies: it purges when it is back.

    LogDevice starts again instead: common/EpochRecovery.cpp, onTimeout. Both ways the shard counts as one that was
    only heard.
    """
    if not _is_mutated(machine, node) or machine.nodes[node] is NodeState.CLEAN:
        return machine
    if not machine.nodeset.can_replicate(machine.at_least(NodeState.MUTATABLE) - {node}):
        return machine
    machine = machine._replace(nodes={**machine.nodes, node: NodeState.DIGESTED})
    is_clean = machine.state is State.CLEAN and NodeState.CLEANING not in machine.nodes.values()
    return machine._replace(state=State.ADVANCE_LCE) if is_clean else machine


def on_moved(machine: EpochRecovery) -> EpochRecovery:
    """After copies were moved between shards, what was read before proves nothing; what was decided stays true."""
    return _restarted(machine) if machine.state is State.DIGEST else machine


# ----------------------------------------------------------------------------------------------- passages


def _is_mutated(machine: EpochRecovery, node: int) -> bool:
    in_set = machine.nodes.get(node, NodeState.SEALING) >= NodeState.MUTATABLE
    return in_set and machine.state >= State.MUTATION


def _sealed_or_activated(machine: EpochRecovery) -> EpochRecovery:
    """Digests are asked for once an f-majority that can hold copies is sealed, or everybody who counts."""
    if machine.state > State.DIGEST:
        return machine
    said = machine.authority_from(NodeState.SEALED)
    can_replicate = machine.nodeset.can_replicate(machine.at_least(NodeState.SEALED))
    if said is Authority.NONE or (said is Authority.AUTHORITATIVE_INCOMPLETE and not can_replicate):
        return machine
    machine = machine._replace(state=State.DIGEST).moved([NodeState.SEALED], NodeState.DIGESTING)
    return _maybe_complete(machine)


def _maybe_complete(machine: EpochRecovery, *, waited: bool = False) -> EpochRecovery:
    """Everybody who counts ends the digest at once; an f-majority ends it after the grace period."""
    if machine.state is not State.DIGEST:
        return machine
    said = machine.authority_from(NodeState.DIGESTED)
    if said is Authority.AUTHORITATIVE_INCOMPLETE and not waited:
        can_replicate = machine.nodeset.can_replicate(machine.at_least(NodeState.MUTATABLE))
        return machine._replace(in_grace=can_replicate)
    if said is Authority.NONE:
        return machine._replace(in_grace=False)
    return _planned(machine._replace(in_grace=False), said)


def _planned(machine: EpochRecovery, said: Authority) -> EpochRecovery:
    """The mutation set is fixed and the outcomes are decided; with nobody to write to, there is nothing to recover."""
    mutation_set = machine.at_least(NodeState.MUTATABLE)
    if not mutation_set:
        return machine._replace(state=State.ADVANCE_LCE)
    arrivals = ((node, esn, held) for node, copies in machine.digests.items() for esn, held in copies)
    chosen = Round(
        machine.nodeset,
        machine.seal,
        machine.known_good,
        mutation_set,
        said,
        machine.bridge_in_empty_epoch,
        machine.bridges_from,
    )
    plan = machine.decide(digest_of(arrivals), chosen)
    pending = frozenset(mutation.esn for mutation in plan.mutations)
    machine = machine._replace(state=State.MUTATION, plan=plan, pending=pending)
    return machine if pending else _cleaning(machine)


def _cleaning(machine: EpochRecovery) -> EpochRecovery:
    return machine._replace(state=State.CLEAN).moved([NodeState.MUTATABLE], NodeState.CLEANING)


def _restarted(machine: EpochRecovery) -> EpochRecovery:
    """Nothing that was read counts any more; what is sealed stays sealed: common/EpochRecovery.cpp, restart."""
    machine = machine.moved((state for state in NodeState if state > NodeState.SEALED), NodeState.SEALED)
    machine = machine._replace(state=State.SEAL_OR_INACTIVE, digests={}, in_grace=False, plan=None, pending=frozenset())
    return _sealed_or_activated(machine)

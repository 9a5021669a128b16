"""Mutants of recovery."""

# ruff: noqa: ARG001, ARG002 - a wrong decision has the signature of the right one

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from reference_impl.log.context import LogContext
from reference_impl.log.copies import Cleaned, Nodes, Outcome
from reference_impl.log.epoch_store import EpochStore, ends_at, may_clean, told_clean
from reference_impl.log.node_log import NodeLog
from reference_impl.log.recovery import is_replicated, nodeset_of, recovers, recovery_order
from reference_impl.log.repair.digest import Digest
from reference_impl.log.repair.held import Shards, as_hole
from reference_impl.log.repair.mutation import Becomes
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import Plan, Round, plan_of
from reference_impl.log.storage import is_settled, seals, stored_as
from reference_impl.mutants.registry import mutant, setting
from reference_impl.plan import TOPOLOGIES
from spec.events import HOLE, RECORD
from spec.log.quorum import Authority
from spec.log.status import Status


@mutant(seals)
def recovery_does_not_seal(recovery: int) -> int:
    """A recovery reads what nodes hold, without their promise to take no more.

    LogDevice, Recovery, Recovery example: this prevents an old sequencer from completing any new append.
    """
    return 0


class _Hasty(Nodeset):
    """A nodeset of which a copyset's worth of answers is taken for all of them."""

    __slots__ = ()

    def authority(self, heard: Shards, statuses: Mapping[int, Status]) -> Authority:
        """Whoever could hold a record could tell of every record."""
        return Authority.AUTHORITATIVE_COMPLETE if self.can_replicate(heard) else Authority.NONE


@mutant(nodeset_of)
def digest_of_too_few_nodes(context: LogContext, nodes: Nodes) -> Nodeset:
    """A recovery decides as soon as it has heard a copyset's worth of nodes.

    LogDevice, Read path, Gap detection algorithm: an f-majority intersects every possible copyset; this need not.
    """
    return _Hasty(*nodeset_of(context, nodes))


class _Careless(Nodeset):
    """A nodeset in which one answer speaks for a whole domain."""

    __slots__ = ()

    def authority(self, heard: Shards, statuses: Mapping[int, Status]) -> Authority:
        """Whoever shares a domain with a node that was heard counts as heard."""
        largest = self.layout.needs[0].domain_of
        spoken = {largest[node] for node in heard}
        counted = frozenset(node for node in self.shards if largest[node] in spoken)
        return super().authority(counted, statuses)


@mutant(nodeset_of)
def rack_heard_after_one_answer(context: LogContext, nodes: Nodes) -> Nodeset:
    """A recovery takes a rack for heard as soon as one of its nodes has answered.

    LogDevice, Read path, Gap detection algorithm: all nodes of a rack must answer, for any of them may have a copy.
    """
    return _Careless(*nodeset_of(context, nodes))


class _Cramped(Nodeset):
    """A nodeset that never asks whether there is room for a copyset."""

    __slots__ = ()

    def can_replicate(self, shards: Shards) -> bool:
        """Anybody will do."""
        return bool(shards)


CROWDED: Final = setting("with copies on all three nodes", topology=TOPOLOGIES["flat3"], replication={"node": 3})


@mutant(nodeset_of, where=CROWDED)
def decides_without_room(context: LogContext, nodes: Nodes) -> Nodeset:
    """A recovery decides though those it heard cannot hold what it decides.

    LogDevice, common/EpochRecovery.cpp: where all nodes hold every record, one answer is an f-majority.
    """
    return _Cramped(*nodeset_of(context, nodes))


@mutant(nodeset_of)
def recovery_asks_everybody(context: LogContext, nodes: Nodes) -> Nodeset:
    """A recovery asks, and writes to, all nodes of the cluster.

    LogDevice, Read path, Metadata log: the data of an epoch lies in its nodeset, and readers look nowhere else.
    """
    return nodeset_of(context, context.quorums.everyone)


@mutant(plan_of)
def lone_copy_dropped(digest: Digest, chosen: Round) -> Plan:
    """A recovery plugs a hole where it hears of only one copy.

    LogDevice, Recovery, Log recovery: the outcome is a record if one can be found. A majority of those heard is
    the wrong question.
    """
    holes = {
        esn: entry if len(entry.copies) > 1 else entry._replace(target=as_hole(entry.target, chosen.seal))
        for esn, entry in digest.items()
    }
    return plan_of(holes, chosen)


@mutant(plan_of)
def bridge_over_last_record(digest: Digest, chosen: Round) -> Plan:
    """A recovery writes the bridge over the last record of the epoch.

    LogDevice, Recovery, Bridge record: its sequence number says where the epoch ends. An off-by-one.
    """
    plan = plan_of(digest, chosen)
    end = max(chosen.known_good + 1, plan.bridge_esn - 1)
    decided = tuple(
        one._replace(becomes=Becomes.BRIDGE) if one.esn == end else one for one in plan.decided if one.esn <= end
    )
    return plan._replace(bridge_esn=end, decided=decided, mutations=decided)


@mutant(is_replicated)
def clean_before_replicated(context: LogContext, stored: Nodes, required: Nodes) -> bool:
    """A recovery finishes an epoch once a single node holds the outcome.

    LogDevice, Recovery, Log recovery: it replicates the outcome to the correct number of nodes.
    """
    return bool(stored)


@mutant(recovers)
def recovers_its_own_epoch(epoch: int, other: int) -> bool:
    """A recovery goes up to the epoch of its own sequencer.

    LogDevice, Recovery, Sequencer activation: the sequencer recovers the epochs before its own. An off-by-one.
    """
    return other <= epoch


@mutant(stored_as)
def hole_stored_for_record(outcome: Outcome) -> Outcome:
    """A node stores a hole where a recovery tells it of a record.

    LogDevice, Recovery, Log recovery: the outcome is replicated. A flag of the store message that is set for all.
    """
    return outcome._replace(becomes=HOLE, digest=0) if outcome.becomes == RECORD else outcome


@mutant(ends_at)
def end_after_the_bridge(cleaned: Cleaned) -> int:
    """The epoch store keeps the ESN after the bridge as the end of an epoch.

    LogDevice, Recovery, Bridge record: its sequence number says where the epoch ends. A range that is half open.
    """
    return cleaned.end + 1


def lets_recoveries_write(here: NodeLog, epoch: int) -> bool:
    """A node takes what any recovery decides of an epoch, whatever it knows of that."""
    return False


@mutant(told_clean, is_settled.otherwise(lets_recoveries_write))
def clean_epochs_not_told(store: EpochStore) -> Mapping[int, Cleaned]:
    """A new sequencer is not told which epochs are clean, recovers them all again, and nodes let it.

    LogDevice, Recovery, Log recovery: once recovered, the content of an epoch stays as it is, though copies are lost.
    """
    return {}


def recovers_all_again(store: EpochStore) -> Mapping[int, Cleaned]:
    """The epoch store tells no new sequencer which epochs are clean."""
    return {}


@mutant(may_clean, told_clean.otherwise(recovers_all_again), is_settled.otherwise(lets_recoveries_write))
def last_recovery_says_the_end(store: EpochStore, epoch: int) -> bool:
    """An epoch that is recovered again ends where the last of its recoveries says.

    LogDevice, Recovery, Bridge record: its sequence number represents the consensus about where the epoch ends.
    """
    return epoch in store.cleaned or may_clean(store, epoch)


def cleans_any_epoch(store: EpochStore, epoch: int) -> bool:
    """The epoch store keeps any epoch as clean that is not yet, whatever came before."""
    return epoch not in store.cleaned


@mutant(recovery_order, may_clean.otherwise(cleans_any_epoch))
def newest_epoch_recovered_first(epochs: Sequence[int]) -> tuple[int, ...]:
    """A recovery begins with the newest epoch, and the epoch store lets it.

    LogDevice, common/LogRecoveryRequest.cpp: epochs are recovered strictly oldest first.
    """
    return tuple(sorted(epochs, reverse=True))


@mutant(plan_of)
def last_record_taken_for_known_good(digest: Digest, chosen: Round) -> Plan:
    """A recovery takes the last record that it hears of for the last known good one, and repairs nothing below.

    LogDevice, common/EpochRecovery.cpp, onSealed: it is the greatest last known good ESN that a node was told.
    """
    return plan_of(digest, chosen._replace(known_good=max([chosen.known_good, *digest])))


@mutant(plan_of)
def nothing_plugged_or_closed(digest: Digest, chosen: Round) -> Plan:
    """A recovery stores neither holes nor a bridge, as if too few nodes had kept what they stored.

    LogDevice, Recovery, Bridge record: it is stored at the end of a recovered epoch.
    """
    return plan_of(digest, chosen._replace(authority=Authority.NON_AUTHORITATIVE))

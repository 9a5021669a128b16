"""The epoch store of one log: who may be its sequencer in which epoch, and which epochs are clean.

LogDevice, Recovery, Sequencer activation; common/EpochStore.h. It also answers for the metadata log: the nodesets.
"""

# ruff: noqa: ARG001 - all steps, and all decisions of one kind, have one signature

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from reference_impl.kernel.decision import decision
from reference_impl.kernel.mix import mix
from reference_impl.kernel.step import Handlers, Moment, Send, Stepped
from reference_impl.log import addresses, trace_events
from reference_impl.log.context import METADATA_LOG, LogContext
from reference_impl.log.copies import Cleaned, Nodes
from reference_impl.log.messages import (
    Announce,
    CleanSet,
    EpochGiven,
    NextEpoch,
    Nodeset,
    SetClean,
    WhereLies,
    WhichNodes,
    WhoSequences,
)
from reference_impl.log.metadata_log import with_epoch
from reference_impl.log.metadata_messages import SetWritten, WrittenSet
from reference_impl.log.stream.surroundings import Metadata


class EpochStore(NamedTuple):
    """What the epoch store knows of a log.

    Attributes:
        members: the nodes in service, of which new nodesets are made.
        newest: the newest epoch; 0 before the first.
        owner: the node to which the newest epoch was given.
        nodesets: the nodeset of every epoch.
        cleaned: what recovery made of every epoch that is clean; the greatest is the last clean epoch.
        records: what belongs into the metadata log.
        written: the first epoch of the last metadata that are known to be there.
    """

    log: int
    members: Nodes
    newest: int = 0
    owner: int = 0
    nodesets: Mapping[int, Nodes] = {}
    cleaned: Mapping[int, Cleaned] = {}
    records: tuple[Metadata, ...] = ()
    written: int = 0


@decision
def next_epoch(store: EpochStore) -> int:
    """The epoch store increments the epoch: common/EpochStore.h."""
    return store.newest + 1


@decision
def may_clean(store: EpochStore, epoch: int) -> bool:
    """The last clean epoch advances one epoch at a time: common/LogRecoveryRequest.cpp."""
    return epoch == max(store.cleaned, default=0) + 1


@decision
def told_clean(store: EpochStore) -> Mapping[int, Cleaned]:
    """A new sequencer recovers nothing up to the last clean epoch: common/LogRecoveryRequest.cpp."""
    return store.cleaned


@decision
def ends_at(cleaned: Cleaned) -> int:
    """An epoch ends at its bridge: Recovery, Bridge record."""
    return cleaned.end


def nodeset_for(store: EpochStore, epoch: int, context: LogContext) -> Nodes:
    """All members, or all but one where the others can lose another and still hold a copyset."""
    members = sorted(store.members)
    place = mix(store.log, epoch) % (2 * len(members))
    rest = store.members - frozenset(members[place : place + 1])
    spare = all(context.quorums.can_replicate(rest - {node}) for node in rest)
    return rest if spare else store.members


@decision
def may_provision(store: EpochStore) -> bool:
    """Metadata are changed only once those before are in the metadata log: common/EpochMetaDataUpdater.cpp."""
    return not store.records or store.written >= store.records[-1].since


def provisioned(store: EpochStore, epoch: int, context: LogContext) -> EpochStore:
    """The store with the nodeset of a new epoch, and with what is then to be in the metadata log, if there is one."""
    nodes, records = nodeset_for(store, epoch, context), store.records
    if METADATA_LOG in context.variants:
        if not context.decides(may_provision)(store):
            nodes = records[-1].shards
        if not records or epoch > records[-1].since:
            records = context.decides(with_epoch)(records, epoch, nodes, context.replication)
    return store._replace(nodesets={**store.nodesets, epoch: nodes}, records=records)


def give_epoch(store: EpochStore, message: NextEpoch, moment: Moment, context: LogContext) -> Stepped[EpochStore]:
    """Give a new epoch to the node that asks, with its metadata."""
    epoch = context.decides(next_epoch)(store)
    store = provisioned(store, epoch, context)
    nodesets, metadata = store.nodesets, store.records[-1] if store.records else None
    is_written = metadata is None or store.written >= metadata.since
    cleaned = context.decides(told_clean)(store)
    given = EpochGiven(message.asked_ns, epoch, nodesets, cleaned, metadata, is_written)
    return store._replace(newest=max(epoch, store.newest), owner=message.node), (
        trace_events.new_epoch(store.log, epoch, message.node, nodesets[epoch], context.replication),
        Send(addresses.sequencer(store.log, message.node), given),
    )


def set_clean(store: EpochStore, message: SetClean, moment: Moment, context: LogContext) -> Stepped[EpochStore]:
    """Keep an epoch as the last clean one; that another recovery was faster is success as well."""
    reply = addresses.recovery(store.log, message.node)
    cleaned = message.cleaned
    if not context.decides(may_clean)(store, cleaned.epoch):
        return (store, (Send(reply, CleanSet(store.cleaned)),)) if cleaned.epoch in store.cleaned else None
    store = store._replace(cleaned={**store.cleaned, cleaned.epoch: cleaned})
    return store, (
        trace_events.clean(store.log, cleaned.epoch, context.decides(ends_at)(cleaned), cleaned.recovery),
        Send(reply, CleanSet(store.cleaned)),
    )


def set_written(store: EpochStore, message: SetWritten, moment: Moment, context: LogContext) -> Stepped[EpochStore]:
    """Know that metadata are in the metadata log: common/EpochStore.h, MetaDataWritten."""
    store = store._replace(written=max(store.written, message.since))
    return store, (Send(addresses.describer(store.log, message.node), WrittenSet(message.since)),)


def who_sequences(store: EpochStore, message: WhoSequences, moment: Moment, context: LogContext) -> Stepped[EpochStore]:
    """Tell a client to whom the newest epoch was given."""
    if not store.newest:
        return None
    return store, (Send(addresses.client(store.log, message.client), Announce(store.newest, store.owner)),)


def which_nodes(store: EpochStore, message: WhichNodes, moment: Moment, context: LogContext) -> Stepped[EpochStore]:
    """Tell a reader the nodeset of an epoch, if the epoch exists: Read path, Metadata log."""
    nodes = store.nodesets.get(message.epoch)
    if nodes is None:
        return None
    return store, (Send(addresses.reader(store.log, message.stream), Nodeset(message.epoch, nodes)),)


def where_lies(store: EpochStore, message: WhereLies, moment: Moment, context: LogContext) -> Stepped[EpochStore]:
    """Tell a storage node the nodeset of an epoch: server/storage/PurgeUncleanEpochs.cpp, onAllEpochMetaDataGotten."""
    nodes = store.nodesets.get(message.epoch)
    if nodes is None:
        return None
    return store, (Send(addresses.storage(store.log, message.node), Nodeset(message.epoch, nodes)),)


HANDLERS: Final[Handlers] = {
    NextEpoch: give_epoch,
    SetClean: set_clean,
    SetWritten: set_written,
    WhoSequences: who_sequences,
    WhichNodes: which_nodes,
    WhereLies: where_lies,
}

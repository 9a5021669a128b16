"""Stores of shards: what each holds of a log, before and after a recovery stored its outcomes there.

LogDevice, common/Mutator.cpp; server/CleanedResponseRequest.h; server/storage/PurgeUncleanEpochs.cpp.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from reference_impl.log.lsn import epoch_of, esn_of, lsn_of
from reference_impl.log.repair.held import Held, Shards
from reference_impl.log.repair.metadata import Known, Metadata, metadata_of
from reference_impl.log.repair.mutation import Becomes, Mutation
from reference_impl.log.repair.nodeset import Nodeset
from reference_impl.log.repair.plan import Plan, Round
from reference_impl.log.repair.purging import deleted, purge_of


class Store(NamedTuple):
    """What one shard holds of a log.

    Attributes:
        copies: by LSN.
        known_good: the last known good ESN of each epoch, as far as it was told.
        cleaned: the recoveries of epochs that cleaned it; None for an epoch that was empty.
    """

    copies: Mapping[int, Held] = {}
    known_good: Mapping[int, int] = {}
    cleaned: Mapping[int, Metadata | None] = {}

    def esns(self, epoch: int) -> dict[int, Held]:
        """What it holds of one epoch, in ascending order."""
        return {esn_of(lsn): held for lsn, held in sorted(self.copies.items()) if epoch_of(lsn) == epoch}


Stores: TypeAlias = Mapping[int, Store]
"""The stores of all shards, by number."""


def written(mutation: Mutation, seal: int) -> Held:
    """What a recovery stores carries its seal epoch, so that later recoveries believe it: common/Mutator.cpp."""
    base = mutation.target or Held(seal)
    is_hole = mutation.becomes is not Becomes.RECORD
    return base._replace(number=seal, by_recovery=True, is_hole=is_hole, is_bridge=mutation.becomes is Becomes.BRIDGE)


def takers(mutation: Mutation, nodeset: Nodeset, mutation_set: Shards) -> Shards:
    """Whoever holds a copy takes the outcome, and as many others as it needs to be replicated, if there are any.

    LogDevice, common/Mutator.cpp. Which others is up to the recovery: here, those of the lowest numbers.
    """
    chosen = mutation.required
    for shard in sorted(mutation_set):
        if nodeset.can_replicate(chosen):
            break
        chosen |= {shard}
    return chosen


def mutated(stores: Stores, epoch: int, plan: Plan, chosen: Round) -> Stores:
    """Every mutation is stored, and every shard of the mutation set told what the epoch came to.

    LogDevice, common/EpochRecovery.cpp, mutateEpoch and advanceToCleaning; server/CleanedResponseRequest.h.
    """
    new: dict[int, dict[int, Held]] = {shard: {} for shard in chosen.mutation_set}
    for mutation in plan.mutations:
        held = written(mutation, chosen.seal)
        for shard in takers(mutation, chosen.nodeset, chosen.mutation_set):
            new[shard][lsn_of(epoch, mutation.esn)] = held
    metadata = metadata_of(chosen.known_good, plan.last_esn)
    after = {
        shard: store._replace(
            copies={**store.copies, **new[shard]},
            known_good={**store.known_good, epoch: max(store.known_good.get(epoch, 0), chosen.known_good)},
            cleaned={**store.cleaned, epoch: metadata},
        )
        for shard, store in stores.items()
        if shard in new
    }
    return {**stores, **after}


def purged(stores: Stores, epoch: int, nodeset: Nodeset) -> Stores:
    """Shards of the nodeset that the recovery passed by learn of it from one that it cleaned, and delete their copies.

    LogDevice, server/storage/PurgeSingleEpoch.cpp; common/GetEpochRecoveryMetadataRequest.cpp.
    """
    cleaned = [stores[shard].cleaned[epoch] for shard in sorted(nodeset.shards) if epoch in stores[shard].cleaned]
    metadata = next((found for found in cleaned if found is not None), None)
    known = Known.OK if metadata else Known.EMPTY if cleaned else Known.UNKNOWN
    after = dict(stores)
    for shard in sorted(nodeset.shards):
        store = stores[shard]
        if epoch in store.cleaned:
            continue
        recovered = metadata.known_good if metadata else 0
        purge = purge_of(known, recovered, store.known_good.get(epoch, 0), max(store.esns(epoch), default=0))
        gone = deleted(store.copies, epoch, purge)
        copies = {lsn: held for lsn, held in store.copies.items() if lsn not in gone}
        keeps = {epoch: metadata} if purge.writes_metadata else {}
        after[shard] = store._replace(copies=copies, cleaned={**store.cleaned, **keeps})
    return after

"""Guards of purges: nodes repair their copies of clean epochs, one after the other, by what recovery decided."""

from __future__ import annotations

from typing import Final

from reference_impl.replay.books import Log
from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.outcomes import kept
from reference_impl.replay.said import Said
from spec.events import Clean, Erase, Kept, Purged, Store

PURGE: Final = "LogDevice, server/storage/PurgeUncleanEpochs.cpp: "


@guard("purge.is_next", Purged, cite=PURGE + "a shard purges all epochs after its last clean one, in order")
def purges_in_order(log: Log, purge: Said) -> Against | None:
    """A node purges the epoch after the last one that it purged; the LSN is that of the epoch itself."""
    following = log.shard(purge.node).purged + 1
    if (purge.epoch, purge.esn) == (following, 0):
        return None
    return Against(f"epoch {following}, ESN 0", f"epoch {purge.epoch}, ESN {purge.esn}")


@guard(
    "purge.is_clean",
    Purged,
    cite=PURGE + "it is a release of a later epoch that makes a shard purge",
    needs=(Clean,),
    promise="recovery",
)
def purged_epoch_is_clean(log: Log, purge: Said) -> Against | None:
    """A node purges an epoch that is clean, by the outcome of the recovery of a later one."""
    if log.epoch(purge.epoch).clean is not None and purge.epoch < purge.recovery <= log.newest:
        return None
    return Against(f"a recovery after epoch {purge.epoch}", f"recovery {purge.recovery}, clean up to {log.cleaned}")


@guard(
    "kept.is_what_was_kept",
    Kept,
    cite="LogDevice, server/storage/PurgeSingleEpoch.cpp: what was overruled goes",
    needs=(Store, Erase, Clean),
    promise="recovery",
)
def keeps_what_recovery_kept(log: Log, event: Said) -> Against | None:
    """What a node keeps of an epoch that it has just purged is what it held, and what recovery decided."""
    shard, epoch = log.shard(event.node), log.epoch(event.epoch)
    held, content = shard.copies.get(event.lsn), (event.becomes, event.digest)
    if event.epoch != shard.purged or epoch.clean is None:
        return Against(f"a copy of epoch {shard.purged}", f"epoch {event.epoch}")
    if held is not None and held.content == content == kept(epoch, event.esn) and held.recovery == event.recovery:
        return None
    return Against(f"{kept(epoch, event.esn)}, of which it held {held and held.content}", f"{content}")


@change(Purged)
def is_purged(log: Log, purge: Said) -> None:
    """The node may be read there."""
    log.shard(purge.node).purged = purge.epoch

"""Guards of purges: nodes repair their copies of clean epochs, one after the other, by what recovery decided."""

from __future__ import annotations

from typing import Final

from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Clean, Erase, Mutate, Purged, PurgeSurvivor, Store

PURGE: Final = "LogDevice, server/storage/PurgeUncleanEpochs.cpp: "


@guard("purge.is_next", Purged, cite=PURGE + "a shard purges all epochs after its last clean one, in order")
def purges_in_order(log: Log, purge: TraceEvent) -> Against | None:
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
def purged_epoch_is_clean(log: Log, purge: TraceEvent) -> Against | None:
    """A node purges an epoch that is clean, by the outcome of the recovery of a later one."""
    if log.epoch(purge.epoch).clean is not None and purge.epoch < purge.recovery <= log.newest:
        return None
    return Against(f"a recovery after epoch {purge.epoch}", f"recovery {purge.recovery}, clean up to {log.cleaned}")


@guard(
    "kept.is_what_was_kept",
    PurgeSurvivor,
    cite="LogDevice, server/storage/PurgeSingleEpoch.cpp: what was overruled goes",
    needs=(Store, Erase, Mutate, Clean),
    promise="recovery",
)
def keeps_what_recovery_kept(log: Log, event: TraceEvent) -> Against | None:
    """What a node keeps of an epoch that it has just purged is what it held, and what recovery decided."""
    shard, epoch = log.shard(event.node), log.epoch(event.epoch)
    held, content = shard.copies.get(event.lsn), (event.becomes, event.digest)
    if event.epoch != shard.purged or epoch.clean is None:
        return Against(f"a copy of epoch {shard.purged}", f"epoch {event.epoch}")
    decided, by = epoch.clean.get(event.esn), {event.recovery, event.recovery if epoch.unnamed is None else 0}
    same = held is not None and held.recovery in by
    is_decided = held is not None and (decided == held.content or (decided is None and epoch.unnamed is not None))
    if held is not None and same and is_decided and not any(map(differ, held.content, content)):
        return None
    return Against(f"{decided}, of which it held {held and held.content}", f"{content}")


@guard(
    "kept.leaves_nothing_out",
    PurgeSurvivor,
    cite="LogDevice, server/storage/PurgeSingleEpoch.cpp: it goes over all records above the last known good one",
    needs=(Store, Erase),
)
def keeps_one_after_the_other(log: Log, event: TraceEvent) -> Against | None:
    """A node that purges tells of all that it keeps above the last known good ESN, of each once, in order."""
    shard = log.shard(event.node)
    if event.lsn <= shard.keeping:
        return Against(f"an LSN after {shard.keeping}", f"LSN {event.lsn}")
    first = (shard.keeping or event.lsn - event.esn + log.epoch(event.epoch).good) + 1
    missing = shard.next_held(first, event.lsn - 1)
    return None if missing is None else Against(f"LSN {missing} first, which it holds", f"LSN {event.lsn}")


@change(Purged)
def is_purged(log: Log, purge: TraceEvent) -> None:
    """The node may be read there."""
    shard = log.shard(purge.node)
    shard.purged, shard.keeping = purge.epoch, 0


@change(PurgeSurvivor)
def is_kept(log: Log, event: TraceEvent) -> None:
    """The node has told of it."""
    log.shard(event.node).keeping = event.lsn

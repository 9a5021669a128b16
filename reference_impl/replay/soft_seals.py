"""Guards of soft seals: whoever stores appends of an epoch takes none of earlier ones any more."""

from __future__ import annotations

from typing import Final

from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.recorders import BY_NODES
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Append, Fault, SoftSealed, Store

PREEMPTED: Final = "LogDevice, common/protocol/STORE_Message.cpp, checkIfPreempted: "


@guard("soft_seal.rises", SoftSealed, cite=PREEMPTED + "soft seals only rise", promise="seals")
def soft_seal_rises(log: Log, sealed: TraceEvent) -> Against | None:
    """A node's soft seal only rises, and is one of an epoch, not of an LSN."""
    before = log.shard(sealed.node).soft
    if sealed.epoch > before and sealed.esn == 0:
        return None
    return Against(f"a soft seal after epoch {before}, ESN 0", f"epoch {sealed.epoch}, ESN {sealed.esn}")


@guard(
    "soft_seal.of_an_append",
    SoftSealed,
    cite=PREEMPTED + "the sequencer of an epoch that is stored must have sealed all before it",
    needs=(Append,),
    promise="sequencers",
)
def later_epoch_has_appends(log: Log, sealed: TraceEvent) -> Against | None:
    """A node seals softly all before an epoch whose sequencer has given out LSNs."""
    if log.epoch(sealed.epoch + 1).appended:
        return None
    return Against("an epoch before one with appends", f"epoch {sealed.epoch}, and nothing was appended after it")


@guard(
    "soft_seal.for_a_store",
    *BY_NODES,
    cite=PREEMPTED + "it is the store of a later epoch that seals softly",
    needs=(Store, SoftSealed, Fault),
)
def soft_seal_is_for_a_store(log: Log, event: TraceEvent) -> Against | None:
    """A node that sealed softly then stores an append of the epoch after that."""
    shard = log.shards.get(event.node)
    if shard is None or shard.softly is None:
        return None
    if event.word == Store.word and not event.recovery and event.epoch == shard.softly + 1:
        return None
    return Against(f"a store in epoch {shard.softly + 1}", f"{event.word} in epoch {event.epoch}")


@guard(
    "store.not_soft_sealed",
    Store,
    cite=PREEMPTED + "appends of an epoch up to the soft seal are refused",
    needs=(SoftSealed,),
    promise="seals",
)
def soft_seal_is_obeyed(log: Log, store: TraceEvent) -> Against | None:
    """Where soft seals are recorded, a node stores appends of the epoch after its soft seal, or of one that drains."""
    if store.recovery != 0 or SoftSealed.word not in log.cluster.records[store.recorder]:
        return None
    soft, drains = log.shard(store.node).soft, log.epoch(store.epoch).draining is not None
    if store.epoch == soft + 1 or (drains and store.epoch <= soft):
        return None
    return Against(f"an append of epoch {soft + 1}", f"epoch {store.epoch}")


@change(SoftSealed)
def is_soft_sealed(log: Log, sealed: TraceEvent) -> None:
    """The node takes no more appends of these epochs."""
    shard = log.shard(sealed.node)
    shard.soft = shard.softly = sealed.epoch


@change(Store)
def has_stored(log: Log, store: TraceEvent) -> None:
    """What the node sealed softly for is stored."""
    log.shard(store.node).softly = None

"""Guards of recovery's questions: what a node promises, and that it tells all that it holds."""

from __future__ import annotations

from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Log, Shard
from reference_impl.replay.recorders import BY_NODES
from reference_impl.replay.trace_events import TraceEvent
from spec.events import BRIDGE, Digest, NewEpoch, Seal, Store

EXAMPLE = "LogDevice, Recovery, Recovery example: "


@guard("seal.rises", Seal, cite=EXAMPLE + "nodes reject records with smaller epochs", promise="seals")
def seal_rises(log: Log, seal: TraceEvent) -> Against | None:
    """A node's seal only rises, and is one of an epoch, not of an LSN."""
    before = log.shard(seal.node).seal
    if seal.epoch > before and seal.esn == 0:
        return None
    return Against(f"a seal after epoch {before}, ESN 0", f"epoch {seal.epoch}, ESN {seal.esn}")


@guard(
    "seal.by_a_sequencer",
    Seal,
    cite=EXAMPLE + "a recovery asks nodes to reject all epochs before its own",
    needs=(NewEpoch,),
    promise="sequencers",
)
def a_later_epoch_asks_for_the_seal(log: Log, seal: TraceEvent) -> Against | None:
    """A node seals the epochs before one that the epoch store gave out."""
    if seal.epoch < log.newest:
        return None
    return Against(f"an epoch before {log.newest}, the newest", f"epoch {seal.epoch}")


@change(Seal)
def is_sealed(log: Log, seal: TraceEvent) -> None:
    """The node takes no more of these epochs."""
    shard = log.shard(seal.node)
    shard.seal, shard.promised = seal.epoch, max(shard.promised, seal.epoch)


@guard(
    "digest.is_sealed",
    Digest,
    cite=EXAMPLE + "a node promises before it tells what it holds",
    needs=(Seal,),
    promise="seals",
)
def digest_comes_after_the_seal(log: Log, digest: TraceEvent) -> Against | None:
    """A node tells a recovery what it holds once it has sealed all epochs before the recovery's, and no later one."""
    seal = log.shard(digest.node).seal
    return Against(f"recovery {seal + 1}", f"{digest.recovery}") if differ(digest.recovery, seal + 1) else None


@guard(
    "digest.is_held", Digest, cite="LogDevice, Recovery, Log recovery: a digest is what a node holds", needs=(Store,)
)
def tells_what_it_holds(log: Log, digest: TraceEvent) -> Against | None:
    """A node tells a recovery of copies that it holds, as it holds them."""
    held = log.shard(digest.node).copies.get(digest.lsn)
    if held is not None and not differ(held.digest, digest.digest):
        return None
    return Against("nothing at this LSN" if held is None else f"payload {held.digest}", f"payload {digest.digest}")


@guard(
    "digest.is_complete",
    Digest,
    cite="LogDevice, Recovery, Log recovery: a digest has every record above the last known good one",
    needs=(Store,),
)
def leaves_nothing_out(log: Log, digest: TraceEvent) -> Against | None:
    """A node tells of all that it holds above its last known good ESN, in order."""
    shard = log.shard(digest.node)
    if _goes_on(shard, digest):
        first = shard.telling[2] + 1 if shard.telling else 0
        missing = shard.next_held(first, digest.lsn - 1)
        return None if missing is None else Against(f"LSN {missing} first, which it holds", f"LSN {digest.lsn}")
    first = digest.lsn - digest.esn + log.epoch(digest.epoch).good + 1
    below = shard.next_held(first, digest.lsn - 1)
    return Against(f"LSN {below} first, which may not be known good", f"ESN {digest.esn}") if below else None


def _goes_on(shard: Shard, digest: TraceEvent) -> bool:
    """The node is telling the same recovery of the same epoch, at the same time, and this comes later in it."""
    if shard.telling is None:
        return False
    epoch, recovery, lsn, time = shard.telling
    same = epoch == digest.epoch and not differ(recovery, digest.recovery) and not differ(time, digest.time)
    return same and lsn < digest.lsn


@guard(
    "digest.is_told_to_its_end",
    *BY_NODES,
    cite="LogDevice, Recovery, Log recovery: a digest has every record above the last known good one",
    needs=(Store, Digest),
)
def digest_is_told_to_its_end(log: Log, event: TraceEvent) -> Against | None:
    """A node does nothing else before it has told a recovery of the last copy that it holds of the epoch."""
    shard = log.shards.get(event.node)
    if shard is None or shard.telling is None or (event.word == Digest.word and _goes_on(shard, event)):
        return None
    epoch, _, last, _ = shard.telling
    missing = shard.next_held(last + 1, log.epoch(epoch).top)
    return None if missing is None else Against(f"a digest of LSN {missing}, which it holds", f"{event.word}")


@change(Digest)
def has_told(log: Log, digest: TraceEvent) -> None:
    """The recovery knows what this node holds."""
    shard = log.shard(digest.node)
    held = shard.copies.get(digest.lsn)
    shard.telling = (digest.epoch, digest.recovery, digest.lsn, digest.time)
    recovering = log.recovering(digest.epoch, digest.recovery or 0)
    told = recovering.told.setdefault(digest.node, {})
    before = told.get(digest.esn, ())
    if held is not None and held not in before:
        told[digest.esn] = (*before, held)
        if held.becomes == BRIDGE:
            recovering.bridged.add(digest.esn)


@change(*(event for event in BY_NODES if event is not Digest))
def tells_no_more(log: Log, event: TraceEvent) -> None:
    """The node went on to something else."""
    log.shard(event.node).telling = None

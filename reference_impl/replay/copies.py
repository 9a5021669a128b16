"""Guards of copies: what a node may hold, who writes it, and when it may be gone."""

from __future__ import annotations

from typing import Any

from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Epoch, Held, Log, Wave
from reference_impl.replay.outcomes import kept, objection
from reference_impl.replay.recorders import BY_NODES
from reference_impl.replay.stages import is_copyset, is_dismissed
from reference_impl.replay.trace_events import TraceEvent
from spec.events import (
    BRIDGE,
    RECORD,
    Append,
    Clean,
    Digest,
    Erase,
    Fault,
    Mutate,
    NewEpoch,
    Purged,
    PurgeSurvivor,
    Seal,
    Ship,
    SoftSealed,
    Store,
    Trimmed,
)

COPYSET = "LogDevice, Read path, Copyset: "


@guard(
    "store.is_up",
    Store,
    Seal,
    SoftSealed,
    Purged,
    PurgeSurvivor,
    Digest,
    Ship,
    Trimmed,
    cite="quorate, the machine's faults: a node that is down does nothing",
    needs=(Fault,),
)
def node_is_up(log: Log, event: TraceEvent) -> Against | None:
    """A node does nothing between a crash and its restart, or while it is paused."""
    cluster = log.cluster
    if event.node not in cluster.down and event.node not in cluster.asleep:
        return None
    return Against("a node that is up", f"node {event.node} is {'down' if event.node in cluster.down else 'paused'}")


@guard(
    "store.is_of_the_append",
    Store,
    cite="LogDevice, common/Appender.h: a store carries the payload to which the sequencer gave the LSN",
    needs=(Append,),
    promise="sequencers",
)
def stores_what_was_appended(log: Log, store: TraceEvent) -> Against | None:
    """A record that is stored is the one that the sequencer appended at this LSN; plugs and bridges have no payload."""
    if store.becomes != RECORD:
        return (
            None if store.recovery != 0 and not store.digest else Against("payload 0, by a recovery", f"{store.digest}")
        )
    appended = log.epoch(store.epoch).appended
    if store.esn in appended and not differ(appended[store.esn], store.digest):
        return None
    return Against(f"payload {appended.get(store.esn)}", f"payload {store.digest}")


@guard(
    "store.not_sealed",
    Store,
    cite="LogDevice, Recovery, Recovery example: it tells the storage nodes to reject records with smaller epochs",
    promise="seals",
)
def epoch_is_not_sealed(log: Log, store: TraceEvent) -> Against | None:
    """A node stores no append of an epoch that it sealed, and nothing of a recovery once it obeys a later one."""
    seal = log.shard(store.node).seal
    if store.recovery is None or (store.recovery or store.epoch) > seal:
        return None
    return Against(f"a writer after epoch {seal}, which is sealed", f"epoch {store.recovery or store.epoch}")


@guard(
    "store.by_a_given_epoch",
    Store,
    Digest,
    Mutate,
    Clean,
    cite="LogDevice, Recovery, Sequencer activation: a recovery runs under the epoch that the epoch store gave",
    needs=(NewEpoch,),
    promise="sequencers",
)
def recovery_has_an_epoch(log: Log, event: TraceEvent) -> Against | None:
    """What is stored or decided is of an epoch that was given out, by a recovery of an epoch not before it."""
    if log.epoch(event.epoch).begun and (not event.recovery or event.epoch <= event.recovery <= log.newest):
        return None
    return Against(f"an epoch up to {log.newest}", f"recovery {event.recovery} of epoch {event.epoch}")


@guard(
    "store.on_the_copyset",
    Store,
    cite=COPYSET + "the set of storage nodes on which the copies of a record are stored",
    promise="placement",
)
def node_is_in_the_copyset(log: Log, store: TraceEvent) -> Against | None:
    """A node holds a copy only if it is one of the copyset, all of which lies in the epoch's nodeset."""
    if store.copyset is None:
        return None
    nodeset = log.epoch(store.epoch).nodeset
    if store.node in store.copyset and (nodeset is None or store.copyset <= nodeset):
        return None
    return Against(f"node {store.node} in a copyset of {sorted(nodeset or ())}", f"copyset {sorted(store.copyset)}")


@guard(
    "store.copyset_is_valid",
    Store,
    cite=COPYSET + "its members satisfy the replication property",
    needs=(NewEpoch,),
    promise="placement",
)
def copyset_can_replicate(log: Log, store: TraceEvent) -> Against | None:
    """A sequencer's copyset satisfies its epoch's replication property, with no more nodes than that takes and extras.

    A recovery writes to whoever holds something else, as far as they answer: common/Mutator.cpp; what it decides is
    held to the replication property by another guard.
    """
    quorums = log.epoch(store.epoch).quorums
    if quorums is None or store.copyset is None:
        return None
    if store.recovery or is_copyset(log, quorums, store.copyset):
        return None
    return Against(f"{quorums.required} nodes that can replicate", f"copyset {sorted(store.copyset)}")


@guard(
    "store.wave_has_one_copyset",
    Store,
    cite=COPYSET + "the sequencer changes the copyset only with a new wave",
)
def wave_has_one_copyset(log: Log, store: TraceEvent) -> Against | None:
    """All stores of one wave name the same copyset."""
    wave = _wave_of(log, store)
    if wave is None or not differ(wave.copyset, store.copyset):
        return None
    return Against(f"copyset {sorted(wave.copyset or ())}, as wave {store.wave} began", f"{sorted(store.copyset)}")


def _wave_of(log: Log, store: TraceEvent) -> Wave | None:
    epoch = log.epoch(store.epoch)
    if not store.recovery:
        return epoch.waves.get(store.esn, {}).get(store.wave)
    recovering = epoch.recoveries.get(store.recovery)
    return None if recovering is None else recovering.waves.get(store.wave)


@guard(
    "store.wave_is_due",
    Store,
    cite="quorate, the machine's patience: whoever writes waits for one wave before it begins the next",
    needs=(Append,),
    promise="sequencers",
)
def wave_is_due(log: Log, store: TraceEvent) -> Against | None:
    """Waves are counted from 1, and a later one begins when its writer has waited for each before it."""
    if store.wave is None or store.wave == 1:
        return None
    if store.wave < 1:
        return Against("wave 1 or later", f"wave {store.wave}")
    known = log.cluster.known
    if store.recovery:
        began_ns, wait_ns = log.epoch(store.recovery).begun_ns, known.recovery_ns
    else:
        began_ns, wait_ns = log.epoch(store.epoch).appended_ns.get(store.esn), known.wave_ns
    if not wait_ns or began_ns is None or store.time is None:
        return None
    due_ns = began_ns + (store.wave - 1) * wait_ns
    return Against(f"wave {store.wave} at {due_ns} ns or later", f"{store.time} ns") if store.time < due_ns else None


@guard(
    "store.is_later",
    Store,
    cite="LogDevice, common/Digest.cpp: later recoveries and later waves overrule earlier ones",
    needs=(Erase,),
)
def copy_overrules_what_was_held(log: Log, store: TraceEvent) -> Against | None:
    """A node replaces a copy only by one of a later wave or a later recovery, unless it cannot read it."""
    held = log.shard(store.node).copies.get(store.lsn)
    if held is None or held.rebuilt or store.wave is None or store.recovery is None:
        return None
    before, now = (held.recovery, held.wave), (store.recovery, store.wave)
    if before < now or (before == now and store.node in log.cluster.damaged):
        return None
    return Against(f"later than recovery {held.recovery}, wave {held.wave}", f"{store.recovery}, {store.wave}")


@guard(
    "store.follows_from_digests",
    Store,
    cite="LogDevice, Recovery, Log recovery: what becomes of an LSN follows from what an f-majority holds",
    needs=(NewEpoch, Seal, Digest, Append, Store),
    promise="recovery",
)
def outcome_follows_from_digests(log: Log, store: TraceEvent) -> Against | None:
    """What a recovery stores follows from what sealed nodes told it."""
    if not store.recovery or log.epoch(store.epoch).unnamed is not None:
        return None
    recovering = log.recovering(store.epoch, store.recovery)
    content = store.becomes, store.digest
    said = recovering.said.get((store.wave, store.esn))
    if said is None:
        return objection(log, store.epoch, store.recovery, store.esn, content)
    if not any(map(differ, said, content)):
        return None
    return Against(f"{said}, as this wave says elsewhere", f"{content}")


@guard(
    "store.wave_has_one_bridge",
    Store,
    cite="LogDevice, Recovery, Bridge record: its sequence number says where the epoch ends",
    promise="recovery",
)
def wave_has_one_bridge(log: Log, store: TraceEvent) -> Against | None:
    """A wave of a recovery ends the epoch at one ESN, and stores no record above it."""
    recovering = log.epoch(store.epoch).recoveries.get(store.recovery)
    end = None if recovering is None else recovering.ends.get(store.wave)
    if end is None or not (
        store.esn > end if store.becomes == RECORD else store.becomes == BRIDGE and store.esn != end
    ):
        return None
    return Against(f"the bridge at ESN {end}, as this wave says elsewhere", f"{store.becomes} at ESN {store.esn}")


@change(Store)
def holds(log: Log, store: TraceEvent) -> None:
    """The node holds the copy, as one of its wave."""
    shard, epoch = log.shard(store.node), log.epoch(store.epoch)
    epoch.top = max(epoch.top, store.lsn)
    late = store.lsn <= log.released
    shard.copies[store.lsn] = Held(
        store.becomes, store.digest, store.recovery or 0, store.wave or 0, False, late, store.copyset
    )
    if not store.recovery:
        _joins(epoch.waves.setdefault(store.esn, {}), store)
    if store.recovery == 0:
        return
    recovering = log.recovering(store.epoch, store.recovery or 0)
    content = store.becomes, store.digest
    recovering.stored.setdefault(store.esn, {}).setdefault(content, set()).add(store.node)
    _joins(recovering.waves, store)
    recovering.said[store.wave, store.esn] = content
    if store.becomes == BRIDGE:
        recovering.ends.setdefault(store.wave, store.esn)


def _joins(waves: dict[Any, Wave], store: TraceEvent) -> None:
    wave = waves.get(store.wave)
    if wave is None:
        wave = waves[store.wave] = Wave(store.copyset)
    wave.stored.add(store.node)


# ------------------------------------------------------------------------------------------------ copies that go


@guard(
    "erase.was_held",
    Erase,
    cite="quorate, the recording vocabulary: a node no longer holds its copy",
    needs=(Store,),
)
def erases_what_it_holds(log: Log, erase: TraceEvent) -> Against | None:
    """A node erases only what it holds."""
    if erase.lsn in log.shard(erase.node).copies:
        return None
    return Against(f"a copy at LSN {erase.lsn} on node {erase.node}", "none")


@guard(
    "erase.loses_all",
    *BY_NODES,
    cite="LogDevice, Read path, Authoritative Status: all data of a node that is wiped is lost",
    needs=(Store, Fault),
)
def loses_everything_with_its_disk(log: Log, event: TraceEvent) -> Against | None:
    """A node that loses its disk loses all that it held of a log, LSN by LSN, before anything else."""
    shard = log.shards.get(event.node)
    if shard is None or not shard.going or (event.word == Erase.word and event.lsn == shard.going[-1]):
        return None
    return Against(f"that LSN {shard.going[-1]} is erased", f"{event.word} at LSN {event.lsn}")


@guard(
    "erase.has_a_cause",
    Erase,
    cite="LogDevice, server/storage/PurgeSingleEpoch.cpp: a purge deletes all that recovery has replicated elsewhere",
    needs=(Store, Clean, Fault),
    promise="recovery",
)
def erased_for_a_reason(log: Log, erase: TraceEvent) -> Against | None:
    """A copy goes when its node is wiped, recovery did not keep it there, or nobody waits for it, or needs it.

    Nobody waits for a record whose client gave up: the machine's faults take some of those away. Where recovery wrote
    nothing, it kept nothing: LogDevice deletes all there, the machine what was overruled.
    """
    held, epoch = log.shard(erase.node).copies[erase.lsn], log.epoch(erase.epoch)
    if erase.node in log.cluster.wiped or erase.node in log.cluster.newest.empty:
        return None
    if epoch.clean is not None and (kept(epoch, erase.esn) != held.content or is_passed_by(epoch, erase)):
        return None
    if epoch.clean is not None and not log.gave_up.isdisjoint({held.digest, None}):
        return None
    if is_dismissed(log, erase.node, erase.epoch, erase.esn, held):
        return None
    return Against("a reason to erase a copy that recovery kept", f"LSN {erase.lsn}")


def is_passed_by(epoch: Epoch, erase: TraceEvent) -> bool:
    """Some recovery decided of an LSN, and never wrote to the node, as far as anybody says."""
    return any(
        erase.esn >= min(one.decided) and not (one.round and one.written is not None and erase.node in one.written)
        for one in epoch.recoveries.values()
        if one.decided
    )


@change(Erase)
def is_gone(log: Log, erase: TraceEvent) -> None:
    """The node holds it no more."""
    shard = log.shard(erase.node)
    held = shard.copies.pop(erase.lsn, None)
    if shard.going:
        shard.going.pop()
        shard.deleted |= {erase.lsn: held} if held is not None else {}

"""Guards of appends whose copysets have extras: when they may be released, and who deletes copies that nobody needs."""

from __future__ import annotations

from typing import Final

from reference_impl.log.copies import Nodes
from reference_impl.log.quorums import Quorums
from reference_impl.log.stages import in_order, keepers, leaders, to_stay
from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Held, Log, Wave
from reference_impl.replay.trace_events import TraceEvent
from spec.events import RECORD, Append, AppenderDone, DeleteSent, NewEpoch, Release, Store

STAGES: Final = "LogDevice, Single Copy Delivery, "


def is_copyset(log: Log, quorums: Quorums, copyset: Nodes) -> bool:
    """As many nodes as there are copies, spread well enough; where there are extras, the first of more nodes."""
    exact = copyset
    if log.cluster.has_extras and len(copyset) > quorums.required:
        exact = to_stay(copyset, quorums.required)
    return quorums.can_replicate(exact) and len(exact) == quorums.required


def is_dismissed(log: Log, node: int, number: int, esn: int, held: Held) -> bool:
    """A node was told to delete what it holds, and did not promise a recovery before to take no more of the epoch."""
    shard, wave = log.shard(node), log.epoch(number).dismissed.get(esn, {}).get(node)
    is_of_it = wave is not None and held.wave in (wave, 0)
    is_it = is_of_it and held.becomes == RECORD and not held.recovery and not held.rebuilt
    return is_it and number > max(shard.seal, shard.soft)


def _wave(log: Log, event: TraceEvent) -> Wave | None:
    return log.epoch(event.epoch).waves.get(event.esn, {}).get(event.wave)


def _is_open(log: Log, event: TraceEvent) -> bool:
    """Some node did not say of which wave its copy is."""
    return None in log.epoch(event.epoch).waves.get(event.esn, {})


def _is_stored(log: Log, event: TraceEvent, nodes: Nodes) -> bool:
    """They stored the wave; where rebuilding had brought the copy before, they only say so."""
    wave = _wave(log, event)
    there = wave.stored if wave is not None else set()
    return all(node in there or log.is_rebuilt(node, event.lsn) for node in nodes)


@guard(
    "stages.of_an_append",
    AppenderDone,
    DeleteSent,
    cite=STAGES + "Appender stages: this is the responsibility of the appender",
    needs=(Append,),
    promise="sequencers",
)
def stage_is_of_an_append(log: Log, event: TraceEvent) -> Against | None:
    """What goes through stages has an LSN; it may be released once."""
    epoch = log.epoch(event.epoch)
    again = event.word == AppenderDone.word and (event.esn <= epoch.led or event.esn in epoch.retired)
    if event.esn in epoch.appended and not again:
        return None
    return Against("an append that may not be released yet", f"ESN {event.esn}")


@guard(
    "retired.when_led",
    AppenderDone,
    cite=STAGES + "Sync-leader stage: the left-most recipients must have their copy before it can be released",
    needs=(Store, NewEpoch),
    promise="release",
)
def leaders_have_stored(log: Log, retired: TraceEvent) -> Against | None:
    """An append may be released when some wave was replicated, and the leaders of the newest one have stored it."""
    wave, quorums = _wave(log, retired), log.epoch(retired.epoch).quorums
    if _is_open(log, retired):
        return None
    if wave is None or wave.copyset is None or quorums is None:
        return None if wave is not None else Against("a wave that somebody stored", f"wave {retired.wave}")
    first, stay = leaders(wave.copyset), to_stay(wave.copyset, quorums.required)
    waves = log.epoch(retired.epoch).waves[retired.esn].values()
    is_replicated = any(quorums.can_replicate(frozenset(one.stored)) for one in waves)
    named = retired.leaders == first and retired.stay == stay and retired.stored <= wave.copyset
    if named and first <= retired.stored and _is_stored(log, retired, retired.stored) and is_replicated:
        return None
    return Against(f"leader {sorted(first)} of {sorted(stay)}, and {sorted(wave.stored)} stored", f"{retired}")


@guard(
    "retired.without_extras",
    AppenderDone,
    cite=STAGES + "Leader redundancy stage: as a result, a DELETE will be sent",
    needs=(Store, NewEpoch, DeleteSent),
    promise="copies",
)
def extras_were_told(log: Log, retired: TraceEvent) -> Against | None:
    """When an append may be released, whoever has stored its wave and is not needed was told to delete it."""
    wave, epoch = _wave(log, retired), log.epoch(retired.epoch)
    if wave is None or wave.copyset is None or epoch.quorums is None:
        return None
    left = retired.stored - epoch.dismissed.get(retired.esn, {}).keys()
    kept = keepers(epoch.quorums, [node for node in in_order(wave.copyset) if node in left])
    if kept in (left, Nodes()):
        return None
    return Against(f"that {sorted(left - kept)} delete it", "no DELETE was recorded")


@guard(
    "dismissed.when_not_needed",
    DeleteSent,
    cite=STAGES + "Sync-leader stage: as a result, a DELETE will be sent to the last one",
    needs=(Store, NewEpoch),
    promise="copies",
)
def enough_others_have_it(log: Log, dismissed: TraceEvent) -> Against | None:
    """Who has stored a wave is told to delete it when those before it who have are enough; these keep it."""
    wave, epoch = _wave(log, dismissed), log.epoch(dismissed.epoch)
    if _is_open(log, dismissed):
        return None
    if wave is None or wave.copyset is None or epoch.quorums is None:
        return None if wave is not None else Against("a wave that somebody stored", f"wave {dismissed.wave}")
    there: Nodes = dismissed.kept.union(dismissed.told)
    kept = keepers(epoch.quorums, [node for node in in_order(wave.copyset) if node in there])
    is_new = dismissed.told.isdisjoint({*dismissed.kept, *epoch.dismissed.get(dismissed.esn, {})})
    if (
        Nodes() < kept == dismissed.kept
        and kept < there <= wave.copyset
        and is_new
        and _is_stored(log, dismissed, there)
    ):
        return None
    return Against(f"that {sorted(kept)} keep it, of {sorted(wave.stored)}", f"{sorted(dismissed.kept)}")


@guard(
    "dismissed.before_release",
    DeleteSent,
    cite="LogDevice, Read path, Gap detection algorithm: who answered that it has nothing has nothing later",
    needs=(Release,),
    promise="release",
)
def deleted_before_release(log: Log, dismissed: TraceEvent) -> Against | None:
    """A sequencer has nothing deleted that it has released; of an epoch that was recovered it may not know it."""
    if dismissed.lsn > log.released or log.epoch(dismissed.epoch).clean is not None:
        return None
    return Against(f"an LSN after {log.released}", f"LSN {dismissed.lsn}")


@guard(
    "release.when_led",
    Release,
    cite=STAGES + "Sync-leader stage: it is released for delivery, that is, the appender retires, after that stage",
    needs=(AppenderDone,),
    promise="release",
)
def released_is_led(log: Log, release: TraceEvent) -> Against | None:
    """A sequencer releases only what its leaders have, where that is recorded."""
    led = log.epoch(release.epoch).led
    return (
        None
        if release.esn <= led or not log.cluster.has_extras
        else Against(f"ESN {led} at most", f"ESN {release.esn}")
    )


@change(AppenderDone)
def may_be_released(log: Log, retired: TraceEvent) -> None:
    """The prefix of the epoch that may be released may have grown."""
    epoch = log.epoch(retired.epoch)
    epoch.retired.add(retired.esn)
    while epoch.led + 1 in epoch.retired:
        epoch.led += 1
        epoch.retired.remove(epoch.led)


@change(DeleteSent)
def is_told_to_delete(log: Log, dismissed: TraceEvent) -> None:
    """These nodes may delete their copies."""
    told = log.epoch(dismissed.epoch).dismissed.setdefault(dismissed.esn, {})
    told.update(dict.fromkeys(dismissed.told or (), dismissed.wave))

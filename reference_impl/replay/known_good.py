"""Guards of the last known good ESN: all up to it is stored in as many copies as promised, whoever was told of that."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.log.copies import Nodes
from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import CopysetChanged, NewEpoch, Rebuilt, Release, Store


@guard(
    "release.is_known_good",
    Release,
    cite="LogDevice, common/Sequencer.cpp: the release pointer follows the last known good LSN of the epoch",
    needs=(Store, NewEpoch),
    promise="release",
)
def released_is_stored(log: Log, release: TraceEvent) -> Against | None:
    """A sequencer releases up to its last known good ESN: all up to it is stored in one wave, or was recovered."""
    epoch = log.epoch(release.epoch)
    if not epoch.begun:
        return Against("an epoch that has begun", f"epoch {release.epoch}")
    stored, recovered = epoch.stored, epoch.clean or {}
    above = range(epoch.good + 1, release.esn + 1)
    missing = next((esn for esn in above if esn not in stored and esn not in recovered), None)
    return None if missing is None else Against(f"ESN {missing - 1} at most", f"ESN {release.esn}")


@change(Store, Rebuilt, CopysetChanged)
def may_be_known_good(log: Log, event: TraceEvent) -> None:
    """A wave may be stored whole now, and with it all up to an ESN."""
    epoch = log.epoch(event.epoch)
    if event.esn <= epoch.good or event.esn in epoch.stored:
        return
    if epoch.quorums is None or any(map(epoch.quorums.can_replicate, _holders(log, event))):
        epoch.stored.add(event.esn)
        while epoch.good + 1 in epoch.stored:
            epoch.good += 1
            epoch.stored.remove(epoch.good)


def _holders(log: Log, event: TraceEvent) -> Iterator[Nodes]:
    """The nodes that stored one wave; those to which rebuilding had brought the copy before only say that they did.

    Only what is released is rebuilt.
    """
    waves = log.epoch(event.epoch).waves.get(event.esn, {})
    any_wave = waves[None].stored if None in waves else ()
    is_released = event.lsn <= log.released
    for wave in waves.values():
        rebuilt = [node for node in wave.copyset or () if is_released and log.is_rebuilt(node, event.lsn)]
        yield frozenset(wave.stored).union(any_wave, rebuilt)

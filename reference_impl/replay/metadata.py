"""Guards of metadata logs: what is read there is what the epoch store gave, and nothing is released before that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from reference_impl.log.copies import Nodes
from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.sequencers import unless_clean_before
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Clean, Described, Learnt, NewEpoch, Release

METADATA: Final = "LogDevice, Read path, Metadata log: "
RECOVERY: Final = "LogDevice, common/LogRecoveryRequest.cpp, readSequencerMetaData: "


def _since(log: Log, number: int) -> int | None:
    """The first epoch of those up to this one that all have its metadata; None where nobody knows."""
    epoch = log.epoch(number)
    while number > 1 and (before := log.epoch(number - 1)).begun and not differ(before.nodeset, epoch.nodeset):
        if before.nodeset is None:
            return None
        number -= 1
    return number


def _against(log: Log, said: TraceEvent) -> Against | None:
    """What the epoch store gave to an epoch, where it is not what is said."""
    epoch = log.epoch(said.epoch)
    if not epoch.begun or said.esn != 0:
        return Against(f"an epoch up to {log.newest}, ESN 0", f"epoch {said.epoch}, ESN {said.esn}")
    if epoch.nodeset is None:
        return None
    given = epoch.nodeset, epoch.replication, _since(log, said.epoch)
    found = said.nodeset, said.replication, said.since
    return Against(_words(*given), _words(*found)) if any(map(differ, given, found)) else None


def _words(nodeset: Nodes | None, replication: Mapping[str, int] | None, since: int | None) -> str:
    nodes = "unknown nodes" if nodeset is None else f"nodes {sorted(nodeset)}"
    return f"{nodes} across {replication}, from epoch {since} on"


@guard(
    "described.as_given",
    Described,
    cite=METADATA + "it has the metadata of all epochs, for ranges of them",
    needs=(NewEpoch,),
    promise="placement",
)
def tells_what_was_given(log: Log, event: TraceEvent) -> Against | None:
    """The metadata log says of an epoch what the epoch store gave to it, from the first epoch on that was given it."""
    return _against(log, event)


@guard(
    "described.by_its_sequencer",
    Described,
    cite=RECOVERY + "it is the recovery of the epoch's own sequencer that reads them",
    needs=(NewEpoch,),
    promise="sequencers",
)
def read_by_its_sequencer(log: Log, event: TraceEvent) -> Against | None:
    """A sequencer's recovery reads the metadata of its own epoch, once."""
    epoch = log.epoch(event.epoch)
    if epoch.described:
        return Against("that they are read once", f"those of epoch {event.epoch} again")
    crashes = 0 if epoch.sequencer is None else log.cluster.crashes.get(epoch.sequencer, 0)
    if epoch.sequencer not in (None, event.sequencer) or crashes > epoch.crashes:
        return Against(f"node {epoch.sequencer}, unless it crashed since", f"node {event.sequencer}")
    return None


@guard(
    "described.after_recovery",
    Described,
    cite=RECOVERY + "the last thing that a recovery waits for",
    needs=(Clean,),
    promise="recovery",
)
def earlier_epochs_were_recovered(log: Log, event: TraceEvent) -> Against | None:
    """Metadata are read once all earlier epochs are clean."""
    return unless_clean_before(log, event.epoch)


@guard(
    "described.is_replicated",
    Described,
    cite=METADATA + "metadata logs are kept on storage nodes, and are replicated as regular logs are",
    promise="placement",
)
def holders_replicate(log: Log, event: TraceEvent) -> Against | None:
    """Those that hold the metadata can hold a copyset."""
    quorums = log.cluster.quorums(event.replication)
    if quorums is None or (event.holders <= quorums.everyone and quorums.can_replicate(event.holders)):
        return None
    return Against(f"nodes that can replicate across {event.replication}", f"nodes {sorted(event.holders)}")


@guard(
    "release.metadata_are_readable",
    Release,
    cite=RECOVERY + "readers rely on it that they find the metadata of what is released",
    needs=(Described,),
    promise="release",
)
def released_epoch_is_described(log: Log, release: TraceEvent) -> Against | None:
    """Where that is recorded, nothing of an epoch is released before its metadata can be read."""
    if Described.word not in log.cluster.records[release.recorder] or log.epoch(release.epoch).described:
        return None
    return Against(f"that the metadata of epoch {release.epoch} were read", "a release")


@change(Described)
def is_described(log: Log, event: TraceEvent) -> None:
    """Readers find the metadata."""
    log.epoch(event.epoch).described = True


@guard(
    "learnt.as_given",
    Learnt,
    cite=METADATA + "a reader learns from it where an epoch lies",
    needs=(NewEpoch,),
    promise="placement",
)
def reader_learns_what_was_given(log: Log, event: TraceEvent) -> Against | None:
    """A reader finds of an epoch what the epoch store gave to it."""
    return _against(log, event)


@guard(
    "learnt.is_next",
    Learnt,
    cite="LogDevice, common/client_read_stream/ClientReadStream.cpp: it asks for the epoch after those that it knows",
    needs=(Learnt,),
)
def learns_in_order(log: Log, event: TraceEvent) -> Against | None:
    """A reader learns of one epoch after the other, from the one at which it began."""
    start = log.starts.get(event.reader)
    if start is None:
        return Against(f"that reader {event.reader} begins first", "metadata")
    following = log.learnt[event.reader] + 1 if event.reader in log.learnt else start // (log.cluster.esn_max + 1)
    return None if event.epoch == following else Against(f"epoch {following}", f"epoch {event.epoch}")


@change(Learnt)
def has_learnt(log: Log, event: TraceEvent) -> None:
    """The reader knows where the epoch lies."""
    log.learnt[event.reader] = event.epoch

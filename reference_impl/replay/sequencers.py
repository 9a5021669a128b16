"""Guards of epochs and their sequencers: who may give out which LSN, and how far readers may go."""

from __future__ import annotations

from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import ASKED, REFUSED, Epoch, Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Append, Clean, Draining, Fault, Invoke, NewEpoch, Release

STORE = "LogDevice, common/EpochStore.h: "


@guard(
    "epoch.is_next",
    NewEpoch,
    cite=STORE + "the epoch store increments the epoch atomically",
    needs=(NewEpoch,),
    promise="sequencers",
)
def epoch_is_the_next(log: Log, epoch: TraceEvent) -> Against | None:
    """The epoch store gives out epochs one after the other; the LSN is that of the epoch itself."""
    if (epoch.epoch, epoch.esn) == (log.newest + 1, 0):
        return None
    return Against(f"epoch {log.newest + 1}, ESN 0", f"epoch {epoch.epoch}, ESN {epoch.esn}")


@guard(
    "epoch.nodes_hold_copies",
    NewEpoch,
    cite="LogDevice, Read path, Metadata log: the nodeset is the set of nodes that contain the epoch's data",
    promise="placement",
)
def nodeset_holds_copysets(log: Log, epoch: TraceEvent) -> Against | None:
    """An epoch's nodes can hold a copyset."""
    quorums = log.cluster.quorums(epoch.replication)
    if quorums is None or epoch.nodeset is None or quorums.can_replicate(epoch.nodeset):
        return None
    return Against(f"nodes that can replicate across {epoch.replication}", f"nodes {sorted(epoch.nodeset)}")


@guard(
    "epoch.replicates_as_before",
    NewEpoch,
    cite=STORE + "an epoch takes over the log's metadata",
    promise="placement",
)
def replication_stays(log: Log, epoch: TraceEvent) -> Against | None:
    """The replication property of a log stays as it is."""
    before = log.epoch(log.newest).quorums
    now = log.cluster.quorums(epoch.replication)
    return (
        Against(f"{before.required} copies, as before", f"{epoch.replication}")
        if before and now and now is not before
        else None
    )


@change(NewEpoch)
def epoch_begins(log: Log, said: TraceEvent) -> None:
    """A sequencer has an epoch of its own."""
    epoch = log.epoch(said.epoch)
    epoch.begun, epoch.begun_ns = True, said.time
    epoch.sequencer, epoch.nodeset = said.sequencer, said.nodeset
    epoch.quorums, epoch.replication = log.cluster.quorums(said.replication), said.replication
    epoch.crashes = log.cluster.crashes.get(said.sequencer, 0)
    epoch.since = log.cluster.newest.version
    log.newest = max(log.newest, said.epoch)


@guard(
    "append.by_its_sequencer",
    Append,
    cite="LogDevice, Recovery, Sequencer activation: a new sequencer creates a new epoch and starts taking writes",
    needs=(NewEpoch,),
    promise="sequencers",
)
def append_comes_from_the_sequencer(log: Log, append: TraceEvent) -> Against | None:
    """Only the sequencer to which the epoch store gave an epoch gives out its LSNs."""
    epoch = log.epoch(append.epoch)
    if epoch.begun and not differ(epoch.sequencer, append.sequencer):
        return None
    expected = f"node {epoch.sequencer}" if epoch.begun else f"an epoch up to {log.newest}"
    return Against(expected, f"node {append.sequencer} in epoch {append.epoch}")


def _fell(log: Log, epoch: Epoch) -> Against | None:
    """The sequencer's node crashed after it was given the epoch; what it sequenced is forgotten."""
    crashes = log.cluster.crashes.get(epoch.sequencer, 0) if epoch.sequencer is not None else 0
    if crashes <= epoch.crashes:
        return None
    return Against(f"nothing of epoch {epoch.number}", f"node {epoch.sequencer} acts in it after a crash")


@guard(
    "append.before_a_crash",
    Append,
    cite="LogDevice, Recovery: a sequencer that fails is replaced by another one, in another epoch",
    needs=(NewEpoch, Fault),
    promise="sequencers",
)
def sequencer_did_not_crash(log: Log, append: TraceEvent) -> Against | None:
    """A crash leaves nothing of a sequencer: it gives out no more LSNs of its epoch."""
    return _fell(log, log.epoch(append.epoch))


@guard(
    "append.esn_is_next",
    Append,
    cite="LogDevice, common/EpochSequencer.h: ESNs are given out one after the other",
    needs=(Append,),
    promise="sequencers",
)
def esn_is_the_next(log: Log, append: TraceEvent) -> Against | None:
    """A sequencer gives out the ESNs of its epoch one after the other."""
    following = log.epoch(append.epoch).last_esn + 1
    return None if append.esn == following else Against(f"ESN {following}", f"ESN {append.esn}")


@guard(
    "append.was_asked",
    Append,
    cite="LogDevice, Write path: a sequencer appends what clients ask for, and what it repeats once",
    needs=(Invoke,),
    promise="append_once",
)
def payload_was_asked_for(log: Log, append: TraceEvent) -> Against | None:
    """A payload is appended once, after a client asked for it and unless it was refused."""
    state = log.payloads.get(append.digest)
    if state == ASKED or append.digest is None or (state is None and None in log.payloads):
        return None
    said = {None: "nobody asked for it", REFUSED: "it was refused"}.get(state, f"it has LSN {state}")
    return Against("a payload that waits for an LSN", f"payload {append.digest}: {said}")


@guard(
    "append.before_draining",
    Append,
    cite="LogDevice, common/EpochSequencer.h: an epoch sequencer that is draining takes no new appends",
    needs=(Draining,),
    promise="sequencers",
)
def epoch_does_not_drain(log: Log, append: TraceEvent) -> Against | None:
    """A sequencer that has asked for another epoch gives out no more LSNs of this one."""
    last = log.epoch(append.epoch).draining
    return None if last is None else Against(f"nothing of epoch {append.epoch} after ESN {last}", f"ESN {append.esn}")


@change(Append)
def is_appended(log: Log, append: TraceEvent) -> None:
    """The payload has an LSN."""
    epoch = log.epoch(append.epoch)
    epoch.last_esn = max(epoch.last_esn, append.esn)
    epoch.appended[append.esn] = append.digest
    epoch.appended_ns[append.esn] = append.time
    if append.digest is not None:
        log.payloads[append.digest] = append.lsn


@guard(
    "draining.of_its_own",
    Draining,
    cite="LogDevice, common/Sequencer.cpp: a sequencer that gets another epoch lets the one that it has drain",
    needs=(NewEpoch, Append, Fault),
    promise="sequencers",
)
def drains_its_own_epoch(log: Log, draining: TraceEvent) -> Against | None:
    """The sequencer of an epoch lets it drain, once, and says which ESN was its last."""
    epoch = log.epoch(draining.epoch)
    if not epoch.begun or differ(epoch.sequencer, draining.sequencer):
        return Against(f"node {epoch.sequencer} in an epoch of its own", f"node {draining.sequencer}")
    if epoch.draining is not None or draining.esn != epoch.last_esn or not epoch.last_esn:
        expected = f"ESN {epoch.last_esn}, the last of epoch {draining.epoch}, and once"
        return Against(expected, f"ESN {draining.esn}")
    return _fell(log, epoch)


@change(Draining)
def epoch_drains(log: Log, draining: TraceEvent) -> None:
    """It gives out no more LSNs."""
    log.epoch(draining.epoch).draining = draining.esn


@guard(
    "release.moves_on",
    Release,
    cite="LogDevice, common/Sequencer.cpp: the last released LSN of a log only increases",
    promise="release",
)
def release_moves_on(log: Log, release: TraceEvent) -> Against | None:
    """A release moves the log's pointer forward."""
    return None if release.lsn > log.released else Against(f"an LSN after {log.released}", f"LSN {release.lsn}")


@guard(
    "release.after_recovery",
    Release,
    cite="LogDevice, Recovery: as soon as log recovery is completed, the sequencer advances the release pointer",
    needs=(Clean,),
    promise="recovery",
)
def earlier_epochs_are_clean(log: Log, release: TraceEvent) -> Against | None:
    """Nothing of an epoch is released before all earlier epochs are clean."""
    return unless_clean_before(log, release.epoch)


def unless_clean_before(log: Log, epoch: int) -> Against | None:
    """An objection unless all epochs before this one are clean."""
    if log.cleaned >= epoch - 1:
        return None
    return Against(f"epoch {epoch - 1} clean", f"epoch {log.cleaned} is the last clean one")


@guard(
    "release.before_a_crash",
    Release,
    cite="LogDevice, Recovery: a sequencer that fails is replaced by another one, in another epoch",
    needs=(NewEpoch, Fault),
    promise="sequencers",
)
def releasing_sequencer_did_not_crash(log: Log, release: TraceEvent) -> Against | None:
    """A crash leaves nothing of a sequencer: it releases no more of its epoch."""
    return _fell(log, log.epoch(release.epoch))


@change(Release)
def is_released(log: Log, release: TraceEvent) -> None:
    """Readers may go further."""
    log.released = max(log.released, release.lsn)

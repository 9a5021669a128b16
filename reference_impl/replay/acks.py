"""Guards of acknowledgements: what is said to be safe was appended, and lies where the answer says."""

from __future__ import annotations

from reference_impl.log.copies import Nodes
from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import ASKED, Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import Ack, Append, Invoke, NewEpoch, Store

APPENDER = "LogDevice, common/Appender.h: "


@guard(
    "ack.of_the_append",
    Ack,
    cite=APPENDER + "the answer to an append is the LSN that its sequencer gave it",
    needs=(Append,),
)
def names_the_lsn_of_the_append(log: Log, ack: TraceEvent) -> Against | None:
    """An acknowledgement names the LSN that was given to its payload."""
    lsn = log.payloads.get(ack.digest, ASKED)
    if ack.digest is None or lsn == ack.lsn or (lsn == ASKED and log.epoch(ack.epoch).appended.get(ack.esn, 0) is None):
        return None
    return Against(f"LSN {lsn}", f"LSN {ack.lsn}")


@guard(
    "ack.of_the_invocation",
    Ack,
    cite="quorate, the recording vocabulary: an acknowledgement names the client's own order of the invocation",
    needs=(Invoke,),
)
def names_its_invocation(log: Log, ack: TraceEvent) -> Against | None:
    """An acknowledgement names the order in which its client asked."""
    asked = log.session(ack.writer).pending.get(ack.digest)
    return Against(f"invoked at {asked}", f"invoked at {ack.invoked}") if differ(asked, ack.invoked) else None


@guard(
    "ack.in_the_clients_epoch",
    Ack,
    cite="LogDevice, Recovery, Sequencer activation: a client that learns of a later sequencer talks to that",
    promise="sequencers",
)
def comes_from_the_clients_sequencer(log: Log, ack: TraceEvent) -> Against | None:
    """A client that was answered by a later sequencer takes no answer from an earlier one."""
    least = log.session(ack.writer).epoch
    return None if ack.epoch >= least else Against(f"epoch {least} or later", f"epoch {ack.epoch}")


@guard(
    "ack.promises_enough",
    Ack,
    cite="LogDevice, Read path, Copyset: as many copies as the epoch's replication property asks for",
    needs=(NewEpoch,),
    promise="placement",
)
def promises_what_the_epoch_requires(log: Log, ack: TraceEvent) -> Against | None:
    """An acknowledgement promises as many copies as its epoch's replication property requires."""
    quorums = log.epoch(ack.epoch).quorums
    required = None if quorums is None else quorums.required
    return Against(f"{required} copies", f"{ack.required}") if differ(required, ack.required) else None


@guard(
    "ack.is_stored",
    Ack,
    cite=APPENDER + "a writer is answered once all copies of one wave are stored",
    needs=(Store,),
    promise="copies",
)
def one_wave_is_stored(log: Log, ack: TraceEvent) -> Against | None:
    """An acknowledgement names the copyset of one wave, or as much of it as is enough, and all of these stored it."""
    if ack.copyset is None:
        return None
    best, waves = None, log.epoch(ack.epoch).waves.get(ack.esn, {})
    any_wave = waves[None].stored if None in waves else set()
    for number, wave in waves.items():
        if wave.copyset in (None, ack.copyset) or _is_enough(log, ack, wave.copyset):
            missing = [node for node in ack.copyset - wave.stored - any_wave if not log.is_rebuilt(node, ack.lsn)]
            if not missing:
                return None
            best = f"wave {number}, which nodes {missing} did not store"
    return Against("a wave that is stored", best or f"no wave on nodes {sorted(ack.copyset)}")


def _is_enough(log: Log, ack: TraceEvent, copyset: Nodes | None) -> bool:
    """Where copysets have extras, any members of one that can replicate are enough."""
    quorums = log.epoch(ack.epoch).quorums
    if not log.cluster.has_extras or copyset is None or not ack.copyset <= copyset:
        return False
    return quorums is None or quorums.can_replicate(ack.copyset)


@change(Ack)
def is_acknowledged(log: Log, ack: TraceEvent) -> None:
    """The append is safe."""
    session = log.session(ack.writer)
    session.hears(ack.digest)
    session.epoch = max(session.epoch, ack.epoch)
    log.epoch(ack.epoch).acked.add(ack.esn)

"""Guards of write streams: appends of one client that are taken, acknowledged and kept in order."""

from __future__ import annotations

from typing import Final

from reference_impl.log.copies import Nodes
from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import HOLE, RECORD, Ack, Append, Invoke, Mutate, Store, Streamed

STREAM: Final = "LogDevice, common/WriteStreamRequest.h: "


@guard(
    "streamed.of_the_append",
    Streamed,
    cite=STREAM + "a request names the stream of its client, and its place there",
    needs=(Append, Invoke),
    promise="sequencers",
)
def append_is_its_clients(log: Log, streamed: TraceEvent) -> Against | None:
    """A sequencer says of which client's stream an append is when it has just given it an LSN."""
    epoch = log.epoch(streamed.epoch)
    if streamed.esn != epoch.last_esn or streamed.esn in epoch.streamed:
        return Against(f"ESN {epoch.last_esn}, the last that was given out", f"ESN {streamed.esn}")
    payload, session = epoch.appended.get(streamed.esn), log.session(streamed.writer)
    if payload is None or session.is_open or payload in session.pending or payload in log.gave_up:
        return None
    return Against(f"the client that asked for payload {payload}", f"client {streamed.writer}")


@guard(
    "streamed.is_next",
    Streamed,
    cite=STREAM + "a sequencer takes an append after the one before it, or where all before was acknowledged",
    needs=(Streamed, Ack),
    promise="sequencers",
)
def place_is_the_next(log: Log, streamed: TraceEvent) -> Against | None:
    """Within an epoch places go up by one; a new epoch goes on where its client had heard of everything before."""
    last, heard = log.epoch(streamed.epoch).places.get(streamed.writer), log.session(streamed.writer).place
    if last is not None:
        return None if streamed.place == last + 1 else Against(f"place {last + 1}", f"place {streamed.place}")
    if 0 < streamed.place <= heard + 1:
        return None
    return Against(f"place {heard + 1} at most, to begin with", f"place {streamed.place}")


@guard(
    "ack.in_the_streams_order",
    Ack,
    cite=STREAM + "the client of a stream hears of its appends in order",
    needs=(Streamed, Ack),
)
def client_hears_in_order(log: Log, ack: TraceEvent) -> Against | None:
    """A client hears of its stream one place after the other."""
    place, following = log.epoch(ack.epoch).streamed.get(ack.esn), log.session(ack.writer).place + 1
    return None if place in (None, following) else Against(f"place {following}", f"place {place}")


@guard(
    "ack.after_all_before",
    Ack,
    cite="LogDevice, common/Appender.h: appends of a stream are acknowledged in the order of ESNs only",
    needs=(Streamed, Store),
    promise="copies",
)
def everything_before_is_stored(log: Log, ack: TraceEvent) -> Against | None:
    """An append of a stream is acknowledged once every earlier append of its epoch lies on enough nodes."""
    epoch = log.epoch(ack.epoch)
    if ack.esn not in epoch.streamed or epoch.quorums is None:
        return None
    for esn in range(epoch.good + 1, ack.esn):
        stored = Nodes().union(*(wave.stored for wave in epoch.waves.get(esn, {}).values()))
        rebuilt = log.holders(ack.lsn - ack.esn + esn, (RECORD, epoch.appended.get(esn)))
        if not epoch.quorums.can_replicate(stored | rebuilt):
            return Against(f"ESN {esn} stored before", f"ESN {ack.esn}")
    return None


@guard(
    "mutate.keeps_streams_whole",
    Mutate,
    cite="LogDevice, common/Digest.cpp: after the first ESN that is missing or a hole, records of streams become holes",
    needs=(Streamed,),
    promise="recovery",
)
def nothing_of_a_stream_above_a_hole(log: Log, mutate: TraceEvent) -> Against | None:
    """A recovery keeps no record of a stream above a hole that it decided."""
    epoch = log.epoch(mutate.epoch)
    if mutate.becomes != RECORD or mutate.esn not in epoch.streamed:
        return None
    decided = log.recovering(mutate.epoch, mutate.recovery or 0).decided
    hole = next((esn for esn, (becomes, _) in decided.items() if becomes == HOLE and esn < mutate.esn), None)
    return None if hole is None else Against(f"a hole, as at ESN {hole}", f"a record at ESN {mutate.esn}")


@change(Streamed)
def is_in_a_stream(log: Log, streamed: TraceEvent) -> None:
    """The append has its place."""
    epoch = log.epoch(streamed.epoch)
    epoch.streamed[streamed.esn] = epoch.places[streamed.writer] = streamed.place


@change(Ack)
def stream_is_acknowledged(log: Log, ack: TraceEvent) -> None:
    """The client has heard of one more place."""
    place = log.epoch(ack.epoch).streamed.get(ack.esn)
    if place is not None:
        log.session(ack.writer).place = place

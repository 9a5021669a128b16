"""Guards of every event: recorders write down, each in its own order, what they themselves see."""

from __future__ import annotations

from typing import Final

from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Cluster, Log
from reference_impl.replay.trace_events import TraceEvent
from spec.events import (
    Ack,
    CleanLearned,
    ClientEvent,
    CopysetChanged,
    Demand,
    Digest,
    Erase,
    Event,
    Mutate,
    MutationStored,
    Outcome,
    Purged,
    PurgeSurvivor,
    Rebuilt,
    Seal,
    Ship,
    SoftSealed,
    Store,
    Trimmed,
)

ORDER: Final = "quorate, the recording vocabulary: every event stands in its recorder's own order"
BY_NODES: Final = (
    Store,
    Seal,
    SoftSealed,
    Digest,
    MutationStored,
    CleanLearned,
    Purged,
    PurgeSurvivor,
    Erase,
    Rebuilt,
    CopysetChanged,
    Ship,
    Trimmed,
)
"""What nodes write down themselves."""

HEADER: Final = "quorate, the header of a trace: who records what"


@guard("recorder.is_next", Event, cite=ORDER, ordered=False)
def nothing_is_left_out(cluster: Cluster, event: TraceEvent) -> Against | None:
    """A recorder numbers its events one after the other: it leaves out nothing and says nothing twice."""
    before = cluster.said.get(event.recorder)
    if before is None or event.seq == before[0] + 1 or event.recorder in cluster.in_part:
        return None
    return Against(f"number {before[0] + 1} of {event.recorder}", f"number {event.seq}")


@guard("recorder.clock_goes_on", Event, cite=ORDER, ordered=False)
def clock_does_not_go_back(cluster: Cluster, event: TraceEvent) -> Against | None:
    """A recorder's clock does not go back."""
    before = cluster.said.get(event.recorder)
    if before is None or event.time is None or before[1] is None or event.time >= before[1]:
        return None
    return Against(f"{before[1]} ns or later, by the clock of {event.recorder}", f"{event.time} ns")


@guard(
    "recorder.shares_the_clock",
    Event,
    Mutate,
    cite="quorate, the header of a trace: by how much the clocks of two recorders may differ",
    ordered=False,
)
def clocks_agree(cluster: Cluster, event: TraceEvent) -> Against | None:
    """No event is older than one that was taken before it, by more than two clocks may differ."""
    if event.time is None or event.time >= cluster.latest_ns:
        return None
    return Against(f"{cluster.latest_ns} ns or later, as others recorded before", f"{event.time} ns")


@guard("recorder.may_say", Event, cite=HEADER, ordered=False)
def recorder_says_what_it_records(cluster: Cluster, event: TraceEvent) -> Against | None:
    """A recorder says only what its header lets it say."""
    if event.word in cluster.records[event.recorder]:
        return None
    others = [name for name, words in cluster.records.items() if event.word in words]
    return Against(f"that one of {', '.join(others[:5]) or 'nobody'} says it", event.recorder)


@change(Event)
def number_and_time(cluster: Cluster, event: TraceEvent) -> None:
    """The recorder has said this, at this time."""
    cluster.said[event.recorder] = (event.seq, event.time)
    if event.time is not None and event.time - cluster.clock_bound_ns > cluster.latest_ns:
        cluster.latest_ns = event.time - cluster.clock_bound_ns


def _of_one(log: Log, who: str, number: int, recorder: str) -> Against | None:
    cluster = log.cluster
    known = cluster.speaks_for.get((who, number), recorder)
    if known != recorder:
        return Against(f"{known}, which speaks for {who} {number}", recorder)
    if number == cluster.voices.get(recorder, number) or not cluster.known.alone:
        return None
    return Against(f"{who} {cluster.voices[recorder]}, for which {recorder} speaks", f"{who} {number}")


def _speaks(log: Log, who: str, number: int, recorder: str) -> None:
    cluster = log.cluster
    if cluster.voices.get(recorder) != number or (who, number) not in cluster.speaks_for:
        cluster.speaks_for[who, number] = recorder
        cluster.voices[recorder] = number


@guard("recorder.of_one_node", *BY_NODES, cite=HEADER, ordered=False)
def node_has_one_recorder(log: Log, event: TraceEvent) -> Against | None:
    """One recorder writes down what a node does."""
    return _of_one(log, "node", event.node, event.recorder)


@change(*BY_NODES)
def speaks_for_node(log: Log, event: TraceEvent) -> None:
    """The recorder speaks for this node."""
    _speaks(log, "node", event.node, event.recorder)


@guard("recorder.of_one_client", ClientEvent, Ack, cite=HEADER, ordered=False)
def client_has_one_recorder(log: Log, event: TraceEvent) -> Against | None:
    """One recorder writes down what a client says."""
    return _of_one(log, "client", event.writer, event.recorder)


@change(ClientEvent, Ack)
def speaks_for_client(log: Log, event: TraceEvent) -> None:
    """The recorder speaks for this client."""
    _speaks(log, "client", event.writer, event.recorder)


@guard("recorder.of_one_reader", Outcome, Demand, cite=HEADER, ordered=False)
def reader_has_one_recorder(log: Log, event: TraceEvent) -> Against | None:
    """One recorder writes down what a read stream asks for, and what it is given."""
    return _of_one(log, "reader", event.reader, event.recorder)


@change(Outcome, Demand)
def speaks_for_reader(log: Log, event: TraceEvent) -> None:
    """The recorder speaks for this read stream."""
    _speaks(log, "reader", event.reader, event.recorder)

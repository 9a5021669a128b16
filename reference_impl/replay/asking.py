"""Guards of what readers ask of nodes: whom they ask, from where on, how far, and who is to send."""

from __future__ import annotations

from typing import Final

from reference_impl.replay.guard import Against, change, guard
from reference_impl.replay.observed import Log
from reference_impl.replay.streams import Asked, ReadStream
from reference_impl.replay.trace_events import TraceEvent
from spec.events import EVERYONE, ONE_NEAR, Allow, Ask, Demand, Given, NewEpoch, Outcome, Read

STREAM = "LogDevice, common/client_read_stream/ClientReadStream.cpp: "
COPIES = "LogDevice, Single Copy Delivery, "

FIRST: Final = 1
"""The first version of filters."""


@change(Read)
def stream_is_known(log: Log, read: TraceEvent) -> None:
    """What the reader asks for is recorded, too, if its recorder may say so."""
    if Ask.word in log.cluster.records[read.recorder]:
        log.streams[read.reader] = ReadStream(read.lsn)


@change(Given)
def stream_goes_on(log: Log, given: TraceEvent) -> None:
    """The reader has been here: a window may begin here, and what was sent of this is of no use any more."""
    stream = log.streams.get(given.reader)
    if stream is not None:
        stream.turns = []
        stream.visited.append(given.upto + 1)
        stream.forget(given.lsn, given.upto)


@guard("ask.from_where_it_is", Demand, cite=STREAM + "START names the next LSN to deliver", needs=(Outcome,))
def asks_from_where_it_is(log: Log, demand: TraceEvent) -> Against | None:
    """A reader asks for what it lacks, from the next LSN on, in a log that it reads."""
    if demand.reader not in log.streams:
        return Against(f"that reader {demand.reader} begins first", demand.word)
    following = log.upto[demand.reader] + 1
    if demand.lsn == following or (demand.word == Allow.word and demand.lsn < following):
        return None
    return Against(f"LSN {following}", f"LSN {demand.lsn}")


# ------------------------------------------------------------------------------------------- who is asked


def _read_sets(log: Log, stream: ReadStream, position: int) -> list[tuple[int, ...]]:
    """The nodes from which it may read, in order: its metadata may be those of the epoch before or after this one.

    What is trimmed it passes over at once, so it may know those of all epochs up to the one after that.
    """
    bits = log.cluster.parameters.low_bits
    first, here = max(1, stream.start >> bits), position >> bits
    last = max(first, here + 1, max(log.points, default=0) + 1 >> bits)
    found = [_read_set(log, stream, first, number) for number in range(max(first, here - 1), last + 1)]
    return list(dict.fromkeys(nodes for nodes in found if nodes is not None))


def _read_set(log: Log, stream: ReadStream, first: int, number: int) -> tuple[int, ...] | None:
    """Nodes that stay keep their order, new ones come after them: updateCurrentReadSet; None where nobody knows."""
    known = stream.read_sets.get(number)
    epoch = log.epochs.get(number)
    if known is not None or epoch is None or epoch.nodeset is None:
        return known
    before = _read_set(log, stream, first, number - 1) if number > first else ()
    if before is None:
        return None
    kept = [node for node in before if node in epoch.nodeset]
    stream.read_sets[number] = (*kept, *sorted(epoch.nodeset.difference(kept)))
    return stream.read_sets[number]


@guard(
    "ask.one_of_its_nodes",
    Demand,
    cite="LogDevice, Read path, Metadata log: a reader asks the nodes of the epoch's nodeset",
    needs=(NewEpoch,),
)
def asks_a_node_of_the_epoch(log: Log, demand: TraceEvent) -> Against | None:
    """A reader asks the nodes of the epoch that it reads, or of one beside it."""
    sets = _read_sets(log, log.streams[demand.reader], log.upto[demand.reader] + 1)
    if not sets or any(demand.node in nodes for nodes in sets):
        return None
    if any(epoch.begun and epoch.nodeset is None for epoch in log.epochs.values()):
        return None
    return Against(f"one of {sorted(sets[-1])}", f"node {demand.node}")


@guard(
    "ask.all_in_turn",
    Demand,
    Given,
    cite=COPIES + "Rewinding the stream: all nodes are asked anew, by a filter version that is incremented",
    needs=(NewEpoch, Ask),
)
def asks_all_in_turn(log: Log, event: TraceEvent) -> Against | None:
    """A reader that has new filters asks all its nodes, in their order, before it does anything else.

    One that learns of nodes that are down before it asks anybody asks nobody by its first filters.
    """
    stream = log.streams.get(event.reader)
    if stream is None:
        return None
    awaited, version = stream.awaited, stream.version
    asks = event.word == Ask.word
    if asks and awaited and event.filters == version and event.node in awaited:
        return None
    if stream.has_to_go_on:
        what = f"node {event.node}, version {event.filters}" if asks else event.word
        return Against(f"that nodes {sorted(awaited)} are asked, by version {version}", what)
    if not asks or (event.filters == version and event.node in stream.asks):
        return None
    begins = version == 0 and event.filters >= FIRST
    if event.filters == version > 0 or event.filters == version + 1 or begins:
        turns = _read_sets(log, stream, event.lsn)
        first = {nodes[0] for nodes in turns if nodes}
        if event.filters == version or not turns or event.node in first:
            return None
        return Against(f"that version {version + 1} is told first to {sorted(first)}", f"node {event.node}")
    return Against(f"version {version}, or {version + 1} once it rewinds", f"version {event.filters}")


@guard("ask.by_the_same_filters", Ask, cite=COPIES + "Rewinding the stream: a new list comes with a new version")
def filters_of_a_version(log: Log, ask: TraceEvent) -> Against | None:
    """Who is to send, and who is passed over, changes only with the version; where all send, nobody is passed over.

    Only nodes that leave the nodeset leave the list at once.
    """
    stream = log.streams[ask.reader]
    if ask.filters == stream.version:
        before, dropped = (stream.mode, stream.passed_over), stream.passed_over - ask.filtered_out
        same = ask.mode == stream.mode and ask.filtered_out <= stream.passed_over
        if same and (not dropped or any(dropped.isdisjoint(nodes) for nodes in _read_sets(log, stream, ask.lsn))):
            return None
        return Against(f"{before}", f"{ask.mode, ask.filtered_out}")
    usual = log.delivery
    if not 0 <= ask.mode <= ONE_NEAR or (ask.mode != usual and usual is not None and ask.mode != EVERYONE):
        return Against(f"mode {EVERYONE} or {usual or ONE_NEAR}", f"mode {ask.mode}")
    if ask.filters == FIRST and usual is not None and ask.mode != usual:
        return Against(f"mode {usual} to begin with", f"mode {ask.mode}")
    sets, nobody = _read_sets(log, stream, ask.lsn), ask.filters == FIRST or ask.mode == EVERYONE
    among = frozenset[int]() if nobody else frozenset[int]().union(*sets)
    known = sets or nobody
    if known and not (ask.filtered_out <= among and (not ask.filtered_out or ask.filtered_out != among)):
        return Against(f"some of {sorted(among)}, not all, are passed over", f"{sorted(ask.filtered_out)}")
    return None


# ------------------------------------------------------------------------------------------- how far


@guard("ask.a_window_that_fits", Demand, cite=STREAM + "slideSenderWindows: as large as the buffer", needs=(Outcome,))
def window_begins_where_it_was(log: Log, demand: TraceEvent) -> Against | None:
    """A window has as many LSNs as the reader has room for; it slides when most of it was given."""
    stream, known, room = log.streams[demand.reader], log.cluster.known, _room(log, demand)
    if not room:
        return None
    low = demand.upto - room + 1
    begins = low == stream.low or (low > stream.low + known.slides_after and low in stream.visited)
    if demand.word == Allow.word and (demand.capacity, demand.lsn) != (room, low):
        return Against(f"room for {room}, from LSN {low}", f"room for {demand.capacity}, from LSN {demand.lsn}")
    return None if begins else Against(f"a window that begins at LSN {stream.low}, or has slid", f"at LSN {low}")


def _room(log: Log, demand: TraceEvent) -> int:
    """How many LSNs the reader has room for; 0 where nobody knows."""
    return log.cluster.known.room or (demand.capacity if demand.word == Allow.word else 0)


@guard("allow.is_news", Allow, cite=STREAM + "sendWindowMessage: unless the node knows it", needs=(Ask,))
def window_is_news(log: Log, allow: TraceEvent) -> Against | None:
    """A node is told of a window once, and only after it was asked to send."""
    stream = log.streams[allow.reader]
    asks = stream.asks.get(allow.node)
    if asks and asks[-1].filters == stream.version and allow.upto > stream.told[allow.node]:
        return None
    return Against(f"a node that knows nothing of LSN {allow.upto}", f"node {allow.node}")


@change(Ask)
def is_asked(log: Log, ask: TraceEvent) -> None:
    """The node may send; by new filters, all others are asked next."""
    stream = log.streams[ask.reader]
    if ask.filters == FIRST:
        log.delivery = ask.mode
    if ask.filters != stream.version:
        stream.rewind(ask.filters, (ask.mode, ask.filtered_out), _read_sets(log, stream, ask.lsn))
    stream.passed_over = ask.filtered_out
    stream.take_turn(ask.node)
    requests = stream.asks.setdefault(ask.node, [])
    goes_on = requests and requests[-1].filters == ask.filters
    allowed = requests[-1].allowed if goes_on else set[int]()
    allowed.add(ask.upto)
    damages = -1 if ask.node in log.cluster.damaged else log.cluster.damages.get(ask.node, 0)
    requests.append(Asked(ask.lsn, ask.upto, ask.filters, ask.mode, ask.filtered_out, allowed, damages))
    _slides(log, stream, ask)


@change(Allow)
def is_allowed(log: Log, allow: TraceEvent) -> None:
    """The node may send further."""
    stream = log.streams[allow.reader]
    stream.turns = []
    stream.asks[allow.node][-1].allowed.add(allow.upto)
    _slides(log, stream, allow)


def _slides(log: Log, stream: ReadStream, demand: TraceEvent) -> None:
    """The node knows of this window; an ask says where reading goes on, which may be further than where that begins."""
    stream.told[demand.node] = demand.upto
    room = _room(log, demand)
    low = demand.upto - room + 1 if room else stream.low
    if low > stream.low:
        stream.low = low
        stream.visited = [lsn for lsn in stream.visited if lsn > low]

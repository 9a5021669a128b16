"""Guards of what nodes send to readers: what they hold, in order, as far as they may, and where it is their turn."""

from __future__ import annotations

from collections.abc import Iterator

from reference_impl.log.delivery.shipping import NOWHERE, Stored, Stream, ships
from reference_impl.log.delivery.shuffle import FIXED_SEEDS
from reference_impl.replay.guard import Against, change, differ, guard
from reference_impl.replay.observed import Held, Log
from reference_impl.replay.streams import Asked, Sending
from reference_impl.replay.trace_events import TraceEvent
from spec.events import (
    BRIDGE,
    DATALOSS,
    EVERYONE,
    HOLE,
    ONE_NEAR,
    RECORD,
    Allow,
    Ask,
    CopysetChanged,
    Deliver,
    Erase,
    Fault,
    Gap,
    Rebuilt,
    Release,
    Ship,
    Store,
)

HOW = "LogDevice, Read path, How reads happen: "

NEAR = 64
"""LSNs before one that is sent that are looked at one by one."""

EARLY = 1
"""So often a node may have crashed after a log was opened, and before anything of the log was recorded."""


@guard("ship.is_held", Ship, cite=HOW + "storage nodes read records from the local log store", needs=(Store, Erase))
def sends_what_it_holds(log: Log, ship: TraceEvent) -> Against | None:
    """A node sends what it holds, as it holds it."""
    held = log.shard(ship.node).copies.get(ship.lsn)
    if held is not None and not any(map(differ, held.content, (ship.becomes, ship.digest))):
        return None
    return Against(f"{held.content if held else 'nothing'} at LSN {ship.lsn}", f"{ship.becomes, ship.digest}")


@guard(
    "ship.is_released",
    Ship,
    cite=HOW + "nodes only deliver records that the sequencer has released",
    needs=(Release,),
    promise="release",
)
def sends_what_is_released(log: Log, ship: TraceEvent) -> Against | None:
    """A node sends nothing that was not released."""
    return None if ship.lsn <= log.released else Against(f"LSN {log.released} at most", f"LSN {ship.lsn}")


@guard("ship.in_its_life", Ship, cite="LogDevice, server/read_path: a crash forgets read streams", needs=(Fault,))
def was_started_so_often(log: Log, ship: TraceEvent) -> Against | None:
    """A node counts how often it was started: after each crash, and when it was switched off since it was empty."""
    crashes, emptied = log.cluster.crashes.get(ship.node, 0), log.cluster.emptied.get(ship.node, 0)
    life, since, empty = log.lives.get(ship.node, (1, log.crashes.get(ship.node, 0), -EARLY))
    least = life + crashes - since
    most = least + emptied - empty
    return None if least <= ship.life <= most else Against(f"life {least} to {most}", f"life {ship.life}")


@guard("ship.was_asked", Ship, cite="LogDevice, common/protocol/START_Message.cpp: START begins it", needs=(Ask,))
def obeys_a_request(log: Log, ship: TraceEvent) -> Against | None:
    """A node obeys the latest request of the reader that has come to it."""
    stream = log.streams.get(ship.reader)
    made = len(stream.asks.get(ship.node, ())) if stream else 0
    before = _before(log, ship)
    least = before.order if before is not None else 1
    return None if least <= ship.order <= made else Against(f"request {least} to {made}", f"request {ship.order}")


@guard("ship.in_order", Ship, cite=HOW + "storage nodes send records in the order of their LSNs", needs=(Ask, Ship))
def sends_in_order(log: Log, ship: TraceEvent) -> Against | None:
    """After each request, a node sends from its first LSN on, every LSN once, in increasing order."""
    first = _first(log, ship)
    return None if ship.lsn >= first else Against(f"LSN {first} or later", f"LSN {ship.lsn}")


@guard("ship.within_the_window", Ship, cite=HOW + "storage nodes send no records beyond the window", needs=(Ask, Allow))
def sends_within_the_window(log: Log, ship: TraceEvent) -> Against | None:
    """A node sends nothing beyond the window that the reader told it, and that does not go back."""
    asked, before = _asked(log, ship), _before(log, ship)
    least = before.high if before is not None and before.order == ship.order else asked.high
    told = asked.allowed
    if ship.lsn <= ship.upto and ship.upto >= least and ship.upto in told:
        return None
    expected = sorted(high for high in told if high >= least)
    return Against(f"LSN {ship.lsn} within a window up to {expected}", f"up to {ship.upto}")


@guard(
    "ship.is_its_turn",
    Ship,
    cite="LogDevice, Single Copy Delivery, Primary recipient: one of those who have a record sends it",
    needs=(Ask, Store, Rebuilt, CopysetChanged),
)
def sends_in_its_turn(log: Log, ship: TraceEvent) -> Against | None:
    """In single copy delivery, a node sends what is its own to send, by the filters that it was asked by."""
    held = log.shard(ship.node).copies[ship.lsn]
    if any(_turns(log, ship.node, _asked(log, ship), ship.lsn, held)):
        return None
    return Against("that another node of the copyset sends it", f"node {ship.node}")


@guard(
    "ship.leaves_nothing_out",
    Ship,
    cite="LogDevice, Read path, Gaps sent by storage nodes: what a node passes over it does not have",
    needs=(Ask, Ship, Store, Rebuilt, CopysetChanged, Fault),
)
def leaves_nothing_out(log: Log, ship: TraceEvent) -> Against | None:
    """A node sends all that it held when that was released and that is its own to send, one after the other.

    What rebuilding amended since may have been another one's to send when the node came by.
    """
    asked, copies = _asked(log, ship), log.shard(ship.node).copies
    if asked.damages != log.cluster.damages.get(ship.node, 0):
        return None
    for lsn in range(max(_first(log, ship), ship.lsn - NEAR), ship.lsn):
        held = copies.get(lsn)
        if held is not None and not (held.late or held.rebuilt) and all(_turns(log, ship.node, asked, lsn, held)):
            return Against(f"LSN {lsn} first, which it holds", f"LSN {ship.lsn}")
    return None


def _before(log: Log, ship: TraceEvent) -> Sending | None:
    """What the node sent the reader last, in this life."""
    stream = log.streams.get(ship.reader)
    sending = stream.sending.get(ship.node) if stream is not None else None
    return sending if sending is not None and sending.life == ship.life else None


def _asked(log: Log, ship: TraceEvent) -> Asked:
    stream = log.streams[ship.reader]
    return stream.request(ship.node, ship.order)


def _first(log: Log, ship: TraceEvent) -> int:
    """The first LSN that the node may send now."""
    before = _before(log, ship)
    return before.last + 1 if before is not None and before.order == ship.order else _asked(log, ship).first


def _turns(log: Log, node: int, asked: Asked, lsn: int, held: Held) -> tuple[bool, ...]:
    """Whether it is the node's own to send, in each form of single copy delivery that the machine may have."""
    forms = log.cluster.known.closeness
    if asked.mode == EVERYONE:
        return (True,)
    if not forms or held.copyset is None:
        return (True, False)
    quorums = log.epoch(lsn >> log.cluster.parameters.low_bits).quorums
    copies = quorums.required if log.cluster.has_extras and quorums is not None else 0
    stream = Stream(node, True, asked.passed_over, FIXED_SEEDS, copies)
    record = Stored(lsn, tuple(sorted(held.copyset)), hole=held.becomes != RECORD)
    return tuple(
        ships(stream._replace(closeness=near), record) for near in (forms if asked.mode == ONE_NEAR else (NOWHERE,))
    )


@change(Ship)
def is_sent(log: Log, ship: TraceEvent) -> None:
    """The reader may have it."""
    stream, asked, cluster = log.streams[ship.reader], _asked(log, ship), log.cluster
    log.lives[ship.node] = ship.life, cluster.crashes.get(ship.node, 0), cluster.emptied.get(ship.node, 0)
    stream.sending[ship.node] = Sending(ship.life, ship.order, ship.lsn, ship.upto)
    if asked.filters == stream.version and ship.lsn > log.upto[ship.reader]:
        held = log.shard(ship.node).copies.get(ship.lsn)
        digest = held.digest if ship.digest is None and held is not None else ship.digest
        stream.sent.setdefault(ship.lsn, set()).add((ship.becomes, digest))


# ------------------------------------------------------------------------------------------- what comes of it


@guard("deliver.was_sent", Deliver, cite=HOW + "the first copy that comes is delivered", needs=(Ask, Ship))
def delivers_what_was_sent(log: Log, deliver: TraceEvent) -> Against | None:
    """A reader is given what a node sent it, by the filters in force."""
    stream = log.streams.get(deliver.reader)
    if stream is None or deliver.digest is None or (RECORD, deliver.digest) in stream.sent.get(deliver.lsn, ()):
        return None
    return Against(f"one of {sorted(_sent(stream.sent, deliver.lsn))}", f"payload {deliver.digest}")


def _sent(sent: dict[int, set[tuple[int, int | None]]], lsn: int) -> Iterator[str]:
    return (f"{content}" for content in sent.get(lsn, ()))


@guard(
    "gap.was_sent", Gap, cite="LogDevice, Read path, Reporting gaps: plugs are sent as records are", needs=(Ask, Ship)
)
def gap_was_sent(log: Log, gap: TraceEvent) -> Against | None:
    """A reader is told of a hole or a bridge that a node sent it, unless an epoch only begins later than it may."""
    stream = log.streams.get(gap.reader)
    if stream is None or gap.reason not in (HOLE, BRIDGE):
        return None
    begins = gap.reason == BRIDGE and (gap.esn == 0 or gap.lsn == stream.start)
    if begins or any(becomes == gap.reason for becomes, _ in stream.sent.get(gap.lsn, ())):
        return None
    return Against(f"what was sent: {sorted(_sent(stream.sent, gap.lsn))}", f"gap {gap.reason} up to {gap.upto}")


@guard("gap.answered_by_those_asked", Gap, cite="LogDevice, Read path, Gap detection: nodes answer", needs=(Ask,))
def those_who_answered_were_asked(log: Log, gap: TraceEvent) -> Against | None:
    """Whoever answered a reader for a gap was asked by it."""
    stream = log.streams.get(gap.reader)
    if stream is None or gap.responders is None or gap.responders <= stream.asks.keys():
        return None
    return Against(f"some of {sorted(stream.asks)}", f"{sorted(gap.responders)}")


@guard(
    "gap.loss_only_if_all_send",
    Gap,
    cite="LogDevice, Read path, All Send All: the client never delivers a data loss gap while in SCD mode",
    needs=(Ask,),
)
def loss_where_all_send(log: Log, gap: TraceEvent) -> Against | None:
    """A reader is told of a loss only after it had asked everyone who has a record to send it."""
    stream = log.streams.get(gap.reader)
    if stream is None or gap.reason != DATALOSS or stream.version == 0 or stream.mode == EVERYONE:
        return None
    return Against("that all are asked to send first", f"a loss up to {gap.upto}")

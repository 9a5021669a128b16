"""The guide of a segment layer: which step of the text ``leaseholder`` each event of its writers claims to be.

A writer is a session that takes a lock or is given samples; what iterators do is not of the text. Segments are told
apart by their requests, and lie at the instants of their samples.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from reference_impl.following.claims import CannotFollow, Duty, EventRow, Fact, OneOf, TextStep, Unfounded
from spec.language.protocol.sorts import Sort
from spec.language.protocol.states import Domains
from spec.protocols.leaseholder import Channel, Instant, Leaseholder, Segment, SegmentWriter
from spec.protocols.sorts import Node
from spec.segment.events import (
    Cancelled,
    Closed,
    Created,
    Deleted,
    Learnt,
    LockReleased,
    LockTaken,
    Rejected,
    RequestsClosed,
    Stored,
    Written,
)

NEEDED: Final = (
    Created,
    Learnt,
    LockTaken,
    LockReleased,
    Written,
    Stored,
    Rejected,
    RequestsClosed,
    Closed,
    Cancelled,
)
"""The events of which all must be recorded."""

INSTANTS_MAX: Final = 1 << 14
"""So many instants of samples are followed in one trace."""


class Piece(NamedTuple):
    """Samples that a writer is given for a channel by one request."""

    session: int
    request: int
    channel: int


class SegmentGuide:
    """Reads the events of one layer.

    Args:
        nodes: how many nodes it has.
    """

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._channels: dict[int, int] = {}
        self._periods: dict[int, int] = {}
        self._writers: dict[int, int] = {}
        self._instants: dict[int, int] = {}
        self._pieces: dict[Piece, frozenset[int]] = {}
        self._ranges: dict[Piece, tuple[int, int]] = {}
        self._stored: dict[int, list[Piece]] = defaultdict(list)
        self._holders: dict[int, int] = {}
        self._ending: set[int] = set()
        self._world: Domains | None = None

    @property
    def world(self) -> Domains:
        """The sorts, as far as events have spoken of their elements."""
        if self._world is None:
            sizes: dict[type[Sort], int] = {
                Node: max(1, self._nodes),
                Channel: max(1, len(self._channels)),
                SegmentWriter: max(1, len(self._writers)),
                Instant: max(1, len(self._instants)),
            }
            self._world = Domains(Leaseholder, sizes, {Segment: tuple(self._pieces.values())})
        return self._world

    def called(self, sort: type[Sort], element: int) -> str:
        """What people call an element of the text."""
        if sort is Channel and element < len(self._channels):
            return f"channel {list(self._channels)[element]}"
        if sort is SegmentWriter and element < len(self._writers):
            return f"writer {list(self._writers)[element]}"
        if sort is Segment and element < len(self._pieces):
            return f"the samples of request {list(self._pieces)[element].request}"
        return f"{sort.__name__.lower()} {element}"

    def duties(self, event: EventRow) -> Iterator[Duty]:
        """What an event claims, in order."""
        yield from HANDLERS[event["kind"]](self, event)

    def _element(self, known: dict[int, int], name: int) -> int:
        """The number of an element by its name, which is known from now on."""
        if name not in known:
            known[name] = len(known)
            self._world = None
        return known[name]

    # ------------------------------------------------------------------------------------------- channels

    def created(self, event: EventRow) -> Iterator[Duty]:
        """A channel is created with its leaseholder."""
        self._periods[event["channel"]] = event["period_ns"]
        yield TextStep("create", (event["leaseholder"], self._element(self._channels, event["channel"])))

    def learnt(self, event: EventRow) -> Iterator[Duty]:
        """A node learns of a channel, with its leaseholder, from one that knows of it."""
        channel, node = self._element(self._channels, event["channel"]), event["node"]
        leads = Fact("leads", (channel, event["leaseholder"]))
        sources = range(self._nodes)
        yield OneOf(tuple(TextStep("gossip", (source, node, channel), needs=(leads,)) for source in sources))

    def deleted(self, event: EventRow) -> Iterator[Duty]:
        """The text deletes nothing."""
        raise CannotFollow(f"channel {event['channel']} is deleted, and the text does not speak of that")

    # -------------------------------------------------------------------------------------------- writers

    def lock_taken(self, event: EventRow) -> Iterator[Duty]:
        """A writer takes a free lock through some gateway that knows of the channel."""
        session, key = event["session"], event["channel"]
        if event["holder"] != session:
            raise CannotFollow("several writers are open on one channel, and the text has one lock for it")
        if key in self._holders:
            yield Unfounded(f"writer {self._holders[key]} has not released it")
        writer, channel = self._element(self._writers, session), self._element(self._channels, key)
        yield OneOf(tuple(TextStep("acquire", (writer, gateway, channel)) for gateway in range(self._nodes)))
        self._holders[key] = session

    def lock_released(self, event: EventRow) -> Iterator[Duty]:
        """A writer that is closed or cancelled gives up its locks, one by one; that it ended is told later.

        For the text it gives them up at once: that nobody takes one before its release is told, is asked here.
        """
        session, key = event["session"], event["channel"]
        if self._holders.get(key) != session:
            yield Unfounded(f"writer {session} does not hold it")
        if session not in self._ending:
            writer = self._element(self._writers, session)
            yield OneOf(tuple(TextStep(action, (writer,), seen=("lock",)) for action in ("close", "cancel")))
        self._ending.add(session)
        self._holders.pop(key, None)

    def requests_closed(self, event: EventRow) -> Iterator[Duty]:
        """A caller closes the input of its writer."""
        yield TextStep("ask_to_close", (self._element(self._writers, event["session"]),))

    def closed(self, event: EventRow) -> Iterator[Duty]:
        """A writer is closed."""
        yield from self._ended("close", event["session"])

    def cancelled(self, event: EventRow) -> Iterator[Duty]:
        """A writer is cancelled."""
        yield from self._ended("cancel", event["session"])

    def _ended(self, action: str, session: int) -> Iterator[Duty]:
        """A writer ends, and has released its locks; another session is no writer."""
        if session not in self._writers:
            return
        if session in self._holders.values():
            yield Unfounded(f"writer {session} still holds a lock")
        yield TextStep(action, (self._writers[session],))

    # ------------------------------------------------------------------------------------------- segments

    def written(self, event: EventRow) -> Iterator[Duty]:
        """A caller gives its writer samples of a channel."""
        piece = Piece(event["session"], event["request"], event["channel"])
        channel, samples = self._element(self._channels, piece.channel), self._samples(event)
        if self._pieces.setdefault(piece, samples) != samples:
            yield Unfounded(f"request {piece.request} of writer {piece.session} gave other samples of it before")
        self._world = None
        self._ranges[piece] = event["start_ns"], event["last_ns"]
        yield TextStep("send", (self._element(self._writers, piece.session), channel, self._segment(piece)))

    def stored(self, event: EventRow) -> Iterator[Duty]:
        """A node stores the samples that a writer was given."""
        piece = Piece(event["session"], event["request"], event["channel"])
        if piece not in self._pieces:
            yield Unfounded(f"request {piece.request} of writer {piece.session} gave no samples of it")
        if self._pieces[piece] != self._samples(event):
            yield Unfounded(f"request {piece.request} of writer {piece.session} gave other samples of it")
        writer, channel = self._writers[piece.session], self._channels[piece.channel]
        yield TextStep("store", (event["node"], writer, channel, self._segment(piece)))
        self._is_apart(piece)
        self._stored[piece.channel].append(piece)

    def rejected(self, event: EventRow) -> Iterator[Duty]:
        """The samples that a writer was given are refused."""
        piece = Piece(event["session"], event["request"], event["channel"])
        if piece not in self._pieces:
            yield Unfounded(f"request {piece.request} of writer {piece.session} gave no samples of it")
        if self._holders.get(piece.channel) == piece.session:
            self._is_apart(piece)
        writer, channel = self._writers[piece.session], self._channels[piece.channel]
        yield TextStep("refuse", (writer, channel, self._segment(piece)))

    def _is_apart(self, piece: Piece) -> None:
        """Samples that lie between those of another segment, at other instants.

        Raises:
            CannotFollow: there is such a segment; for some layers the two overlap, for the text they do not.
        """
        start_ns, last_ns = self._ranges[piece]
        for other in self._stored[piece.channel]:
            since_ns, upto_ns = self._ranges[other]
            crosses = start_ns <= upto_ns and since_ns <= last_ns
            if crosses and self._pieces[piece].isdisjoint(self._pieces[other]):
                both = " and ".join(f"request {one.request} of writer {one.session}" for one in (other, piece))
                raise CannotFollow(f"{both} cross on channel {piece.channel}, and share no instant that is known")

    def _segment(self, piece: Piece) -> int:
        return list(self._pieces).index(piece)

    def _samples(self, event: EventRow) -> frozenset[int]:
        """The instants of a piece, of all channels together; where a channel has no period, its ends.

        Raises:
            CannotFollow: the trace has more of them than are followed.
        """
        period_ns, start_ns, last_ns = self._periods.get(event["channel"], 0), event["start_ns"], event["last_ns"]
        times = range(start_ns, last_ns + 1, period_ns) if period_ns else dict.fromkeys((start_ns, last_ns))
        if len(times) + len(self._instants) > INSTANTS_MAX:
            raise CannotFollow(f"more than {INSTANTS_MAX:,} instants of samples are not followed")
        return frozenset(self._element(self._instants, time_ns) for time_ns in times)


HANDLERS: Final[dict[Any, Callable[[SegmentGuide, EventRow], Iterator[Duty]]]] = {
    Created.kind: SegmentGuide.created,
    Learnt.kind: SegmentGuide.learnt,
    Deleted.kind: SegmentGuide.deleted,
    LockTaken.kind: SegmentGuide.lock_taken,
    LockReleased.kind: SegmentGuide.lock_released,
    Written.kind: SegmentGuide.written,
    Stored.kind: SegmentGuide.stored,
    Rejected.kind: SegmentGuide.rejected,
    RequestsClosed.kind: SegmentGuide.requests_closed,
    Closed.kind: SegmentGuide.closed,
    Cancelled.kind: SegmentGuide.cancelled,
}
"""What each kind of event claims."""

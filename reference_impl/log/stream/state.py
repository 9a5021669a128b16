"""The state of a read stream, and the small changes of it that all its rules are made of.

LogDevice, common/client_read_stream/ClientReadStream.h. A function that may fail to move the stream on says so beside
the stream that it gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from reference_impl.log.copies import Nodes
from reference_impl.log.delivery.filtered_out import FilteredOut
from reference_impl.log.lsn import epoch_of
from reference_impl.log.stream.electorate import NOBODY, Electorate
from reference_impl.log.stream.inputs import Record
from reference_impl.log.stream.outputs import Output
from reference_impl.log.stream.senders import Sender
from reference_impl.log.stream.surroundings import NOTHING, LogAttributes, Metadata, Options, Surroundings
from reference_impl.log.stream.timers import Timer
from spec.log.quorum import Authority


class Mode(Enum):
    """Who sends a record: LogDevice, Single Copy Delivery; ClientReadStreamScd.h, Mode."""

    ALL_SEND_ALL = "everyone who has a copy"
    SINGLE_COPY = "one of those who have a copy"
    LOCAL = "one of those who have a copy, near the reader if possible"


class SingleCopy(NamedTuple):
    """How far single copy delivery is in use.

    Attributes:
        mode: who sends a record now.
        planned: who is to send after the next rewind, if that changes.
        lists: who is passed over.
        ticks: the cursor when each failover timer fired last.
    """

    mode: Mode = Mode.ALL_SEND_ALL
    planned: Mode | None = None
    lists: FilteredOut = FilteredOut()
    ticks: Mapping[Timer, int] = {}

    @property
    def active(self) -> bool:
        """One sends, not all."""
        return self.mode is not Mode.ALL_SEND_ALL


class Window(NamedTuple):
    """The sliding window: LogDevice, Read path, Flow control.

    Attributes:
        size: how many LSNs it has room for; it shrinks under memory pressure.
        high: its last LSN.
        slides_after: once the cursor is beyond this LSN, the window slides.
        low_told: its first LSN as shards are told of it.
        beyond: the smallest LSN after the window before which some shard has no record; NOTHING if there is none.
    """

    size: int
    high: int
    slides_after: int
    low_told: int
    beyond: int = NOTHING


class Knowledge(NamedTuple):
    """What is known of the log, its epochs and its releases.

    Attributes:
        log: the log's attributes, as the stream was told of them last.
        metadata: the metadata of the epoch that is being read.
        last_epoch: the last epoch whose metadata are known; NOTHING before any are.
        asked: the last epoch whose metadata were asked for.
        released_epoch: the epoch of the last released LSN when they were asked for.
        released: the last LSN that is known to be released.
        trimmed: the last LSN that is known to be trimmed.
        highest_record: the highest LSN of which a record came.
    """

    log: LogAttributes | None = None
    metadata: Metadata | None = None
    last_epoch: int = NOTHING
    asked: int | None = None
    released_epoch: int = NOTHING
    released: int = NOTHING
    trimmed: int = NOTHING
    highest_record: int = NOTHING


class Stream(NamedTuple):
    """A read stream.

    Attributes:
        options: what is asked of it.
        around: what it sees of the world.
        cursor: the next LSN to deliver: everything before it was delivered or reported.
        window: what shards may send.
        known: what is known of epochs, releases and trimming.
        single_copy: how far single copy delivery is in use.
        senders: the read set.
        records: the buffer: records that cannot be delivered yet, by LSN.
        filtered: LSNs whose records the shards filtered out.
        markers: LSNs before which some shard had nothing: a gap may end there.
        version: the filter version, counted on by each rewind.
        retried: the cursor for which a loss made the stream rewind instead of reporting it.
        health: how far the healthy connections suffice.
        timers: the timers that run.
        electorate: the read set, as those who confirm gaps.
        denied: the application lacks the permission to read.
        removed: the log is no longer in the configuration.
        disposed: there is nothing more to do.
        said: what is to be done about the inputs so far.
    """

    options: Options
    around: Surroundings
    cursor: int
    window: Window
    known: Knowledge = Knowledge()
    single_copy: SingleCopy = SingleCopy()
    senders: Mapping[int, Sender] = {}
    records: Mapping[int, Record] = {}
    filtered: frozenset[int] = frozenset()
    markers: frozenset[int] = frozenset()
    version: int = 1
    retried: int = NOTHING
    health: Authority = Authority.AUTHORITATIVE_COMPLETE
    timers: frozenset[Timer] = frozenset()
    electorate: Electorate = NOBODY
    denied: bool = False
    removed: bool = False
    disposed: bool = False
    said: tuple[Output, ...] = ()

    @property
    def done(self) -> bool:
        """Everything was delivered: ClientReadStream.h, done."""
        return self.cursor > self.options.until

    @property
    def epoch(self) -> int:
        """The epoch that is being read."""
        return epoch_of(self.cursor)

    @property
    def rewinding(self) -> bool:
        """A rewind is due."""
        return Timer.REWIND in self.timers

    def saying(self, *outputs: Output) -> Stream:
        """The same stream, with more to be done."""
        return self._replace(said=(*self.said, *outputs))

    def waiting(self, *timers: Timer) -> Stream:
        """The same stream, with these timers running."""
        return self if self.timers.issuperset(timers) else self._replace(timers=self.timers.union(timers))

    def not_waiting(self, *timers: Timer) -> Stream:
        """The same stream, with these timers stopped."""
        return self if self.timers.isdisjoint(timers) else self._replace(timers=self.timers.difference(timers))

    def knowing(self, **changes: Any) -> Stream:
        """The same stream, knowing something else of epochs and releases."""
        return self._replace(known=self.known._replace(**changes))

    def with_window(self, **changes: Any) -> Stream:
        """The same stream, with another window."""
        return self._replace(window=self.window._replace(**changes))

    def with_single_copy(self, **changes: Any) -> Stream:
        """The same stream, with another state of single copy delivery."""
        return self._replace(single_copy=self.single_copy._replace(**changes))

    def with_sender(self, shard: int, **changes: Any) -> Stream:
        """The same stream, with something else known of one shard."""
        return self._replace(senders={**self.senders, shard: self.senders[shard]._replace(**changes)})

    def passed(self) -> Nodes:
        """The shards that have answered for the cursor, whether or not they may lack records."""
        return frozenset(shard for shard, sender in self.senders.items() if sender.has_passed(self.cursor))

    def lacking(self) -> Nodes:
        """Those of them that may lack records there."""
        return frozenset(shard for shard, sender in self.senders.items() if sender.may_lack(self.cursor))


Moved: TypeAlias = tuple[Stream, bool]
"""A stream, and whether it got on."""

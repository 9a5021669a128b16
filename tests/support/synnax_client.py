"""A client library of the same shape as Synnax's, with a cluster in memory behind it: the model of segment layers.

What is here is what ``quorate.systems.synnax`` calls, by the names and arguments of release 0.49.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final

from conformance.segment.model import Model
from conformance.segment.operations import Ask, Commit, Iterate, Open, Operation, Write
from spec.segment.iterator.commands import Close, Command, Next, Prev, SeekFirst, SeekGE, SeekLast, SeekLE
from spec.segment.iterator.times import TimeRange as Range


class ValidationError(Exception):
    """What is asked makes no sense."""


class ControlError(Exception):
    """Another writer has control."""


class UnauthorizedError(ControlError):
    """Another writer has control, as an open is told."""


class QueryError(Exception):
    """What is asked for is not there."""


class WriterClosed(BaseException):
    """The cluster has closed a writer."""


class TimeStamp(int):
    """Nanoseconds since 1970."""


class TimeSpan(int):
    """Nanoseconds."""


AUTO_SPAN: Final = TimeSpan(-1)


@dataclass(frozen=True)
class TimeRange:
    """From a time up to another."""

    start: TimeStamp
    end: TimeStamp


class DataType:
    """Kinds of samples."""

    TIMESTAMP = "timestamp"


class Frame(dict[int, Sequence[int]]):
    """Samples by the key of their channel."""


@dataclass
class Channel:
    """A channel that was created."""

    key: int
    name: str
    leaseholder: int


@dataclass
class Cluster:
    """What all clients share.

    Attributes:
        nodes: those that may lead channels; 0 is the gateway.
        room: how many channels there may be.
        down: nobody answers.
    """

    model: Model = field(default_factory=Model)
    channels: dict[int, Channel] = field(default_factory=dict)
    nodes: tuple[int, ...] = (0, 1, 2)
    room: int = 50
    down: bool = False
    names: count[int] = field(default_factory=count)

    def does(self, operation: Operation) -> tuple[bool, Any]:
        """Let the model answer, if anybody does."""
        if self.down:
            raise ConnectionError("nobody answers")
        return self.model.does(operation)


class Channels:
    """Creates and deletes channels."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def create(self, *, name: str, data_type: str, is_index: bool, leaseholder: int) -> Channel:
        """Create an index channel, which has time stamps and needs no other."""
        if data_type != DataType.TIMESTAMP or not is_index or leaseholder not in self._cluster.nodes:
            raise ValidationError(f"no such channel can be on node {leaseholder}")
        if len(self._cluster.channels) >= self._cluster.room:
            raise ValidationError("no room for more channels")
        made = Channel(next(self._cluster.names) + 1, name, leaseholder)
        self._cluster.channels[made.key] = made
        return made

    def delete(self, channels: Sequence[int]) -> None:
        """Delete channels by their keys."""
        for key in channels:
            del self._cluster.channels[key]


class Writer:
    """A writer of one channel."""

    def __init__(self, cluster: Cluster, start: TimeStamp, key: int) -> None:
        self._cluster, self._start, self._key = cluster, start, key
        self._name = f"w{next(cluster.names)}"
        if not cluster.does(Open(self._name, (str(key),)))[0]:
            raise UnauthorizedError("another writer has control")

    def write(self, channel: int, series: Sequence[TimeStamp]) -> None:
        """Write samples; who comes before the start, or goes back, is told at once here."""
        if series[0] < self._start or channel != self._key:
            raise ValidationError("before the start of the writer, or of another channel")
        if not self._cluster.does(Write(self._name, str(channel), tuple(series)))[0]:
            raise ValidationError("it goes back")

    def commit(self) -> TimeStamp:
        """Commit what was written."""
        self._cluster.does(Commit(self._name))
        return TimeStamp(0)

    def close(self) -> None:
        """End."""
        self._cluster.does(Ask(self._name, Close()))


class Iterator:
    """An iterator of some channels."""

    def __init__(self, cluster: Cluster, tr: TimeRange, keys: Sequence[int], chunk_size: int) -> None:
        self._cluster, self._name, self.value = cluster, f"i{next(cluster.names)}", Frame()
        named = tuple(map(str, keys))
        cluster.does(Iterate(self._name, named, Range(int(tr.start), int(tr.end)), chunk_size))

    def seek_first(self) -> bool:
        """Go in front of what is first."""
        return self._ask(SeekFirst())

    def seek_last(self) -> bool:
        """Go behind what is last."""
        return self._ask(SeekLast())

    def seek_ge(self, stamp: TimeStamp) -> bool:
        """Go to a time, or on from it."""
        return self._ask(SeekGE(int(stamp)))

    def seek_le(self, stamp: TimeStamp) -> bool:
        """Go to a time, or back from it."""
        return self._ask(SeekLE(int(stamp)))

    def next(self, span: TimeSpan) -> bool:
        """Read on."""
        return self._ask(Next(None if span == AUTO_SPAN else int(span)))

    def prev(self, span: TimeSpan) -> bool:
        """Read back."""
        return self._ask(Prev(None if span == AUTO_SPAN else int(span)))

    def close(self) -> None:
        """End."""
        self._ask(Close())

    def _ask(self, command: Command) -> bool:
        ok, read = self._cluster.does(Ask(self._name, command))
        self.value = Frame({int(key): times for key, times in read.items() if times})
        return ok


CLUSTER: Final = Cluster()
"""The one that clients reach."""


class Synnax:
    """A connection."""

    def __init__(self, host: str, port: int, username: str, password: str, *, secure: bool = False) -> None:
        if CLUSTER.down or not port or not (host and username and password) or secure:
            raise ConnectionError(f"nobody answers at {host}:{port}")
        self.cluster, self.channels = CLUSTER, Channels(CLUSTER)

    def open_writer(
        self,
        start: TimeStamp,
        channels: Sequence[int],
        *,
        mode: str,
        err_on_unauthorized: bool,
        enable_auto_commit: bool,
    ) -> Writer:
        """Open a writer, which has control or is refused."""
        assert (mode, err_on_unauthorized, enable_auto_commit) == ("persist", True, False)
        (key,) = channels
        return Writer(self.cluster, start, key)

    def open_iterator(self, tr: TimeRange, channels: Sequence[int], chunk_size: int) -> Iterator:
        """Open an iterator."""
        if unknown := set(channels) - set(self.cluster.channels):
            raise QueryError(f"no channels {unknown}")
        return Iterator(self.cluster, tr, channels, chunk_size)

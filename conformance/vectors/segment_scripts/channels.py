"""The channels of a script: an index keeps times, a data channel keeps values for the times of its index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

from reference_impl.segment.storage import Store, stored, times_of, written


class Write(NamedTuple):
    """Values written to a channel from a start, in nanoseconds; those of an index are times."""

    channel: str
    start: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Channels:
    """What is stored of each channel.

    Attributes:
        indexes: the index of each data channel.
        stores: the segments of each channel.
    """

    indexes: Mapping[str, str]
    stores: Mapping[str, Store]

    @staticmethod
    def of(indexes: Mapping[str, str], writes: Iterable[Write]) -> Channels:
        """The channels after some writes.

        Raises:
            Overlap: two writes are of the same time.
        """
        return reduce(Channels.after, writes, Channels(indexes, {}))

    @property
    def names(self) -> list[str]:
        """The channels, indexes among them."""
        return sorted({*self.indexes, *self.indexes.values()})

    def after(self, write: Write) -> Channels:
        """The channels after one more write.

        Raises:
            Overlap: something is stored there.
        """
        store = self.stores.get(write.channel, ())
        segment = written(write.start, self._times(write), write.values)
        return replace(self, stores={**self.stores, write.channel: stored(store, segment)})

    def _times(self, write: Write) -> tuple[int, ...]:
        """The times of what is written: those that its index has from that segment on, in order."""
        if write.channel not in self.indexes:
            return write.values
        index = self.stores.get(self.indexes[write.channel], ())
        ahead = [segment for segment in index if segment.range.end > write.start or segment.range.start == write.start]
        return tuple(times_of(ahead)[: len(write.values)])

    def values(self, channel: str) -> dict[int, int]:
        """The value at each time of a channel."""
        return {
            time: value
            for segment in self.stores.get(channel, ())
            for time, value in zip(segment.times, segment.values, strict=False)
        }

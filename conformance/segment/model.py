"""The model: a set of samples for each channel, writers that hold channels, and iterators as they are defined."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.segment.histories import Samples
from conformance.segment.operations import Ask, Commit, Iterate, Open, Operation, Put, Read, Write
from spec.segment.iterator.choices import BY_SAMPLE
from spec.segment.iterator.commands import Close, Command, Next, SeekFirst
from spec.segment.iterator.definition import OPENED, Place, answered, merged
from spec.segment.iterator.positions import Query
from spec.segment.iterator.times import LATEST, TimeRange

NOTHING: Samples = {}


@dataclass
class Opened:
    """An iterator of the model: the range and chunk that it was opened with, and where it is on each channel."""

    bounds: TimeRange
    chunk: int
    places: dict[str, Place]


class Model:
    """What every system should answer, whatever its configuration."""

    def __init__(self) -> None:
        self._samples: dict[str, list[int]] = {}
        self._holders: dict[str, str] = {}
        self._waiting: dict[str, list[int]] = {}
        self._writers: set[str] = set()
        self._iterators: dict[str, Opened] = {}

    def settles(self) -> None:
        """All was done at once."""

    def does(self, operation: Operation) -> tuple[bool, Samples]:
        """Carry out an operation at once."""
        match operation:
            case Put(channel, times):
                return self._puts(channel, times), NOTHING
            case Open(writer, channels):
                return self._opens(writer, channels), NOTHING
            case Write(writer, channel, times):
                return self._writes(writer, channel, times), NOTHING
            case Commit(writer):
                return self._commits(writer), NOTHING
            case Iterate(iterator, channels, bounds, chunk):
                return self._iterates(
                    iterator, channels, Opened(bounds, chunk, dict.fromkeys(channels, OPENED))
                ), NOTHING
            case Ask(name, command):
                return self._asks(name, command)
            case Read(channels, bounds):
                opened = Opened(bounds, 1, dict.fromkeys(channels, OPENED))
                self._calls(opened, SeekFirst())
                return self._calls(opened, Next(LATEST))

    def _puts(self, channel: str, times: tuple[int, ...]) -> bool:
        if channel in self._holders or not self._is_later(channel, times):
            return False
        self._samples.setdefault(channel, []).extend(times)
        return True

    def _opens(self, writer: str, channels: tuple[str, ...]) -> bool:
        """One writer at a time holds a channel: all of them, or none."""
        if writer in self._writers or any(channel in self._holders for channel in channels):
            return False
        self._writers.add(writer)
        self._holders.update(dict.fromkeys(channels, writer))
        return True

    def _writes(self, writer: str, channel: str, times: tuple[int, ...]) -> bool:
        if self._holders.get(channel) != writer or not self._is_later(channel, times):
            return False
        self._waiting.setdefault(channel, []).extend(times)
        return True

    def _commits(self, writer: str) -> bool:
        if writer not in self._writers:
            return False
        for channel in self._held(writer):
            self._samples.setdefault(channel, []).extend(self._waiting.pop(channel, []))
        return True

    def _iterates(self, iterator: str, channels: tuple[str, ...], opened: Opened) -> bool:
        if iterator in self._iterators or not channels:
            return False
        self._iterators[iterator] = opened
        return True

    def _asks(self, name: str, command: Command) -> tuple[bool, Samples]:
        if name in self._writers and isinstance(command, Close):
            self._writers.remove(name)
            for channel in self._held(name):
                del self._holders[channel]
                self._waiting.pop(channel, None)
            return True, NOTHING
        if name not in self._iterators:
            return False, NOTHING
        return self._calls(self._iterators[name], command)

    def _calls(self, opened: Opened, command: Command) -> tuple[bool, Samples]:
        oks, read = [], {}
        for channel, place in opened.places.items():
            query = Query(self._samples.get(channel, []), opened.bounds, opened.chunk, BY_SAMPLE)
            opened.places[channel], answer = answered(place, command, query)
            oks.append(answer.ok)
            read[channel] = answer.samples
        return merged(oks, BY_SAMPLE.merge), read

    def _held(self, writer: str) -> list[str]:
        return [channel for channel, holder in self._holders.items() if holder == writer]

    def _is_later(self, channel: str, times: tuple[int, ...]) -> bool:
        """Values are time-ordered: what is written comes after all that was."""
        before = [*self._samples.get(channel, []), *self._waiting.get(channel, [])]
        return not before or times[0] > before[-1]

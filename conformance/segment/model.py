"""The model: a set of samples for each channel, writers that hold channels, and iterators as they are defined."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.segment.histories import Samples
from conformance.segment.operations import Ask, Commit, Iterate, Open, Operation, Put, Read, Write
from spec.segment.iterator.choices import BY_SAMPLE, Choices
from spec.segment.iterator.commands import Close, Command, Next, SeekFirst
from spec.segment.iterator.definition import OPENED, IteratorPosition, answered, merged
from spec.segment.iterator.positions import Query, visible
from spec.segment.iterator.times import LATEST, TimeRange

NOTHING: Samples = {}


@dataclass
class Opened:
    """An iterator of the model.

    Attributes:
        bounds: the range that it was opened with.
        chunk: how many samples a chunk has.
        places: where it is on each channel.
        samples: what each channel had when it was opened.
    """

    bounds: TimeRange
    chunk: int
    places: dict[str, IteratorPosition]
    samples: dict[str, tuple[int, ...]]


class Model:
    """What every system should answer, whatever its configuration.

    Args:
        choices: the answers to what the document leaves open.
    """

    def __init__(self, choices: Choices = BY_SAMPLE) -> None:
        self._choices = choices
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
                return self._iterates(iterator, self._opened(channels, bounds, chunk)), NOTHING
            case Ask(name, command):
                return self._asks(name, command)
            case Read(channels, bounds):
                opened = self._opened(channels, bounds, 1)
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

    def _iterates(self, iterator: str, opened: Opened) -> bool:
        if iterator in self._iterators:
            return False
        self._iterators[iterator] = opened
        return True

    def _opened(self, channels: tuple[str, ...], bounds: TimeRange, chunk: int) -> Opened:
        samples = {channel: tuple(self._samples.get(channel, ())) for channel in channels}
        return Opened(bounds, chunk, dict.fromkeys(channels, OPENED), samples)

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
            samples = visible(opened.samples[channel], tuple(self._samples.get(channel, ())), self._choices)
            query = Query(samples, opened.bounds, opened.chunk, self._choices)
            opened.places[channel], answer = answered(place, command, query)
            oks.append(answer.ok)
            read[channel] = answer.samples
        return merged(oks, self._choices.merge), read

    def _held(self, writer: str) -> list[str]:
        return [channel for channel, holder in self._holders.items() if holder == writer]

    def _is_later(self, channel: str, times: tuple[int, ...]) -> bool:
        """Values are time-ordered: what is written comes after all that was."""
        before = [*self._samples.get(channel, []), *self._waiting.get(channel, [])]
        return not before or times[0] > before[-1]

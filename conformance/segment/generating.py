"""Random scripts: from one seed always the same, with samples, ranges and spans so small that they meet borders."""

from __future__ import annotations

from random import Random
from typing import Final

from conformance.segment.operations import Ask, Commit, Iterate, Open, Operation, Put, Read, Script, Write
from spec.segment.iterator.commands import Close, Command, Next, Prev, SeekFirst, SeekGE, SeekLast, SeekLE
from spec.segment.iterator.times import TimeRange

CHANNELS: Final[tuple[str, ...]] = ("a", "b", "c")
TIME_MAX: Final = 40


class Author:
    """Writes one script: it knows up to which time each channel has samples, and which writers are open."""

    def __init__(self, seed: int) -> None:
        self._lot = Random(seed)
        self._last: dict[str, int] = dict.fromkeys(CHANNELS, -1)
        self._writers: list[tuple[str, tuple[str, ...]]] = []
        self._opened = 0

    def script(self, length: int) -> Script:
        """A script of so many operations."""
        begun: list[Operation] = [self._put(channel) for channel in CHANNELS for _ in range(self._lot.randint(0, 2))]
        begun += [self._iterate("i"), Ask("i", self._seek()), self._iterate("j"), Ask("j", self._seek())]
        return (*begun, *(self._any() for _ in range(max(0, length - len(begun)))))[:length]

    def _any(self) -> Operation:
        kinds = (self._ask, self._put_somewhere, self._write_or_open, self._read)
        return self._lot.choices(kinds, weights=(10, 3, 6, 2))[0]()

    def _ask(self) -> Ask:
        kinds = (self._move, self._seek, Close)
        return Ask(self._lot.choice("iij"), self._lot.choices(kinds, weights=(40, 8, 1))[0]())

    def _move(self) -> Command:
        span = self._lot.choice([None, None, 0, 1, 1, 2, 3, 5, 8, 13, TIME_MAX])
        return Next(span) if self._lot.random() < 0.5 else Prev(span)  # noqa: PLR2004 - as often back as on

    def _seek(self) -> Command:
        time = self._lot.randint(-1, TIME_MAX)
        seeks: list[Command] = [SeekFirst(), SeekLast(), SeekGE(time), SeekLE(time)]
        return self._lot.choice(seeks)

    def _put_somewhere(self) -> Put:
        return self._put(self._lot.choice(CHANNELS))

    def _put(self, channel: str) -> Put:
        return Put(channel, self._times(channel))

    def _times(self, channel: str) -> tuple[int, ...]:
        """A few samples after those that there are, with gaps between some."""
        times: list[int] = []
        for _ in range(self._lot.randint(1, 5)):
            self._last[channel] += self._lot.choice([1, 1, 1, 2, 3])
            times.append(self._last[channel])
        return tuple(times)

    def _write_or_open(self) -> Operation:
        """An operation of a writer: open one if none is, or write, commit or end."""
        if not self._writers:
            self._opened += 1
            some = tuple(sorted(self._lot.sample(CHANNELS, self._lot.randint(1, 2))))
            self._writers.append((f"w{self._opened}", some))
            return Open(*self._writers[0])
        writer, channels = self._writers[0]
        deed = self._lot.choice(["write", "write", "commit", "end"])
        if deed == "write":
            channel = self._lot.choice(channels)
            return Write(writer, channel, self._times(channel))
        if deed == "commit":
            return Commit(writer)
        self._writers.clear()
        return Ask(writer, Close())

    def _iterate(self, name: str) -> Iterate:
        some = tuple(sorted(self._lot.sample(CHANNELS, self._lot.randint(1, 2))))
        return Iterate(name, some, self._range(), self._lot.randint(1, 3))

    def _read(self) -> Read:
        return Read((self._lot.choice(CHANNELS),), self._range())

    def _range(self) -> TimeRange:
        if self._lot.random() < 0.5:  # noqa: PLR2004 - half of all ranges are whole
            return TimeRange(-1, TIME_MAX * 2)
        start = self._lot.randint(0, TIME_MAX // 2)
        return TimeRange(start, start + self._lot.randint(1, TIME_MAX))


def random_script(seed: int, length: int = 30) -> Script:
    """The script of a seed, of so many operations."""
    return Author(seed).script(length)

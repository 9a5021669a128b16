"""What a script may do to channels: write, open iterators, and call them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from spec.segment.iterator.commands import (
    Close,
    Command,
    Next,
    Prev,
    SeekFirst,
    SeekGE,
    SeekLast,
    SeekLE,
)
from spec.segment.iterator.times import TimeRange


@dataclass(frozen=True)
class Put:
    """Write samples to a channel at once."""

    channel: str
    times: tuple[int, ...]

    def __str__(self) -> str:
        return f"put {self.channel} {_told(self.times)}"


@dataclass(frozen=True)
class Open:
    """Open a writer."""

    writer: str
    channels: tuple[str, ...]

    def __str__(self) -> str:
        return f"open {self.writer} {' '.join(self.channels)}"


@dataclass(frozen=True)
class Write:
    """Write samples that are yet to be committed."""

    writer: str
    channel: str
    times: tuple[int, ...]

    def __str__(self) -> str:
        return f"write {self.writer} {self.channel} {_told(self.times)}"


@dataclass(frozen=True)
class Commit:
    """Commit what a writer has written."""

    writer: str

    def __str__(self) -> str:
        return f"commit {self.writer}"


@dataclass(frozen=True)
class Iterate:
    """Open an iterator."""

    iterator: str
    channels: tuple[str, ...]
    bounds: TimeRange
    chunk: int

    def __str__(self) -> str:
        return f"iterate {self.iterator} {' '.join(self.channels)} in {_told(self.bounds)} by {self.chunk}"


@dataclass(frozen=True)
class Ask:
    """Call an iterator, or end a writer, which has only one call of this kind."""

    name: str
    command: Command

    def __str__(self) -> str:
        word = WORDS[type(self.command)]
        value = getattr(self.command, "span", getattr(self.command, "time", None))
        return f"{word} {self.name}" if value is None else f"{word} {self.name} {value}"


@dataclass(frozen=True)
class Read:
    """Read the whole of a range with an iterator of its own."""

    channels: tuple[str, ...]
    bounds: TimeRange

    def __str__(self) -> str:
        return f"read {' '.join(self.channels)} in {_told(self.bounds)}"


Operation: TypeAlias = Put | Open | Write | Commit | Iterate | Ask | Read
Script: TypeAlias = tuple[Operation, ...]

WORDS: Final[dict[type, str]] = {
    SeekFirst: "first",
    SeekLast: "last",
    SeekGE: "ge",
    SeekLE: "le",
    Next: "next",
    Prev: "prev",
    Close: "close",
}


def _told(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))

"""What a caller may ask of an iterator. Synnax, Segment distribution, Segment Reads - Iteration, Query Patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

AUTO: Final = None
"""In place of a span: as many samples as a chunk has, wherever they are."""


@dataclass(frozen=True)
class SeekFirst:
    """Go in front of what is first in the range."""


@dataclass(frozen=True)
class SeekLast:
    """Go behind what is last in the range."""


@dataclass(frozen=True)
class SeekLE:
    """Go to a time, or behind what is last before it."""

    time: int


@dataclass(frozen=True)
class SeekGE:
    """Go to a time, or in front of what is first after it."""

    time: int


@dataclass(frozen=True)
class Next:
    """Read on over a span of time, in nanoseconds, or over a chunk."""

    span: int | None = AUTO


@dataclass(frozen=True)
class Prev:
    """Read back over a span of time, in nanoseconds, or over a chunk."""

    span: int | None = AUTO


@dataclass(frozen=True)
class Valid:
    """Ask whether the last move read something."""


@dataclass(frozen=True)
class Error:
    """Ask for the error that was met."""


@dataclass(frozen=True)
class Close:
    """End the iterator, and ask for the error that was met."""


Seek: TypeAlias = SeekFirst | SeekLast | SeekLE | SeekGE
Move: TypeAlias = Next | Prev
Command: TypeAlias = Seek | Move | Valid | Error | Close

"""Ranges of lines: a trace in JSON lines is cut at ends of lines, so that several processes read it side by side.

Only the plain case: what is compressed is one range, and so is a file whose last line is written in another way than
ours. Whether a range is right is asked of its lines alone; whether the trace is whole, of all ranges together.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple

from conformance.trace.bulk import BLOCK, COUNTS, batches_of_lines, read_batches
from conformance.trace.errors import TraceError, Truncated
from conformance.trace.files import first_bytes, is_plain, placed, readable
from conformance.trace.jsonl import LIMIT, Lines, first_line, read_first_line, told_by

SIZE: Final = 1 << 26
"""Bytes of one range, about."""

LAST: Final = 1 << 10
"""Bytes of the end of a file among which the line is that counts the events."""


class LineRange(NamedTuple):
    """The lines of a trace that begin in some bytes of its file.

    Attributes:
        path: the file.
        begin: the first byte, counted from 0; a line that begins before it belongs to the range before.
        end: the first byte behind it; None: it is the whole trace, whatever its form.
    """

    path: Path
    begin: int = 0
    end: int | None = None

    def batches(self) -> Iterator[Any]:
        """Its events, checked.

        Raises:
            TraceError: one of its kinds, for whatever is wrong; the line is named where this is the whole trace.
        """
        if self.end is None:
            yield from read_batches(self.path)
            return
        lines = Lines(read_first_line(self.path))
        with placed(self.path), readable(), self.path.open("rb") as file:
            end = _line_from(file, self.end)
            file.seek(_line_from(file, self.begin))
            yield from batches_of_lines(lines, io.BufferedReader(_Until(file, end), BLOCK))
        if lines.ended:
            raise Truncated("a line that counts events stands among them", "it is the last", "one trace per file")


class Cut(NamedTuple):
    """How a trace is cut.

    Attributes:
        ranges: in the order of the file.
        told: how many events its last line counts; None: each range says by itself whether it is whole.
    """

    ranges: tuple[LineRange, ...]
    told: int | None


def cut_lines(path: Path, size: int = SIZE) -> Cut:
    """Cut a trace into ranges of about so many bytes.

    Raises:
        TraceError: one of its kinds, for whatever is wrong with its first line.
    """
    whole = Cut((LineRange(path),), None)
    if not is_plain(first_bytes(path)):
        return whole
    with placed(path), readable(), path.open("rb") as file:
        counted, begin = first_line(file).counted, file.tell()
        end, told = _events_end(file, begin)
    if counted and told is None:
        return whole
    borders = [*range(begin, end, size), end]
    return Cut(tuple(LineRange(path, *pair) for pair in pairwise(borders)), told)


def _events_end(file: BinaryIO, begin: int) -> tuple[int, int | None]:
    """Where the last line begins that counts the events, and how many it counts; None where there is none of ours."""
    end = file.seek(0, os.SEEK_END)
    first = file.seek(max(begin, end - LAST))
    said = file.read().rstrip()
    start = said.rfind(b"\n") + 1
    if not said.startswith(COUNTS, start):
        return end, None
    try:
        return first + start, told_by(said[start:])
    except (TraceError, ValueError):
        return end, None


def _line_from(file: BinaryIO, place: int) -> int:
    """Where the first line begins that does not begin before a place."""
    file.seek(place - 1)
    while (line := file.readline(LIMIT)) and not line.endswith(b"\n"):
        pass
    return file.tell()


class _Until(io.RawIOBase):
    """The bytes of a file from where it stands up to a place."""

    def __init__(self, file: BinaryIO, end: int) -> None:
        super().__init__()
        self.file, self.end = file, end

    def readable(self) -> bool:
        """It is for reading only."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what comes next."""
        some = self.file.read(min(len(buffer), self.end - self.file.tell()))
        buffer[: len(some)] = some
        return len(some)

"""The panel: lines at the end of a terminal that are drawn anew where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TextIO

UP_AND_CLEAR: Final = "\x1b[{}A\x1b[J"
"""Go so many lines up, and clear all from there on. Source: ECMA-48, CUU and ED."""


class Panel:
    """Some lines on a terminal.

    Args:
        out: the terminal.
    """

    def __init__(self, out: TextIO) -> None:
        self.out, self.lines = out, tuple[str, ...]()

    def draw(self, lines: Sequence[str]) -> None:
        """Put these in the place of those that stand there."""
        self._take_away()
        self.lines = tuple(lines)
        self.out.write("".join(f"{line}\n" for line in self.lines))
        self.out.flush()

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Take the lines away, so that something is written above them, and draw them below it."""
        lines = self.lines
        self._take_away()
        try:
            yield
        finally:
            self.draw(lines)

    def _take_away(self) -> None:
        if self.lines:
            self.out.write(UP_AND_CLEAR.format(len(self.lines)))
            self.out.flush()
        self.lines = ()

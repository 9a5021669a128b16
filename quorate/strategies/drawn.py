"""Drawn: Hypothesis as the chance that decides a history, so that what fails is made small and remembered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

Option = TypeVar("Option")


class Drawn:
    """The chance of one example of Hypothesis.

    Args:
        draw: draws a value.
    """

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def one_of(self, options: Sequence[Option]) -> Option:
        """One of some; an earlier one is plainer."""
        return self._draw(st.sampled_from(options))

    def number(self, least: int, most: int) -> int:
        """A number of a range, both ends included; a smaller one is plainer."""
        return self._draw(st.integers(least, most))

    def several(self, weights: Mapping[str, int], least: int, most: int) -> Iterator[str]:
        """So many names, each chosen as often as its weight says; what follows from one is drawn before the next."""
        names = st.sampled_from([name for name, weight in weights.items() for _ in range(weight)])
        for _ in range(self.number(least, most)):
            yield self._draw(names)

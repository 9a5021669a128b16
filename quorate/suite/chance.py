"""Chance: what decides a history, be it a seed or Hypothesis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Protocol, TypeVar

Option = TypeVar("Option")


class Chance(Protocol):
    """Something that decides."""

    def one_of(self, options: Sequence[Option]) -> Option:
        """One of some."""
        ...

    def number(self, least: int, most: int) -> int:
        """A number of a range, both ends included."""
        ...

    def several(self, weights: Mapping[str, int], least: int, most: int) -> Iterator[str]:
        """So many names, each chosen as often as its weight says; what follows from one is decided before the next."""
        ...


class Seeded:
    """The chance of a seed.

    Args:
        rng: decides everything.
    """

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def one_of(self, options: Sequence[Option]) -> Option:
        """One of some."""
        return self._rng.choice(options)

    def number(self, least: int, most: int) -> int:
        """A number of a range, both ends included."""
        return self._rng.randint(least, most)

    def several(self, weights: Mapping[str, int], least: int, most: int) -> Iterator[str]:
        """So many names, each chosen as often as its weight says."""
        yield from self._rng.choices(list(weights), list(weights.values()), k=self._rng.randint(least, most))

"""Ranges: where a trace in any order is cut, so that each piece is a run of the sorted trace, and about as long.

A cut may lie anywhere in a partition, so one that has half of all events makes half of all ranges. Only what stands at
one place is never cut.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from spec.columns.column import Array
from spec.columns.order import changes, order_by


class Places(NamedTuple):
    """Some places in an order, each a partition and a position in it."""

    partition: Array
    position: Array

    @classmethod
    def together(cls, some: Iterable[Places]) -> Places:
        """The places of all these."""
        return cls(*(np.concatenate([np.zeros(0, np.int64), *columns]) for columns in zip(*some, strict=True)))


class Ranges:
    """Ranges of an order.

    Args:
        sample: places of events, as often as events stand there.
        count: how many ranges there are at most, each with about as many places of the sample.
    """

    def __init__(self, sample: Places, count: int) -> None:
        order = order_by(sample.partition, sample.position)
        size = len(order)
        first = order[np.unique(np.arange(1, count) * size // count)] if size else order
        partition, position = sample.partition[first], sample.position[first]
        apart = changes([partition, position])
        partition, position = partition[apart], position[apart]
        self.partitions, self.positions = np.unique(partition), np.unique(position)
        self.begins = self._codes(partition, position)
        self.begin_partitions = partition

    def __len__(self) -> int:
        return len(self.begins) + 1

    def numbers(self, places: Places) -> Array:
        """The number of the range that each place lies in, from 0, in the order of ranges."""
        codes = self._codes(places.partition, places.position)
        return np.searchsorted(self.begins, codes, side="right").astype(np.uint16 if len(self) < 1 << 16 else np.int64)

    def around(self, partitions: Array) -> tuple[Array, Array]:
        """The numbers of the first and of the last range that may have places of each of some partitions."""
        first, last = (np.searchsorted(self.begin_partitions, partitions, side=side) for side in ("left", "right"))
        return first, last

    def _codes(self, partition: Array, position: Array) -> Array:
        """For each place a number that stands to those of where ranges begin as the places stand to each other."""
        before = np.searchsorted(self.partitions, partition, side="left")
        upto = np.searchsorted(self.partitions, partition, side="right")
        return (before + upto) * (len(self.positions) + 1) + np.searchsorted(self.positions, position, side="right")

"""Tables in any order: what is looked up about a partition goes to the ranges that may have rows of it.

So no process holds what is said of all partitions; a partition of several ranges is told of in each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from conformance.trace.header import Header
from spark_checks.any_order.ranges import Ranges
from spec.columns.column import Raw
from spec.columns.dimensions import Gathered, gather_piece
from spec.columns.order import changes, lengths, places, stable_order
from spec.columns.piece import are_of
from spec.columns.plan import needed_of_kinds
from spec.language.declare import Dimension


def read_for(dimensions: Iterable[type[Dimension]]) -> frozenset[str]:
    """What is read of events to tell of these."""
    return frozenset().union(*needed_of_kinds(dimensions).values())


def by_range(dimensions: Sequence[type[Dimension]], raw: Raw, header: Header, ranges: Ranges) -> dict[int, Gathered]:
    """What some events say of dimensions whose keys begin with a partition, for each range that it is about.

    Raises:
        NullKey: an event does not know the key of its row.
    """
    rows = places(are_of(raw["kind"].value, tuple(needed_of_kinds(dimensions))))
    if not len(rows):
        return {}
    some = {name: raw[name].take(rows) for name in read_for(dimensions)}
    return _spread(gather_piece(dimensions, some, header.parameters()), ranges)


def _spread(gathered: Gathered, ranges: Ranges) -> dict[int, Gathered]:
    found: dict[int, Gathered] = {}
    for dimension, base in gathered.items():
        first, last = ranges.around(base[dimension.key[0]].value)
        times = last - first + 1
        rows = np.repeat(np.arange(len(times)), times)
        numbers = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times - first, times)
        order = stable_order(numbers)
        rows, numbers = rows[order], numbers[order]
        begins = changes([numbers])
        for begin, length in zip(begins.tolist(), lengths(begins, len(numbers)).tolist(), strict=True):
            mine = rows[begin : begin + length]
            here = {name: state.take(mine) for name, state in base.items()}
            found.setdefault(int(numbers[begin]), {})[dimension] = here
    return found

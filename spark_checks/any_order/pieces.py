"""Pieces: some columns of some events as few bytes, which tasks hand each other through Spark.

A column of small numbers takes as few bits as they need, and gets its own type back where pieces come together. Beside
events goes what they may look up about their partitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from spec.columns.column import Array, Column, Mask, Raw, end_to_end
from spec.columns.dimensions import Gathered
from spec.columns.order import order_by

TYPES: Final = (np.int8, np.int16, np.int32)
"""What numbers are narrowed to, the narrowest first."""


class Narrow(NamedTuple):
    """A column in as few bits as its numbers need.

    Attributes:
        value: the numbers; what stands in an event that does not know means nothing.
        known: who knows; None: all.
        type: its own type.
    """

    value: Array
    known: Mask | None
    type: Any

    def slice(self, rows: slice) -> Narrow:
        """Some neighbouring events, of which memory is shared."""
        return Narrow(self.value[..., rows], None if self.known is None else self.known[rows], self.type)


Piece: TypeAlias = Mapping[str, Narrow]


class Parcel(NamedTuple):
    """What one task hands another of a range.

    Attributes:
        events: some of its events; None: none.
        tables: what it read of what is looked up about the range's partitions.
    """

    events: Piece | None
    tables: Gathered


def narrowed(column: Column, rows: Array) -> Narrow:
    """Some rows of a column."""
    value = column.value
    if value.size:
        low, high = int(value.min()), int(value.max())
        fits = (one for one in TYPES if np.iinfo(one).min <= low and high <= np.iinfo(one).max)
        value = value.astype(next(fits, value.dtype), copy=False)
    return Narrow(value[..., rows], None if column.known is None else column.known[rows], column.value.dtype)


def together(pieces: Sequence[Piece], order: Sequence[str]) -> Raw:
    """The events of all pieces, sorted by some columns."""
    columns = {
        name: end_to_end([Column(piece[name].value, piece[name].known) for piece in pieces]) for name in pieces[0]
    }
    rows = order_by(*(columns[name].value for name in order))
    return {name: _widened(column.take(rows), pieces[0][name].type) for name, column in columns.items()}


def _widened(column: Column, own: Any) -> Column:
    return column._replace(value=column.value.astype(own, copy=False))

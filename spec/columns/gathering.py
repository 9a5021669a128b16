"""Gathering: one aggregate of all rows of a piece, event class by event class."""

from __future__ import annotations

import numpy as np

from spec.columns.column import Array, Mask, of_rows
from spec.columns.order import lengths
from spec.columns.states import MONOIDS, State
from spec.language.vocabulary import TOTAL


class Gathering:
    """One aggregate of the rows of a piece, while it is gathered.

    Args:
        fn: the aggregate.
        size: how many rows there are.
        words: how many words a value has.
    """

    def __init__(self, fn: str, size: int, words: int) -> None:
        self.fn, self.shape = fn, (size,) if words == 1 else (words, size)
        self.join, self.nothing = MONOIDS[fn]
        self._value: Array | None = None
        self._said: Mask | None = None
        self._unsure: Mask | None = None

    def doubt(self, rows: Array | None) -> None:
        """Some event of each of these rows does not know."""
        if rows is not None and len(rows):
            if self._unsure is None:
                self._unsure = np.zeros(self.shape[-1], np.bool_)
            self._unsure[rows] = True

    def add(self, rows: Array, begin: Array, value: Array | None = None) -> None:
        """What some events say: the row of each, where each row's begin, their values; None: they are there."""
        if not len(rows):
            return
        if value is None:
            joined = np.ones(len(begin), np.bool_) if self.fn == "any" else lengths(begin, len(rows))
        elif len(begin) < len(rows):
            joined = self.join.reduceat(value, begin, axis=-1)
        else:
            joined = value
        self._place(joined, None if len(begin) == self.shape[-1] else rows[begin])

    def _place(self, joined: Array, rows: Array | None) -> None:
        """Join what was said with what was said before; ``rows`` None: of every row."""
        first = self._value is None
        if self._value is None:
            self._value = self._nothing()
            self._said = np.zeros(self.shape[-1], np.bool_)
        if rows is None:
            self._value = joined.astype(self._value.dtype, copy=False) if first else self.join(self._value, joined)
            self._said = None
            return
        if self._said is None:
            self._value = self._value.copy()  # it may be the trace's own column
        else:
            self._said[rows] = True
        joined = joined if first else self.join(of_rows(self._value, rows), joined)
        self._value[rows if self._value.ndim == 1 else (..., rows)] = joined

    def _nothing(self) -> Array:
        return np.full(self.shape, self.nothing, np.bool_ if self.fn == "any" else np.int64)

    def state(self) -> State:
        """The state of the rows."""
        if self._value is None:
            self._value, self._said = self._nothing(), np.zeros(self.shape[-1], np.bool_)
        return State(self._value, None if self.fn in TOTAL else self._said, self._unsure)

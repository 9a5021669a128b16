"""Compiled: one aggregate of all rows of a piece, gathered in one loop over the events, without copies of columns."""

from __future__ import annotations

from typing import Final

import numpy as np

from spec.columns import kernels
from spec.columns.column import Array, Mask
from spec.columns.selection import Selection
from spec.columns.states import MONOIDS, State
from spec.language.terms import Lit, Term
from spec.language.vocabulary import TOTAL

JOINS: Final = {"min": kernels.LEAST, "max": kernels.MOST, "union": kernels.UNION, "common": kernels.COMMON}
"""How the values of each aggregate join."""


class CompiledGathering:
    """Gathers with compiled loops; each value has one word.

    Args:
        fn: the aggregate.
        size: how many rows there are.
    """

    def __init__(self, fn: str, size: int) -> None:
        self.fn = fn
        value: Array = np.full(size, MONOIDS[fn][1], np.bool_ if fn == "any" else np.int64)
        self._joined = kernels.Joined(value, np.zeros(size, np.bool_), np.zeros(size, np.bool_))
        self._is_sure = True

    def add(self, events: Selection, term: Term, where: Term | None) -> None:
        """What some events say, of which there is one at least."""
        chosen: Mask | None = None
        if where is not None:
            chosen, lost = events.holding(where)
            if lost is not None:
                self._joined.unsure[lost], self._is_sure = True, False
        if isinstance(term, Lit):
            tell = kernels.mark if self.fn == "any" else kernels.count
            tell(events.rows, chosen, self._joined.value)
        else:
            (value, known, *_), at = events.found(term)
            self._is_sure = self._is_sure and known is None
            kernels.join(JOINS[self.fn], events.rows, chosen, value, known, at, self._joined)

    def state(self) -> State:
        """The state of the rows."""
        value, said, unsure = self._joined
        is_told = self.fn in TOTAL or said.all()
        return State(value, None if is_told else said, None if self._is_sure or not unsure.any() else unsure)

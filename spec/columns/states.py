"""States: what events say of a row so far, in a form that joins with what others say of it.

An aggregate of one block is not an answer yet: the row may go on in the next. So a state keeps apart the joined
values, whether anything was said at all, and whether some event did not know; ``answer`` reads a column from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from spec.columns.column import Array, Column, Mask, both, of_rows
from spec.language.terms import Agg, Term
from spec.language.vocabulary import TOTAL

LOWEST, HIGHEST = np.iinfo(np.int64).min, np.iinfo(np.int64).max

MONOIDS: Final[dict[str, tuple[np.ufunc, Any]]] = {
    "any": (np.logical_or, False),
    "count": (np.add, 0),
    "min": (np.minimum, HIGHEST),
    "max": (np.maximum, LOWEST),
    "union": (np.bitwise_or, 0),
    "common": (np.bitwise_and, -1),
}
"""How the values of each aggregate join, and what stands where none was given."""


class State(NamedTuple):
    """What was said of each row so far.

    Attributes:
        value: the joined values; where nothing was said, what changes nothing when joined.
        said: where something was said; None: everywhere, or the aggregate does not care.
        unsure: where some event did not know; None: nowhere.
    """

    value: Array
    said: Mask | None = None
    unsure: Mask | None = None

    def take(self, rows: Array) -> State:
        """The state of some of the rows, or of rows in another order."""
        return State(
            of_rows(self.value, rows),
            None if self.said is None else of_rows(self.said, rows),
            None if self.unsure is None else of_rows(self.unsure, rows),
        )


def answer(leaf: Term, state: State) -> Column:
    """The column of a key, a field or an aggregate, once nothing more can be said."""
    known = None if isinstance(leaf, Agg) and leaf.fn in TOTAL else state.said
    if state.unsure is not None:
        sure = ~state.unsure
        if isinstance(leaf, Agg) and leaf.fn == "any":
            sure = sure | state.value
        known = both(known, sure)
    return Column(state.value, known)


def joined(leaf: Term, state: State, starts: Array) -> State:
    """The state of rows each of which begins at one of ``starts``: its parts are joined."""
    if not isinstance(leaf, Agg):
        return state.take(starts)
    join, _ = MONOIDS[leaf.fn]
    return State(
        join.reduceat(state.value, starts, axis=-1),
        None if state.said is None else np.logical_or.reduceat(state.said, starts),
        None if state.unsure is None else np.logical_or.reduceat(state.unsure, starts),
    )


def concatenated(states: Sequence[State]) -> State:
    """The rows of all states, one after another."""
    sizes = [state.value.shape[-1] for state in states]
    return State(
        np.concatenate([state.value for state in states], axis=-1),
        _masks([state.said for state in states], sizes, absent=True),
        _masks([state.unsure for state in states], sizes, absent=False),
    )


def _masks(masks: list[Mask | None], sizes: list[int], *, absent: bool) -> Mask | None:
    if all(mask is None for mask in masks):
        return None
    filled = [np.full(size, absent) if mask is None else mask for mask, size in zip(masks, sizes, strict=True)]
    return np.concatenate(filled)

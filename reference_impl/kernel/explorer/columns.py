"""Sets of states as columns of 64-bit numbers: sorted, merged and subtracted exactly, whatever their number of words.

A column set is an array of shape (words, states). Sets are ordered by their first row; states that share it are told
apart by their other rows, so the order needs no good first row to be exact, only to be fast. ``mixed`` makes the first
row of states of several words depend on all of their bits, and can be undone.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

Columns: TypeAlias = npt.NDArray[np.uint64]
"""States, one column each: shape (words, states)."""

Row: TypeAlias = npt.NDArray[np.uint64]
"""One word of each state."""

Bools: TypeAlias = npt.NDArray[np.bool_]

U: Final = np.uint64
SHIFT: Final = U(32)
FACTOR: Final = U(0xD6E8FEB86659FD93)
INVERSE: Final = U(pow(0xD6E8FEB86659FD93, -1, 1 << 64))

EXCHANGES_MAX: Final = 8
"""So many rounds of exchanges are tried before a row is sorted the slow way."""


def mixed(states: Columns) -> Columns:
    """The same states with a first row that depends on all words; states of one word stay as they are."""
    if len(states) == 1:
        return states
    out = states.copy()
    out[0] = _mix(states[0] ^ _rest(states))
    return out


def unmixed(states: Columns) -> Columns:
    """Undo ``mixed``."""
    if len(states) == 1:
        return states
    out = states.copy()
    out[0] = _unmix(states[0]) ^ _rest(states)
    return out


def _rest(states: Columns) -> Row:
    found: Row = np.zeros(states.shape[1], U)
    for row in states[1:]:
        found = _mix(found ^ row)
    return found


def _mix(words: Row) -> Row:
    for _ in range(2):
        words = (words ^ (words >> SHIFT)) * FACTOR
    mixed: Row = words ^ (words >> SHIFT)
    return mixed


def _unmix(words: Row) -> Row:
    words = words ^ (words >> SHIFT)
    for _ in range(2):
        words = words * INVERSE
        words = words ^ (words >> SHIFT)
    return words


def distinct(states: Columns) -> Columns:
    """The states as an ordered set: sorted by the first row, equal ones once. May reorder what it is given."""
    if states.shape[1] == 0:
        return states
    if len(states) == 1:
        row: Row = states[0]
        row.sort()
        return _chosen(states, _first(row[1:] != row[:-1]))
    states = _taken(states, _order(states[0]))
    tied = states[0, 1:] == states[0, :-1]
    same = tied & _equal(states[1:, 1:], states[1:, :-1])
    if (tied & ~same).any():
        states = _untied(states, tied)
        same = _equal(states[:, 1:], states[:, :-1])
    return _chosen(states, _first(~same))


def _order(row: Row) -> npt.NDArray[Any]:
    """How to sort a row.

    Sorting numbers is several times as fast as sorting places by numbers, so the last bits of each number give way to
    its place. What is then still out of order is little where leading bits differ, and is put right by exchanges.
    """
    places = U((1 << (len(row) - 1).bit_length()) - 1)
    keyed: Row = (row & ~places) | np.arange(len(row), dtype=U)
    keyed.sort()
    order = (keyed & places).astype(np.int64)
    ordered = row[order]
    for _ in range(EXCHANGES_MAX):
        down = np.flatnonzero(ordered[1:] < ordered[:-1])
        if len(down) == 0:
            return order
        down = down[_first(np.diff(down) > 1)]
        for array in (order, ordered):
            array[down], array[down + 1] = array[down + 1], array[down]
    return np.argsort(row)


def _first(new: Bools) -> Bools:
    return np.concatenate([np.ones(1, np.bool_), new])


def _equal(one: Columns, other: Columns) -> Bools:
    found: Bools = one[0] == other[0]
    for a, b in zip(one[1:], other[1:], strict=True):
        found &= a == b
    return found


def _taken(states: Columns, places: npt.NDArray[Any]) -> Columns:
    """The states at these places; row by row, which is faster than all rows at once."""
    out: Columns = np.empty((len(states), len(places)), U)
    for row, found in zip(states, out, strict=True):
        np.take(row, places, out=found, mode="clip")
    return out


def _chosen(states: Columns, which: Bools) -> Columns:
    """The states that are marked; row by row, which is faster than all rows at once."""
    return states[0][which][None, :] if len(states) == 1 else _taken(states, np.flatnonzero(which))


def _untied(states: Columns, tied: Bools) -> Columns:
    """Sort the states that share their first row by the other rows."""
    shared = np.zeros(states.shape[1], np.bool_)
    shared[1:] |= tied
    shared[:-1] |= tied
    some = states[:, shared]
    states = states.copy()
    states[:, shared] = some[:, np.lexsort((*some[:0:-1], some[0]))]
    return states


def joined(parts: list[Columns]) -> Columns:
    """All states of several sets as one set."""
    return distinct(np.concatenate(parts, axis=1))


def merged(one: Columns, other: Columns) -> Columns:
    """All states of two ordered sets that share none, as one ordered set."""
    if len(one) == 1:
        both = np.concatenate([one, other], axis=1)
        both[0].sort()
        return both
    places = np.searchsorted(one[0], other[0]) + np.arange(other.shape[1])
    left = np.ones(one.shape[1] + other.shape[1], np.bool_)
    left[places] = False
    both = np.empty((len(one), len(left)), U)
    for row, a, b in zip(both, one, other, strict=True):
        row[places] = b
        row[left] = a
    return both


def without(states: Columns, run: Columns) -> Columns:
    """The states of one ordered set that another does not have."""
    return _chosen(states, ~known(states, run))


def known(states: Columns, run: Columns) -> Bools:
    """Which states of one ordered set another has too."""
    if run.shape[1] == 0 or states.shape[1] == 0:
        return np.zeros(states.shape[1], np.bool_)
    at: npt.NDArray[Any] = np.minimum(np.searchsorted(run[0], states[0]), run.shape[1] - 1)
    near: Bools = run[0, at] == states[0]
    return near if len(states) == 1 else _looked_up(states, run, at, near)


def _looked_up(states: Columns, run: Columns, at: npt.NDArray[Any], near: Bools) -> Bools:
    """Which states are known, given where their first rows begin; goes on while only the first rows agree."""
    found = np.zeros(len(near), np.bool_)
    waiting = np.flatnonzero(near)
    place = at[waiting]
    while len(waiting):
        same = _equal(_taken(states, waiting), _taken(run, place))
        found[waiting[same]] = True
        waiting, place = waiting[~same], place[~same] + 1
        inside = place < run.shape[1]
        waiting, place = waiting[inside], place[inside]
        again = run[0, place] == states[0, waiting]
        waiting, place = waiting[again], place[again]
    return found

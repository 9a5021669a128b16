"""Kernels: loops over events that numba turns into machine code.

Some arrays may be None, and numbers have any width: numba makes code for each such case when it first occurs, and keeps
it on disk.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from numba import njit

LEAST: Final = 0
MOST: Final = 1
UNION: Final = 2
COMMON: Final = 3


@njit(cache=True, nogil=True)
def mark(rows: Any, chosen: Any, said: Any) -> None:
    """Note the row of each event that is chosen; ``chosen`` None: all are."""
    for event in range(len(rows)):
        if chosen is None or chosen[event]:
            said[rows[event]] = True


@njit(cache=True, nogil=True)
def count(rows: Any, chosen: Any, number: Any) -> None:
    """Count the events of each row that are chosen; ``chosen`` None: all are."""
    for event in range(len(rows)):
        if chosen is None or chosen[event]:
            number[rows[event]] += 1


class Joined(NamedTuple):
    """What was said of each row; written to.

    Attributes:
        value: the joined values.
        said: whether something was said.
        unsure: whether an event did not know.
    """

    value: Any
    said: Any
    unsure: Any


@njit(cache=True, nogil=True)
def join(how: int, rows: Any, chosen: Any, value: Any, known: Any, at: Any, joined: Joined) -> None:
    """Join what the events of each row say with what was said of it before.

    The events of a row follow each other: what they say is kept in a register until the next row begins.

    Args:
        how: one of the numbers above.
        rows: the row of each event.
        chosen: which events are asked; None: all.
        value: the values.
        known: which of these are known; None: all.
        at: where in these each event's is; None: in the order of the events.
        joined: what was said of each row.
    """
    row, so_far = -1, joined.value[0]
    for event in range(len(rows)):
        if chosen is not None and not chosen[event]:
            continue
        place = event if at is None else at[event]
        if known is not None and not known[place]:
            joined.unsure[rows[event]] = True
            continue
        if rows[event] != row:
            if row >= 0:
                joined.value[row] = so_far
            row = rows[event]
            joined.said[row], so_far = True, joined.value[row]
        if how == LEAST:
            so_far = min(so_far, value[place])
        elif how == MOST:
            so_far = max(so_far, value[place])
        elif how == UNION:
            so_far |= value[place]
        else:
            so_far &= value[place]
    if row >= 0:
        joined.value[row] = so_far

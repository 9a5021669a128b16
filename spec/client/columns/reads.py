"""Reads: how far a read had come before each of its steps, and what it passed over without a word.

Source: the books of one reader, ``spec.client.bookkeeping.readers``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spec.client.columns.plain import Plain
from spec.columns.column import Array, Mask
from spec.columns.order import places
from spec.events import AtEnd, Read


class Steps(NamedTuple):
    """Steps of reads: deliveries and gaps.

    Attributes:
        rows: the steps, in their recorders' order.
        since: the LSN at which the read goes on.
        is_followed: whether that is known.
    """

    rows: Array
    since: Array
    is_followed: Mask


def steps_of(plain: Plain) -> Steps:
    """All steps of plain events."""
    told = plain.reading[~plain.is_of(AtEnd.kind)[plain.reading]]
    order, starts = plain.clients(told)
    rows = told[order]
    is_read = plain.kind[rows] == Read.kind
    is_new = is_read.copy()
    is_new[starts] = True
    begins = places(is_new)
    upto = _furthest(plain.upto[rows], begins)
    since = np.empty(len(rows), np.int64)
    since[1:] = upto[:-1] + 1
    since[begins] = plain.lsn[rows[begins]]
    followed = np.array([name in plain.recording.followed for name in plain.names], np.bool_)
    back = np.argsort(rows[~is_read], kind="stable")
    steps = rows[~is_read][back]
    return Steps(steps, since[~is_read][back], followed[plain.recorder[steps]])


def _furthest(upto: Array, begins: Array) -> Array:
    """The greatest number so far in each run of rows; most runs rise anyway."""
    falls = places(upto[1:] < upto[:-1]) + 1
    falls = falls[~np.isin(falls, begins)]
    furthest = upto.copy()
    ends = np.append(begins[1:], len(upto))
    for run in np.unique(np.searchsorted(begins, falls, side="right") - 1).tolist():
        here = slice(begins[run], ends[run])
        furthest[here] = np.maximum.accumulate(upto[here])
    return furthest
